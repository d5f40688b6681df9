// An episode as a researcher looks at it: one picture at a time, played or step by step, with the plan, the times and beliefs, and the
// table of steps. Whatever is chosen in one of them is the current step in all.
import { Refused, send } from './api.js';
import { brushOf, h, the } from './dom.js';
import { EpisodePlan } from './episodeplan.js';
import { Timeline } from './timeline.js';
import { mounting } from './mounting.js';
import { keyed } from './pressed.js';

/** Views per second that one may choose; the first one is taken where nothing was chosen. */
const SPEEDS = [2, 1, 4, 8];
/** Left for what stands beside and below the picture (CSS pixels). */
const BESIDE = 400, BELOW = 110;
const ONE_COLUMN = 900;

/** @param {number | null} value */
const seconds = (value) => (value === null ? '' : value.toFixed(value < 10 ? 2 : 1));

/** @typedef {import('./timeline.js').EpisodeStep} EpisodeStep */
/**
 * An episode (`viewer` of app/components).
 * @typedef {object} Given
 * @property {string} episode
 * @property {EpisodeStep[]} steps
 * @property {import('./episodeplan.js').Plan} plan
 * @property {import('./timeline.js').Final | null} final
 * @property {number} width
 * @property {number} height
 */

class Viewer {
  /** The run of the pictures that goes on. @type {object | null} */ playing = null;
  /** @type {number} */ index;

  /** @param {HTMLElement} root @param {Given} data */
  constructor(root, data) {
    this.data = data;
    /** @type {Map<number, Promise<Blob>>} */
    this.cache = new Map();
    this.abort = new AbortController();
    this.canvas = h('canvas', { width: data.width, height: data.height, class: 'frame', role: 'img', 'aria-label': 'Frame' });
    this.context = brushOf(this.canvas);
    this.slider = h('input', { type: 'range', min: '0', max: String(data.steps.length - 1), value: '0', 'aria-label': 'Step',
      oninput: () => this.choose(Number(this.slider.value)) });
    this.caption = h('p', { class: 'caption', role: 'status', 'aria-live': 'polite' });
    this.toggle = h('button', { type: 'button', class: 'toggle', disabled: data.steps.length < 2,
      onclick: () => (this.playing ? this.stop() : this.play()) }, 'Play');
    this.speed = h('select', { 'aria-label': 'Speed' }, [...SPEEDS].sort((a, b) => a - b).map((per) =>
      h('option', { value: String(per), selected: per === SPEEDS[0] }, `${per} a second`)));
    this.rows = data.steps.map((step, index) => this.#row(step, index));
    this.list = h('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Steps' }, h('table', { class: 'steps' },
      h('thead', {}, h('tr', {}, ['Step', 'Action', 'View to press, s', 'Press to next view, s', 'Belief',
        'Sure'].map((word) => h('th', { scope: 'col' }, word)))),
      h('tbody', {}, this.rows)));
    const choose = (/** @type {number} */ index) => this.choose(index);
    this.plan = new EpisodePlan(data, choose);
    this.timeline = new Timeline(data, choose);
    this.shell = h('div', { class: 'vantage viewer' },
      h('div', { class: 'left' }, this.canvas,
        h('div', { class: 'row' }, this.toggle,
          h('button', { type: 'button', 'aria-label': 'Previous step', onclick: () => this.choose(this.index - 1) }, '‹'), this.slider,
          h('button', { type: 'button', 'aria-label': 'Next step', onclick: () => this.choose(this.index + 1) }, '›'), this.speed),
        this.caption),
      h('div', { class: 'right' }, this.plan.element, this.timeline.element),
      this.list);
    root.append(this.shell);
    document.addEventListener('keydown', keyed((key, event) => this.#press(key, event)), { signal: this.abort.signal });
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.shell);
    window.addEventListener('resize', () => this.fit(), { signal: this.abort.signal });
    this.fit();
    this.show(0);
  }

  /** One line of the table. @param {EpisodeStep} step @param {number} index */
  #row(step, index) {
    return h('tr', { class: step.ok ? '' : 'failed', onclick: () => this.choose(index) },
      h('td', {}, String(step.seq)), h('td', {}, h('button', { type: 'button' }, step.text), step.note ? h('em', {}, step.note) : null),
      h('td', {}, seconds(step.thought)), h('td', {}, seconds(step.waited)), h('td', {}, step.belief ?? ''),
      h('td', {}, step.sure === null ? '' : `${step.sure} %`));
  }

