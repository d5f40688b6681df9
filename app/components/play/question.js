// A question about pictures: all its views at once, five options, how sure one is, one answer. Everything works by keyboard.
// Each choice is sent at once and kept on the server, so a reload on any tab finds it again; the answer is given once.
import { apparatus, PageEvents } from './apparatus.js';
import { Refused, codeOf, send } from './api.js';
import { clock, focusedBeside, h, hostOf, the, uid } from './dom.js';
import { confidence } from './forms.js';
import { Keys } from './keys.js';
import { mounting } from './mounting.js';
import { opening } from './opening.js';
import { Pane } from './pane.js';
import { Pointer } from './pointer.js';
import { keyed } from './pressed.js';
import { reportDialog } from './report.js';
import { stopping } from './stop.js';
import { say } from './words.js';

/** @typedef {import('./pane.js').View} View */

/** Changes that follow each other this quickly are sent as one (ms). */
const REST_MS = 120;
/** The server takes what arrives this long after the time was up (ms); then it closes the question. */
const GRACE_MS = 2300;
const PAN = 48;
/** @type {Record<string, [number, number]>} */
const PANS = { arrowleft: [PAN, 0], arrowright: [-PAN, 0], arrowup: [0, PAN], arrowdown: [0, -PAN] };
/** The keys of the page and what they do. */
const help = () => [
  ['A – E', say('question.help_choose')], ['← →', say('question.help_confidence')], [say('question.enter'), say('question.help_give')],
  ['F', say('question.help_enlarge')], ['+ −', say('question.help_zoom')], ['← ↑ ↓ →', say('question.help_move')],
  [say('question.escape'), say('question.help_close')],
];
/** State of a question → what is said of its end. @type {Record<string, [string, string | null]>} */
const ENDED = {
  completed: ['page.answer_saved', null],
  rejected: ['page.answer_saved', null],
  time_limit: ['question.time_up', 'question.time_up_kept'],
  session_time: ['play.session_up', 'play.session_up_kept'],
  returned: ['question.ended', 'page.returned'],
  withdrawn: ['question.ended', 'page.withdrawn'],
  timed_out: ['question.ended', 'page.timed_out'],
};
/** @type {Record<string, string>} */
const KINDS = { box: 'question.box', track: 'question.track', grasp: 'question.grasp' };
const TAB = crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`;

/** @typedef {{url: string, width: number, height: number}} Picture */
/** @typedef {{view: string, kind: string, colour: string}} Marked that a view has a mark */
/** @typedef {{letter: string, text: string, image?: Picture}} Option */
/**
 * What `api/qa/play/open` gives of a question.
 * @typedef {object} Asked
 * @property {number} epoch
 * @property {string} state
 * @property {boolean} over then nothing else is there
 * @property {string | null} stopped_by
 * @property {string} saved_at
 * @property {string} question
 * @property {(Picture & {view: string, name: string})[]} views
 * @property {Marked[]} marks
 * @property {Option[]} options
 * @property {boolean} enlarge
 * @property {boolean} confidence_required
 * @property {boolean} references whether one may look things up
 * @property {number | null} seconds_left
 * @property {{n: number, answer: string | null, confidence: number | null} | null} belief
 */
/** @typedef {Pick<Asked, 'state' | 'stopped_by' | 'saved_at'> & {answer?: string, feedback?: {correct: boolean, right_answer: string}}} Over */
/** @typedef {{episode: string, title: string, next: string, stop?: StopWords}} Given by the page (`question` of app/components) */

class Question {
  /** As it was opened. @type {Asked} */ asked;
  /** The picture that is enlarged. @type {Pane | null | undefined} */ large;
  /** @type {number} */ largeNumber;
  /** @type {number | undefined} */ ticking;
  /** @type {number | undefined} */ resting;
  /** @type {HTMLDivElement} */ body;
  /** @type {HTMLDivElement} */ notice;
  /** @type {HTMLElement} */ header;
  /** @type {ReturnType<typeof confidence>} */ confidence;
  /** @type {HTMLDialogElement} */ help;
  /** @type {HTMLDialogElement} */ report;
  /** @type {Map<string, HTMLInputElement>} */ inputs;
  /** @type {HTMLDialogElement} */ box;
  /** @type {HTMLButtonElement} */ submit;
  /** @type {HTMLSpanElement} */ savedAt;
  /** @type {HTMLDivElement} */ veil;
  /** @type {HTMLDivElement} */ grid;
  /** @type {HTMLFormElement} */ answer;
  /** @type {HTMLSpanElement} */ clock;
  /** @type {HTMLParagraphElement} */ status;
  /** @type {HTMLParagraphElement} */ problem;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} trigger */
  constructor(root, data, trigger) {
    this.data = data;
    this.trigger = trigger;
    this.episode = data.episode;
    this.epoch = 0;
    this.n = 0;
    this.live = false; // may answer: open, ours, not over
    this.keys = new Keys([]); // only whether single keys are on
    this.abort = new AbortController();
    /** @type {{pane: Pane, view: View, marks: Marked[]}[]} */
    this.panes = [];
    this.stop = stopping({ episode: this.episode, words: data.stop, signal: this.abort.signal, stopped: () => this.trigger('done', this.episode) });
    this.shell = h('div', { class: 'vantage canvas asking', 'data-state': 'loading' },
      opening({ title: data.title || '', words: say('question.fetching'), stop: this.stop.button }), this.stop.dialog);
    root.append(this.shell);
    // Before anybody else: Streamlit has a use of its own for C.
    this.happened = new PageEvents((body) => send('api/event', body, { signal: this.abort.signal }));
    this.onKey = keyed((key, event) => this.keydown(key.toLowerCase(), event));
    window.addEventListener('keydown', this.onKey, true);
    this.channel = 'BroadcastChannel' in window ? new BroadcastChannel('vantage.episode') : null;
    if (this.channel) this.channel.onmessage = ({ data: other }) => { if (other.episode === this.episode && other.epoch > this.epoch) this.takenOver(); };
    this.open();
  }

  destroy() {
    this.abort.abort();
    this.happened.close();
    window.removeEventListener('keydown', this.onKey, true);
    this.shell.remove();
    this.channel?.close();
    clearInterval(this.ticking);
    this.panes.forEach(({ pane }) => pane.close());
    this.large?.close();
  }

  /** @param {string} path @param {object} body */
  post(path, body) {
    return send(path, body, { sign: (state) => this.trouble(state), signal: this.abort.signal });
  }

  // ------------------------------------------------------------------ opening and resuming
  async open() {
    try {
      const asked = /** @type {Asked} */ (await (await this.post('api/qa/play/open', { episode: this.episode,
        tab: `${TAB} ${window.innerWidth}x${window.innerHeight}@${window.devicePixelRatio}`, device: apparatus() })).json());
      this.epoch = asked.epoch;
      this.happened.opened(this.episode, asked.epoch);
      this.channel?.postMessage({ episode: this.episode, epoch: this.epoch });
      if (asked.over) { this.ended(asked); return; }
      if (!this.body) {
        this.build(asked);
        const held = focusedBeside(this.shell);
        const at = document.activeElement;
        if (!held && (at === document.body || at === hostOf(this.shell))) the(this.header, 'h1').focus({ preventScroll: true });
      }
      this.n = asked.belief?.n || 0;
      this.choose(asked.belief?.answer ?? null, false);
      this.confidence.set(asked.belief?.confidence ?? null);
      this.saved(asked.saved_at, Boolean(asked.belief));
      this.countdown(asked.seconds_left);
      this.live = true;
      this.cover(null);
      this.shell.dataset.state = 'ready';
      this.refresh();
    } catch (error) {
      this.fatal(error);
    }
  }

  // ------------------------------------------------------------------ building the page
  /** @param {Asked} asked */
  build(asked) {
    this.asked = asked;
    this.savedAt = h('span', { class: 'saved', role: 'status', 'aria-live': 'off' });
    this.clock = h('span', { class: 'clock', role: 'timer', hidden: true });
    this.notice = h('div', { class: 'notice', role: 'alert', hidden: true });
    this.status = h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
    this.report = reportDialog(say('report.question_goes_on'), async (text) => (
      await this.post('api/report', { episode: this.episode, epoch: this.epoch, text })).json(), this.data.stop?.contact);
    this.help = this.keysDialog();
    this.header = h('header', { class: 'question' },
      h('div', { class: 'row spread top' }, h('span', { class: 'title' }, this.data.title || ''),
        h('span', { class: 'row' }, this.clock, this.savedAt,
          h('button', { type: 'button', class: 'link', onclick: () => this.help.showModal() }, say('keys.title')),
          h('button', { type: 'button', class: 'link', onclick: () => this.report.showModal() }, say('report.title')), this.stop.button)),
      h('h1', { tabIndex: -1, class: asked.question.length > 220 ? 'long' : '' }, asked.question));
    const marks = (/** @type {string} */ name) => asked.marks.filter((mark) => mark.view === name);
    const views = asked.views.map((view) => this.pane({ ...view, name: `${view.name[0].toUpperCase()}${view.name.slice(1)}` }, marks(view.view)));
    const pictures = asked.options.some((option) => option.image);
    this.inputs = new Map();
    const group = uid('letter');
    const options = asked.options.map((option) => {
      const input = h('input', { type: 'radio', name: group, value: option.letter, onchange: () => this.choose(option.letter) });
      this.inputs.set(option.letter, input);
      const label = h('label', { class: 'option' }, input, h('kbd', { 'aria-hidden': 'true' }, option.letter),
        h('span', {}, h('span', { class: 'hidden' }, `${option.letter}: `), option.text));
      const shown = option.image ? this.pane({ ...option.image, name: option.text }, []) : null;
      // In the picture of an option a press chooses it; the corner enlarges it.
      shown?.port.addEventListener('click', () => { if (this.live) { this.choose(option.letter); } });
      return h('div', { class: 'choice', dataset: { letter: option.letter } }, shown?.element, label);
    });
    this.confidence = confidence(() => this.changed());
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.submit = h('button', { type: 'submit', class: 'primary wide' }, say('question.give'), h('kbd', { 'aria-hidden': 'true' }, say('question.enter')));
    this.answer = h('form', { class: 'reply', 'aria-label': say('answer.your_answer'), novalidate: true,
      onsubmit: (event) => { event.preventDefault(); this.give(); } },
      h('fieldset', { class: `options${pictures ? ' pictures' : ''}` }, h('legend', { class: 'hidden' }, say('question.options')), options),
      h('div', { class: 'sure' }, this.confidence.element, h('div', { class: 'giving' }, this.problem, this.submit),
        h('p', { class: 'note' }, say(asked.references ? 'question.look_up' : 'question.no_look_up'), ` ${say('question.final')}`)));
    this.veil = h('div', { class: 'cover veil', hidden: true, role: 'status', 'aria-live': 'polite' });
    this.grid = h('div', { class: 'views', dataset: { count: String(views.length) } }, views.map((view) => view.element));
    this.body = h('div', { class: `asked${pictures ? ' beside' : ''}` }, this.grid, this.answer, this.veil);
    this.box = h('dialog', { class: 'lightbox', 'aria-label': say('question.enlarged') });
    this.box.addEventListener('close', () => { this.large?.close(); this.large = null; this.box.replaceChildren(); });
    this.stop.across(() => this.shell.replaceChildren(this.header, this.notice, this.body, this.status, this.report, this.help, this.box, this.stop.dialog));
  }

  /** One picture, its marks drawn into it; enlarging shows it alone. @param {View} view @param {Marked[]} marks */
  pane(view, marks) {
    const number = this.panes.length + 1;
    const pane = new Pane(view, { enlarge: () => this.enlarge(number), moved: () => {} });
    this.panes.push({ pane, view, marks });
    this.dress(pane, view, marks);
    pane.large.title = say('question.enlarge');
    pane.large.setAttribute('aria-label', say('question.enlarge_named', { name: view.name }));
    if (number === 1) pane.large.append(h('kbd', { 'aria-hidden': 'true' }, 'F'));
    pane.large.hidden = !this.asked.enlarge;
    pane.port.addEventListener('dblclick', () => this.enlarge(number));
    return pane;
  }

  /** To look at, not to draw on. @param {Pane} pane @param {View} view @param {Marked[]} marks */
  dress(pane, view, marks) {
    const words = marks.map((mark) => say(KINDS[mark.kind], { colour: mark.colour }));
    pane.port.setAttribute('role', 'img');
    pane.port.removeAttribute('aria-roledescription');
    pane.port.removeAttribute('tabindex');
    pane.port.setAttribute('aria-label', words.length ? say('question.marked', { name: view.name, marks: words.join(', ') }) : view.name);
    // The words of the drawing component are about marks; here it matters that nobody answers without having seen a picture.
    new MutationObserver(() => { if (pane.trouble.textContent && pane.trouble.textContent !== say('question.lost')) pane.trouble.textContent = say(
      'question.lost'); })
      .observe(pane.trouble, { childList: true });
  }

  /** A picture alone, to zoom and move in. Escape closes it. @param {number} number */
  enlarge(number) {
    const found = this.panes[number - 1];
    if (!found || !this.asked.enlarge || !this.live) return;
    if (this.box.open && this.largeNumber === number) { this.box.close(); return; }
    this.large?.close();
    const { view, marks } = found;
    const board = { tool: 'hand', readonly: true, ready: true, snap: false, drag: null, draft: null, preview: null, probe: null, on: () => [],
      draw: () => {}, sync: () => {}, layout: { enlarge: () => this.box.close() } };
    const pane = new Pane(view, { enlarge: () => this.box.close(), moved: () => {} });
    new Pointer(/** @type {any} */ (board)).watch(pane); // nothing is drawn here: of a board the pointer needs only these
    pane.port.addEventListener('wheel', (event) => { // here the wheel alone zooms: there is no page to scroll
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const frame = pane.port.getBoundingClientRect();
      pane.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0025)), event.clientX - frame.left, event.clientY - frame.top);
    }, { passive: false, capture: true });
    this.dress(pane, view, marks);
    pane.large.title = say('question.close_escape');
    pane.large.replaceChildren(say('page.close'), h('kbd', { 'aria-hidden': 'true' }, say('question.escape')));
    pane.large.setAttribute('aria-label', say('question.close'));
    this.large = pane;
    this.largeNumber = number;
    this.shell.style.setProperty('--shape', String(view.width / view.height));
    this.box.replaceChildren(pane.element);
    this.box.dataset.number = String(number);
    if (!this.box.open) this.box.showModal();
    pane.large.focus();
  }

  keysDialog() {
    const toggle = h('input', { type: 'checkbox', checked: this.keys.enabled, onchange: () => { this.keys.enabled = toggle.checked; this.keys.save(); } });
    const dialog = h('dialog', { class: 'dialog', 'aria-label': say('keys.title') }, h('h2', {}, say('keys.title')),
      h('label', { class: 'check' }, toggle, ` ${say('keys.single')}`),
      h('dl', { class: 'keylist words' }, help().flatMap(([key, what]) => [h('dt', {}, key), h('dd', {}, what)])),
      h('div', { class: 'row end' }, h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, say('page.done'))));
    return dialog;
  }

  // ------------------------------------------------------------------ what the page says
  refresh() {
    this.submit.disabled = !this.live;
    for (const input of this.inputs.values()) input.disabled = !this.live;
  }

  /** @param {string} iso @param {boolean} choice */
  saved(iso, choice) { this.savedAt.textContent = choice ? say('page.saved', { time: clock(iso) }) : ''; }

  /** @param {Trouble} state */
  trouble(state) {
    if (!this.notice) { the(this.shell, '.loading').textContent = state ? state.message : say('question.opening'); return; }
    this.notice.hidden = !state;
    this.notice.textContent = state ? state.message : '';
  }

  /** Text over the question (taken over, time up); null removes it. @param {string | null} text @param {...Node} buttons */
  cover(text, ...buttons) {
    this.veil.hidden = text === null;
    this.grid.inert = this.answer.inert = text !== null;
    this.veil.replaceChildren(...(text === null ? [] : [h('p', {}, text), ...buttons]));
    if (text !== null && this.box.open) this.box.close();
  }

  /** @param {number | null} left */
  countdown(left) {
    clearInterval(this.ticking);
    this.clock.hidden = left === null;
    if (left === null) return;
    const end = performance.now() + left * 1000;
    const tick = () => {
      const rest = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      this.clock.textContent = say('question.time_left', { time: `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, '0')}` });
      this.clock.classList.toggle('soon', rest <= 10);
      if (performance.now() < end) return;
      clearInterval(this.ticking);
      this.timeUp();
    };
    this.ticking = setInterval(tick, 250);
    tick();
  }

  timeUp() {
    if (!this.live) return;
    this.send();
    this.live = false;
    this.refresh();
    this.cover(say('question.time_up'));
    setTimeout(() => { if (!this.abort.signal.aborted) this.open(); }, GRACE_MS);
  }

  takenOver() {
    if (!this.body || this.shell.dataset.state === 'taken') return;
    this.live = false;
    this.shell.dataset.state = 'taken';
    this.refresh();
    this.cover(say('question.taken'),
      h('button', { type: 'button', class: 'primary', onclick: () => { this.cover(say('page.taking_back')); this.open(); } }, say('page.continue_here')));
  }

  /** @param {unknown} error */
  fatal(error) {
    if (this.abort.signal.aborted) return;
    this.live = false;
    this.shell.dataset.state = 'stopped';
    if (!(error instanceof Refused)) console.error(error);
    const text = error instanceof Refused ? error.message : say('page.error');
    const again = h('button', { type: 'button', class: 'primary', onclick: () => window.location.reload() }, say('page.reload'));
    if (this.veil) this.cover(text, again);
    else this.shell.replaceChildren(h('p', { class: 'loading', role: 'alert' }, text), again, this.stop.button, this.stop.dialog);
    if (this.inputs) this.refresh();
  }

  // ------------------------------------------------------------------ keys
  /** @param {string} key @param {KeyboardEvent} event */
  keydown(key, event) {
    if (!this.live || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (this.report.open || this.help.open || this.stop.dialog.open) return;
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    const tag = target?.tagName || '';
    const taken = () => { event.preventDefault(); event.stopImmediatePropagation(); };
    if (this.box.open && this.moves(key, taken)) return;
    if (key === 'enter') {
      if (tag === 'BUTTON' && !target.isSameNode(this.submit)) return;
      taken();
      if (!event.repeat && !this.box.open) this.give();
      return;
    }
    if (key.startsWith('arrow')) {
      if (tag === 'INPUT' || !['arrowleft', 'arrowright'].includes(key)) return;
      taken();
      this.confidence.step(key === 'arrowleft' ? -1 : 1);
      return;
    }
    if (!this.keys.enabled) return;
    const letter = key.toUpperCase();
    if (this.inputs.has(letter)) { taken(); if (!event.repeat) this.choose(letter); return; }
    const placed = /^[1-9]$/.test(key) && [...this.inputs.keys()][Number(key) - 1];
    if (placed) { taken(); if (!event.repeat) this.choose(placed); return; }
    if (key === 'f') { taken(); if (!event.repeat) this.through(); return; }
    if (key === '?') { taken(); if (!this.box.open) this.help.showModal(); }
  }

  /** Through the pictures, each enlarged; after the last one all are seen again. */
  through() {
    if (!this.box.open) this.enlarge(1);
    else if (this.largeNumber < this.panes.length) this.enlarge(this.largeNumber + 1);
    else this.box.close();
  }

  /** Keys of the enlarged picture. @param {string} key @param {() => void} taken */
  moves(key, taken) {
    if (!this.large) return false;
    const pan = PANS[key];
    if (pan) this.large.pan(...pan);
    else if (key === '+' || key === '=') this.large.zoom(1.5);
    else if (key === '-') this.large.zoom(1 / 1.5);
    else if (key === '0') this.large.fit();
    else return false;
    taken();
    return true;
  }

  // ------------------------------------------------------------------ choices and the answer
  get chosen() { return [...this.inputs].find(([, input]) => input.checked)?.[0] ?? null; }

  /** @param {string | null} letter */
  choose(letter, mine = true) {
    for (const [name, input] of this.inputs) input.checked = name === letter;
    for (const choice of this.answer.querySelectorAll('.choice')) choice.classList.toggle('chosen', choice.dataset.letter === letter);
    if (!mine) return;
    this.status.textContent = say('question.chosen', { letter: letter ?? '' });
    this.changed();
  }

  changed() {
    this.thought = Date.now();
    this.problem.textContent = '';
    this.savedAt.textContent = '…';
    this.unsent = true;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.send(), REST_MS);
  }

  /** Send what is chosen now; one request at a time, so that the newest arrives last. */
  async send() {
    clearTimeout(this.resting);
    if (this.sending || !this.unsent || !this.live) return;
    this.sending = true;
    try {
      while (this.unsent && this.live) {
        this.unsent = false;
        this.n += 1;
        const reply = await (await this.post('api/belief', { episode: this.episode, epoch: this.epoch, n: this.n, answer: this.chosen,
          confidence: this.confidence.value(), t: this.thought })).json();
        this.saved(reply.saved_at, true);
      }
    } catch (error) {
      if (!this.abort.signal.aborted && this.live) this.refused(error);
    } finally {
      this.sending = false;
    }
  }

  /** @param {unknown} error */
  refused(error) {
    const code = codeOf(error);
    if (code === 'taken_over') this.takenOver();
    else if (code === 'episode_over') this.open();
    else if (error instanceof Refused) this.problem.textContent = error.message;
    else this.fatal(error);
  }

  async give() {
    if (!this.live || this.giving) return;
    const answer = this.chosen;
    const sure = this.confidence.value();
    if (answer === null) { this.problem.textContent = say('question.choose'); return; }
    if (sure === null && this.asked.confidence_required) {
      this.problem.textContent = say('page.also_confidence');
      this.confidence.focus();
      return;
    }
    this.giving = true;
    const submitted = Date.now();
    this.submit.disabled = true;
    clearTimeout(this.resting);
    this.unsent = false;
    try {
      this.ended(await (await this.post('api/answer', { episode: this.episode, epoch: this.epoch, answer, confidence: sure, t: submitted })).json());
    } catch (error) {
      if (!this.abort.signal.aborted) { this.submit.disabled = false; this.refused(error); }
    } finally {
      this.giving = false;
    }
  }

  /** The question is over: on to the next one at once, unless there is something to read. @param {Over} reply */
  ended(reply) {
    const now = this.live;
    this.live = false;
    this.happened.over();
    clearInterval(this.ticking);
    if (this.box?.open) this.box.close();
    this.shell.dataset.state = 'finished';
    const timed = ['time_limit', 'session_time'].find((limit) => limit === reply.stopped_by);
    const [title, why] = ENDED[timed ?? reply.state] || ['question.over', null];
    const called = (/** @type {string} */ letter) => { const option = this.asked?.options.find((other) => other.letter === letter);
      return option ? `${letter}: ${option.text}` : letter; };
    const told = (/** @type {string} */ right) => [reply.answer ? say('question.answered', { answer: called(reply.answer) }) : null,
      say('question.right_is', { answer: called(right) })].filter(Boolean);
    const feedback = reply.feedback ? h('p', { class: 'final' }, reply.feedback.correct
      ? say('page.right') : told(reply.feedback.right_answer).map((line) => h('span', { class: 'line' }, line))) : null;
    const next = h('button', { type: 'button', class: 'primary', onclick: () => this.trigger('done', this.episode) }, this.data.next || say('page.continue'));
    this.shell.replaceChildren(h('section', { class: 'done' }, h('h1', {}, say(title)), why ? h('p', {}, say(why)) : null,
      h('p', { class: 'note' }, say('page.saved', { time: clock(reply.saved_at) })), feedback, next));
    next.focus();
    if (now && !feedback && !why) this.trigger('done', this.episode);
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Question(parentElement, data, setTriggerValue),
  renew: (question, { setTriggerValue }) => { question.trigger = setTriggerValue; },
  same: (question, data) => question.episode === data.episode,
});
