// Where an author begins: which subtask, and which kept moment. Nothing is made before the button is pressed.
import { Refused, send } from './api.js';
import { Busy } from './busy.js';
import { focusedBeside, h, newId, uid } from './dom.js';
import { mounting } from './mounting.js';
import { passing } from './shelf.js';

/** How long somebody rests from typing before it is looked for (ms). */
const REST_MS = 250;
/** Up to so many moments are fetched at once for another subtask. */
const MOST_AGAIN = 120;
/** The subtask that was begun last, by project. */
const LAST = 'vantage.starter.v1.';
/** @param {number} count @param {string} one @param {string} many */
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @typedef {{slug: string, name: string, arms: string[], advice: string, target: number, accepted: number, under_way: number, left: number}} Subtask */
/**
 * A kept moment (`app/qa_moments_api.py`).
 * @typedef {object} Moment
 * @property {string} id
 * @property {string} task
 * @property {string} source
 * @property {string} episode
 * @property {number} frame
 * @property {number} used
 * @property {boolean} fits
 * @property {{url: string, words: string, width: number, height: number}[]} views
 */
/**
 * What the page gives (`starter` of app/components/authoring.py).
 * @typedef {object} Given
 * @property {string} project
 * @property {Subtask[]} subtasks
 * @property {string} first
 * @property {string[]} sources
 * @property {string} empty
 * @property {string} blocked
 * @property {boolean} trial
 * @property {string} kept_back
 */

