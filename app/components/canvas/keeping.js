// What becomes of the marks of a board: read when it opens, saved as they change, kept in this tab for a reload; and what is asked where two
// people changed the same ones. How they travel is saver.js's.
import { sentenceOf } from './api.js';
import { both, choice } from './conflict.js';
import { clock, h, newId } from './dom.js';
import { KINDS } from './drawkeys.js';
import { History } from './history.js';
import { inOrder } from './nextmark.js';
import { Saver } from './saver.js';
import { passing } from './shelf.js';

/** A pause after the last save before the page hears of it (ms). */
const REST_MS = 500;
const SESSION = 'vantage.canvas.v1.';

/** @typedef {import('./geometry.js').Mark} Mark */

export class Keeping {
  /** What somebody else made of the marks meanwhile. @type {Mark[] | null} */ theirs;
  /** @type {number | undefined} */ telling;
  /** @type {Saver | null} */ saver = null;

  /** @param {import('./canvas.js').Board} board the component, whose history has the marks */
  constructor(board) {
    this.board = board;
    this.saved = h('span', { class: 'saved', 'aria-live': 'polite' });
    this.retry = h('button', { type: 'button', class: 'link', hidden: true, onclick: () => this.saver?.put(this.board.history.present) }, 'Try again');
    this.clash = h('div', { class: 'clash', role: 'alert', hidden: true });
    this.element = h('span', { class: 'savebox' }, this.saved, this.retry);
  }

  /** Whether the server lacks something. */
  get pending() { return Boolean(this.saver?.pending); }

  /** What is there now is saved. */
  put() { this.saver?.put(this.board.history.present); }

  /** See what was changed elsewhere; without a network the next change tells of it. */
  refresh() { this.saver?.refresh().catch(() => {}); }

  /** Read the marks, and go on with what this tab had kept. */
  async load() {
    this.saver ||= new Saver(this.board.item, (state) => this.#kept(state));
    const saver = this.saver;
    let marks;
    try {
      marks = await saver.load();
    } catch (error) {
      this.#kept({ kind: 'refused', message: sentenceOf(error), early: true });
      return;
    }
    if (saver !== this.saver || this.board.ready) return;
    const kept = this.#recall();
    this.board.history = History.restore(kept?.history, marks);
    for (const [view, zoom] of Object.entries(kept?.zooms || {})) this.board.panes.get(view)?.recall(zoom);
    if (!kept) this.board.places.begin();
    if (kept?.draft && this.board.panes.has(kept.draft.view) && this.board.data.kinds.includes(kept.draft.kind)) {
      this.board.pick(kept.draft.kind, true);
      this.board.draft = { ...kept.draft, at: null };
      this.board.say(`Your half-drawn ${KINDS[kept.draft.kind]} is still here: Enter goes on with it, Escape drops it.`);
    }
    this.board.ready = true;
    if (!this.board.status.textContent) this.board.say(this.board.count());
    this.board.sync();
  }

  /** @param {import('./saver.js').Kept & {early?: boolean}} state */
  #kept({ kind, at, message, marks, theirs, rev, early }) {
    if (kind === 'merged') { this.#merged(marks ?? []); return; }
    const text = {
      loading: 'Loading the marks…', saving: 'Saving…', saved: at ? `saved ${clock(at)}` : 'saved',
      trouble: `Not saved yet: ${message} Your marks are kept in this browser.`,
      refused: early ? message : `Not saved: ${message} Your marks are kept in this browser.`,
      conflict: 'Not saved: choose which marks to keep.',
    }[kind];
    this.saved.textContent = text ?? '';
    this.board.shell.dataset.kept = kind;
    // Whoever shows this board beside other things says one thing of all of them.
    this.board.shell.dispatchEvent(new window.CustomEvent('kept', { bubbles: true, composed: true, detail: { kind, message, at } }));
    this.retry.hidden = kind !== 'refused' || Boolean(early);
    if (kind === 'conflict') this.#conflict(theirs ?? []);
    else this.#settled();
    // A run of the page per pause, not per save: runs take time, and a run that begins can cut off another.
    clearTimeout(this.telling);
    if (rev !== undefined) this.telling = setTimeout(() => this.board.setState?.('rev', rev), REST_MS);
  }

  /** What somebody else changed meanwhile has been taken over, mark by mark; undo brings back what was here. @param {Mark[]} marks */
  #merged(marks) {
    if (!this.board.history?.commit(marks)) return;
    this.board.say('Marks that were changed elsewhere have been taken over.');
    if (!marks.some((mark) => mark.id === this.board.selected)) this.board.selected = this.board.vertex = null;
    this.remember();
    this.board.sync();
  }

  #settled() {
    if (!this.theirs) return;
    this.theirs = null;
    this.clash.hidden = true;
    this.board.draw();
  }

  /** Two people changed the same marks. @param {Mark[]} theirs */
  #conflict(theirs) {
    this.theirs = theirs;
    /** @type {(label: string, hint: string, make: () => Mark[]) => {label: string, hint: string, act: () => void}} */
    const way = (label, hint, make) => ({ label, hint, act: () => {
      if (this.theirs !== theirs) return; // another conflict, or none, stands here by now
      const marks = make();
      this.theirs = null;
      this.clash.hidden = true;
      this.board.history.commit(marks);
      this.saver?.settle(this.board.history.present);
      this.board.say(`${label}: done. Undo brings back what was here.`);
      this.board.selected = null;
      this.board.changed();
      this.board.active?.port.focus();
    } });
    this.clash.replaceChildren(...choice([
      way('Keep mine', 'Your marks replace theirs', () => this.board.history.present),
      way('Take theirs', 'Their marks replace yours', () => theirs),
      way('Keep both', 'Their marks are added to yours', () => inOrder(both(this.board.history.present, theirs, () => newId('m'))))]));
    this.clash.hidden = false;
    this.board.draw();
  }

  /** What the server does not need, kept for a reload of this tab: steps to undo, the half-drawn mark. */
  remember() {
    const { board } = this;
    if (board.readonly || !board.ready) return;
    const draft = board.draft && { view: board.draft.view, kind: board.draft.kind, colour: board.draft.colour, points: board.draft.points };
    const zooms = Object.fromEntries([...board.panes].map(([name, pane]) => [name, pane.kept]).filter(([, zoom]) => zoom));
    passing.keep(SESSION + board.item, { history: board.history.dump(), draft, colour: board.colour, zooms });
  }

  #recall() {
    const kept = passing.read(SESSION + this.board.item);
    if (this.board.colours().includes(kept?.colour)) this.board.colour = kept.colour;
    return kept;
  }

  close() {
    clearTimeout(this.telling);
    this.remember();
    this.saver?.close();
  }
}
