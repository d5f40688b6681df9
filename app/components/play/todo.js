// What is to be done in a worked example. The list comes from the server, and so does every tick.
import { h } from './dom.js';
import { latest } from './latest.js';
import { say } from './words.js';

/** What comes with the answer at the latest does not keep one from giving it. */
const GIVEN = new Set(['answer', 'sure']);

/**
 * @param {() => Promise<{todo: {name: string, text: string, done: boolean}[]}>} ask
 * @param {() => void} changed told after each reply
 * @param {() => void} again begins the example anew
 * @returns {{element: HTMLElement, look: () => Promise<void>, left: () => string[]}} `look` asks the server
 *   again, and is over when the list is as new as the call; `left`: what keeps one
 *   from answering, in words
 */
export function todoList(ask, changed, again) {
  const list = h('ul', {});
  const told = h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
  const element = h('section', { class: 'todo', 'aria-label': say('tutorial.todo'), hidden: true }, h('p', { class: 'note' }, say('tutorial.todo')), list, told,
    h('button', { type: 'button', class: 'link', onclick: again }, say('tutorial.again')));
  /** @type {{name: string, text: string, done: boolean}[]} */
  let things = [];
  const look = latest(async () => {
    let next;
    try {
      next = (await ask()).todo;
    } catch {
      return; // asked again after the next step; the server refuses an answer that comes too early
    }
    const fresh = next.filter((thing) => thing.done && things.some((before) => before.name === thing.name && !before.done));
    things = next;
    element.hidden = things.length === 0;
    list.replaceChildren(...things.map((thing) => h('li', { class: thing.done ? 'done-thing' : '', dataset: { todo: thing.name } },
      h('span', { class: 'tick', 'aria-hidden': 'true' }, thing.done ? '✓' : '○'),
      h('span', {}, thing.text, h('span', { class: 'hidden' }, `, ${say(thing.done ? 'tutorial.done' : 'tutorial.open')}`)))));
    told.textContent = fresh.map((thing) => `${thing.text}: ${say('tutorial.done')}`).join('. ');
    changed();
  });
  look();
  return { element, look, left: () => things.filter((thing) => !thing.done && !GIVEN.has(thing.name)).map((thing) => thing.text) };
}