class Starter extends Busy {
  /** @type {Given} */ data;
  /** Its slug. @type {string} */ subtask;
  /** Its id. @type {string | null | undefined} */ moment;
  /** Which subtasks are shown. @type {string | undefined} */ built;
  /** Which sources are shown. @type {string | undefined} */ names;
  /** What is looked for now. @type {string | undefined} */ wanted;
  /** @type {number | undefined} */ resting;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} setTrigger */
  constructor(root, data, setTrigger) {
    super();
    this.setTrigger = setTrigger;
    this.abort = new AbortController();
    /** @type {Moment[]} */
    this.found = []; // moments fetched so far, in the order of the server
    this.total = 0;
    this.passed = 0;
    this.keptBack = 0;
    this.kinds = h('div', { class: 'kinds', role: 'radiogroup', 'aria-label': 'Subtask' });
    this.find = h('input', { type: 'search', placeholder: 'Find a task in words', 'aria-label': 'Find moments by their task', maxlength: '200',
      oninput: () => { clearTimeout(this.resting); this.resting = setTimeout(() => this.ask(), REST_MS); } });
    this.source = h('select', { 'aria-label': 'Source', onchange: () => this.ask() });
    this.unused = h('input', { type: 'checkbox', onchange: () => this.ask() });
    this.count = h('span', { class: 'note', role: 'status' });
    this.grid = h('div', { class: 'moments', role: 'radiogroup', 'aria-label': 'Moment' });
    this.more = h('button', { type: 'button', onclick: () => this.ask(true) }, 'Show more');
    this.left = h('p', { class: 'note' });
    this.told = h('p', { class: 'note' });
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.go = h('button', { type: 'button', class: 'primary', onclick: () => this.begin() }, 'Begin');
    this.shell = h('div', { class: 'vantage starter' },
      h('div', { class: 'what' }, h('h2', {}, '1. What is needed'), this.kinds),
      h('div', { class: 'which' }, h('div', { class: 'shead' }, h('h2', {}, '2. A moment'), this.count,
        h('label', { class: 'only' }, this.unused, 'not used yet'), this.source, this.find), this.grid,
        // Below what is chosen from: it comes and goes with the subtask.
        this.left, h('div', { class: 'row end' }, this.more)),
      h('div', { class: 'bar' }, this.told, this.go), this.problem);
    root.append(this.shell);
    this.update(data);
  }

  /** @param {Given} data */
  update(data) {
    this.data = data;
    if (!data.subtasks.some(({ slug }) => slug === this.subtask)) this.subtask = this.#begins(data).slug;
    const key = JSON.stringify(data.subtasks);
    const fresh = this.built !== key;
    if (fresh) { this.built = key; this.#kinds(); }
    const names = JSON.stringify(data.sources);
    if (this.names !== names) {
      this.names = names;
      const chosen = this.source.value;
      this.source.replaceChildren(h('option', { value: '' }, 'all sources'), ...data.sources.map((name) => h('option', { value: name }, name)));
      this.source.value = data.sources.includes(chosen) ? chosen : '';
    }
    this.source.hidden = data.sources.length < 2;
    if (fresh) this.ask();
    else this.sync();
  }

  /** The subtask that one begins with: the last of this tab while it is needed, else what is needed most. @param {Given} given */
  #begins({ project, subtasks, first }) {
    const last = passing.read(LAST + project);
    const wanted = (/** @type {string | null} */ slug) => subtasks.find((one) => one.slug === slug && (one.left || !one.target));
    return wanted(last) || wanted(first) || subtasks.find(({ left }) => left) || subtasks[0];
  }

  #kinds() {
    const name = uid('kind');
    this.kinds.replaceChildren(...this.data.subtasks.map((one) => {
      const input = h('input', { type: 'radio', name, value: one.slug, checked: one.slug === this.subtask,
        onchange: () => { this.subtask = one.slug; this.ask(false, Math.min(this.passed, MOST_AGAIN)); } });
      const share = one.target ? Math.min(100, (100 * (one.accepted + one.under_way)) / one.target) : 0;
      const done = one.target ? Math.min(100, (100 * one.accepted) / one.target) : 0;
      const words = one.target ? `${one.accepted} of ${one.target} accepted${one.under_way ? `, ${one.under_way} under way` : ''}` : 'No number is asked for';
      return h('label', { class: 'kind' }, input, h('span', { class: 'name' }, one.name),
        h('span', { class: 'need' }, one.target && !one.left ? 'full' : one.left ? `${one.left} to do` : ''),
        h('span', { class: 'track', 'aria-hidden': 'true' }, h('i', { class: 'way', style: `width:${share}%` }),
          h('i', { class: 'in', style: `width:${done}%` })), h('span', { class: 'words' }, words));
    }));
  }

  get kind() { return this.data.subtasks.find(({ slug }) => slug === this.subtask) ?? this.data.subtasks[0]; }

  /**
   * Fetch the moments that serve the subtask and the filters, those that serve it best first; `more`: the next of them. Another subtask
   * shows as many as were shown before, a page after the other (`fill`: so many).
   */
  async ask(more = false, fill = 0) {
    clearTimeout(this.resting);
    const query = new URLSearchParams({ subtask: this.subtask, words: this.find.value.trim(), source: this.source.value,
      offset: String(more ? this.passed : 0) });
    if (this.unused.checked) query.set('unused', '1');
    this.wanted = query.toString();
    const mine = this.wanted;
    this.count.textContent = 'Looking…';
    try {
      /** @type {{count: number, moments: Moment[], passed: number, kept_back: number}} */
      const page = await (await send(`api/qa/moments/${encodeURIComponent(this.data.project)}?${mine}`, undefined,
        { signal: this.abort.signal, sign: (state) => { if (state) this.count.textContent = state.message; } })).json();
      if (mine !== this.wanted) return; // something else is wanted by now
      const before = more ? this.found.length : 0;
      this.found = more ? [...this.found, ...page.moments] : page.moments;
      this.passed = (more ? this.passed : 0) + page.passed;
      this.keptBack = (more ? this.keptBack : 0) + page.kept_back;
      this.total = page.count;
      this.list();
      if (this.passed < Math.min(fill, this.total)) { await this.ask(true, fill); return; }
      if (more && !fill) this.grid.querySelectorAll('input')[before]?.focus();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      this.count.textContent = error.message;
    }
  }

  list() {
    const { found } = this;
    if (!found.some(({ id }) => id === this.moment)) this.moment = null;
    const focused = this.grid.contains(focusedBeside(this.shell));
    const name = uid('moment');
    this.grid.replaceChildren(...found.map((moment) => {
      const input = h('input', { type: 'radio', name, value: moment.id, checked: moment.id === this.moment,
        onchange: () => { this.moment = moment.id; this.sync(); } });
      const used = moment.used ? plural(moment.used, 'item made', 'items made') : '';
      const fit = moment.fits ? 'may serve this subtask' : '';
      return h('label', { class: 'moment', ondblclick: () => this.begin() }, input,
        h('span', { class: 'views' }, moment.views.map((view) => h('img', { src: view.url, alt: view.words, loading: 'lazy',
          style: `aspect-ratio:${view.width}/${view.height}` }))),
        h('span', { class: 'task' }, moment.task || 'No task is told'),
        h('span', { class: 'words' }, [moment.source, moment.episode.split('/').slice(0, 2).join('/'), `frame ${moment.frame}`, used,
          fit].filter(Boolean).join(' · ')));
    }));
    if (focused) this.grid.querySelector('input:checked, input')?.focus();
    const narrowed = Boolean(this.find.value.trim() || this.source.value || this.unused.checked);
    const empty = found.length ? '' : this.total ? 'All that was found is kept back from you.' : !this.data.sources.length ? this.data.empty
      : narrowed ? 'No kept moment fits. Use other words, or fewer conditions.'
        : `No kept moment is of a ${this.kind.arms.join(' or ')} arm, which this subtask needs. Keep some on the page Moments.`;
    if (empty) this.grid.append(h('p', { class: 'empty' }, empty));
    const out = this.keptBack ? `; ${this.keptBack} of them not shown to you` : '';
    this.count.textContent = this.total ? `${plural(this.total, 'kept moment', 'kept moments')}${out}` : '';
    this.left.textContent = this.keptBack ? this.data.kept_back : '';
    this.more.hidden = this.passed >= this.total;
    this.sync();
  }

  sync() {
    const { kind } = this;
    const { blocked } = this.data;
    this.go.textContent = `Begin ${kind.name}`;
    this.go.disabled = Boolean(blocked) || this.busy || !this.moment || (kind.target > 0 && !kind.left && !this.data.trial);
    this.told.textContent = blocked || (kind.target > 0 && !kind.left && !this.data.trial
      ? 'There are enough items of this subtask: choose another.' : !this.data.sources.length ? '' : this.moment
      ? kind.advice : 'Choose a moment: its pictures are what the question is about.');
  }

  /** Begin it; once the server has, the page goes to its editor. */
  async begin() {
    this.sync();
    if (this.go.disabled) return;
    passing.keep(LAST + this.data.project, this.subtask);
    this.busy = true;
    this.problem.textContent = '';
    this.sync();
    try {
      const { item } = await (await send(`api/qa/moments/${encodeURIComponent(this.data.project)}`,
        { item: newId('qa'), subtask: this.subtask, moment: this.moment },
        { signal: this.abort.signal, sign: (state) => { this.problem.textContent = state ? state.message : ''; } })).json();
      this.setTrigger('begun', item); // the page goes to its editor: nothing more is begun here
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      this.problem.textContent = error.message;
      this.busy = false;
      this.sync();
    }
  }

  destroy() { this.abort.abort(); clearTimeout(this.resting); this.shell.remove(); }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Starter(parentElement, data, setTriggerValue),
  renew: (starter, { data, setTriggerValue }) => { starter.setTrigger = setTriggerValue; starter.update(data); },
});
