// What is drawn where, colour by colour and view by view: what is missing is seen at once, and a press goes there.
import { COLOURS } from './colours.js';
import { focusedBeside, h } from './dom.js';
import { at, belongs, isAbsence } from './nextmark.js';

/** @typedef {import('./geometry.js').Mark} Mark */

const SIGNS = { drawn: '✓', absent: '∅', empty: '', free: '' };
const WORDS = { drawn: 'drawn', absent: 'not visible', empty: 'missing', free: 'nothing drawn' };

/** A view's name in few letters. @param {string} name */
const short = (name) => name.replace(/^view(\d)$/, 'view $1').replace(/-gripper$/, '');

export class MarkTable {
  /** What is shown. @type {string | undefined} */ key;

  /** @param {import('./canvas.js').Board} board the drawing component */
  constructor(board) {
    this.board = board;
    this.body = h('table', { class: 'places' });
    this.absent = h('button', { type: 'button', class: 'absent', onclick: () => board.places.absent() });
    this.words = h('span');
    this.absent.append(this.words, h('kbd', { 'aria-hidden': 'true' }, 'X'));
    this.element = h('div', { class: 'marktable' }, this.body, this.absent);
  }

  /** Draw it anew where something has changed. */
  sync() {
    const { board } = this;
    const { rule, reference } = board.data;
    const views = [...board.panes.keys()];
    const colours = board.colours();
    this.element.hidden = !rule || !colours.length;
    if (!rule || this.element.hidden) return;
    const marks = board.history.present;
    const empty = new Set(board.places.missing().map(({ view, colour }) => `${view} ${colour}`));
    const now = board.readonly ? '' : `${board.active?.view.name} ${board.colour}`;
    const key = JSON.stringify([views, colours, marks.map(({ id, view, colour }) => [id, view, colour]), [...empty], now, reference, board.selected]);
    if (key !== this.key) {
      this.key = key;
      this.#draw(rule, views, colours, marks, empty, now);
    }
    const place = { view: board.active?.view.name ?? '', colour: board.colour };
    const may = rule.absent && !board.readonly && place.view && place.colour !== 'red' && belongs(rule, place, reference);
    // Where it cannot be said its place stays, so that nothing moves.
    this.absent.hidden = !rule.absent || Boolean(board.readonly);
    this.absent.style.visibility = may ? '' : 'hidden';
    this.words.textContent = `${place.colour} is not visible in ${short(place.view)}`;
    if (!may) return;
    const found = at(marks, place);
    this.absent.setAttribute('aria-pressed', String(Boolean(found && isAbsence(found))));
    this.absent.setAttribute('aria-disabled', String(Boolean(found && !isAbsence(found))));
  }

  /**
   * @param {import('./nextmark.js').Rule} rule
   * @param {string[]} views
   * @param {string[]} colours
   * @param {Mark[]} marks
   * @param {Set<string>} empty
   * @param {string} now
   */
  #draw(rule, views, colours, marks, empty, now) {
    const { board } = this;
    const active = focusedBeside(this.body);
    const focused = active && this.body.contains(active) && active.dataset.place;
    /** @param {string} view @param {string} colour */
    const cell = (view, colour) => {
      const place = { view, colour };
      const found = at(marks, place);
      if (!found && !belongs(rule, place, board.data.reference)) return h('td');
      const name = `${view} ${colour}`;
      const state = found ? (isAbsence(found) ? 'absent' : 'drawn') : empty.has(name) ? 'empty' : 'free';
      const button = h('button', {
        type: 'button', class: `cell ${state}${name === now ? ' now' : ''}`, dataset: { place: name }, title: `${colour} in ${short(view)}: ${WORDS[state]}`,
        'aria-label': `${colour} in ${short(view)}: ${WORDS[state]}`, onclick: () => board.places.goTo(place),
      }, SIGNS[state]);
      return h('td', {}, button);
    };
    /** @param {string} view */
    const head = (view) => h('th', { scope: 'col', class: view === board.data.reference ? 'reference' : '' }, short(view));
    this.body.replaceChildren(
      h('thead', {}, h('tr', {}, h('td'), views.map(head))),
      h('tbody', {}, colours.map((colour) => h('tr', {},
        h('th', { scope: 'row' }, h('i', { style: `background:${COLOURS[colour]}` }), colour), views.map((view) => cell(view, colour))))));
    if (focused) this.body.querySelector(`[data-place="${CSS.escape(focused)}"]`)?.focus();
  }
}
