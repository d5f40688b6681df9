// Going on in the editor: which place lacks a mark, to which one turns next, and that a view does not show what a colour marks elsewhere.
import { KINDS } from './drawkeys.js';
import { handles } from './geometry.js';
import { absence, at, belongs, empty, following, isAbsence } from './nextmark.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** @typedef {import('./nextmark.js').Place} Place */

/** @param {string} text */
const upper = (text) => text[0].toUpperCase() + text.slice(1);

export class Places {
  /** @param {import('./canvas.js').Board} board the component; its data say by which rule marks are wanted, and which view is the reference */
  constructor(board) { this.board = board; }

  get #views() { return [...this.board.panes.keys()]; }

  /** The places that still lack a mark; none where the page says nothing of that. */
  missing() {
    const { data, history, active } = this.board;
    return data.rule && history ? empty(data.rule, history.present, this.#views, data.reference ?? '', active?.view.name ?? '') : [];
  }

  /** Start with the first place that lacks a mark. */
  begin() {
    const [first] = this.missing();
    if (!first || this.board.readonly) return;
    this.board.colour = first.colour;
    this.board.active = this.board.panes.get(first.view);
  }

  /** Go on to the next place that lacks a mark; returns words for the status line. @param {Place} place */
  advance(place) {
    const { board } = this;
    const next = following(this.missing(), place, this.#views, board.colours());
    if (!next) return '';
    board.colour = next.colour;
    if (next.view !== place.view) this.#turn(next.view);
    board.remember();
    board.sync();
    return ` Next: ${next.colour} in ${next.view}.`;
  }

  /**
   * A view is turned to by a press or the Tab key: the colour goes on where it is missing there, else what is missing there is chosen.
   * @param {Pane} pane
   */
  enter(pane) {
    const { board } = this;
    const before = board.active?.view.name;
    board.active = pane;
    if (!board.data.rule || board.readonly || board.draft || !(board.tool in KINDS)) return;
    const { name } = pane.view;
    const here = this.missing().filter(({ view }) => view === name);
    if (here.length && !here.some(({ colour }) => colour === board.colour)) board.colour = here[0].colour;
    if (before !== name && this.serves(name)) board.say(`Now ${board.colour} in ${name}.`);
  }

  /** Whether the colour in hand can be drawn in a view; says so where it cannot. @param {string} view */
  serves(view) {
    const { board } = this;
    const { rule, reference } = board.data;
    const { colour } = board;
    if (!rule || belongs(rule, { view, colour }, reference)) return true;
    board.say(rule.where === 'reference' ? `What is drawn belongs into ${reference}.` : colour === 'red' ? `Red belongs into ${reference}.`
      : `Only red belongs into ${reference}: draw ${colour} in another view.`);
    return false;
  }

  /** Another view is the reference: who drew in the old one, or nothing yet, goes on in the new one. @param {string} before */
  turned(before) {
    const { board } = this;
    if (board.readonly || board.draft || board.active?.view.name !== before) return;
    const pane = board.panes.get(board.data.reference ?? '') || board.active;
    board.active = pane;
    if (board.wide === before) board.wide = pane.view.name;
    this.begin();
  }

  /** Another view has the keys. @param {string} view */
  #turn(view) {
    const { board } = this;
    if (board.wide) board.wide = view;
    board.active = board.panes.get(view);
    board.sync();
    board.active?.port.focus({ preventScroll: true });
  }

  /** To a place of the table: its mark is chosen, or drawn next. @param {Place} place */
  goTo(place) {
    const { board } = this;
    const found = at(board.history.present, place);
    this.#turn(place.view);
    if (found && !isAbsence(found)) {
      if (board.tool !== 'select') board.pick('select', true);
      board.choose(found.id);
      board.active?.reveal(handles(found)[0]);
    } else if (!board.readonly) {
      if (!(board.tool in KINDS)) board.pick(board.data.kinds[0], true);
      board.selected = board.vertex = null;
      board.colour = place.colour;
      const or = board.data.rule?.absent && place.colour !== 'red' ? ', or X says that it is not visible there' : '';
      board.say(`${upper(place.colour)} in ${place.view}: draw it${or}.`);
      board.sync();
    }
  }

  /** Say that the view in hand does not show what the colour marks elsewhere, or take that back. */
  absent() {
    const { board } = this;
    const { rule, reference } = board.data;
    if (board.readonly || !board.active) return;
    const place = { view: board.active.view.name, colour: board.colour };
    if (!rule?.absent) { board.say('In this item nothing can be said to be out of sight.'); return; }
    if (!belongs(rule, place, reference) || place.colour === 'red') { board.say('Only candidates in the other views can be out of sight.'); return; }
    const marks = board.history.present;
    const found = at(marks, place);
    if (found && !isAbsence(found)) { board.say(`${board.nameOf(found)} is drawn in ${place.view}: delete it first.`); return; }
    if (found) {
      board.commit(marks.filter((mark) => mark !== found));
      board.say(`${upper(place.colour)} may be in ${place.view} again.`);
      return;
    }
    board.commit([...marks, absence(place.view, place.colour)]);
    board.say(`${upper(place.colour)} is not visible in ${place.view}.${this.advance(place)}`);
  }
}
