
// The report's own page: draws each figure where it stands. drawing.js comes before this text.
const plots = JSON.parse(document.getElementById('plots')?.textContent ?? '{}');
for (const box of document.querySelectorAll('[data-plot]')) draw(window.Plotly, box, plots[box.dataset.plot ?? ''].plot);
for (const button of document.querySelectorAll('[data-save]')) {
  const { of = '', save = '' } = button.dataset;
  const { plot, title } = plots[of];
  button.setAttribute('aria-label', `${button.textContent}: ${title}`);
  button.addEventListener('click', async () => keep(await picture(window.Plotly, plot, title, save), `${of}.${save}`));
}

/** Every figure as a picture, into the page's own text: read by whoever opened it without a window to make the files. */
async function pictures() {
  const made = [];
  for (const [name, { plot, title }] of Object.entries(plots)) {
    for (const format of ['svg', 'png']) made.push(`${name} ${format} ${await picture(window.Plotly, plot, title, format)}`);
  }
  const told = document.createElement('pre');
  told.id = 'pictures';
  told.textContent = made.join('\n');
  document.body.append(told);
}
if (window.location.hash === '#pictures') pictures();
