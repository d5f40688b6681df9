// A scene from above, to place things on by mouse and by keys: metres, x to the right, y up, the start view as a cone.
import { focusedBeside, s } from './dom.js';
import { keyed } from './pressed.js';

/** Pixels of the drawing per metre, and metres around the room. */
const PER_M = 100, MARGIN_M = 0.35;
/** How far an arrow key moves a thing (metres); with Shift less. */
const STEP_M = 0.1, FINE_M = 0.01;
/** How far a key turns it (degrees). */
const TURN_DEG = 15;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const EYE = 'eye';
/** @param {number} value */
export const round = (value, digits = 3) => Number(value.toFixed(digits));

/**
 * @typedef {object} Scene what is drawn
 * @property {number[]} bounds x0, y0, x1, y1 of the room or house
 * @property {{name: string, rects: number[][]}[]} rooms of a house
 * @property {number[] | null} clear what furniture leaves free
 * @property {{key: string, name: string, x: number, y: number, box: number[] | null, wrong: boolean, there: boolean}[]} things box: x0, y0, x1, y1
 * @property {{x: number, y: number, yaw: number, fov: number}} eye degrees, 0 along +y, counter-clockwise
 * @property {string} chosen
 * @property {boolean} open whether it can be changed
 */

/** @typedef {Scene['things'][number]} Thing */

export class Floorplan {
  /** @type {{key: string, dx: number, dy: number, moved: boolean} | null} */ dragged = null;
  /** @type {Scene} */ scene;

