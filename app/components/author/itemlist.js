// Items in a list: pictures with their marks, search and filters answered by the server, a page at a time, and what is done with several.
// What is ticked is known by its id, so it stays ticked whatever the list shows.
import { LONG_MS, Refused, send } from './api.js';
import { h, the, uid } from './dom.js';
import { s, shapes } from './markshapes.js';
import { mounting } from './mounting.js';
import { keyed } from './pressed.js';

/** How long somebody rests from typing before it is looked for (ms). */
const REST_MS = 250;
/** Pages that are fetched again at once when somebody comes back to a long list. */
const MOST_PAGES = 8;
/** Width of a picture (CSS px), as itemlist.css has it. */
const WIDE = 144;
/** @typedef {'words' | 'subtask' | 'state' | 'author' | 'sort'} Field */
/** @type {Field[]} */
const FIELDS = ['words', 'subtask', 'state', 'author', 'sort'];
/** @param {number} count @param {string} one @param {string} many */
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const STEPS = [['day', 86400], ['hour', 3600], ['minute', 60]];
/** How long ago, in words: "3 days ago", "yesterday". @param {string} iso */
export function ago(iso, now = Date.now()) {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  const [unit, long] = STEPS.find(([, size]) => seconds >= size) || ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(-Math.floor(seconds / long), unit);
}

/** A moment by the reader's own clock. @param {string} iso */
const exact = (iso) => new Date(iso).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

/**
 * An item of the list (`app/qa_list_api.py`).
 * @typedef {object} Item
 * @property {string} id
 * @property {string} name
 * @property {string} state
 * @property {string} label
 * @property {string} tone
 * @property {string} changed
 * @property {string} author
 * @property {string} from
 * @property {boolean} trial
 * @property {number} clean
 * @property {number} flags
 * @property {number} skips
 * @property {string} question
 * @property {boolean} kept
 * @property {string[]} said
 * @property {string} button
 * @property {{url: string, width: number, height: number, marks: ItemMark[]} | null} picture
 */
/** @typedef {[string, string][]} Pairs values and their words */
/**
 * What the page gives (`itemlist` of app/components/authoring.py).
 * @typedef {object} Given
 * @property {string} project
 * @property {string} whose
 * @property {number} page
 * @property {Partial<Record<Field, string>> & {shown?: number}} look
 * @property {Pairs} subtasks
 * @property {Pairs} states
 * @property {Pairs} authors
 * @property {Pairs} people
 * @property {{event: string, label: string, states: string[]}[]} moves
 * @property {string} empty
 */

