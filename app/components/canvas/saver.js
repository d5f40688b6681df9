// Keeping marks: every change goes to the server in order, is kept in this browser until the server has it, and is never dropped.
import { Refused, send } from './api.js';
import { same } from './history.js';
import { merge } from './merging.js';
import { patient } from './patience.js';
import { lasting } from './shelf.js';

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {{rev: number, marks: Mark[]}} State what the server has */
/**
 * How it stands with the marks.
 * @typedef {object} Kept
 * @property {'loading'|'saved'|'saving'|'merged'|'trouble'|'refused'|'conflict'} kind
 * @property {string | null} [at] when it was saved
 * @property {string} [message]
 * @property {Mark[]} [marks] what they are now (merged)
 * @property {Mark[]} [theirs] what the server has (conflict)
 * @property {number} [rev] the revision that was made (saved)
 */

/** Changes within this time travel together (ms). */
const GATHER_MS = 250;
const PREFIX = 'vantage.marks.v1.';

export class Saver {
  /** What this browser had kept. @type {Mark[] | undefined} */ ours;
  /** @type {number | undefined} */ timer;

  /**
   * @param {string} item
   * @param {(state: Kept) => void} tell
   */
  constructor(item, tell) {
    this.path = `api/qa/marks/${encodeURIComponent(item)}`;
    this.key = PREFIX + item;
    const { tell: told, changed } = patient(tell);
    this.tell = told;
    this.changed = changed;
    this.rev = 0;
    /** @type {Mark[]} */
    this.base = []; // the marks of that revision
    /** @type {Mark[] | null} */
    this.next = null;
    /** @type {Mark[] | null} */
    this.sent = null;
    /** @type {State | null} */
    this.conflict = null;
    this.busy = false;
    this.leave = () => this.#leave();
    window.addEventListener('pagehide', this.leave);
  }

  /** The newest marks: the server's, or those of this browser which the server does not have yet. */
  async load() {
    this.tell({ kind: 'loading' });
    const reply = await send(this.path, undefined, { sign: (trouble) => this.tell(
      trouble ? { kind: 'trouble', message: trouble.message } : { kind: 'loading' }) });
    const { rev, marks } = /** @type {State} */ (await reply.json());
    this.rev = rev;
    this.base = marks;
    const kept = lasting.read(this.key);
    if (!kept || same(kept.marks, marks)) {
      this.#forget();
      this.tell({ kind: 'saved' });
      return marks;
    }
    this.ours = kept.marks;
    const ownStep = kept.sent && rev === kept.rev + 1 && same(kept.sent, marks);
    if (kept.rev === rev || ownStep) this.put(kept.marks);
    else {
      this.next = kept.marks;
      this.base = kept.base || [];
      this.#collide({ rev, marks });
      if (!this.conflict) this.flush();
    }
    return this.next || kept.marks;
  }

  /** Whether the server lacks something. */
  get pending() { return this.next !== null; }

  /** Save these marks, now or as soon as it is possible. @param {Mark[]} marks */
  put(marks) {
    this.next = marks;
    this.#keep();
    if (this.conflict) return;
    this.changed();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), GATHER_MS);
  }

  /** Send what waits. */
  async flush() {
    clearTimeout(this.timer);
    if (this.busy || this.conflict || this.next === null) return;
    this.busy = true;
    this.sent = this.next;
    this.#keep();
    this.tell({ kind: 'saving' });
    try {
      /** @param {{message: string} | null} trouble */
      const sign = (trouble) => this.tell(trouble ? { kind: 'trouble', message: trouble.message } : { kind: 'saving' });
      const reply = await (await send(this.path, { rev: this.rev, marks: this.sent }, { sign })).json();
      this.rev = reply.rev;
      this.base = this.sent;
      if (this.next === this.sent) {
        this.next = null;
        this.#forget();
        this.tell({ kind: 'saved', at: reply.saved_at, rev: reply.rev });
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === 'marks_changed') this.#collide(error.body);
      else this.tell({ kind: 'refused', message: error.message });
      if (error.code !== 'marks_changed' || this.conflict) return;
    } finally {
      this.busy = false;
    }
    if (this.next !== null) await this.flush();
  }

  /** The server has a newer state than the one these marks grew from. @param {State} state */
  #collide({ rev, marks }) {
    if (this.ours && same(this.ours, marks)) {
      // This browser's own state, whose receipt was lost: go on from it.
      this.rev = rev;
      this.base = marks;
      return;
    }
    const merged = merge(this.base, this.next ?? this.base, marks);
    if (!merged.clashes.length) {
      this.rev = rev;
      this.base = marks;
      this.next = merged.marks;
      this.#keep();
      this.tell({ kind: 'merged', marks: merged.marks });
      return;
    }
    this.conflict = { rev, marks };
    this.#keep();
    this.tell({ kind: 'conflict', theirs: marks });
  }

  /**
   * End a conflict with these marks, which replace the server's newer state as one more revision. Nothing where there is none.
   * @param {Mark[]} marks
   */
  settle(marks) {
    if (!this.conflict) return;
    this.rev = this.conflict.rev;
    this.base = this.conflict.marks;
    this.conflict = null;
    this.put(marks);
  }

  /** See whether the server has newer marks; they are taken over where nothing of this browser waits. */
  async refresh() {
    if (this.busy || this.conflict || this.next !== null) return;
    const { rev, marks } = /** @type {State} */ (await (await send(this.path)).json());
    if (this.busy || this.conflict || this.next !== null || rev <= this.rev) return;
    this.rev = rev;
    this.base = marks;
    this.tell({ kind: 'merged', marks, at: null });
    this.tell({ kind: 'saved' });
  }

  #keep() {
    lasting.keep(this.key, { rev: this.rev, base: this.base, marks: this.next, sent: this.sent });
  }

  #forget() {
    lasting.forget(this.key);
  }

  /** The page goes away: one last try that outlives it. What fails here waits in this browser. */
  #leave() {
    if (this.next === null || this.busy || this.conflict) return;
    this.sent = this.next;
    this.#keep();
    const headers = { 'content-type': 'application/json' };
    fetch(this.path, { method: 'POST', headers, body: JSON.stringify({ rev: this.rev, marks: this.sent }), credentials: 'same-origin',
      keepalive: true }).catch(() => {});
  }

  /** The component goes away, the page stays. */
  close() {
    window.removeEventListener('pagehide', this.leave);
    this.tell = this.changed = () => {};
    this.flush();
  }
}
