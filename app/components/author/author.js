// The editor of one item, as its subtask declares it: views to draw on, the cube tool, slots, question and options. The server checks every
// rule after every change; what is still to do stands beside the field it concerns.
import { Refused, send } from './api.js';
import { Busy } from './busy.js';
import { mount as mountCanvas } from './canvas.js';
import { mount as mountCubes } from './cubes.js';
import { clock, focusedBeside, h, newId, the, uid } from './dom.js';
import { alike, Fields } from './fields.js';
import { mounting } from './mounting.js';
import { fill, LETTERS, OptionRows } from './optionrows.js';
import { keyed } from './pressed.js';
import { lasting } from './shelf.js';
import { Shortcuts } from './shortcuts.js';
import { Strip } from './strip.js';

/** Field → what people call it. @type {Record<string, string>} */
const NAMES = {
  reference_view: 'Reference view', cubes: 'Cubes', slots: 'What is filled in', question: 'Question', options: 'Options', option_images: 'Pictures',
  gold: 'Right answer',
  hard: 'Comes close', provenance: 'How options were made', unique_confirmed: 'Only one reading is right',
};
/** Between the page's head and the first thing below it (CSS pixels). */
const TOP = 12;
/** How it stands with what is kept, from good to bad. */
const GRADES = ['saved', 'loading', 'saving', 'trouble', 'refused', 'conflict'];
const CORNERS = 'vantage.corners.v1.';
/** @param {string} text */
const upper = (text) => text[0].toUpperCase() + text.slice(1);

/** A part with a style of its own: another component of ours inside this one. @param {...string} own */
function island(...own) {
  const sheets = ['base', ...own];
  const host = h('div', { class: 'island' });
  const root = host.attachShadow({ mode: 'open' });
  const place = h('div');
  // Not shown before its style is there.
  place.style.visibility = 'hidden';
  let missing = sheets.length;
  const arrived = () => { missing -= 1; if (!missing) place.style.visibility = ''; };
  root.append(...sheets.map((name) => h('link', { rel: 'stylesheet', href: new URL(`./${name}.css`, import.meta.url).href, onload: arrived,
    onerror: arrived })), place);
  return { host, place };
}

/**
 * What the page gives (`editor` of app/components/authoring.py).
 * @typedef {object} Given
 * @property {string} item
 * @property {number} rev
 * @property {string} state
 * @property {DeclaredSubtask} declared
 * @property {string} title
 * @property {string} where
 * @property {string} about
 * @property {string | null} earlier
 * @property {string | null} later
 * @property {boolean} more whether another item may be begun
 * @property {import('./pins.js').Pin[] | null} [pins]
 */
/** @typedef {import('./fields.js').How} How */
/** @typedef {{inputs: HTMLInputElement[], element: HTMLElement, set: (value: string | null) => void, lock: (yes: boolean) => void}} Choice */
/**
 * A field that the subtask declares.
 * @typedef {object} Slot
 * @property {string} name
 * @property {HTMLInputElement} control
 * @property {HTMLElement} element
 * @property {(value: string, force: boolean) => void} set
 * @property {(yes: boolean) => void} lock
 */

