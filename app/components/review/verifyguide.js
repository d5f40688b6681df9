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
    if (/^- /.test(block)) return [h('ul', { class: 'bullets' }, block.split(/\n(?=- )/).map((line) =>
      h('li', {}, ...spans(line.replace(/^- /, '').replace(/\n/g, ' ')))))];
    return [h('p', {}, ...spans(block.replace(/\n/g, ' ')))];
  });
}

function dialog(title, ...children) {
  const made = h('dialog', { class: 'dialog wide', 'aria-label': title }, h('h2', { tabIndex: -1, autofocus: true }, title), ...children,
    h('div', { class: 'row end' }, h('button', { type: 'button', class: 'primary', onclick: () => made.close() }, 'Back to the task')));
  return made;
}

export const guideDialog = (text, definition) => dialog('Guide', definition ? h('p', {}, h('b', {}, 'What this kind of task is. '), definition) : '',
  h('div', { class: 'guide' }, read(text)));

/** What somebody has judged, how it stands beside what the others said once a task is closed, and how long it took. */
export function pastDialog({ hours, past }, axes) {
  const word = (passes) => (passes ? 'pass' : 'fail');
  const cell = (one, name) => {
    if (one.skipped) return h('td', {});
    if (!(name in one.right)) return h('td', {}, one.votes[name]?.vote || '–');
    const differs = one.yours[name] !== one.right[name];
    return h('td', {}, differs ? h('b', {}, word(one.yours[name])) : word(one.yours[name]),
      differs ? h('small', {}, `${one.exercise ? 'known' : 'most'}: ${word(one.right[name])}`) : null,
      one.held[name] ? h('small', {}, `Looked at again: ${one.held[name]}`) : null);
  };
  const end = (one) => (one.skipped ? `not judged: ${one.skipped}` : one.outcome || (one.exercise ? 'exercise' : 'others are still at it'));
  const rows = past.map((one) => h('tr', {}, h('td', {}, clock(one.decided_at || one.assigned_at)),
    h('th', { scope: 'row' }, one.question, one.exercise ? h('small', {}, 'exercise') : null),
    axes.map(({ name }) => cell(one, name)), h('td', {}, end(one))));
  const told = past.filter((one) => !one.exercise && Object.keys(one.right).length);
  const alike = axes.map(({ name, label }) => `${label.toLowerCase()} ${told.filter((one) => one.yours[name] === one.right[name]).length}`);
  return dialog('Your work', h('p', {}, `${past.length} judged, ${hours.toFixed(1)} hours.`),
    told.length ? h('p', {}, `Of ${told.length} closed ${told.length === 1 ? 'task' : 'tasks'} you judged as most did: ${alike.join(', ')}. `
      + 'Where you differ stands in bold.') : '',
    past.length ? h('div', { class: 'scroll' }, h('table', { class: 'grid' }, h('thead', {},
      h('tr', {}, ['Time', 'Question', ...axes.map(({ label }) => label), 'Outcome'].map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {}, rows))) : '');
}
