// Confidence and belief over the steps of an episode, the final answer, and how long each step took. The table of steps has the figures.
import { h, s } from './dom.js';

const WIDTH = 440, LEFT = 34, RIGHT = 26;
/** Heights: words of beliefs, confidence from 0 to 100 %, the gap, the bars of seconds, and the numbers of steps. */
const WORDS = 20, SURE = 92, GAP = 26, BARS = 48, FOOT = 34;
const LETTERS = 6.4; // width of a letter, roughly
const BASE = WORDS + SURE, FLOOR = BASE + GAP + BARS;

/**
 * A step of an episode, as `app/pages/episodes.py` tells it; times in seconds, `sure` in percent.
 * @typedef {object} EpisodeStep
 * @property {number} seq
 * @property {string} text
 * @property {boolean} ok
 * @property {string} note
 * @property {number | null} thought from the view to the press
 * @property {number | null} waited from the press to the next view
 * @property {string | null} belief
 * @property {number | null} sure
 */
/** @typedef {{answer: string, sure: number | null}} Final */
/** @typedef {{x: number, sure: number | null, words: string, final?: boolean}} Belief a point of the drawing */

/** @type {(words: string, attributes: Record<string, string | number>) => SVGTextElement} */
const text = (words, attributes) => { const element = s('text', attributes); element.append(words); return element; };
/** A nice whole number above: the end of the scale of seconds. @param {number} value */
const above = (value) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step >= value) ?? Math.ceil(value / 1000) * 1000;

export class Timeline {
  /** @param {{steps: EpisodeStep[], final: Final | null}} data @param {(index: number) => void} choose */
  constructor({ steps, final }, choose) {
    this.places = steps.length + (final ? 1 : 0);
    this.steps = steps;
    this.cursor = s('line', { class: 'cursor', y1: WORDS - 4, y2: FLOOR });
    const svg = s('svg', { viewBox: `0 0 ${WIDTH} ${FLOOR + FOOT}`, role: 'img', 'aria-label': this.#told(steps, final) },
      ...[0, 50, 100].flatMap((sure) => [s('line', { class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(sure), y2: this.y(sure) }),
        text(String(sure), { x: LEFT - 6, y: this.y(sure) + 4, class: 'scale' })]),
      text('sure, %', { x: LEFT, y: WORDS - 9, class: 'title' }),
      this.cursor, ...this.#beliefs(steps, final), ...this.#bars(steps), ...this.#numbers(steps));
    svg.addEventListener('click', (event) => {
      const box = svg.getBoundingClientRect();
      const across = ((event.clientX - box.left) / box.width) * WIDTH - LEFT;
      choose(Math.round((across / (WIDTH - LEFT - RIGHT)) * Math.max(1, this.places - 1)));
    });
    this.element = h('figure', { class: 'timeline' }, svg,
      h('figcaption', {}, h('i', { class: 'thought' }), 'view to press', h('i', { class: 'waited' }), 'press to next view',
        final ? h('i', { class: 'final' }) : null, final ? 'final answer' : null));
  }

  /** @param {number} index */
  x(index) { return LEFT + ((WIDTH - LEFT - RIGHT) * index) / Math.max(1, this.places - 1); }
  /** @param {number} sure */
  y(sure) { return BASE - (SURE * sure) / 100; }

  /** In words what is drawn. @param {EpisodeStep[]} steps @param {Final | null} final */
  #told(steps, final) {
    const said = steps.filter((step) => step.belief !== null).map((step) => `step ${step.seq} ${step.belief}${step.sure === null ? '' : ` ${step.sure} %`}`);
    const end = final ? `; final answer ${final.answer}${final.sure === null ? '' : ` ${final.sure} %`}` : '';
    return `Belief and confidence over the steps: ${said.length ? said.join(', ') : 'none was noted'}${end}.`;
  }

  /** @param {EpisodeStep[]} steps @param {Final | null} final */
  #beliefs(steps, final) {
    /** @type {Belief[]} */
    const points = steps.flatMap((step, index) => (step.belief === null ? [] : [{ x: this.x(index), sure: step.sure, words: step.belief }]));
    if (final) points.push({ x: this.x(steps.length), sure: final.sure, words: final.answer, final: true });
    const known = points.flatMap(({ x, sure }) => (sure === null ? [] : { x, sure }));
    /** @type {SVGElement[]} */
    const drawn = [s('polyline', { class: 'sure', points: known.map((point) => `${point.x},${this.y(point.sure)}`).join(' ') })];
    let free = -Infinity;
    /** @type {string | null} */
    let before = null;
    for (const [index, point] of points.entries()) {
      const y = point.sure === null ? BASE : this.y(point.sure);
      drawn.push(point.final
        ? s('path', { class: 'final', d: `M${point.x},${y - 7} l7,7 l-7,7 l-7,-7 Z` })
        : s('circle', { class: point.sure === null ? 'unsure' : 'belief', cx: point.x, cy: y, r: 4 }));
      // what is believed is written where it changes, as far as there is room
      const words = point.words.length > 22 ? `${point.words.slice(0, 21)}…` : point.words;
      const long = words.length * LETTERS;
      const rises = (points[index + 1]?.sure ?? 0) > (point.sure ?? 0); // the line leads up from here: the words stand below it
      const from = Math.min(point.x - 4, WIDTH - long);
      if (point.words !== before && from >= free) {
        drawn.push(text(words, { x: from, y: rises ? Math.min(BASE - 4, y + 18) : Math.max(WORDS + 2, y - 10), class: 'words' }));
        free = from + long + 6;
      }
      before = point.words;
    }
    return drawn;
  }

  /** @param {EpisodeStep[]} steps */
  #bars(steps) {
    const most = above(Math.max(0.5, ...steps.map((step) => (step.thought ?? 0) + (step.waited ?? 0))));
    const wide = Math.max(2, Math.min(14, (0.6 * (WIDTH - LEFT - RIGHT)) / this.places));
    const high = (/** @type {number | null} */ value) => ((value ?? 0) * BARS) / most;
    return [
      ...[0, most].flatMap((value) => [s('line', { class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: FLOOR - high(value), y2: FLOOR - high(value) }),
        text(String(value), { x: LEFT - 6, y: FLOOR - high(value) + 4, class: 'scale' })]),
      text('seconds', { x: LEFT, y: FLOOR - BARS - 6, class: 'title' }),
      ...steps.flatMap((step, index) => [
        s('rect', { class: 'thought', x: this.x(index) - wide / 2, width: wide, y: FLOOR - high(step.thought), height: high(step.thought) }),
        s('rect', { class: 'waited', x: this.x(index) - wide / 2, width: wide, y: FLOOR - high(step.thought) - high(step.waited), height: high(step.waited) }),
      ]),
    ];
  }

  /** @param {EpisodeStep[]} steps */
  #numbers(steps) {
    const every = [1, 2, 5, 10, 20, 50, 100].find((by) => steps.length / by <= 14) ?? 200;
    return [
      ...steps.flatMap((step, index) => (index % every ? [] : [text(String(step.seq), { x: this.x(index), y: FLOOR + 16, class: 'number' })])),
      text('step', { x: LEFT, y: FLOOR + 31, class: 'title' }),
    ];
  }

  /** Mark the current step. @param {number} index */
  mark(index) {
    this.cursor.setAttribute('x1', String(this.x(index)));
    this.cursor.setAttribute('x2', String(this.x(index)));
  }
}