class ItemList {
  /** @type {Given} */ data;
  /** @type {string | undefined} */ project;
  /** What is looked for now. @type {symbol | undefined} */ asked;
  /** @type {number | undefined} */ resting;
  /** @type {HTMLSelectElement} */ what;
  /** @type {HTMLSelectElement} */ to;
  /** @type {HTMLInputElement} */ why;
  /** @type {HTMLButtonElement} */ go;
  /** @type {HTMLFormElement} */ form;
  /** @type {HTMLElement} */ picked;
  /** @type {HTMLButtonElement} */ all;
  /** @type {HTMLSpanElement} */ problem;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} setTrigger */
  constructor(root, data, setTrigger) {
    this.setTrigger = setTrigger;
    this.abort = new AbortController();
    /** @type {Item[]} */
    this.found = [];
    /** @type {Map<string, Item>} */
    this.ticked = new Map(); // id → item, in the order of ticking
    /** @type {Record<Field, HTMLInputElement | HTMLSelectElement>} */
    this.fields = {
      words: h('input', { type: 'search', placeholder: 'Words of the question', 'aria-label': 'Words of the question, its number or episode',
        maxlength: '200', oninput: () => { clearTimeout(this.resting); this.resting = setTimeout(() => this.look(), REST_MS); } }),
      subtask: h('select', { 'aria-label': 'Subtask', onchange: () => this.look() }),
      state: h('select', { 'aria-label': 'State', onchange: () => this.look() }),
      author: h('select', { 'aria-label': 'Author', onchange: () => this.look() }),
      sort: h('select', { 'aria-label': 'Order', onchange: () => this.look() }, h('option', { value: 'changed' }, 'changed last'),
        h('option', { value: 'oldest' }, 'changed first'), h('option', { value: 'number' }, 'by number')),
    };
    this.count = h('span', { class: 'note', role: 'status' }, 'Looking…');
    this.list = h('ul', { class: 'items' });
    this.list.addEventListener('keydown', keyed((key, event) => this.#move(key, event)));
    this.more = h('button', { type: 'button', hidden: true, onclick: () => this.ask(this.found.length) }, 'Show more');
    this.report = h('div', { class: 'report', role: 'status' });
    this.shell = h('div', { class: 'vantage itemlist' },
      h('div', { class: 'filters' }, this.fields.words, this.fields.subtask, this.fields.state, this.fields.author, this.fields.sort, this.count),
      this.list, h('div', { class: 'row end' }, this.more), this.#several(), this.report);
    root.append(this.shell);
    this.update(data);
  }

  /** @param {Given} data */
  update(data) {
    const first = !this.data;
    this.data = data;
    this.#choices(this.fields.subtask, 'all subtasks', data.subtasks);
    this.#choices(this.fields.state, 'all states', data.states);
    this.#choices(this.fields.author, 'everybody', data.authors);
    this.fields.author.hidden = data.authors.length < 2;
    this.#choices(this.to, 'Choose a person', data.people);
    if (!first && this.project === data.project) return;
    this.project = data.project;
    for (const name of FIELDS) this.fields[name].value = data.look[name] || (name === 'sort' ? 'changed' : '');
    this.ask(0, Math.min(MOST_PAGES, Math.ceil((data.look.shown || 1) / data.page)));
  }

  /** @param {HTMLInputElement | HTMLSelectElement} select @param {string} every @param {Pairs} pairs */
  #choices(select, every, pairs) {
    const key = JSON.stringify(pairs);
    if (select.dataset.key === key) return;
    const { value } = select;
    select.dataset.key = key;
    select.replaceChildren(h('option', { value: '' }, every), ...pairs.map(([name, words]) => h('option', { value: name }, words)));
    select.value = pairs.some(([name]) => name === value) ? value : '';
  }

  // ---------------------------------------------------------------- what is shown

  get wanted() { return Object.fromEntries(FIELDS.map((name) => [name, this.fields[name].value.trim()])); }

  /** The filters changed: look anew, and let the page keep them in its address. */
  look() {
    clearTimeout(this.resting);
    this.ask();
    this.#told();
  }

  #told() { this.setTrigger('look', { ...this.wanted, shown: Math.max(this.data.page, this.found.length) }); }

  /** Fetch `pages` pages from `offset` on; those from 0 on take the place of what is shown. */
  async ask(offset = 0, pages = 1) {
    const mine = Symbol('search');
    this.asked = mine;
    this.count.textContent = 'Looking…';
    try {
      const query = new URLSearchParams({ ...this.wanted, whose: this.data.whose });
      const fresh = offset ? [...this.found] : [];
      let total = 0;
      for (let page = 0; page < pages; page += 1) {
        query.set('offset', String(fresh.length));
        query.set('limit', String(this.data.page));
        const reply = await send(`api/qa/items/${encodeURIComponent(this.data.project)}?${query}`, undefined,
          { signal: this.abort.signal, sign: (state) => { if (state) this.count.textContent = state.message; } });
        const got = /** @type {{count: number, items: Item[]}} */ (await reply.json());
        if (mine !== this.asked) return; // something else is wanted by now
        total = got.count;
        fresh.push(...got.items);
        if (!got.items.length || fresh.length >= total) break;
      }
      const before = offset ? this.found.length : -1;
      this.found = fresh;
      this.#draw(total);
      if (before < 0) return;
      this.list.querySelectorAll('.open')[before]?.focus();
      this.#told();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      this.count.textContent = error.message;
    }
  }

  /** @param {number} total */
  #draw(total) {
    this.list.replaceChildren(...this.found.map((item) => this.#row(item)));
    const narrowed = FIELDS.some((name) => name !== 'sort' && this.fields[name].value);
    if (!total) this.list.append(h('li', { class: 'empty' }, narrowed ? 'No item fits. Use other words, or fewer conditions.' : this.data.empty));
    this.count.textContent = total ? plural(total, 'item', 'items') : '';
    this.more.hidden = this.found.length >= total;
    for (const item of this.found) if (this.ticked.has(item.id)) this.ticked.set(item.id, item);
    this.#sync();
  }

  /** @param {Item} item */
  #row(item) {
    const name = h('b', { class: 'name', onclick: () => this.open(item.id) }, item.name);
    name.id = uid('item');
    const box = h('input', { type: 'checkbox', checked: this.ticked.has(item.id), 'aria-label': `Tick ${item.name}`,
      onchange: () => { if (box.checked) this.ticked.set(item.id, item); else this.ticked.delete(item.id); this.#sync(); } });
    const about = [this.data.whose === 'mine' ? '' : item.author, item.from, item.trial ? 'trial item' : '',
      item.clean ? `${item.clean} clean` : '', item.flags ? plural(item.flags, 'flag', 'flags') : '',
      item.skips ? `${plural(item.skips, 'reviewer', 'reviewers')} could not judge it` : ''];
    return h('li', { class: 'item' }, h('label', { class: 'tick' }, box),
      this.#picture(item),
      h('div', { class: 'text' },
        h('div', { class: 'head' }, name, h('span', { class: `state ${item.tone}` }, item.label),
          h('time', { datetime: item.changed, title: exact(item.changed) }, ago(item.changed))),
        h('p', { class: 'asked' }, item.question || 'No question is written yet.'),
        h('p', { class: 'about' }, item.kept ? 'Kept back: you may be asked to review it.' : about.filter(Boolean).join(' · ')),
        item.said.length ? h('ul', { class: 'said' }, item.said.map((words) => h('li', {}, words))) : null),
      h('button', { type: 'button', class: 'open', 'aria-describedby': name.id, dataset: { item: item.id }, onclick: () => this.open(item.id) }, item.button));
  }

  /** @param {Item} item */
  #picture(item) {
    const { picture } = item;
    if (!picture) return h('div', { class: 'picture none', 'aria-hidden': 'true' });
    const drawn = s('svg', { viewBox: `0 0 ${picture.width} ${picture.height}`, 'aria-hidden': 'true' });
    const px = (/** @type {number} */ length) => length * picture.width / WIDE / 1.6;
    for (const mark of picture.marks) if (mark.points.length > 1) drawn.append(s('g', { 'data-colour': mark.colour }, shapes(mark, px)));
    return h('div', { class: 'picture', style: `aspect-ratio:${picture.width}/${picture.height}`, onclick: () => this.open(item.id) },
      h('img', { src: picture.url, alt: '', loading: 'lazy', width: picture.width, height: picture.height }), drawn);
  }

  /** @param {string} id */
  open(id) { this.setTrigger('open', id); }

  /** Arrows go from item to item. @param {string} key @param {KeyboardEvent} event */
  #move(key, event) {
    const buttons = [...this.list.querySelectorAll('.open')];
    const here = /** @type {Element} */ (event.composedPath()[0]).closest?.('.item');
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const to = step && here ? buttons[buttons.indexOf(the(here, '.open')) + step] : null;
    if (!to) return;
    event.preventDefault();
    to.focus();
  }

  // ---------------------------------------------------------------- several at once

  #several() {
    this.picked = h('b', {});
    this.all = h('button', { type: 'button', class: 'link', onclick: () => { for (const item of this.found) this.ticked.set(item.id, item); this.#boxes();
      } }, 'Tick all shown');
    this.none = h('button', { type: 'button', class: 'link', onclick: () => { this.ticked.clear(); this.#boxes(); } }, 'Tick none');
    this.what = h('select', { 'aria-label': 'What to do with them', onchange: () => this.#sync() });
    this.to = h('select', { 'aria-label': 'Who goes on with them', hidden: true });
    this.why = h('input', { type: 'text', maxlength: '500', placeholder: 'Reason: the others will want to know', 'aria-label': 'Reason' });
    this.go = h('button', { type: 'submit', class: 'primary' }, 'Do it');
    this.problem = h('span', { class: 'problem', role: 'alert' });
    this.problem.id = uid('problem');
    this.form = h('form', { class: 'several', hidden: true, 'aria-label': 'With the ticked items',
      onsubmit: (event) => { event.preventDefault(); this.do(); } },
      this.picked, this.all, this.none, this.what, this.to, this.why, this.go, this.problem);
    return this.form;
  }

  #boxes() {
    for (const row of this.list.querySelectorAll('.item')) /** @type {HTMLInputElement} */ (row.querySelector('.tick input')).checked = this.ticked.has(
      the(row, '.open').dataset.item ?? '');
    this.#sync();
  }

  #sync() {
    const chosen = this.what.value;
    const states = new Set([...this.ticked.values()].map(({ state }) => state));
    const offered = this.data.moves.filter((move) => move.states.some((state) => states.has(state)));
    this.what.replaceChildren(h('option', { value: '' }, 'Choose what to do'), ...offered.map(({ event, label }) => h('option', { value: event }, label)));
    this.what.value = offered.some(({ event }) => event === chosen) ? chosen : '';
    this.to.hidden = this.what.value !== 'assign';
    this.why.hidden = this.go.hidden = !this.what.value;
    this.form.hidden = !this.ticked.size;
    this.picked.textContent = `${this.ticked.size} ticked`;
    this.all.hidden = this.found.every(({ id }) => this.ticked.has(id));
  }

  async do() {
    this.problem.textContent = '';
    if (!this.why.value.trim()) { this.problem.textContent = 'Give a reason first.'; this.why.focus(); return; }
    if (this.what.value === 'assign' && !this.to.value) { this.problem.textContent = 'Choose a person first.'; this.to.focus(); return; }
    this.go.disabled = true;
    try {
      const body = { items: [...this.ticked.keys()], what: this.what.value, why: this.why.value.trim(), to: this.to.hidden ? '' : this.to.value };
      /** @type {{done: string[], refused: {name: string, why: string}[]}} */
      const { done, refused } = await (await send(`api/qa/items/${encodeURIComponent(this.data.project)}`, body,
        { signal: this.abort.signal, within: LONG_MS, sign: (state) => { this.problem.textContent = state ? state.message : ''; } })).json();
      for (const id of done) this.ticked.delete(id);
      this.report.replaceChildren(h('p', {}, done.length ? `Done with ${plural(done.length, 'item', 'items')}.` : 'Nothing was done.'),
        ...(refused.length ? [h('p', {}, `Not done with ${plural(refused.length, 'item', 'items')}:`),
          h('ul', {}, refused.map(({ name, why }) => h('li', {}, h('b', {}, name), `: ${why}`)))] : []));
      this.what.value = '';
      this.why.value = '';
      await this.ask(0, Math.min(MOST_PAGES, Math.ceil(this.found.length / this.data.page) || 1));
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      this.problem.textContent = error.message;
    } finally {
      this.go.disabled = false;
    }
  }

  destroy() { this.abort.abort(); clearTimeout(this.resting); this.shell.remove(); }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new ItemList(parentElement, data, setTriggerValue),
  renew: (list, { data, setTriggerValue }) => { list.setTrigger = setTriggerValue; list.update(data); },
});