export class Editor extends Busy {
  /** What geometry suggests. @type {import('./helplines.js').Given | null} */ help = null;
  /** How it stands with the fields, and with the marks. @type {{kind: string, message?: string}} */ fieldsKept = { kind: 'loading' };
  /** @type {{kind: string, message?: string, at?: string | null}} */ marksKept = { kind: 'saved' };
  /** How the grid lies on the reference view. @type {number[] | null | undefined} */ matrix;
  /** @type {Slot[]} */ slots;
  /** Where a problem stands that is to be seen to first. @type {string | undefined} */ first;
  /** What has the drawing, and what has the tool for cubes. @type {object | undefined} */ given;
  /** @type {object | undefined} */ placed;
  /** @type {HTMLTextAreaElement} */ question;
  /** @type {HTMLInputElement} */ unique;
  /** @type {HTMLParagraphElement} */ trouble;
  /** @type {HTMLElement} */ foot;
  /** @type {(event: KeyboardEvent) => void} */ onKey;
  /** @type {Shortcuts} */ keys;
  /** @type {Strip} */ strip;
  /** @type {{host: HTMLDivElement, place: HTMLDivElement}} */ stage;
  /** @type {HTMLButtonElement} */ next_;
  /** @type {HTMLButtonElement} */ goOn;
  /** @type {Map<string, HTMLUListElement>} */ todos;
  /** @type {HTMLSpanElement} */ status;
  /** @type {HTMLSpanElement} */ saved;
  /** @type {HTMLButtonElement} */ again;
  /** @type {HTMLDivElement} */ clash;
  /** @type {HTMLButtonElement} */ go;
  /** @type {HTMLInputElement} */ why;
  /** @type {Choice} */ reference;
  /** @type {HTMLButtonElement} */ anew;
  /** @type {OptionRows} */ options;
  /** @type {HTMLElement} */ closed;
  /** @type {HTMLButtonElement} */ left;
  /** @type {HTMLHeadingElement} */ title;
  /** @type {HTMLParagraphElement} */ about;
  /** @type {HTMLButtonElement} */ earlier;
  /** @type {HTMLButtonElement} */ later;
  /** @type {(() => void)[]} */ ends;
  /** @type {{host: HTMLDivElement, place: HTMLDivElement} | undefined} */ cubes;
  /** @type {ResizeObserver} */ measure;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} setTrigger */
  constructor(root, data, setTrigger) {
    super();
    this.setTrigger = setTrigger;
    this.data = data;
    this.item = data.item;
    this.declared = data.declared;
    this.readonly = true;
    this.fields = new Fields(this.item, (what) => this.#told(what));
    this.#build(root);
    this.fields.load();
    if (this.declared.helps) this.#ask();
  }

  async #ask() {
    try {
      const { help, matrix } = await (await send(`${this.fields.path}/help`)).json();
      this.help = help;
      this.matrix = matrix;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(`There is no help from geometry: ${error.message}`);
      return;
    }
    if (this.fields.state) this.sync();
  }

  // ---------------------------------------------------------------- parts of the page

  /** @param {HTMLElement} root */
  #build(root) {
    this.todos = new Map();
    this.stage = island('qa', 'canvas', 'stage');
    this.ends = [];
    this.drawn = this.#todo('Drawing');
    this.drawn.slot = 'todo';
    this.stage.host.append(this.#top(), this.drawn);
    this.stage.host.addEventListener('kept', (event) => {
      this.marksKept = /** @type {CustomEvent} */ (event).detail;
      this.#line();
    });
    this.question = h('textarea', { class: 'question', rows: 4, maxlength: '6000',
      oninput: () => this.put('question', this.question.value, { typing: true }), onchange: () => this.put('question', this.question.value) });
    this.question.id = uid('question');
    this.anew = h('button', { type: 'button', class: 'small', onclick: () => this.act('', { make: 'question' }) }, 'Write it anew from the template');
    this.options = new OptionRows(this);
    this.unique = h('input', { type: 'checkbox', onchange: () => this.put('unique_confirmed', this.unique.checked) });
    this.why = h('input', { type: 'text', class: 'why', maxlength: '400', placeholder: 'What you changed',
      'aria-label': 'What you changed, or why it stands as it is', autocomplete: 'off' });
    this.left = h('button', { type: 'button', class: 'left', onclick: () => this.next() });
    this.closed = h('b', { class: 'closed', hidden: true });
    this.saved = h('span', { class: 'saved', 'aria-live': 'polite' });
    this.status = h('span', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
    this.again = h('button', { type: 'button', class: 'link', hidden: true, onclick: () => this.fields.load() }, 'Read it again');
    this.go = h('button', { type: 'button', class: 'primary', disabled: true, onclick: () => this.submit() }, 'Send to review');
    this.goOn = h('button', { type: 'button', class: 'primary', disabled: true, onclick: () => this.submit(true) }, 'Send and begin the next',
      h('kbd', { 'aria-hidden': 'true' }, 'Ctrl+Enter'));
    this.next_ = h('button', { type: 'button', class: 'primary', hidden: true, onclick: () => this.#following() }, 'Begin the next',
      h('kbd', { 'aria-hidden': 'true' }, 'Ctrl+Enter'));
    this.clash = h('div', { class: 'clash', role: 'alert', hidden: true });
    this.trouble = h('p', { class: 'problem', role: 'alert' });
    this.slots = this.declared.slots.map((slot) => this.#slot(slot));
    this.views = this.#views();
    const cubes = this.declared.cubes ? this.#cubes() : [];
    // The tool for cubes has the reference view in large itself.
    this.strip = new Strip((this.cubes || this.stage).host, (view) => this.#enlarge(view));
    this.shell = h('div', { class: 'vantage author' },
      h('section', { 'aria-label': 'Views' }, this.stage.host),
      ...cubes, this.strip.element,
      h('section', { class: 'asked', 'aria-label': 'Question' },
        h('div', { class: 'slots' }, this.views, this.slots.map((slot) => slot.element)),
        h('div', { class: 'text' }, h('div', { class: 'labelrow' }, h('label', { for: this.question.id }, 'Question'), this.anew), this.question,
          this.#todo('question'))),
      h('section', { class: 'answers', 'aria-label': 'Options' },
        h('div', { class: 'shead' }, h('h2', {}, 'Options'), h('p', { class: 'note' }, this.declared.advice), this.options.head),
        this.options.element,
        h('label', { class: 'tick unique' }, this.unique, 'Under every reading of the question, only the marked option is right.'),
        h('div', { class: 'todos' }, this.#todo('options'), this.#todo('unique'))),
      h('footer', { class: 'foot' }, this.clash, this.trouble,
        h('div', { class: 'bar' }, this.left, this.closed, h('span', { class: 'savebox' }, this.saved, this.again),
        this.why, this.go, this.goOn, this.next_)), this.status, this.keys.table);
    this.question.setAttribute('aria-describedby', this.todos.get('question')?.id ?? '');
    this.shell.addEventListener('focusin', (event) => this.strip.clear(/** @type {Element} */ (event.target)));
    this.foot = the(this.shell, '.foot');
    this.measure = new ResizeObserver(() => this.#room());
    this.measure.observe(this.foot);
    this.onKey = keyed((key, event) => this.#sending(key, event));
    window.addEventListener('keydown', this.onKey, true);
    // Nothing is typed into what has not been read yet.
    for (const section of this.shell.querySelectorAll('section')) section.inert = true;
    root.append(this.shell);
  }

  /** Over the tools: what this item is, and the ways to others. */
  #top() {
    this.back = h('button', { type: 'button', class: 'small', onclick: () => this.#leave({ home: true }) }, '← All items');
    this.earlier = h('button', { type: 'button', class: 'small', 'aria-label': 'Previous item', title: 'Previous of your items (,)',
      onclick: () => this.#leave({ item: this.data.earlier }) }, '‹', h('kbd', { 'aria-hidden': 'true' }, ','));
    this.later = h('button', { type: 'button', class: 'small', 'aria-label': 'Next item', title: 'Next of your items (.)',
      onclick: () => this.#leave({ item: this.data.later }) }, h('kbd', { 'aria-hidden': 'true' }, '.'), '›');
    this.title = h('h1', {});
    this.about = h('p', { class: 'note' });
    const top = h('div', { class: 'top' }, h('div', { class: 'row' }, this.back, this.earlier, this.later),
      h('div', { class: 'named' }, this.title, this.about));
    top.slot = 'top';
    this.keys = new Shortcuts((key) => this.#key(key), () => Boolean(this.shell?.isConnected), this.parts);
    return top;
  }

  /** Which keys mean something in this item. */
  get parts() {
    const { marks, option_kind: kind } = this.declared;
    return ['viewing', ...(marks.kinds.length ? ['drawing'] : []), 'options', ...(kind === 'directions' ? ['directions'] : []), 'authoring'];
  }

  /** Give a view all the room, or take it back: the one pointed at or in hand, or the named. One goes back to where one came from. */
  #enlarge(/** @type {string | null} */ view = null) {
    const pane = this.stage.place.querySelector(view ? `.pane[data-view="${CSS.escape(view)}"]` : '.pane.pointed')
      || this.stage.place.querySelector('.pane.active');
    if (!pane) return;
    const back = this.away;
    this.away = this.strip.out ? focusedBeside(this.shell) : null;
    the(pane, '.large').click();
    if (!back?.isConnected || this.stage.place.querySelector('.views.one')) return;
    back.focus({ preventScroll: true });
    back.scrollIntoView({ block: 'center' });
  }

  /** Leave for another page or item; what is typed is saved on the way. @param {{item?: string | null, home?: boolean}} to */
  #leave(to) {
    if (to.item === null || this.busy) return;
    this.fields.flush();
    this.#goTo(to);
  }

  /**
   * From here on nothing is done to this item: until the other one is here, and for a moment beside it, this one stands there still, and what
   * is pressed is not meant for it.
   * @param {{item?: string | null, home?: boolean}} to
   */
  #goTo(to) {
    this.goingOn(() => {
      this.beginning = false;
      this.#inert();
      this.trouble.textContent = 'The page does not go on. Reload it.';
    });
    this.#inert();
    this.setTrigger('left', to);
  }

  /** Whether anything can be done to what is shown. */
  #inert() { for (const section of this.shell.querySelectorAll('section')) section.inert = this.busy; }

  /** Keys of the whole page; whether one was ours. @param {string} key */
  #key(key) {
    if (this.busy) return false;
    if (key === ',' && this.data.earlier) this.#leave({ item: this.data.earlier });
    else if (key === '.' && this.data.later) this.#leave({ item: this.data.later });
    else if (key === 'f') this.#enlarge();
    else return false;
    return true;
  }

  /** @param {string} key @param {KeyboardEvent} event */
  #sending(key, event) {
    if (key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat || !this.shell.isConnected || this.busy) return;
    // Words that are written elsewhere on the page are sent from there.
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (target.closest('dialog') || (target.matches('textarea, input') && !event.composedPath().includes(this.shell))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!this.next_.hidden) this.next_.click();
    else if (this.goOn.disabled) this.next();
    else this.submit(true);
  }

  /** What the page's head and the bar below leave to the pictures. */
  #room() {
    const head = (document.querySelector('[data-testid="stHeader"]')?.getBoundingClientRect().height || 0) + TOP;
    this.stage.host.style.setProperty('--bar', `${Math.ceil(this.foot.getBoundingClientRect().height)}px`);
    this.shell.style.setProperty('--head', `${Math.ceil(head)}px`);
    this.strip.watch(Math.ceil(head) - TOP);
  }

  /** @param {string} place */
  #todo(place) {
    const list = h('ul', { class: 'todo', hidden: place === 'Drawing' });
    list.id = uid('todo');
    this.todos.set(place, list);
    return list;
  }

  #cubes() {
    this.cubes = island('qa', 'cubes');
    return [h('section', { 'aria-label': 'Cubes' }, h('div', { class: 'shead' }, h('h2', {}, 'Where the boxed objects are'),
      h('p', { class: 'note' }, 'One cube of each colour, in the cell where its object is.')), this.#todo('cubes'), this.cubes.host)];
  }

  /** @param {DeclaredSubtask['slots'][number]} slot @returns {Slot} */
  #slot({ name, label, choices, required }) {
    const todo = this.#todo(`slots.${name}`);
    /** @param {How} [how] */
    /** @type {(value: string, how?: How) => void} */
    const set = (value, how) => this.put('slots', { ...this.fields.value('slots'), [name]: value }, how);
    if (choices.length) {
      const group = this.#choice(label, choices.map((choice) => [choice, choice]), set);
      return { name, set: group.set, control: group.inputs[0], element: h('div', { class: 'field' }, group.element, todo), lock: group.lock };
    }
    const input = h('input', { type: 'text', maxlength: '400', autocomplete: 'off', oninput: () => set(input.value, { typing: true }),
      onchange: () => set(input.value) });
    input.id = uid('slot');
    input.setAttribute('aria-describedby', todo.id);
    return {
      name, control: input,
      set: (value, force) => { if (force || focusedBeside(input) !== input) input.value = value || ''; },
      lock: (yes) => { input.disabled = yes; },
      element: h('div', { class: 'field' }, h('label', { for: input.id }, label, required ? '' : h('span', { class: 'note' }, ' (optional)')), input, todo),
    };
  }

  /** @param {string} label @param {[string, string][]} pairs @param {(value: string) => void} set @returns {Choice} */
  #choice(label, pairs, set) {
    const name = uid('choice');
    const inputs = pairs.map(([value]) => h('input', { type: 'radio', name, value, onchange: () => set(value) }));
    return {
      inputs,
      element: h('fieldset', {}, h('legend', {}, label), h('div', { class: 'segments' },
        pairs.map(([, words], i) => h('label', {}, inputs[i], h('span', {}, words))))),
      set: (value) => { for (const input of inputs) input.checked = input.value === value; },
      lock: (yes) => { for (const input of inputs) input.disabled = yes; },
    };
  }

  #views() {
    this.reference = this.#choice('Reference view', this.declared.views.map(({ name, words }) => [name, upper(words)]),
      (value) => this.put('reference_view', value));
    return h('div', { class: 'field' }, this.reference.element, this.#todo('reference_view'));
  }

  // ---------------------------------------------------------------- keeping

  /** @param {keyof ItemFields} name @param {unknown} value @param {How} [how] */
  put(name, value, how) { if (!this.readonly) this.fields.put(name, value, how); }

  /** @param {string} where @param {object} body */
  act(where, body) { return this.fields.act(where, body); }

  /** @param {string} text */
  say(text) { this.status.textContent = text; }

  /** One line for the fields and the marks: what is worse of the two. */
  #line() {
    const { kind, message } = this.fieldsKept;
    const marks = this.marksKept;
    const at = [this.fields.state?.saved_at, marks.kind === 'saved' ? marks.at : ''].filter(Boolean).map(String).sort().at(-1);
    const worse = GRADES.indexOf(marks.kind) > GRADES.indexOf(kind) ? marks.kind : kind;
    this.saved.textContent = {
      loading: 'Reading…', saving: 'Saving…', saved: at ? `Saved ${clock(at)}` : '',
      trouble: `Not saved yet: ${kind === 'trouble' ? message : marks.message} Your changes are kept in this browser.`,
      refused: kind !== 'refused' ? `Not saved: ${marks.message} Your changes are kept in this browser.`
        : this.fields.waiting ? `Not saved: ${message} Your changes are kept in this browser.` : message,
      conflict: kind === 'conflict' ? 'Not saved: choose above.' : 'Not saved: choose which marks to keep.',
    }[worse] ?? '';
  }

  /** @param {import('./fields.js').Told} what */
  #told({ kind, message }) {
    this.shell.dataset.kept = kind;
    this.fieldsKept = { kind, message };
    this.#line();
    this.again.hidden = kind !== 'refused';
    if (kind === 'conflict') this.#conflict();
    else this.clash.hidden = true;
    if (this.fields.state) this.sync();
  }

  /** Somebody else changed the same field: both are shown, the person chooses, nothing is lost before. */
  #conflict() {
    const theirs = this.fields.conflict?.theirs;
    if (!theirs) return;
    const mine = this.fields.pending;
    /** @param {any} value of whatever kind a field has @returns {string} */
    const plain = (value) => (value === true ? 'yes' : value === false ? 'no' : value?.kind || value?.image?.slice(0, 8)
      || (Array.isArray(value?.cell) ? `${value.colour} ${value.cell.join(', ')}` : String(value ?? 'none')));
    /** What differs of a field, in words. @type {(value: any, other: any) => string} */
    const words = (value, other) => {
      if (Array.isArray(value)) return value.map(plain).join('; ') || 'none';
      if (typeof value !== 'object' || !value) return plain(value);
      return Object.entries(value).filter(([key]) => !alike(value[key], other?.[key])).map(([key, entry]) =>
        (Object.keys(value).length > 1 ? `${key}: ${plain(entry)}` : plain(entry))).join('; ') || 'none';
    };
    /** @type {import('./fields.js').Values} */
    const there = theirs.item;
    const differ = Object.keys(mine).filter((name) => !alike(mine[name], there[name]));
    /** @param {boolean} keep */
    const settle = async (keep) => {
      this.clash.hidden = true;
      this.force = true;
      await this.fields.settle(keep);
      this.force = false;
      this.go.focus();
    };
    this.clash.replaceChildren(h('p', {}, h('b', {}, 'This item was changed elsewhere in the meantime, by somebody else or in another tab of yours.'),
      ' Nothing of theirs or yours is lost. Which shall stay?'),
      h('dl', {}, differ.flatMap((name) => [h('dt', {}, NAMES[name] || name), h('dd', {},
        h('span', {}, h('b', {}, 'Yours: '), words(mine[name], there[name])),
        h('span', {}, h('b', {}, 'Theirs: '), words(there[name], mine[name])))])),
      h('div', { class: 'row wrap' }, h('button', { type: 'button', onclick: () => settle(true) }, 'Keep mine'),
        h('button', { type: 'button', onclick: () => settle(false) }, 'Take theirs')));
    this.clash.hidden = false;
  }

  /** Send it in, after what was drawn and typed last is saved. */
  async submit(next = false) {
    if (this.sending || this.busy) return;
    this.sending = true;
    this.go.disabled = this.goOn.disabled = true;
    const canvas = this.stage.place.querySelector('.canvas');
    for (let n = 0; n < 40 && canvas && !['saved', undefined].includes(canvas.dataset.kept); n += 1) await new Promise((done) => setTimeout(done, 100));
    // What is drawn and not there yet would be missing from what is sent: the line says that it is not saved.
    const whole = !canvas || ['saved', undefined].includes(canvas.dataset.kept);
    const sent = whole && await this.act('/send', { why: this.why.value.trim() });
    this.sending = false;
    if (!sent) { this.sync(); return; }
    this.shell.scrollIntoView({ block: 'start' });
    if (!next || !(await this.#following())) this.setTrigger('moved', true);
  }

  /** Begin another item of the subtask and go there; whether it was begun. */
  async #following() {
    if (this.beginning) return true;
    this.beginning = true;
    this.trouble.textContent = '';
    try {
      const { item } = await (await send(`${this.fields.path}/next`, { item: newId('qa') },
        { sign: (state) => { this.trouble.textContent = state ? state.message : ''; } })).json();
      this.#goTo({ item });
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.trouble.textContent = error.message;
      this.beginning = false;
      return false;
    }
  }

  // ---------------------------------------------------------------- looking at it

  sync() {
    const { fields } = this;
    const { state } = fields;
    this.#inert();
    const force = Boolean(this.force);
    this.readonly = !state.changeable;
    const active = focusedBeside(this.shell);
    this.reference.set(fields.value('reference_view'));
    this.reference.lock(this.readonly || this.declared.option_kind === 'images');
    for (const slot of this.slots) {
      slot.set((fields.value('slots') || {})[slot.name], force);
      slot.lock(this.readonly);
    }
    if (force || active !== this.question) this.question.value = fields.value('question');
    this.question.disabled = this.readonly;
    this.anew.hidden = this.readonly || fields.value('question') === state.template;
    this.unique.checked = fields.value('unique_confirmed');
    this.unique.disabled = this.readonly;
    this.options.sync(force);
    this.#problems(state);
    this.#parts(state);
    this.closed.textContent = state.closed;
    this.closed.hidden = !this.readonly;
    this.why.hidden = this.go.hidden = this.goOn.hidden = this.left.hidden = this.readonly;
    this.next_.hidden = !this.readonly || !this.data.more;
    this.goOn.hidden ||= !this.data.more;
    this.#named();
    if (!state.returned) this.why.hidden = true;
  }

  #named() {
    const { data } = this;
    this.title.textContent = data.title;
    this.about.textContent = data.about;
    this.about.title = data.where;
    this.earlier.hidden = this.later.hidden = !data.earlier && !data.later;
    this.earlier.disabled = !data.earlier;
    this.later.disabled = !data.later;
  }

  /** Views and cubes, with what the server has. @param {ItemState} state */
  #parts(state) {
    const { item } = state;
    const { marks } = this.declared;
    /** @param {string} view */
    const url = (view) => `api/qa/image/${encodeURIComponent(this.item)}/${encodeURIComponent(view)}`;
    const views = item.views.map(({ view, width, height, image }) => ({ name: view, width, height, url: `${url(view)}?v=${image.slice(0, 12)}` }));
    const given = {
      item: this.item, views, marks: state.marks, kinds: marks.kinds, colours: marks.colours, readonly: this.readonly || !marks.kinds.length, help: this.help,
      pins: this.data.pins, staged: true, parts: this.parts, rule: marks.kinds.length ? marks : null, reference: item.reference_view,
    };
    if (!alike(given, this.given)) {
      this.given = given;
      this.strip.show(views, state.marks);
      this.ends[0] = mountCanvas({ parentElement: this.stage.place, data: given, setStateValue: (name) => { if (name === 'rev') this.act('', {}); },
        setTriggerValue: (name, value) => this.setTrigger(name, value) });
    }
    if (!this.cubes) return;
    const seen = views.find((view) => view.name === item.reference_view);
    const image = seen && { url: seen.url, width: seen.width, height: seen.height, matrix: this.matrix || undefined, corners: this.#corners() };
    const data = { item: this.item, cubes: item.cubes, colours: marks.colours, image, readonly: this.readonly };
    if (alike(data, this.placed)) return;
    this.placed = data;
    this.ends[1] = mountCubes({ parentElement: this.cubes.place, data, setTriggerValue: () => {},
      setStateValue: (name, value) => (name === 'cubes' ? this.put('cubes', value) : this.#corners(value)) });
  }

  /**
   * Where the author laid the grid over the image: a help for the eye, so this browser keeps it.
   * @param {number[][]} [value]
   * @returns {number[][] | undefined}
   */
  #corners(value) {
    const key = CORNERS + this.item;
    if (value) lasting.keep(key, value);
    return lasting.read(key) || undefined;
  }

  /** @param {Pick<ItemState, 'problems' | 'left'>} state */
  #problems({ problems, left }) {
    /** @type {Map<string, Problem[]>} */
    const places = new Map([...this.todos.keys(), ...LETTERS].map((place) => [place, []]));
    for (const problem of problems) places.get(this.#place(problem.field))?.push(problem);
    for (const [place, here] of places) {
      const list = this.todos.get(place);
      if (list) fill(list, here.map(({ sentence }) => sentence));
      else this.options.rows[LETTERS.indexOf(place)].tell(here);
    }
    this.first = ['Drawing', 'cubes', 'reference_view', ...this.slots.map(({ name }) => `slots.${name}`), 'question', ...LETTERS, 'options',
      'unique'].find((place) => places.get(place)?.length);
    const count = problems.length;
    const things = Math.max(left, Math.min(count, 1));
    this.left.textContent = count ? `${things} thing${things === 1 ? '' : 's'} left to do` : 'All rules are kept';
    this.left.disabled = !count;
    this.left.classList.toggle('done', !count);
    const busy = this.fields.waiting || this.shell.dataset.kept === 'loading';
    this.go.disabled = this.goOn.disabled = Boolean(count) || busy || this.readonly || Boolean(this.sending);
    this.go.title = this.goOn.title = count ? 'Possible when nothing is left to do' : '';
  }

  /** Beside which field a problem stands. @param {string} field */
  #place(field) {
    const letter = field.match(/^(?:options|option_images|provenance)\.([A-E])$/);
    if (letter) return this.options.kind === 'images' ? 'options' : letter[1];
    if (this.todos.has(field)) return field;
    if (/^(marks|absent|views|subtask)/.test(field)) return 'Drawing';
    if (/^cubes/.test(field)) return this.cubes ? 'cubes' : 'Drawing';
    if (/^(slots)/.test(field)) return 'question';
    if (field === 'unique_confirmed') return 'unique';
    return 'options';
  }

  /** Go to the first thing left to do. */
  next() {
    const { first = '' } = this;
    const slot = this.slots.find(({ name }) => first === `slots.${name}`);
    /** @type {Record<string, () => HTMLElement | null | undefined>} */
    const targets = {
      Drawing: () => this.stage.place.querySelector('.port'), cubes: () => this.cubes?.place.querySelector('.pick'),
      reference_view: () => this.reference.inputs[0],
      question: () => this.question, unique: () => this.unique, options: () => this.options.open(),
    };
    const row = this.options.rows[LETTERS.indexOf(first)];
    const target = slot?.control || (row && (row.wrong.hidden ? row.right : row.made)) || targets[first]?.();
    // To the field itself: what is said of it may stand below much else.
    (['Drawing', 'cubes'].includes(first) ? this.todos.get(first) : target)?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: first !== 'Drawing' });
  }

  /** @param {Given} data */
  update(data) {
    const newer = data.rev !== this.data.rev || data.state !== this.data.state;
    this.data = data;
    this.#named();
    const known = this.fields.state;
    if (known) this.#parts(known);
    if (newer && known && (known.rev !== data.rev || known.state !== data.state)) this.fields.load();
  }

  destroy() {
    this.wentOn();
    for (const end of this.ends) end?.();
    this.measure.disconnect();
    this.strip.close();
    window.removeEventListener('keydown', this.onKey, true);
    this.keys.close();
    this.fields.close();
    this.shell.remove();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Editor(parentElement, data, setTriggerValue),
  renew: (editor, { data, setTriggerValue }) => { editor.setTrigger = setTriggerValue; editor.update(data); },
  same: (editor, data) => editor.item === data.item,
});
