// Comments pinned to marks or to places of the pictures: numbered signs over the views, their words in a list, and a window to write one.
// A pin follows its mark, whatever becomes of that here; where the mark is deleted there is no sign, and the list says so.
import { Refused, send } from './api.js';
import { h, uid } from './dom.js';
import { KINDS } from './drawkeys.js';
import { hit } from './geometry.js';
import { REACH } from './pane.js';
import { keyed } from './pressed.js';

/** Longest comment (characters). */
const LONGEST = 4000;

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {{number: number, view: string, mark: string | null, x: number, y: number, who: string, text: string}} Pin a comment on a mark or a place */

/**
 * Where a pin stands on a mark: the lower right corner of a box, the second end of a grasp line, a point in the middle of a track.
 * @param {{points: Point[]}} mark
 */
export const anchor = ({ points }) => (points.length ? points[points.length > 1 ? Math.floor(points.length / 2) : 0] : null);

export class Pins {
  /** Where a comment is being written. @type {{pane: Pane, view: string, mark: string | null, x: number, y: number} | undefined} */ place;
  /** @type {string | undefined} */ shown;

  /** @param {import('./canvas.js').Board} board the component */
  constructor(board) {
    this.board = board;
    /** @type {Pin[] | null} */
    this.given = null;
    this.list = h('ol', { class: 'pinned', 'aria-label': 'Comments pinned to the pictures', hidden: true });
    const id = uid('saying');
    this.text = h('textarea', { id, rows: '4', maxlength: String(LONGEST) });
    this.about = h('label', { for: id });
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.add = h('button', { type: 'button', class: 'primary', onclick: () => this.#send() }, 'Add the comment',
      h('kbd', { 'aria-hidden': 'true' }, 'Ctrl+Enter'));
    this.dialog = h('dialog', { class: 'dialog saying', 'aria-label': 'Comment', onclose: () => this.place?.pane.port.focus({ preventScroll: true }) },
      h('h2', {}, 'Comment'), this.about, this.text, this.problem,
      h('div', { class: 'row end' }, h('button', { type: 'button', onclick: () => this.dialog.close() }, 'Cancel'),
        this.add));
    this.dialog.addEventListener('keydown', keyed((key, event) => {
      event.stopPropagation(); // what is typed here is no key of the drawing
      if (key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.#send(); }
    }));
  }

  get open() { return this.dialog.open; }

  /** Whether comments can be pinned here. */
  get possible() { return Boolean(this.given); }

  /**
   * @param {Pin[] | null} [pins] null: none are shown and none made
   * @param {string} [review] the answered review in which a reviewer says something
   */
  update(pins, review = '') { this.given = pins || null; this.review = review; }

  /** @param {Pin} pin */
  #mark(pin) { return this.board.marks().find(({ id }) => id === pin.mark); }

  /** The signs of a view: {number, point} each. @param {Pane} pane */
  on(pane) {
    return (this.given || []).map((pin) => {
      const mark = pin.mark && this.#mark(pin);
      const point = pin.mark ? mark && anchor(mark) : [pin.x, pin.y];
      return point && (mark || pin).view === pane.view.name ? { number: pin.number, point } : null;
    }).filter((sign) => sign !== null);
  }

  /** @param {Mark | null | undefined | ''} mark @param {string} view */
  #words(mark, view) { return mark ? `${mark.colour} ${KINDS[mark.kind]}, ${view}` : `a place, ${view}`; }

  /** Ask for words about the mark that lies there, or the place. @param {Pane} pane @param {Point} point */
  write(pane, [x, y]) {
    const found = hit(this.board.on(pane), [x, y], pane.px(REACH));
    const mark = found && this.board.marks().find(({ id }) => id === found.id);
    const [px, py] = (mark && anchor(mark)) || [x, y];
    this.place = { pane, view: pane.view.name, mark: mark?.id || null, x: px, y: py };
    this.about.textContent = `About: ${this.#words(mark, pane.view.name)}`;
    this.problem.textContent = '';
    this.dialog.showModal();
    this.text.focus();
  }

  /** Send it. What was written stays in the window until the server has kept it. */
  async #send() {
    if (this.busy) return;
    const text = this.text.value.trim();
    if (!text) { this.problem.textContent = 'Write what you want to say, or press Cancel.'; this.text.focus(); return; }
    if (!this.place) return;
    const { view, mark, x, y } = this.place;
    this.busy = this.add.disabled = true;
    try {
      await send(`api/qa/comments/${encodeURIComponent(this.board.item)}`, { text, view, mark, x, y, review: this.review },
        { sign: (state) => { this.problem.textContent = state ? state.message : ''; } });
      if (this.text.value.trim() === text) { this.text.value = ''; this.dialog.close(); }
      this.board.say('Your comment is kept.');
      this.board.send('said', { view });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem.textContent = error.message;
    } finally {
      this.busy = this.add.disabled = false;
    }
  }

  /** The list: which pin, about what, and its words; pressing the number shows the place. */
  sync() {
    const rows = (this.given || []).map((pin) => ({ ...pin, about: pin.mark && !this.#mark(pin)
      ? `its mark is deleted, ${pin.view}` : this.#words(pin.mark && this.#mark(pin), pin.view) }));
    const key = JSON.stringify(rows);
    this.list.hidden = !rows.length;
    if (this.shown === key) return;
    this.shown = key;
    this.list.replaceChildren(...rows.map((pin) => h('li', {},
      h('button', { type: 'button', class: 'number', 'aria-label': `Show the place of comment ${pin.number}`, onclick: () => this.#show(pin.number) },
        String(pin.number)),
      h('p', {}, pin.text, h('br'), h('small', {}, `${pin.who} · ${pin.about}`)))));
  }

  /** @param {number} number */
  #show(number) {
    for (const pane of this.board.panes.values()) {
      const sign = this.on(pane).find((one) => one.number === number);
      if (!sign) continue;
      pane.element.scrollIntoView({ block: 'nearest' });
      pane.reveal(sign.point);
      pane.port.focus({ preventScroll: true });
      return;
    }
    this.board.say('The mark that this comment was about is deleted.');
  }
}
