// Keep or drop, one moment at a time: pictures side by side, figures below them, one key for each decision.
import { Refused, send } from './api.js';
import { Busy } from './busy.js';
import { h, uid } from './dom.js';
import { mounting } from './mounting.js';
import { keyed } from './pressed.js';
import { Shortcuts } from './shortcuts.js';

const OTHER = 'other';

/** @typedef {{label: string, value: string, bad: boolean}} Fact */
/** @typedef {{name: string, url: string, width: number, height: number, facts: Fact[]}} View */
/**
 * One moment (`sifter` of app/components/reviewing.py).
 * @typedef {object} Given
 * @property {string} moment
 * @property {string} title
 * @property {View[]} views
 * @property {Fact[]} facts
 * @property {[string, string][]} reasons
 * @property {string[]} next
 * @property {string} last
 * @property {string} undo
 */

class Sifter extends Busy {
  /** @type {HTMLButtonElement} */ keep;
  /** @type {HTMLButtonElement} */ undo;
  /** @type {HTMLParagraphElement} */ problem;
  /** @type {HTMLParagraphElement} */ where;
  /** @type {HTMLDivElement} */ why;
  /** @type {HTMLInputElement} */ note;
  /** @type {HTMLSpanElement} */ status;
  /** @type {HTMLButtonElement} */ drop;
  /** @type {Given} */ data;
  /** Whether the reasons are shown. @type {boolean} */ open;
  /** @type {boolean} */ zoom;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} trigger */
  constructor(root, data, trigger) {
    super();
    this.trigger = trigger;
    this.abort = new AbortController();
    /** @type {Map<string, HTMLImageElement>} */
    this.ahead = new Map();
    this.shell = h('div', { class: 'vantage sifter' });
    root.append(this.shell);
    this.keys = new Shortcuts((key) => this.#key(key), () => this.shell.isConnected, ['judging']);
    this.update(data);
  }

  /** @param {Given} data */
  update(data) {
    const fresh = this.data?.moment !== data.moment;
    const same = JSON.stringify(this.data) === JSON.stringify(data);
    this.data = data;
    if (!this.wentOn() && same) return;
    if (fresh) this.open = this.zoom = false;
    this.#draw();
    if (fresh) this.where.focus({ preventScroll: true });
    // The next moment's pictures come while the person looks at this one.
    for (const url of data.next) if (!this.ahead.has(url)) this.ahead.set(url, Object.assign(new Image(), { src: url }));
  }

  #draw() {
    const { data } = this;
    this.where = h('p', { class: 'where', tabIndex: -1 }, data.title);
    this.pictures = h('div', { class: 'pictures', dataset: { count: String(data.views.length) } }, data.views.map((view) => this.#picture(view)));
    this.status = h('span', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.keep = h('button', { type: 'button', class: 'keep', onclick: () => this.#decide('keep') }, 'Keep', h('kbd', { 'aria-hidden': 'true' }, 'Y'));
    this.drop = h('button', { type: 'button', 'aria-expanded': 'false', onclick: () => this.#toggle() }, 'Drop…', h('kbd', { 'aria-hidden': 'true' }, 'X'));
    this.undo = h('button', { type: 'button', hidden: !data.undo, onclick: () => this.#undo() }, data.undo || 'Undo', h('kbd', { 'aria-hidden': 'true' }, 'U'));
    const id = uid('note');
    this.note = h('input', { type: 'text', id, maxlength: '1000', placeholder: 'In words, for “another reason”' });
    this.note.addEventListener('keydown', keyed((key) => {
      if (key === 'Enter') this.#decide('drop', OTHER);
      if (key === 'Escape') this.#toggle(false);
    }));
    this.why = h('div', { class: 'why', role: 'group', 'aria-label': 'Why it is dropped', hidden: true },
      data.reasons.map(([reason, words], i) => h('button', { type: 'button', onclick: () => this.#reason(reason) },
        h('kbd', { 'aria-hidden': 'true' }, String(i + 1)), words)),
      h('div', { class: 'field' }, h('label', { for: id }, 'Another reason'), this.note));
    const facts = data.facts.length ? h('p', { class: 'facts' }, data.facts.map((fact) => this.#fact(fact))) : null;
    this.shell.replaceChildren(this.where, this.pictures, ...(facts ? [facts] : []),
      h('div', { class: 'act' }, this.keep, this.drop, this.undo, this.status), this.why, this.problem,
      this.keys.line([['Y', 'keep'], ['X', `then 1–${data.reasons.length}: drop`], ['U', 'take the last back'], ['F', 'look closer']]));
    this.#sync();
  }

  /** @param {View} view */
  #picture(view) {
    const img = h('img', { src: view.url, alt: `${view.name} of this moment`, width: view.width, height: view.height, draggable: false });
    img.addEventListener('error', () => { this.problem.textContent = `The picture of ${view.name} cannot be shown.`; });
    const frame = h('div', { class: 'frame', onclick: () => { this.zoom = !this.zoom; this.#sync(); } }, img);
    frame.addEventListener('pointermove', (event) => {
      const box = frame.getBoundingClientRect();
      img.style.setProperty('--x', `${((event.clientX - box.left) / box.width) * 100}%`);
      img.style.setProperty('--y', `${((event.clientY - box.top) / box.height) * 100}%`);
    });
    return h('figure', { class: 'picture' }, h('figcaption', {}, h('b', {}, view.name)), frame,
      h('p', { class: 'facts' }, view.facts.map((fact) => this.#fact(fact))));
  }

  /** @param {Fact} fact */
  #fact({ label, value, bad }) { return h('span', bad ? { class: 'bad' } : {}, bad ? '⚠ ' : '', `${label} ${value}`); }

  #toggle(open = !this.open) {
    this.open = open;
    this.problem.textContent = '';
    this.#sync();
    if (open) this.why.scrollIntoView({ block: 'nearest' });
    else this.where.focus({ preventScroll: true });
  }

  /** @param {string} reason */
  #reason(reason) {
    if (reason === OTHER && !this.note.value.trim()) {
      this.problem.textContent = 'Say in a few words what the other reason is, then press Enter.';
      this.note.focus();
    } else this.#decide('drop', reason);
  }

  /** @param {'keep' | 'drop'} verdict */
  #decide(verdict, reason = '') {
    if (this.busy) return;
    const note = this.note.value.trim();
    if (verdict === 'drop' && reason === OTHER && !note) { this.#reason(reason); return; }
    this.#post('decide', this.data.moment, { verdict, reason, note: verdict === 'drop' ? note : '' });
  }

  #undo() {
    if (!this.busy && this.data.undo) this.#post('undo', this.data.last, {});
  }

  /**
   * Send it; the page shows the next moment once the server has stored it.
   * @param {string} did
   * @param {string} moment
   * @param {object} body
   */
  async #post(did, moment, body) {
    this.busy = true;
    this.problem.textContent = '';
    this.status.textContent = 'Saving…';
    this.#sync();
    try {
      await send(`api/qa/moment/${encodeURIComponent(moment)}/${did}`, body, { signal: this.abort.signal,
        sign: (state) => { this.status.textContent = state ? state.message : 'Saving…'; } });
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      this.busy = false;
      this.status.textContent = '';
      this.problem.textContent = error.message;
      this.#sync();
      return;
    }
    this.status.textContent = 'Going on…';
    this.goingOn(() => {
      this.status.textContent = '';
      this.problem.textContent = 'It is saved, but the page does not go on. Reload it.';
      this.#sync();
    });
    this.trigger('moved', { did, moment });
  }

  #sync() {
    this.shell.classList.toggle('zoomed', Boolean(this.zoom));
    this.why.hidden = !this.open;
    this.drop.setAttribute('aria-expanded', String(Boolean(this.open)));
    for (const button of [this.keep, this.drop, this.undo]) button.disabled = this.busy;
  }

  /** Whether the key was ours. @param {string} key */
  #key(key) {
    if (this.busy) return false;
    if (key === 'y') { this.#decide('keep'); return true; }
    if (key === 'x') { this.#toggle(); return true; }
    if (key === 'u') { this.#undo(); return true; }
    if (key === 'f') { this.zoom = !this.zoom; this.#sync(); return true; }
    if (key === 'Escape' && this.open) { this.#toggle(false); return true; }
    const reason = this.open && /^[1-9]$/.test(key) ? this.data.reasons[Number(key) - 1] : null;
    if (reason) { this.#reason(reason[0]); return true; }
    return false;
  }

  destroy() {
    this.abort.abort();
    this.wentOn();
    this.keys.close();
    this.shell.remove();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Sifter(parentElement, data, setTriggerValue),
  renew: (sifter, { data, setTriggerValue }) => { sifter.trigger = setTriggerValue; sifter.update(data); },
});
