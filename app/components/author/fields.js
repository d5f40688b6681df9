// Keeping the fields of an item: changes go to the server in order, by the version they were read from, and stay in this browser until the
// server has them. What the page shows as saved is always the server's own word.
import { Refused, send } from './api.js';
import { patient } from './patience.js';
import { lasting } from './shelf.js';

const PREFIX = 'vantage.fields.v1.';
/** Typing pauses this long before it is saved (ms). */
const PAUSE_MS = 700;

/** @param {unknown} a @param {unknown} b */
export const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** @typedef {Record<string, any>} Values of fields by name: each is what `ItemFields` says */
/** @typedef {{typing?: boolean}} How `typing`: it goes on */
/** @typedef {{kind: 'loading'|'saving'|'saved'|'trouble'|'refused'|'conflict', message?: string}} Told how it stands with them */

export class Fields {
  /** As the server has the item; until it was read there is none. @type {ItemState} */ state;
  /** @type {number} */ rev;
  /** What somebody else made of it meanwhile. @type {{theirs: ItemState, message: string} | null} */ conflict = null;
  /** @type {number | undefined} */ timer;

  /**
   * @param {string} item
   * @param {(what: Told) => void} tell
   */
  constructor(item, tell) {
    this.path = `api/qa/item/${encodeURIComponent(item)}`;
    this.key = PREFIX + item;
    const { tell: told, changed } = patient(tell);
    this.tell = told;
    this.changed = changed;
    /** What is typed here and not saved yet. @type {Values} */
    this.pending = {};
    /** @type {Promise<any>} */
    this.chain = Promise.resolve();
    this.leave = () => this.#leave();
    window.addEventListener('pagehide', this.leave);
  }

  /**
   * The value of a field: what is typed here and not saved yet, or the server's.
   * @template {keyof ItemFields} Name
   * @param {Name} name
   * @returns {ItemFields[Name]}
   */
  value(name) { return name in this.pending ? this.pending[name] : this.state.item[name]; }

  get waiting() { return Object.keys(this.pending).length > 0; }

  /** Read the state; what this browser still has to save is saved first. */
  load() {
    return this.#inTurn(async () => {
      this.tell({ kind: 'loading' });
      if (!await this.#ask(() => send(this.path, undefined, this.#signs('loading')))) return;
      const kept = lasting.read(this.key);
      if (kept && !Object.entries(kept.fields).every(([name, value]) => alike(value, /** @type {Values} */ (this.state.item)[name]))) {
        this.pending = { ...kept.fields, ...this.pending };
        this.rev = kept.rev;
        await this.#drain();
      } else if (!this.waiting) this.#forget();
    });
  }

  /** Save a field, at once or after a pause in the typing. @param {keyof ItemFields} name @param {unknown} value */
  put(name, value, { typing = false } = {}) {
    if (!(name in this.pending) && alike(value, /** @type {Values} */ (this.state.item)[name])) return;
    this.pending[name] = value;
    this.#keep();
    clearTimeout(this.timer);
    if (this.conflict) return;
    this.changed();
    if (typing) this.timer = setTimeout(() => this.flush(), PAUSE_MS);
    else this.flush();
  }

  /** Send what waits. */
  flush() {
    clearTimeout(this.timer);
    return this.#inTurn(() => this.#drain());
  }

  /** Something that the server does with the item, after everything before it is saved; whether it was done. @param {string} where */
  act(where, body = {}) {
    clearTimeout(this.timer);
    return this.#inTurn(async () => {
      await this.#drain();
      if (this.conflict || this.waiting) return false;
      this.tell({ kind: 'saving' });
      return this.#ask(() => send(this.path + where, { rev: this.rev, ...body }, this.#signs('saving')));
    });
  }

  /** End a conflict: mine replace theirs, or theirs stay. @param {boolean} mine */
  settle(mine) {
    const theirs = this.conflict?.theirs;
    this.conflict = null;
    if (!mine) { this.pending = {}; this.#forget(); }
    if (theirs) this.#take(theirs);
    return this.flush();
  }

  /** @param {() => Promise<any>} work */
  #inTurn(work) {
    this.chain = this.chain.then(work, work);
    return this.chain;
  }

  /** @param {Told['kind']} usual */
  #signs(usual) { return { sign: (/** @type {Trouble} */ trouble) => this.tell(trouble ? { kind: 'trouble', message: trouble.message } : { kind: usual }) }; }

  async #drain() {
    while (this.waiting && !this.conflict && this.state) {
      const fields = { ...this.pending };
      const saved = () => {
        for (const [name, value] of Object.entries(fields)) if (this.pending[name] === value) delete this.pending[name];
        if (this.waiting) this.#keep(); else this.#forget();
      };
      this.tell({ kind: 'saving' });
      if (!await this.#ask(() => send(this.path, { rev: this.rev, fields }, this.#signs('saving')), saved)) return;
    }
  }

  /**
   * Ask the server; its reply is the new state. A refusal becomes a sentence, a clash a choice.
   * @param {() => Promise<Response>} request
   */
  async #ask(request, done = () => {}) {
    try {
      const state = await (await request()).json();
      done();
      this.#take(state);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === 'conflict' && this.waiting) {
        this.conflict = { theirs: error.body, message: error.message };
        this.tell({ kind: 'conflict', message: error.message });
        return false;
      }
      if (error.code === 'conflict') this.#take(error.body);
      this.tell({ kind: 'refused', message: error.message });
      return false;
    }
  }

  /** @param {ItemState} state */
  #take(state) {
    this.state = state;
    this.rev = state.rev;
    this.tell({ kind: this.waiting ? 'saving' : 'saved' });
  }

  #keep() {
    lasting.keep(this.key, { rev: this.rev, fields: this.pending });
  }

  #forget() {
    lasting.forget(this.key);
  }

  /** The page goes away: one last try that outlives it. What fails here waits in this browser. */
  #leave() {
    if (!this.waiting || this.conflict || !this.state) return;
    this.#keep();
    const headers = { 'content-type': 'application/json' };
    fetch(this.path, { method: 'POST', headers, body: JSON.stringify({ rev: this.rev, fields: this.pending }), credentials: 'same-origin',
      keepalive: true }).catch(() => {});
  }

  /** The component goes away, the page stays. */
  close() {
    window.removeEventListener('pagehide', this.leave);
    this.tell = this.changed = () => {};
    this.flush();
  }
}
