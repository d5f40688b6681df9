// Two people changed the same marks: both are shown, the person chooses; every way can be undone.
import { h } from './dom.js';
import { same } from './history.js';

/** @typedef {import('./geometry.js').Mark} Mark */

/** Marks of both, theirs under a new id where they differ. @param {Mark[]} mine @param {Mark[]} theirs @param {() => string} newId */
export function both(mine, theirs, newId) {
  const extra = theirs.filter((mark) => !mine.some((other) => same([mark], [other])))
    .map((mark) => (mine.some((other) => other.id === mark.id) ? { ...mark, id: newId() } : mark));
  return [...mine, ...extra];
}

/**
 * The sentence and its buttons.
 * @param {{label: string, hint: string, act: () => void}[]} ways
 */
export const choice = (ways) => [
  h('p', {}, h('b', {}, 'These marks were changed elsewhere in the meantime, by somebody else or in another tab of yours.'),
    ' Yours are drawn as usual and kept; theirs are dotted. Which shall stay?'),
  h('div', { class: 'row wrap' }, ways.map(({ label, hint, act }) => h('button', { type: 'button', title: hint, onclick: act }, label))),
];