  /**
   * Arrows go from step to step, the space bar plays, wherever on the page nothing else has the focus.
   * @param {string} key
   * @param {KeyboardEvent} event
   */
  #press(key, event) {
    const at = /** @type {Element} */ (event.composedPath()[0]);
    if (event.ctrlKey || event.metaKey || event.altKey || !(at === document.body || this.shell.contains(at))) return;
    const inField = at instanceof Element && at.matches('select, input');
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: this.index - 1, ArrowRight: this.index + 1, Home: 0, End: this.data.steps.length - 1 };
    const to = places[key];
    if (to !== undefined && !inField) this.choose(to);
    else if (key === ' ' && !(at instanceof Element && at.matches('select, button'))) this.toggle.click();
    else return;
    event.preventDefault();
  }

  /** The picture as large as fits, by whole screen pixels where there is room for that. */
  fit() {
    const room = this.shell.clientWidth;
    if (!room) return;
    const one = room < ONE_COLUMN;
    this.shell.classList.toggle('one', one);
    const across = one ? room : room - BESIDE;
    const per = window.devicePixelRatio;
    const whole = Math.floor(Math.min((across * per) / this.data.width, ((window.innerHeight - BELOW) * per) / this.data.height));
    const width = whole >= per ? (this.data.width * whole) / per : Math.min(across, this.data.width);
    this.canvas.style.width = `${width}px`;
    this.canvas.classList.toggle('smooth', Math.abs((width * per) / this.data.width - Math.round((width * per) / this.data.width)) > 1e-3);
    this.shell.style.setProperty('--picture', `${width}px`);
  }

  /** Show the steps one after the other, from the first again where the last one is shown. */
  async play() {
    const run = (this.playing = {});
    this.toggle.textContent = 'Pause';
    this.caption.setAttribute('aria-live', 'off'); // nobody wants every step read out
    const last = this.data.steps.length - 1;
    for (let at = this.index === last ? 0 : this.index + 1; at <= last; at += 1) {
      const until = performance.now() + 1000 / Number(this.speed.value);
      await this.show(at);
      if (at < last) this.frame(this.data.steps[at + 1].seq).catch(() => {}); // show() says what is wrong with it
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())));
      if (this.playing !== run) return;
    }
    this.stop();
  }

  stop() {
    this.playing = null;
    this.toggle.textContent = 'Play';
    this.caption.setAttribute('aria-live', 'polite');
  }

  /** A step that a person chose. @param {number} index */
  choose(index) {
    this.stop();
    return this.show(index);
  }

  /** The stored picture of a step. @param {number} seq */
  frame(seq) {
    let kept = this.cache.get(seq);
    if (!kept) {
      kept = send(`api/staff/frame/${encodeURIComponent(this.data.episode)}/${seq}`, undefined,
        { signal: this.abort.signal }).then((reply) => reply.blob());
      this.cache.set(seq, kept);
    }
    return kept;
  }

  /** @param {number} index */
  async show(index) {
    const at = Math.max(0, Math.min(this.data.steps.length - 1, index));
    this.index = at;
    const step = this.data.steps[at];
    this.slider.value = String(at);
    this.slider.setAttribute('aria-valuetext', `Step ${step.seq}: ${step.text}`);
    this.caption.textContent = `Step ${step.seq} of ${this.data.steps[this.data.steps.length - 1].seq}: ${step.text}`;
    this.plan.mark(at);
    this.timeline.mark(at);
    this.#markRow(at);
    try {
      const bitmap = await createImageBitmap(await this.frame(step.seq));
      if (this.index === at) {
        this.context.drawImage(bitmap, 0, 0);
        this.canvas.dataset.seq = String(step.seq);
        delete this.canvas.dataset.damaged;
        this.canvas.setAttribute('aria-label', `Frame after step ${step.seq}: ${step.text}`);
      }
      bitmap.close();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.cache.delete(step.seq);
      if (!(error instanceof Refused)) console.error(error);
      this.rows[at].classList.add('damaged');
      if (this.index !== at) return;
      // The picture of another step under this one's words would be a lie: the place is marked instead.
      this.#cross();
      this.canvas.dataset.seq = String(step.seq);
      this.canvas.setAttribute('aria-label', `The frame after step ${step.seq} cannot be shown`);
      this.caption.textContent = `Step ${step.seq}: ${error instanceof Refused ? error.message : 'This frame cannot be shown.'}`;
    }
  }

  /** The current line, inside the table's own window: the page itself stays where it is. @param {number} at */
  #markRow(at) {
    this.rows.forEach((row, index) => (index === at ? row.setAttribute('aria-current', 'step') : row.removeAttribute('aria-current')));
    const { offsetTop, offsetHeight } = this.rows[at];
    const head = the(this.list, 'thead').offsetHeight;
    if (offsetTop - head < this.list.scrollTop) this.list.scrollTop = offsetTop - head;
    else if (offsetTop + offsetHeight > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = offsetTop + offsetHeight - this.list.clientHeight;
  }

  /** A cross in place of a frame. */
  #cross() {
    const { width, height } = this.canvas;
    this.canvas.dataset.damaged = '';
    this.context.fillStyle = '#16181d';
    this.context.fillRect(0, 0, width, height);
    this.context.strokeStyle = '#d97a72';
    this.context.lineWidth = 3;
    this.context.beginPath();
    for (const [from, to] of [[0, width], [width, 0]]) { this.context.moveTo(from, 0); this.context.lineTo(to, height); }
    this.context.stroke();
  }

  destroy() { this.stop(); this.abort.abort(); this.watch.disconnect(); this.shell.remove(); }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data }) => new Viewer(parentElement, data),
  renew: () => {},
  same: (viewer, data) => viewer.data.episode === data.episode && JSON.stringify(viewer.data) === JSON.stringify(data),
});
