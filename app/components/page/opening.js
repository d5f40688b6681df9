// What a page shows until its task can be seen: the page's own outline, never a blank one, with what is happening in words.
import { h, s } from './dom.js';
import { say } from './words.js';

/** How long it may take before the person is offered another way (ms). */
const LONG_MS = 20000;

/**
 * @param {object} what
 * @param {string} what.title - where the person is, such as "Task 3 of 6"
 * @param {string} what.words - what is happening
 * @param {HTMLElement} [what.stop] - the button that stops
 * @returns {HTMLElement} its `.loading` holds the words, which may be changed; its heading can be given the focus
 */
export function opening({ title, words, stop }) {
  const blocks = (/** @type {string[]} */ ...widths) => widths.map((width) => h('i', { class: 'block', style: `width: ${width}` }));
  const slow = h('p', { class: 'slow', hidden: true }, say('page.slow'), ' ', h('button', { type: 'button', onclick: () => window.location.reload() },
    say('page.reload_page')));
  const element = h('section', { class: 'opening', 'aria-busy': 'true' },
    h('div', { class: 'row spread top' }, h('h1', { class: 'title', tabIndex: -1 }, title), stop),
    h('div', { class: 'outline', 'aria-hidden': 'true' }, blocks('min(560px, 80%)', 'min(320px, 55%)')),
    h('div', { class: 'room' },
      h('div', { class: 'frame-outline' }, drawing(), h('div', { class: 'moving' }, h('i')), h('p', { class: 'loading', role: 'status' }, words), slow),
      h('div', { class: 'outline beside', 'aria-hidden': 'true' }, blocks('100%', '100%', '70%', '100%', '45%'))));
  setTimeout(() => { if (element.isConnected) slow.hidden = false; }, LONG_MS);
  return element;
}

/** An empty room in a few lines. */
function drawing() {
  const lines = 'M20 20 L100 60 V140 L20 190 M300 20 L220 60 V140 L300 190 M100 60 H220 M100 140 H220 M140 140 V92 H180 V140';
  return s('svg', { viewBox: '0 0 320 210', 'aria-hidden': 'true' }, s('path', {
    d: lines, fill: 'none', stroke: 'currentColor', 'stroke-width': '2', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }));
}
