// One view of the drawing component: an image with marks over it. Knows zoom, pan and drawing on screen; what marks mean is canvas.js's.
import { COLOURS } from './colours.js';
import { h } from './dom.js';
import { boxOf, clamp, handles } from './geometry.js';
import { helpLabels, LETTERS_PX } from './helplabels.js';
import { knob, list, name as nameOf, nameFields, s, shapes, twice } from './markshapes.js';

/** Closest zoom: screen pixels for one image pixel. */
const CLOSEST = 32;
/** Reach of a pointer around a line or a point (screen pixels). */
export const REACH = 8;
/** Pull of the image's edge (screen pixels). */
export const PULL = 6;

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {import('./helplines.js').Help} Help */
/** @typedef {import('./markshapes.js').Field} Field */
/** @typedef {{name: string, url: string, width: number, height: number}} View a picture; its size in pixels of the original */
/** @typedef {{scale: number, middle: Point}} Zoom where one has zoomed to */
/** @typedef {{kind: string, colour: string, points: Point[], at: Point | null}} Draft a mark that is being drawn, and where the pointer is */
/**
 * Everything over an image.
 * @typedef {object} Scene
 * @property {Mark[]} marks
 * @property {string | null} selected
 * @property {number | null} vertex
 * @property {string | null} hover
 * @property {Draft | null} draft
 * @property {{lines: Help[], boxes: Help[]} | undefined} help
 * @property {Mark[]} theirs
 * @property {boolean} names
 * @property {{number: number, point: Point}[]} [pins]
 */

export class Pane {
  /** @type {number} */ w;
  /** @type {number} */ h;
  /** @type {number} */ scale;
  /** @type {number} */ ox;
  /** @type {number} */ oy;
  /** @type {string | undefined} */ url;
  /** Where it goes back to once there is room. @type {Zoom | null} */ waiting = null;
  /** By the keyboard. @type {Point | null} */ cursor = null;
  /** Where the pointer was last. @type {Point | undefined} */ pointed;
  /** The mark under the pointer. @type {string | null} */ hover = null;
  /** What the list of marks shows. @type {string | undefined} */ listed;

  /**
   * @param {View} view
   * @param {{enlarge: () => void, moved: (pane: Pane) => void}} on what to do when the person wants this view large; when zoom or place changed
   */
  constructor(view, on) {
    this.view = view;
    this.on = on;
    this.fitted = true;
    this.readout = h('span', { class: 'readout', 'aria-hidden': 'true' });
    this.percent = h('span', { class: 'percent' });
    this.large = h('button', { type: 'button', class: 'quiet large', 'aria-pressed': 'false', title: 'Enlarge this view (F)', onclick: () => on.enlarge() },
      icon('large'));
    this.img = h('img', { alt: '', draggable: false });
    this.world = s('g');
    this.svg = s('svg', { 'aria-hidden': 'true' }, this.world);
    this.trouble = h('p', { class: 'imgtrouble', hidden: true });
    this.port = h('div', { class: 'port', tabIndex: 0, role: 'application', 'aria-roledescription': 'drawing surface' }, this.img, this.svg, this.trouble);
    this.title = h('span', { class: 'vname' });
    this.size = h('span', { class: 'vsize' });
    this.marks = h('ul', { class: 'marklist' });
    this.element = h('figure', { class: 'pane' },
      // The button stands before what comes and goes with the pointer: it does not move away from it.
      h('figcaption', {}, this.title, this.size, this.large, this.percent, this.readout), this.port, this.marks);
    this.watch = new ResizeObserver(() => this.#resized());
    this.watch.observe(this.port);
    this.show(view);
  }

  /** Name, size and image of the view; an image is swapped only when the new one can be shown. @param {View} view */
  async show(view) {
    const { url } = view;
    const resized = view.width !== this.view.width || view.height !== this.view.height;
    this.view = view;
    this.title.textContent = view.name;
    this.size.textContent = `${view.width} × ${view.height}`;
    this.large.setAttribute('aria-label', `Enlarge ${view.name}`);
    this.element.dataset.view = view.name;
    this.port.style.aspectRatio = `${view.width} / ${view.height}`;
    if (resized) { this.fitted = true; this.#resized(); }
    if (this.url === url) return;
    this.url = url;
    const img = h('img', { alt: '', draggable: false });
    img.src = url;
    try {
      await img.decode();
    } catch {
      if (this.url === url) this.#say('This image cannot be shown. The marks are kept.');
      return;
    }
    if (this.url !== url) return;
    this.#say(img.naturalWidth === view.width && img.naturalHeight === view.height ? ''
      : `This image is ${img.naturalWidth} × ${img.naturalHeight} pixels, not ${view.width} × ${view.height}: marks drawn here would be wrong.`);
    this.img.replaceWith(img);
    this.img = img;
    this.place();
  }

  /** @param {string} text */
  #say(text) {
    this.trouble.textContent = text;
    this.trouble.hidden = !text;
  }

