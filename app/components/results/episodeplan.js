// The room of an episode from above: walls, boxes, the way that the camera took, and where it stands and looks at the current step.
import { h, s } from './dom.js';

/** Numbers stand no nearer to each other than that (CSS pixels). */
const APART = 18;
/** How far the cone of the current view reaches, and the strokes of all views (pixels of the plan). */
const CONE = 46, STROKE = 12;

/** @typedef {import('./timeline.js').EpisodeStep} EpisodeStep */
/** @typedef {[number, number, number, number, string]} Place of the camera, the direction in which it looks, and the part of the task */
/**
 * What `app/pages/episode_path.plan` gives, in pixels.
 * @typedef {object} Plan
 * @property {number} width
 * @property {number} height
 * @property {[number, number, number, number][]} walls
 * @property {Record<string, number[][][]>} boxes part of the task → outlines
 * @property {Place[]} path
 * @property {number} fov radians
 */

export class EpisodePlan {
  /** @param {{plan: Plan, steps: EpisodeStep[]}} data @param {(index: number) => void} choose */
  constructor({ plan, steps }, choose) {
    this.plan = plan;
    this.boxes = s('g', { class: 'boxes' });
    this.cone = s('path', { class: 'cone' });
    this.here = s('circle', { class: 'here', r: 5 });
    const at = plan.path.map(([x, y]) => [x, y]);
    /** @type {[number, number, number, number, number][]} */
    const numbered = [];
    /** @type {Map<string, number>} */
    const places = new Map();
    plan.path.forEach(([x, y, dx, dy], index) => {
      if (!places.has(`${x} ${y}`)) places.set(`${x} ${y}`, index);
      if (numbered.every(([a, b]) => Math.hypot(a - x, b - y) >= APART)) numbered.push([x, y, dx, dy, index]);
    });
    const [start, end] = [at[0], at[at.length - 1]];
    this.element = h('figure', { class: 'plan' },
      s('svg', { viewBox: `0 0 ${plan.width} ${plan.height}`, width: plan.width, height: plan.height, role: 'img',
        'aria-label': `The camera’s path from above, ${steps.length - 1} steps. The table of steps has what was done.` },
        this.boxes,
        ...plan.walls.map(([x1, y1, x2, y2]) => s('line', { class: 'wall', x1, y1, x2, y2 })),
        this.cone,
        s('polyline', { class: 'way', points: at.map((p) => p.join(',')).join(' ') }),
        ...plan.path.map(([x, y, dx, dy]) => s('line', { class: 'looks', x1: x, y1: y, x2: x + STROKE * dx, y2: y + STROKE * dy })),
        s('circle', { class: 'start', cx: start[0], cy: start[1], r: 4 }),
        s('rect', { class: 'end', x: end[0] - 5, y: end[1] - 5, width: 10, height: 10 }),
        this.here,
        // a number stands beside the camera: the way mostly leads forward
        ...numbered.map(([x, y, dx, dy, index]) => { const word = s('text', { x: x - 13 * dy, y: y + 13 * dx + 4 }); word.append(String(steps[index].seq));
          return word; }),
        ...[...places].map(([, index]) => this.#spot(at[index], steps[index], () => choose(index)))),
      h('figcaption', {}, 'From above. Dot: start, square: end.'));
  }

  /**
   * What the pointer finds at a place: its step's words, and the step on a click. Keys have the slider and the table.
   * @param {number[]} place
   * @param {EpisodeStep} step
   * @param {() => void} go
   */
  #spot([x, y], step, go) {
    const spot = s('circle', { class: 'spot', cx: x, cy: y, r: 9 });
    const words = s('title');
    words.append(`Step ${step.seq}: ${step.text}`);
    spot.append(words);
    spot.addEventListener('click', go);
    return spot;
  }

  /** Show where the camera is at a step. @param {number} index */
  mark(index) {
    const [x, y, dx, dy, phase] = this.plan.path[index];
    const outlines = this.plan.boxes[phase] ?? Object.values(this.plan.boxes)[0] ?? [];
    this.boxes.replaceChildren(...outlines.map((outline) => s('polygon', { points: outline.map((p) => p.join(',')).join(' ') })));
    const side = (/** @type {number} */ turn) => {
      const [c, d] = [Math.cos(turn), Math.sin(turn)];
      return `${x + CONE * (dx * c - dy * d)},${y + CONE * (dx * d + dy * c)}`;
    };
    this.cone.setAttribute('d', `M${x},${y} L${side(-this.plan.fov / 2)} L${side(this.plan.fov / 2)} Z`);
    this.here.setAttribute('cx', String(x));
    this.here.setAttribute('cy', String(y));
  }
}
