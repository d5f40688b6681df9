// What lies one key away from a verifier: the guide with its examples, and what they have done so far.
import { clock, h } from './dom.js';

/** @typedef {Pick<JudgedAxis, 'name' | 'label'>} Axis */
/**
 * One thing that somebody has judged, as `annotation/verifying/history.py` tells it.
 * @typedef {object} Judged
 * @property {string} question
 * @property {boolean} exercise
 * @property {string} assigned_at
 * @property {string | null} decided_at
 * @property {Record<string, {vote: string}>} votes
 * @property {string | null} skipped why they could not judge it
 * @property {string} outcome
 * @property {Record<string, boolean>} yours axis → whether their votes pass it
 * @property {Record<string, boolean>} right axis → whether most pass it, or it is known to pass
 * @property {Record<string, string>} held axis → which reasons hold by somebody who took no part
 */
/** @typedef {{hours: number, past: Judged[]}} Work */

/** `**bold**` and `*words*` in a line of the guide. @param {string} line */
const spans = (line) => line.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) =>
  (part.startsWith('**') ? h('b', {}, part.slice(2, -2)) : part.startsWith('*') && part.length > 2 ? h('em', {}, part.slice(1, -1)) : part));

/** The guide's Markdown: headings, lists and paragraphs. @param {string} text @returns {HTMLElement[]} */
function read(text) {
  return text.split(/\n{2,}/).map((block) => block.trim()).filter(Boolean).map((block) => {
    const heading = /^#+ (.*)$/.exec(block);
    if (heading) return h('h3', {}, ...spans(heading[1]));
    if (/^- /.test(block)) return h('ul', { class: 'bullets' }, block.split(/\n(?=- )/).map((line) =>
      h('li', {}, ...spans(line.replace(/^- /, '').replace(/\n/g, ' ')))));
    return h('p', {}, ...spans(block.replace(/\n/g, ' ')));
  });
}

/** @param {string} title @param {...(Node | string)} children */
function dialog(title, ...children) {
  const made = h('dialog', { class: 'dialog wide', 'aria-label': title }, h('h2', { tabIndex: -1, autofocus: true }, title), ...children,
    h('div', { class: 'row end' }, h('button', { type: 'button', class: 'primary', onclick: () => made.close() }, 'Back to the task')));
  return made;
}

/** @param {string} text @param {string} definition */
export const guideDialog = (text, definition) => dialog('Guide', definition ? h('p', {}, h('b', {}, 'What this kind of task is. '), definition) : '',
  h('div', { class: 'guide' }, read(text)));

/**
 * What somebody has judged, how it stands beside what the others said once a task is closed, and how long it took.
 * @param {Work} work
 * @param {Axis[]} axes
 */
export function pastDialog({ hours, past }, axes) {
  const word = (/** @type {boolean} */ passes) => (passes ? 'pass' : 'fail');
  /** @param {Judged} one @param {string} name */
  const cell = (one, name) => {
    if (one.skipped) return h('td', {});
    if (!(name in one.right)) return h('td', {}, one.votes[name]?.vote || '–');
    const differs = one.yours[name] !== one.right[name];
    return h('td', {}, differs ? h('b', {}, word(one.yours[name])) : word(one.yours[name]),
      differs ? h('small', {}, `${one.exercise ? 'known' : 'most'}: ${word(one.right[name])}`) : null,
      one.held[name] ? h('small', {}, `Looked at again: ${one.held[name]}`) : null);
  };
  /** @param {Judged} one */
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
