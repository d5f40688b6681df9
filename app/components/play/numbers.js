// Numbers of things over the picture. They lie on a layer of their own: the frame's pixels stay as they are.
import { h } from './dom.js';

const BADGE_PX = 24; // width and height that a number takes, in CSS pixels
const SMALL = 4; // a thing less than so many numbers wide or high is small
// In a large thing's box: near its upper edge first, since what lies in a vessel or before a thing lies lower.
const SPOTS = [[0.5, 0], [0.2, 0], [0.8, 0], [0.5, 1], [0.2, 1], [0.8, 1], [0.5, 0.3], [0.5, 0.5], [0.3, 0.5], [0.7, 0.5], [0.5, 0.7]];

/** @type {(box: number[]) => number} */
const area = ([x0, y0, x1, y1]) => (x1 - x0) * (y1 - y0);
/** @type {(box: number[], x: number, y: number) => boolean} */
const holds = ([x0, y0, x1, y1], x, y) => x0 <= x && x < x1 && y0 <= y && y < y1;

/**
 * Where each number stands: in its thing's box near the edge or, where that is small, beside it; the small things first, where it covers no
 * other number and no small thing.
 * @template {{number: number, box: number[]}} One
 * @param {One[]} things boxes in pixels of the frame
 * @param {number} apart how far the middles of two numbers are from each other at least, in pixels of the frame
 * @returns {(One & {x: number, y: number})[]}
 */
export function placed(things, apart) {
  /** @type {(One & {x: number, y: number})[]} */
  const done = [];
  const half = 0.5 * apart;
  /** @type {(thing: {box: number[]}) => boolean} */
  const isSmall = ({ box: [x0, y0, x1, y1] }) => Math.min(x1 - x0, y1 - y0) < SMALL * apart;
  for (const thing of [...things].sort((a, b) => area(a.box) - area(b.box))) {
    const [x0, y0, x1, y1] = thing.box;
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    // A number would cover a small thing, what lies in it, and what becomes of it: it then stands above it, below it, or at its side.
    const off = 0.6 * apart;
    const beside = [{ x, y: y0 - off }, { x, y: y1 + off }, { x: x0 - off, y }, { x: x1 + off, y }].filter((one) => one.x >= half && one.y >= half);
    /** @type {(low: number, high: number, share: number) => number} */
    const between = (low, high, share) => Math.min(Math.max(low + share * (high - low), low + half), high - half);
    const spots = isSmall(thing) ? beside : SPOTS.map(([u, v]) => ({ x: between(x0, x1, u), y: between(y0, y1, v) }));
    /** @typedef {{x: number, y: number}} Spot */
    const clear = (/** @type {Spot} */ at) => done.every((other) => Math.abs(other.x - at.x) >= apart || Math.abs(other.y - at.y) >= apart);
    const covers = (/** @type {Spot} */ at) => things.some((other) => other !== thing && isSmall(other)
      && at.x + half > other.box[0] && at.x - half < other.box[2] && at.y + half > other.box[1] && at.y - half < other.box[3]);
    const own = (/** @type {Spot} */ at) => !done.some((other) => area(other.box) < area(thing.box) && holds(other.box, at.x, at.y));
    const spot = spots.find((at) => clear(at) && !covers(at)) || spots.find((at) => clear(at) && own(at)) || spots.find(clear) || spots[0];
    done.push({ ...thing, ...spot });
  }
  return done;
}

/**
 * The smallest thing whose box holds a point of the frame, or undefined.
 * @type {(things: Thing[], x: number, y: number) => Thing | undefined}
 */
export const at = (things, x, y) => things.filter((thing) => holds(thing.box, x, y)).sort((a, b) => area(a.box) - area(b.box))[0];

/** @typedef {{handle: string, number: number, box: number[]}} Thing `box` in pixels of the frame */

/** The layer over a view's canvas. */
export class Numbers {
  /**
   * @param {{element: HTMLElement, canvas: HTMLCanvasElement}} view the camera view
   * @param {(handle: string) => void} choose what a click on a thing does
   */
  constructor(view, choose) {
    this.view = view;
    /** @type {Thing[]} */
    this.things = [];
    /** @type {(Thing & {x: number, y: number})[]} */
    this.numbers = [];
    this.outline = h('div', { class: 'thing', hidden: true });
    this.element = h('div', { class: 'numbers', hidden: true, 'aria-hidden': 'true', onpointermove: (/** @type {PointerEvent} */ event) => this.point(event),
      onpointerleave: () => { this.outline.hidden = true; },
      // The focus stays in the picker, whose place is being filled.
      onpointerdown: (/** @type {PointerEvent} */ event) => event.preventDefault(),
      // A click beside all things is meant for the camera, which takes the keys back.
      onclick: (/** @type {MouseEvent} */ event) => {
        const thing = this.under(event);
        if (thing) choose(thing.handle); else view.element.focus({ preventScroll: true });
      } });
    view.canvas.after(this.element);
    this.watch = new ResizeObserver(() => this.lay());
    this.watch.observe(view.canvas);
  }

  /** @param {Thing[]} things empty: the layer is gone, and the picture takes clicks as before */
  show(things) {
    this.things = things;
    this.outline.hidden = true;
    this.element.hidden = !things.length;
    this.lay();
  }

  lay() {
    if (this.element.hidden) return;
    const { canvas } = this.view;
    const scale = canvas.clientWidth / canvas.width;
    Object.assign(this.element.style, { left: `${canvas.offsetLeft}px`, top: `${canvas.offsetTop}px`, width: `${canvas.clientWidth}px`,
      height: `${canvas.clientHeight}px` });
    this.numbers = placed(this.things, BADGE_PX / scale);
    const badges = this.numbers.map(({ number, x, y }) => {
      const badge = h('span', { class: 'badge', dataset: { number } }, String(number));
      /** @type {(value: number, most: number) => number} */
      const inside = (value, most) => Math.min(Math.max(value * scale, BADGE_PX / 2), most - BADGE_PX / 2);
      badge.style.left = `${inside(x, canvas.clientWidth)}px`;
      badge.style.top = `${inside(y, canvas.clientHeight)}px`;
      return badge;
    });
    this.element.replaceChildren(this.outline, ...badges);
  }

  /** @param {MouseEvent} event */
  under(event) {
    const box = this.element.getBoundingClientRect();
    const scale = box.width / this.view.canvas.width;
    const [x, y] = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
    const reach = BADGE_PX / 2 / scale;
    return this.numbers.find((number) => Math.abs(number.x - x) < reach && Math.abs(number.y - y) < reach) || at(this.things, x, y);
  }

  /** @param {MouseEvent} event */
  point(event) {
    const thing = this.under(event);
    this.element.style.cursor = thing ? 'pointer' : '';
    this.outline.hidden = !thing;
    if (!thing) return;
    const scale = this.view.canvas.clientWidth / this.view.canvas.width;
    const [x0, y0, x1, y1] = thing.box.map((value) => value * scale);
    Object.assign(this.outline.style, { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` });
  }

  close() { this.watch.disconnect(); }
}