  #resized() {
    const { width: w, height: hgt } = this.port.getBoundingClientRect();
    if (!w || !hgt) return;
    const middle = this.fitted || !this.scale ? null : this.#inverse(this.w / 2, this.h / 2);
    this.w = w;
    this.h = hgt;
    if (this.waiting) {
      const { scale, middle: there } = this.waiting;
      this.waiting = null;
      this.#centre(there, clamp(scale, this.least, CLOSEST));
    } else if (middle) this.#centre(middle, Math.max(this.scale, this.least));
    else this.fit();
  }

  /** Scale at which the whole image is seen. */
  get least() { return Math.min(this.w / this.view.width, this.h / this.view.height); }

  /** Show the whole image. */
  fit() {
    if (!this.w) return;
    this.fitted = true;
    this.scale = this.least;
    this.ox = this.oy = 0;
    this.place();
  }

  /** Where one has zoomed to, to be kept; null while the whole image is seen. */
  get kept() { return this.fitted || !this.scale ? null : { scale: this.scale, middle: this.#inverse(this.w / 2, this.h / 2) }; }

  /** Go back to a kept place. @param {Zoom} zoom */
  recall({ scale, middle }) {
    this.fitted = false;
    if (this.w) this.#centre(middle, clamp(scale, this.least, CLOSEST));
    else this.waiting = { scale, middle };
  }

  /** @param {Point} point @param {number} scale */
  #centre([x, y], scale) {
    this.scale = scale;
    this.ox = this.w / 2 - x * scale;
    this.oy = this.h / 2 - y * scale;
    this.place();
  }

  /** Zoom by a factor; the image point under (px, py), in pixels of the port, stays there. @param {number} factor */
  zoom(factor, px = this.w / 2, py = this.h / 2) {
    const scale = clamp(this.scale * factor, this.least, CLOSEST);
    const [x, y] = this.#inverse(px, py);
    this.fitted = scale <= this.least * 1.0001;
    this.scale = scale;
    this.ox = px - x * scale;
    this.oy = py - y * scale;
    this.place();
  }

  /** Move the image by screen pixels. @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.ox += dx;
    this.oy += dy;
    this.place();
  }

  /** Bring an image point into sight. @param {Point} point */
  reveal([x, y]) {
    const margin = Math.min(24, this.w / 8, this.h / 8);
    const [px, py] = [x * this.scale + this.ox, y * this.scale + this.oy];
    this.ox += clamp(px, margin, this.w - margin) - px;
    this.oy += clamp(py, margin, this.h - margin) - py;
    this.place();
  }

  /**
   * Put the port where browsers paint without rounding: on whole pixels of the device, and where that is near also of the page. The
   * pointer is counted from the port's corner, so a corner painted elsewhere than it lies would shift every coordinate.
   */
  align() {
    const whole = [1, 2, 3, 4].find((count) => Math.abs(count * devicePixelRatio - Math.round(count * devicePixelRatio)) < 0.01);
    const step = whole || 1 / devicePixelRatio;
    const now = [parseFloat(this.port.style.left) || 0, parseFloat(this.port.style.top) || 0];
    const box = this.port.getBoundingClientRect();
    /** @param {number} value @param {number} moved */
    const to = (value, moved) => { const bare = value - moved; return Math.round(bare / step) * step - bare; };
    const want = [to(box.left, now[0]), to(box.top, now[1])];
    if (Math.abs(want[0] - now[0]) < 0.01 && Math.abs(want[1] - now[1]) < 0.01) return;
    [this.port.style.left, this.port.style.top] = want.map((by) => `${by}px`);
  }

  /** Put image and marks where zoom and place say. No gap opens beside the image. */
  place() {
    if (!this.scale) return;
    this.align();
    const { width, height } = this.view;
    /** @param {number} offset @param {number} room @param {number} size */
    const keep = (offset, room, size) => (size <= room ? (room - size) / 2 : clamp(offset, room - size, 0));
    this.ox = keep(this.ox, this.w, width * this.scale);
    this.oy = keep(this.oy, this.h, height * this.scale);
    Object.assign(this.img.style, { width: `${width}px`, height: `${height}px`, transform: `translate(${this.ox}px, ${this.oy}px) scale(${this.scale})` });
    this.img.style.imageRendering = this.scale * devicePixelRatio >= 2 ? 'pixelated' : 'auto';
    this.world.setAttribute('transform', `matrix(${this.scale} 0 0 ${this.scale} ${this.ox} ${this.oy})`);
    this.percent.textContent = `${Math.round(this.scale * 100)} %`;
    this.on.moved(this);
  }

  /** @param {number} px @param {number} py @returns {Point} */
  #inverse(px, py) { return [(px - this.ox) / this.scale, (py - this.oy) / this.scale]; }

  /** Image coordinates of a pointer, not yet kept inside the image. @param {{clientX: number, clientY: number}} event */
  at(event) {
    const box = this.port.getBoundingClientRect();
    return this.#inverse(event.clientX - box.left, event.clientY - box.top);
  }

  /** The image point in the middle of what is seen, on a whole pixel. */
  middle() { return this.#inverse(this.w / 2, this.h / 2).map(Math.round); }

  /** Screen pixels as image pixels. @param {number} screen */
  px(screen) { return screen / this.scale; }

  /** @param {Point | null} point */
  tell(point) { this.readout.textContent = point ? `${point[0].toFixed(1)}, ${point[1].toFixed(1)}` : ''; }

  /**
   * Draw everything over the image.
   * @param {Scene} scene
   */
  draw(scene) {
    if (!this.scale) return;
    /** @type {SVGElement[]} */
    const parts = [];
    const px = (/** @type {number} */ units) => this.px(units);
    const whole = scene.marks.filter(({ points }) => points.length > 1);
    const caption = this.#caption();
    const places = nameFields(whole, this.view, px, caption);
    const fields = new Map(whole.map((mark, i) => [mark.id, places[i]]));
    if (scene.help?.lines.length || scene.help?.boxes.length) parts.push(this.#help(scene.help, [...caption, ...(scene.names ? fields.values() : [])]));
    for (const mark of scene.theirs) parts.push(s('g', { class: 'theirs' }, this.#shape(mark)));
    const order = [...scene.marks].sort((a, b) => Number(a.id === scene.selected) - Number(b.id === scene.selected));
    for (const mark of order) parts.push(this.#mark(mark, scene, fields.get(mark.id)));
    if (scene.draft) parts.push(this.#draft(scene.draft));
    for (const { number, point } of scene.pins || []) parts.push(this.#pin(number, point));
    if (this.cursor) parts.push(this.#cursor(this.cursor));
    this.world.replaceChildren(...parts);
  }

  /** The field of the picture that the view's own name covers: [[left, top, right, bottom]] in image pixels, or none. @returns {Field[]} */
  #caption() {
    const [port, name, last] = [this.port, this.title.parentElement, this.percent].map((part) => part?.getBoundingClientRect());
    if (!port || !name || !last || name.bottom <= port.top) return [];
    const corner = (/** @type {number} */ x, /** @type {number} */ y) => this.#inverse(x - port.left, y - port.top);
    return [[...corner(name.left, name.top), ...corner(last.right + 6, name.bottom)]];
  }

  /** @param {Mark} mark @param {Scene} scene @param {Field | undefined} field */
  #mark(mark, { selected, vertex, hover, names }, field) {
    const chosen = mark.id === selected;
    const group = s('g', { class: `mark ${mark.kind}${chosen ? ' selected' : ''}${mark.id === hover ? ' hover' : ''}`, 'data-id': mark.id },
      this.#shape(mark, chosen));
    if (field && (names || chosen || mark.id === hover)) group.append(nameOf(mark, field, (units) => this.px(units)));
    if (chosen) {
      handles(mark).forEach((p, i) => group.append(s('rect', {
        class: `handle${i === vertex ? ' at' : ''}`, x: p[0] - this.px(4.5), y: p[1] - this.px(4.5), width: this.px(9), height: this.px(9), rx: this.px(2),
      })));
    }
    return group;
  }

  /** A mark's lines and signs; the inside of a chosen box is tinted. @param {Mark} mark */
  #shape(mark, chosen = false) {
    const parts = shapes(mark, (units) => this.px(units));
    if (!chosen || mark.kind !== 'box') return parts;
    const [[x, y], [x1, y1]] = mark.points;
    return [s('rect', { x, y, width: x1 - x, height: y1 - y, fill: COLOURS[mark.colour], 'fill-opacity': 0.12 }), ...parts];
  }

  /** @param {Draft} draft */
  #draft({ kind, colour, points, at }) {
    const all = at ? [...points, at] : points;
    const stroke = COLOURS[colour];
    const group = s('g', { class: 'draft' });
    if (kind === 'box' && all.length > 1) {
      const [[x0, y0], [x1, y1]] = boxOf(all);
      group.append(...twice('rect', stroke, { x: x0, y: y0, width: x1 - x0, height: y1 - y0 }));
    } else if (all.length > 1) group.append(...twice('polyline', stroke, { points: list(all) }));
    for (const point of points) group.append(knob(point, 4, '#fff', (units) => this.px(units)));
    return group;
  }

  /** @param {Point} point */
  #cursor([x, y]) {
    const [far, near] = [this.px(16), this.px(4)];
    const lines = [[-far, 0, -near, 0], [near, 0, far, 0], [0, -far, 0, -near], [0, near, 0, far]];
    return s('g', { class: 'cursor' }, ['edge', 'ink'].flatMap((name) => lines.map(([a, b, c, d]) =>
      s('line', { class: name, x1: x + a, y1: y + b, x2: x + c, y2: y + d }))));
  }

  /** The numbered sign of a comment, its tip at the place; it hangs below where there is no room above. @param {number} number @param {Point} point */
  #pin(number, [x, y]) {
    const [radius, tail] = [this.px(10), this.px(18)];
    const up = y * this.scale + this.oy < 30 ? -1 : 1;
    const cx = clamp(x, radius, Math.max(radius, this.view.width - radius));
    const cy = y - up * tail;
    return s('g', { class: 'pin', 'data-number': number },
      s('path', { d: `M${x} ${y}L${cx - radius * 0.7} ${cy + up * radius * 0.6}L${cx + radius * 0.7} ${cy + up * radius * 0.6}Z` }),
      s('circle', { cx, cy, r: radius }), s('text', { x: cx, y: cy, 'font-size': this.px(13), 'text-anchor': 'middle', 'dominant-baseline': 'central' },
        String(number)));
  }

  /**
   * What geometry suggests: thin, dashed, in black and white. Nothing here is ever a mark, and nothing here takes the pointer.
   * @param {{lines: Help[], boxes: Help[]}} help
   * @param {Field[]} taken
   */
  #help(help, taken) {
    const group = s('g', { class: 'help' });
    const dashed = (/** @type {(name: string) => SVGElement} */ make) => ['edge', 'ink'].forEach((name) => group.append(make(name)));
    for (const { points } of help.lines) dashed((name) => s('polyline', { class: name, points: list(points) }));
    for (const { points: [[x0, y0], [x1, y1]] } of help.boxes) dashed((name) => s('rect',
      { class: name, x: x0, y: y0, width: x1 - x0, height: y1 - y0, rx: this.px(5) }));
    for (const { text, x, y } of helpLabels(help, this.view, taken, (units) => this.px(units))) group.append(
      s('text', { x, y, 'font-size': this.px(LETTERS_PX), 'stroke-width': this.px(3) }, text));
    return group;
  }

  close() { this.watch.disconnect(); this.element.remove(); }
}

/** @type {Record<string, string>} */
const PATHS = {
  select: 'M5 3l13 8-5.6 1.2L16 19l-2.6 1.3-3.4-6.6L6 17.6z',
  box: 'M4 6h16v12H4z',
  track: 'M4 18l5-8 5 4 6-9M20 5l-.4 4.4M20 5l-4.2 1.5',
  grasp: 'M6 17L18 7M4 15l4 4M16 5l4 4',
  hand: 'M12 3v18M3 12h18M12 3l-2.5 2.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5',
  undo: 'M8 5L4 9l4 4M4 9h10a5 5 0 010 10H9',
  redo: 'M16 5l4 4-4 4M20 9H10a5 5 0 000 10h5',
  pin: 'M12 21c-4-5-6-8-6-11a6 6 0 0112 0c0 3-2 6-6 11zM12 8v4M10 10h4',
  bin: 'M5 7h14M10 4h4M7 7l1 13h8l1-13M10.5 10.5v6M13.5 10.5v6',
  large: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
};

/** A line drawing on a button; the button's words name it. @param {string} name */
export const icon = (name) => s('svg', { class: `icon ${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('path', { d: PATHS[name] }));