  /**
   * @param {object} on
   * @param {(key: string) => void} on.choose a thing, or `eye`, was chosen
   * @param {(key: string, x: number, y: number, done: boolean) => void} on.move it was moved there (metres); `done`: it stays there
   * @param {(key: string, degrees: number) => void} on.turn it was turned, counter-clockwise
   * @param {(key: string) => void} on.remove it is to go
   */
  constructor(on) {
    this.on = on;
    this.floor = s('g', { class: 'floor' });
    this.items = s('g');
    this.element = s('svg', { class: 'floorplan', role: 'group',
      'aria-label': 'The scene from above. Tab goes from thing to thing, arrows move the chosen one, comma and full stop turn it.' }, this.floor, this.items);
    this.element.addEventListener('pointermove', (event) => this.#drag(event, false));
    this.element.addEventListener('pointerup', (event) => this.#drag(event, true));
    this.element.addEventListener('pointercancel', () => { this.dragged = null; });
  }

  /** @param {Scene} scene */
  show(scene) {
    this.scene = scene;
    const [x0, y0, x1, y1] = scene.bounds;
    const [left, top] = [x0 - MARGIN_M, y1 + MARGIN_M];
    this.element.setAttribute('viewBox', [left, -top, x1 - x0 + 2 * MARGIN_M, y1 - y0 + 2 * MARGIN_M].map((v) => v * PER_M).join(' '));
    const active = focusedBeside(this.element);
    const focused = active && this.items.contains(active) ? active.dataset.key : null;
    /** @type {(one: number[], name: string) => SVGRectElement} */
    const rect = ([a, b, c, d], name) => s('rect', { class: name, x: a * PER_M, y: -d * PER_M, width: (c - a) * PER_M, height: (d - b) * PER_M });
    /** @type {SVGElement[]} */
    const grid = [];
    for (let x = Math.ceil(x0); x <= x1; x += 1) grid.push(s('line', { x1: x * PER_M, x2: x * PER_M, y1: -y1 * PER_M, y2: -y0 * PER_M }));
    for (let y = Math.ceil(y0); y <= y1; y += 1) grid.push(s('line', { y1: -y * PER_M, y2: -y * PER_M, x1: x0 * PER_M, x2: x1 * PER_M }));
    const rooms = scene.rooms.flatMap(({ name, rects }) => [...rects.map((one) => rect(one, 'wall')),
      this.#words((rects[0][0] + rects[0][2]) / 2, rects[0][3] - 0.25, name, 'room')]);
    this.floor.replaceChildren(rect(scene.bounds, scene.rooms.length ? 'ground' : 'ground wall'), s('g', { class: 'grid' }, grid), ...rooms,
      ...(scene.clear && !scene.rooms.length ? [rect(scene.clear, 'clear')] : []));
    this.items.replaceChildren(...scene.things.map((thing) => this.#thing(thing)), this.#eye(scene.eye));
    if (focused) this.focus(focused);
  }

  /** @param {string} key */
  focus(key) { this.items.querySelector(`[data-key="${key}"]`)?.focus({ preventScroll: true }); }

  /** @param {number} x @param {number} y @param {string} text */
  #words(x, y, text, name = '') {
    const word = s('text', { class: name, x: x * PER_M, y: -y * PER_M });
    word.append(text);
    return word;
  }

  /** @param {Thing} thing */
  #thing({ key, name, x, y, box, wrong, there }) {
    const [a, b, c, d] = box ?? [x - 0.1, y - 0.1, x + 0.1, y + 0.1];
    const shape = s('rect', { x: a * PER_M, y: -d * PER_M, width: Math.max(c - a, 0.02) * PER_M, height: Math.max(d - b, 0.02) * PER_M, rx: 3 });
    const reach = s('circle', { class: 'reach', cx: ((a + c) / 2) * PER_M, cy: -((b + d) / 2) * PER_M, r: Math.max(12, (Math.max(c - a, d - b) * PER_M) / 2) });
    const said = `${name}, ${x.toFixed(2)} m right, ${y.toFixed(2)} m ahead${wrong ? ', something is wrong' : ''}${there ? '' : ', not there in this part'}`;
    const look = `thing${wrong ? ' wrong' : ''}${there ? '' : ' absent'}`;
    return this.#item(key, said, look, [reach, shape, this.#words((a + c) / 2, b - 0.13, name)]);
  }

  /** @param {Scene['eye']} eye */
  #eye({ x, y, yaw, fov }) {
    const end = (/** @type {number} */ turn) => { const angle = ((yaw + turn) * Math.PI) / 180;
      return `${(x - 0.7 * Math.sin(angle)) * PER_M},${-(y + 0.7 * Math.cos(angle)) * PER_M}`; };
    return this.#item(EYE, `Start view, ${x.toFixed(2)} m right, ${y.toFixed(2)} m ahead`, 'eye', [
      s('path', { class: 'cone', d: `M${x * PER_M},${-y * PER_M} L${end(fov / 2)} L${end(-fov / 2)} Z` }),
      s('circle', { cx: x * PER_M, cy: -y * PER_M, r: 9 }), this.#words(x, y - 0.24, 'start view')]);
  }

  /** @param {string} key @param {string} label @param {string} name @param {Node[]} parts */
  #item(key, label, name, parts) {
    const chosen = key === this.scene.chosen;
    const item = s('g', { class: `item ${name}${chosen ? ' chosen' : ''}`, tabindex: 0, role: 'button', 'aria-label': label, 'aria-pressed': String(chosen),
      'data-key': key }, parts);
    item.addEventListener('focus', () => { if (this.scene.chosen !== key) this.on.choose(key); });
    item.addEventListener('pointerdown', (event) => this.#grab(event, key));
    item.addEventListener('keydown', keyed((pressed, event) => this.#press(pressed, event, key)));
    return item;
  }

  /** @param {PointerEvent} event */
  #at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.element.getScreenCTM()?.inverse());
    return [point.x / PER_M, -point.y / PER_M];
  }

  /** @param {string} key @returns {{x: number, y: number}} */
  #place(key) {
    const place = key === EYE ? this.scene.eye : this.scene.things.find((thing) => thing.key === key);
    if (!place) throw new Error(`Nothing here is called ${key}.`);
    return place;
  }

  /** @param {PointerEvent} event @param {string} key */
  #grab(event, key) {
    event.preventDefault();
    this.on.choose(key);
    this.focus(key);
    if (!this.scene.open) return;
    const { x, y } = this.#place(key);
    const [px, py] = this.#at(event);
    this.dragged = { key, dx: x - px, dy: y - py, moved: false };
    this.element.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event @param {boolean} done */
  #drag(event, done) {
    if (!this.dragged) return;
    const { key, dx, dy } = this.dragged;
    const [x, y] = this.#at(event);
    const [tx, ty] = [round(x + dx, 2), round(y + dy, 2)];
    const now = this.#place(key);
    if (now && (now.x !== tx || now.y !== ty)) this.dragged.moved = true;
    if (done) {
      const { moved } = this.dragged;
      this.dragged = null;
      if (moved) this.on.move(key, tx, ty, true);
    } else if (this.dragged.moved) this.on.move(key, tx, ty, false);
  }

  /** @param {string} pressed @param {KeyboardEvent} event @param {string} key */
  #press(pressed, event, key) {
    if (!this.scene.open || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = ARROWS[pressed];
    const { x, y } = this.#place(key);
    const step = event.shiftKey ? FINE_M : STEP_M;
    if (way) this.on.move(key, round(x + way[0] * step, 2), round(y + way[1] * step, 2), true);
    else if (pressed === ',') this.on.turn(key, TURN_DEG);
    else if (pressed === '.') this.on.turn(key, -TURN_DEG);
    else if (pressed === 'Delete' && key !== EYE) this.on.remove(key);
    else return;
    event.preventDefault();
  }
}
