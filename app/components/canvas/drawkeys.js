// What the keys do in the drawing component. Never R or C, which the page around us uses.
import { NAMES } from './colours.js';

/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {import('./pane.js').Pane} Pane */

/** Pixels an arrow key moves: plain, and with Shift. */
export const STEP = 1;
export const LEAP = 10;
/** Tool, its key, its name. @type {[string, string, string][]} */
export const TOOLS = [['select', 'v', 'Select'], ['box', 'b', 'Box'], ['track', 't', 'Track'], ['grasp', 'g', 'Grasp line'], ['hand', 'h', 'Move view'],
  ['pin', 'j', 'Comment']];
/** Kind of mark → what people call it. @type {Record<string, string>} */
export const KINDS = { box: 'box', track: 'track', grasp: 'grasp line' };
/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class DrawKeys {
  /** @param {import('./canvas.js').Board} board the component */
  constructor(board) { this.board = board; }

  /** @param {string} key @param {KeyboardEvent & {target: any}} event */
  key(key, event) {
    const { target } = event;
    if (this.board.keys.open || this.board.pins.open || target.matches('input, select, textarea')) return;
    const pane = [...this.board.panes.values()].find((p) => p.port === target) || null;
    if (this.#press(event, key, pane)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Whether the key was ours. @param {KeyboardEvent} event @param {string} key @param {Pane | null} pane */
  #press(event, key, pane) {
    const low = key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      if (low === 'z') { if (event.shiftKey) this.board.redo(); else this.board.undo(); return true; }
      if (low === 'y') { this.board.redo(); return true; }
      return false;
    }
    if (event.altKey) return false;
    const tool = TOOLS.find(([, letter]) => letter === low);
    if (tool) { this.board.pick(tool[0]); return true; }
    if (/^[1-7]$/.test(key) && !this.board.readonly) { this.board.paint(NAMES[Number(key) - 1]); return true; }
    const where = pane || this.board.active;
    if (!where) return false;
    const seen = this.board.pointer.over || where;
    /** @type {Record<string, () => void>} */
    const general = {
      '+': () => seen.zoom(1.5), '=': () => seen.zoom(1.5), '-': () => seen.zoom(1 / 1.5), 0: () => seen.fit(),
      f: () => this.board.layout.enlarge(seen), x: () => this.board.places.absent(),
      s: () => this.#toggle('snap', 'Snapping to the edge'), m: () => this.#toggle('names', 'Colour names'),
      o: () => this.#toggle('outlines', 'Outlines'), q: () => this.#toggle('titles', 'What they are'), l: () => this.#toggle('lines', 'Lines'),
      n: () => this.board.step(where, 1), p: () => this.board.step(where, -1), e: () => this.#points(), i: () => this.board.insert(), k: () => this.#copyKey(),
      delete: () => this.board.remove(), backspace: () => (this.board.draft ? this.board.undo() : this.board.remove()), escape: () => this.#escape(where),
    };
    if (low in general) { general[low](); return true; }
    if (!pane) return false;
    // Who goes on by keys means the view that has them, wherever the pointer rests.
    if (key in ARROWS || key === 'Enter') this.board.pointer.rest();
    if (key in ARROWS) { this.board.nudge(pane, ARROWS[key], event.shiftKey); return true; }
    if (key === 'Enter') { this.#enter(pane); return true; }
    if (key === ' ') { this.board.spaced = true; this.board.sync(); return true; }
    return false;
  }

  /** @param {'snap' | 'names' | 'outlines' | 'titles' | 'lines'} name @param {string} words_ */
  #toggle(name, words_) {
    this.board[name] = !this.board[name];
    this.board.say(`${words_}: ${this.board[name] ? 'on' : 'off'}.`);
    this.board.sync();
  }

  #points() {
    if (this.board.readonly) return;
    if (!this.board.chosen) { this.board.say('Choose a mark first: N and P go through them.'); return; }
    if (this.board.tool !== 'select') this.board.pick('select', true);
    this.board.choose(this.board.selected, this.board.vertex === null ? 0 : null);
  }

  #copyKey() {
    const first = this.board.toolbar.copies.querySelector('button');
    if (!first) this.board.say(this.board.chosen ? 'There is no other view.' : 'Choose a mark first: N and P go through them.');
    else { first.focus(); this.board.say('Copy to which view? Tab goes through them, Enter copies.'); }
  }

  /** @param {Pane} pane */
  #enter(pane) {
    if (this.board.tool === 'pin' || (this.board.tool in KINDS && !this.board.readonly)) {
      if (!pane.cursor) this.board.nudge(pane, [0, 0]);
      if (this.board.tool === 'pin') this.board.pins.write(pane, pane.cursor ?? pane.middle());
      else this.board.place(pane, pane.cursor ?? pane.middle());
    } else if (this.board.tool === 'select' && this.board.chosen) this.#points();
  }

  /** @param {Pane} pane */
  #escape(pane) {
    if (this.board.drag) { this.board.pointer.drop(); this.board.say('Left as it was.'); } else if (this.board.draft) {
      this.board.say(`Half-drawn ${KINDS[this.board.draft.kind]} dropped.`); this.board.cancel(); }
    else if (this.board.vertex !== null) this.board.choose(this.board.selected, null);
    else if (this.board.selected) { this.board.selected = null; this.board.say('No mark is chosen.'); }
    else if (pane.cursor) pane.cursor = null;
    else {
      const wide = this.board.panes.get(this.board.wide ?? '');
      if (wide) this.board.layout.enlarge(wide);
    }
    this.board.sync();
  }
}
