// What lies one key away from a verifier: the guide with its examples, and what they have done so far.
import { clock, h } from './dom.js';

/** `**bold**` and `*words*` in a line of the guide. */
const spans = (line) => line.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) =>
  (part.startsWith('**') ? h('b', {}, part.slice(2, -2)) : part.startsWith('*') && part.length > 2 ? h('em', {}, part.slice(1, -1)) : part));

/** The guide's Markdown: headings, lists and paragraphs. */
function read(text) {
  return text.split(/\n{2,}/).map((block) => block.trim()).filter(Boolean).flatMap((block) => {
    const heading = /^#+ (.*)$/.exec(block);
    if (heading) return [h('h3', {}, ...spans(heading[1]))];
    if (/^- /.test(block)) return [h('ul', { class: 'bullets' }, block.split(/\n(?=- )/).map((line) => h('li', {}, ...spans(line.replace(/^- /, '').replace(/\n/g, ' ')))))];
    return [h('p', {}, ...spans(block.replace(/\n/g, ' ')))];
  });
}

function dialog(title, ...children) {
  const made = h('dialog', { class: 'dialog wide', 'aria-label': title }, h('h2', { tabIndex: -1, autofocus: true }, title), ...children,
    h('div', { class: 'row end' }, h('button', { type: 'button', class: 'primary', onclick: () => made.close() }, 'Back to the task')));
  return made;
}

export const guideDialog = (text, definition) => dialog('Guide', definition ? h('p', {}, h('b', {}, 'What this kind of task is. '), definition) : '', h('div', { class: 'guide' }, read(text)));

/** What somebody has judged, and how long it took. */
export function pastDialog({ hours, past }, axes) {
  const said = (votes, name) => votes[name]?.vote || '–';
  const rows = past.map((one) => h('tr', {}, h('td', {}, clock(one.decided_at || one.assigned_at)), h('th', { scope: 'row' }, one.question, one.exercise ? h('small', {}, 'exercise') : null),
    axes.map(({ name }) => h('td', {}, one.skipped ? '' : said(one.votes, name))), h('td', {}, one.skipped ? `not judged: ${one.skipped}` : one.outcome || 'others are still at it')));
  return dialog('Your work', h('p', {}, `${past.length} judged, ${hours.toFixed(1)} hours.`),
    past.length ? h('div', { class: 'scroll' }, h('table', { class: 'grid' }, h('thead', {}, h('tr', {}, ['Time', 'Question', ...axes.map(({ label }) => label), 'Outcome'].map((head) => h('th', { scope: 'col' }, head)))), h('tbody', {}, rows))) : '');
}
