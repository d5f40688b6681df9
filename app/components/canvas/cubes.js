// The cube tool: one coloured, labelled unit cube per object in a 5 × 5 × 5 grid. Cells are chosen by pressing them, by keys or by typing.
import { COLOURS, NAMES } from './colours.js';
import { AXES, camera, facesSeen, farFirst, farSide, firstCorners, laid, middle, orbit, orderAlong, SIZE } from './cubegrid.js';
import { focusedBeside, h, the, uid } from './dom.js';
import { clamp } from './geometry.js';
import { History } from './history.js';
import { mounting } from './mounting.js';
import { s } from './markshapes.js';
import { icon } from './pane.js';
import { keyed } from './pressed.js';

/** @typedef {import('./cubegrid.js').Cell} Cell */
/** @typedef {import('./cubegrid.js').Cube} Cube */
/** @typedef {import('./cubegrid.js').Look} Look */
/**
 * The reference view, as `cubes` of app/components says.
 * @typedef {{url: string, width: number, height: number, matrix?: number[] | null, corners?: number[][] | null}} Photo
 */
/** @typedef {{item: string, cubes?: Cube[], colours: string[], image?: Photo | null, readonly?: boolean}} Given */
/** @typedef {{pick: HTMLButtonElement, label: HTMLInputElement, axes: HTMLInputElement[], out: HTMLButtonElement, row: HTMLDivElement}} Row of a colour */
/** @typedef {{moved: boolean, x: number, y: number, yaw: number, pitch: number, cell?: string, cube?: string}} Drag */

const VIEW = { width: 520, height: 460, scale: 50 };
/** Where the looker stands at first: behind the reference camera, a little to its right and above (degrees). */
const START = { yaw: 28, pitch: 24 };
/** @type {[number, number]} */
const PITCH = [4, 88];
/** Degrees an arrow key turns; degrees a pixel of dragging turns. */
const KEY_TURN = 6;
const DRAG_TURN = 0.5;
/** @typedef {Record<string, [number, number]>} Arrows what each arrow key does to two numbers */
/** @type {Arrows} */
const TURN_KEYS = { ArrowLeft: [-KEY_TURN, 0], ArrowRight: [KEY_TURN, 0], ArrowUp: [0, KEY_TURN], ArrowDown: [0, -KEY_TURN] };
/** Right and up in the plan; right and down in the picture. @type {Arrows} */
const PLAN_KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
/** @type {Arrows} */
const GRIP_KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** A press that moves less is a click (pixels). */
const CLICK = 4;
const CELLS = [1, 2, 3, 4, 5];
const WORDS = { x: ['left', 'right'], y: ['near', 'far'], z: ['low', 'high'] };
/** @param {string} text */
const upper = (text) => text[0].toUpperCase() + text.slice(1);
/** @param {number[][]} list */
const points = (list) => list.map((p) => p.map((v) => v.toFixed(2)).join(',')).join(' ');
const CORNERS = ['Near left low corner of the grid', 'Right end of the x edge', 'Far end of the y edge', 'Upper end of the z edge'];
/** @param {Cube[]} a @param {Cube[]} b */
const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** @param {Cell} a @param {Cell} b */
const equalCells = (a, b) => a.every((value, i) => value === b[i]);

/** A colour towards black (negative) or white (positive). @param {string} colour @param {number} by */
const shade = (colour, by) => `color-mix(in srgb, ${colour} ${100 - Math.abs(by)}%, ${by < 0 ? '#000' : '#fff'})`;
/** How light each face is: along x, along y, along z; low side, high side. */
const SHADES = [[-22, -22], [-8, -30], [-45, 18]];

class Cubes {
  /** @type {HTMLElement} */ photobox;
  /** @type {HTMLDivElement} */ shell;
  /** @type {string[]} */ allowed;
  /** @type {HTMLParagraphElement} */ status;
  /** @type {HTMLDivElement} */ rows;
  /** @type {Map<string, Row>} */ fields;
  /** @type {Map<number, HTMLButtonElement>} */ layers;
  /** @type {Map<string, HTMLButtonElement>} */ cells;
  /** @type {HTMLDivElement} */ plan;
  /** @type {HTMLDListElement} */ orders;
  /** @type {HTMLButtonElement} */ undoing;
  /** @type {HTMLButtonElement} */ redoing;
  /** @type {SVGSVGElement} */ space;
  /** @type {SVGGElement} */ scene;
  /** @type {SVGSVGElement} */ photo;
  /** @type {SVGGElement} */ over3;
  /** @type {SVGCircleElement[]} */ grips;
  /** @type {Given} */ data;
  /** @type {boolean} */ readonly;
  /** @type {string} */ colour;
  /** @type {string | undefined} */ built;
  /** Where the author has laid the grid. @type {number[][]} */ corners;
  /** The column under the pointer. @type {number[] | null} */ over = null;
  /** @type {Drag | null} */ drag = null;
  /** The grip that is held. @type {number | null} */ held = null;
  /** @type {number | null} */ drawn;
  /** @type {number | undefined} */ laying;

  /** @param {HTMLElement} root @param {Given} data @param {(name: string, value: any) => void} setState */
  constructor(root, data, setState) {
    this.setState = setState;
    this.turned = { ...START };
    this.layer = 1;
    this.at = [1, 1];
    /** @type {Set<string>} */
    this.sent = new Set();
    this.history = new History(data.cubes || [], alike);
    this.#build(root);
    this.update(data, true);
  }

  /** @param {HTMLElement} root */
  #build(root) {
    this.scene = s('g');
    this.space = s('svg', { class: 'space', viewBox: `0 0 ${VIEW.width} ${VIEW.height}`, tabindex: 0, role: 'application',
      'aria-roledescription': 'turning view of the grid' }, this.scene);
    this.space.addEventListener('pointerdown', (event) => this.#down(event));
    this.space.addEventListener('pointermove', (event) => this.#move(event));
    this.space.addEventListener('pointerup', () => this.#up());
    this.space.addEventListener('pointercancel', () => { this.drag = null; });
    this.space.addEventListener('pointerleave', () => { this.over = null; this.draw(); });
    this.space.addEventListener('keydown', keyed((key, event) => this.#turnKey(key, event)));
    /** @type {(label: string, dy: number, dp: number, sign: string) => HTMLButtonElement} */
    const turn = (label, dy, dp, sign) => h('button', { type: 'button', 'aria-label': label, title: label, onclick: () => this.turn(dy, dp) }, sign);
    this.turns = h('div', { class: 'group', role: 'group', 'aria-label': 'Turn' },
      turn('Turn left', -15, 0, '⟲'), turn('Turn right', 15, 0, '⟳'), turn('From higher', 0, 12, '↑'), turn('From lower', 0, -12, '↓'),
      h('button', { type: 'button', onclick: () => { this.turned = { ...START }; this.draw(); } }, 'Start view'),
      h('button', { type: 'button', onclick: () => { this.turned = { yaw: 0, pitch: 88 }; this.draw(); } }, 'From above'));

    this.layers = new Map(CELLS.map((z) => [z, h('button', { type: 'button', 'aria-label': `Height z = ${z}`, onclick: () => this.toLayer(z) }, String(z))]));
    this.plan = h('div', { class: 'plan', role: 'grid' });
    this.cells = new Map();
    for (const y of [...CELLS].reverse()) {
      const row = h('div', { role: 'row' }, h('span', { class: 'tick', 'aria-hidden': 'true' }, String(y)));
      for (const x of CELLS) {
        const cell = h('button', { type: 'button', role: 'gridcell', class: 'cell', onclick: () => this.press([x, y, this.layer]),
          onfocus: () => { this.at = [x, y]; this.#rove(); } });
        cell.addEventListener('pointerenter', () => { this.over = [x, y]; this.draw(); });
        cell.addEventListener('pointerleave', () => { this.over = null; this.draw(); });
        this.cells.set(`${x},${y}`, cell);
        row.append(cell);
      }
      this.plan.append(row);
    }
    this.plan.append(h('div', { class: 'ticks', 'aria-hidden': 'true' }, h('span', {}), CELLS.map((x) => h('span', {}, String(x)))));
    this.plan.addEventListener('keydown', keyed((key, event) => this.#planKey(key, event)));

    this.rows = h('div', { class: 'rows', role: 'group', 'aria-label': 'Cubes' });
    this.orders = h('dl', { class: 'orders' });
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.status.id = uid('cubes-status');
    this.plan.setAttribute('aria-describedby', this.status.id);
    this.undoing = h('button', { type: 'button', 'aria-label': 'Undo', title: 'Undo (Ctrl+Z)', onclick: () => this.undo() }, icon('undo'));
    this.redoing = h('button', { type: 'button', 'aria-label': 'Redo', title: 'Redo (Ctrl+Y)', onclick: () => this.redo() }, icon('redo'));
    this.photo = s('svg', { class: 'photo', role: 'group', 'aria-label': 'The grid on the reference view' });
    this.photobox = h('figure', { class: 'photobox', hidden: true }, h('figcaption', {}, 'On the reference view'), this.photo);
    this.shell = h('div', { class: 'vantage cubes' },
      h('div', { class: 'left' }, this.photobox, h('figure', { class: 'spacebox' },
        h('figcaption', {}, 'The grid, x right, y forward, z up. Drag or arrow keys turn it.'), this.space), this.turns),
      h('div', { class: 'right' },
        h('div', { class: 'head' }, h('h2', {}, 'Cubes'), h('span', { class: 'row' }, this.undoing, this.redoing)), this.rows,
        h('div', { class: 'head' }, h('h2', {}, 'Layer from above'),
          h('span', { class: 'row layers', role: 'group', 'aria-label': 'Height' }, h('span', { 'aria-hidden': 'true' }, 'z'), [...this.layers.values()])),
        h('div', { class: 'planbox' }, h('span', { class: 'axis y', 'aria-hidden': 'true' }, 'y forward →'), this.plan,
          h('span', { class: 'axis x', 'aria-hidden': 'true' }, 'x right →')),
        this.status, this.orders));
    this.shell.addEventListener('keydown', keyed((key, event) => this.#key(key, event)));
    root.append(this.shell);
  }

  /** New data from the page. Cubes the page merely echoes are not taken over what has been placed since. @param {Given} data */
  update(data, first = false) {
    const before = this.data;
    this.data = data;
    this.readonly = Boolean(data.readonly);
    this.allowed = NAMES.filter((name) => data.colours.includes(name));
    if (!this.allowed.includes(this.colour)) this.colour = this.allowed.find((name) => !this.cube(name)) || this.allowed[0];
    const given = data.cubes || [];
    const foreign = !first && !alike(given, before?.cubes || []) && !this.sent.has(JSON.stringify(given));
    if (foreign || this.readonly) this.history.commit(given);
    const rows = this.allowed.join() + this.readonly;
    if (this.built !== rows) { this.built = rows; this.#buildRows(); }
    this.photobox.hidden = !data.image;
    if (data.image && !data.image.matrix) this.corners ||= data.image.corners || firstCorners(data.image);
    the(this.photobox, 'figcaption').textContent = data.image?.matrix
      || this.readonly ? 'On the reference view' : 'On the reference view. Drag the four white points to lay the grid over the workspace.';
    this.shell.classList.toggle('two', Boolean(data.image));
    this.sync();
  }

  get list() { return this.history.present; }

  /** @param {string} colour */
  cube(colour) { return this.list.find((cube) => cube.colour === colour) || null; }

  /** @param {Cell} cell */
  in(cell) { return this.list.find((cube) => equalCells(cube.cell, cell)) || null; }

  // ---------------------------------------------------------------- commands

  /** @param {Cube[]} cubes */
  commit(cubes, run = null) {
    /** @param {Cube} cube */
    const order = (cube) => NAMES.indexOf(cube.colour);
    if (this.history.commit([...cubes].sort((a, b) => order(a) - order(b)), run)) this.changed();
  }

  changed() {
    this.sent.add(JSON.stringify(this.list));
    this.setState?.('cubes', this.list);
    this.sync();
  }

  /** Put the cube of a colour into a cell; a cell holds one. @param {string} colour @param {Cell} cell */
  put(colour, cell) {
    if (this.readonly) return false;
    const there = this.in(cell);
    if (there && there.colour !== colour) {
      this.say(`Cell ${cell.join(', ')} already holds the ${there.colour} cube.`, true);
      return false;
    }
    const old = this.cube(colour);
    this.commit([...this.list.filter((cube) => cube.colour !== colour), { colour, label: old?.label ?? this.#typed(colour), cell: [...cell] }]);
    this.say(`${upper(colour)} cube ${old ? 'moved' : 'placed'} at ${cell.join(', ')}.`);
    return true;
  }

  /** Press a cell: choose the cube in it, or put the chosen one there. @param {Cell} cell */
  press(cell) {
    const there = this.in(cell);
    this.at = [cell[0], cell[1]];
    if (there && there.colour !== this.colour) { this.choose(there.colour); return; }
    const fresh = !this.cube(this.colour);
    if (!this.put(this.colour, cell) || !fresh) return;
    const next = this.allowed.find((name) => !this.cube(name));
    if (next) { this.colour = next; this.sync(); }
  }

  /** @param {string} colour */
  choose(colour) {
    if (!this.allowed.includes(colour)) { this.say(`${upper(colour)} is not used here.`, true); return; }
    this.colour = colour;
    const cube = this.cube(colour);
    if (cube) { this.layer = cube.cell[2]; this.at = cube.cell.slice(0, 2); }
    this.say(cube ? `${upper(colour)} cube at ${cube.cell.join(', ')}.` : `${upper(colour)} cube: press its cell.`);
    this.sync();
  }

  /** @param {string} colour */
  remove(colour) {
    if (this.readonly || !this.cube(colour)) return;
    this.commit(this.list.filter((cube) => cube.colour !== colour));
    this.say(`${upper(colour)} cube taken out. Ctrl+Z brings it back.`);
  }

  /** @param {number} z */
  toLayer(z) {
    this.layer = clamp(z, 1, SIZE);
    this.say(`Layer z = ${this.layer}.`);
    this.sync();
  }

  undo() { if (!this.readonly && this.history.undo()) { this.say('Undone.'); this.changed(); } }

  redo() { if (!this.readonly && this.history.redo()) { this.say('Done again.'); this.changed(); } }

  /** @param {number} yaw @param {number} pitch */
  turn(yaw, pitch) {
    this.turned = { yaw: (this.turned.yaw + yaw) % 360, pitch: clamp(this.turned.pitch + pitch, ...PITCH) };
    this.draw();
  }

  /** @param {string} text */
  say(text, wrong = false) { this.status.textContent = text; this.status.classList.toggle('wrong', wrong); }

  // ---------------------------------------------------------------- rows: colour, label, x, y, z

  #buildRows() {
    this.fields = new Map();
    this.rows.replaceChildren(...this.allowed.map((colour) => {
      const pick = h('button', { type: 'button', class: 'pick', 'aria-label': `${upper(colour)} cube`, onclick: () => this.choose(colour) },
        h('i', { style: `background:${COLOURS[colour]}` }), h('span', {}, upper(colour)),
        h('kbd', { 'aria-hidden': 'true' }, String(NAMES.indexOf(colour) + 1)));
      const label = h('input', { type: 'text', class: 'label', maxlength: '40', placeholder: 'object', 'aria-label': `Label of the ${colour} cube`,
        disabled: this.readonly, onchange: () => this.#label(colour) });
      const axes = AXES.map((axis) => h('input', {
        type: 'number', min: '1', max: '5', step: '1', inputmode: 'numeric', 'aria-label': `${axis} of the ${colour} cube`, placeholder: axis,
        disabled: this.readonly, oninput: () => this.#type(colour),
      }));
      const out = h('button', { type: 'button', class: 'quiet', 'aria-label': `Take the ${colour} cube out`, title: 'Take out',
        onclick: () => this.remove(colour) }, '×');
      const row = h('div', { class: 'cuberow' }, pick, label, axes, out);
      this.fields.set(colour, { pick, label, axes, out, row });
      return row;
    }));
  }

  /** @param {string} colour */
  #typed(colour) { return this.fields.get(colour)?.label.value.trim() ?? ''; }

  /** @param {string} colour */
  #label(colour) {
    const label = this.#typed(colour);
    const cube = this.cube(colour);
    if (cube) this.commit(this.list.map((other) => (other === cube ? { ...cube, label } : other)));
  }

  /** Typed coordinates count once all three are there and each is 1 to 5. @param {string} colour */
  #type(colour) {
    const axes = this.fields.get(colour)?.axes ?? [];
    this.colour = colour;
    const values = axes.map((input) => (input.value === '' ? null : Number(input.value)));
    const wrong = values.map((value) => value !== null && !(Number.isInteger(value) && value >= 1 && value <= SIZE));
    axes.forEach((input, i) => input.toggleAttribute('aria-invalid', wrong[i]));
    if (wrong.some(Boolean)) { this.say(`Coordinates are whole numbers from 1 to ${SIZE}; got ${values[wrong.indexOf(true)]}.`, true); this.draw(); return; }
    const cell = values.filter((value) => value !== null);
    if (cell.length < values.length) { this.draw(); return; }
    if (this.put(colour, cell)) { this.layer = cell[2]; this.at = cell.slice(0, 2); this.sync();
      } else axes.forEach((input) => input.setAttribute('aria-invalid', ''));
  }

  // ---------------------------------------------------------------- looking at it

  sync() {
    const active = focusedBeside(this.shell);
    // Never really disabled: a button pressed for the last time would lose the focus.
    /** @type {(button: HTMLElement, yes: boolean) => void} */
    const idle = (button, yes) => button.setAttribute('aria-disabled', String(yes));
    for (const [colour, { pick, label, axes, out, row }] of this.fields) {
      const cube = this.cube(colour);
      pick.setAttribute('aria-pressed', String(colour === this.colour));
      row.classList.toggle('chosen', colour === this.colour);
      idle(out, !cube || this.readonly);
      if (cube && active !== label) label.value = cube.label;
      axes.forEach((input, i) => {
        if (active === input) return;
        input.value = cube ? String(cube.cell[i]) : axes.some((one) => one === active) ? input.value : '';
        input.toggleAttribute('aria-invalid', false);
      });
    }
    for (const [z, button] of this.layers) button.setAttribute('aria-pressed', String(z === this.layer));
    for (const [key, cell] of this.cells) {
      const [x, y] = key.split(',').map(Number);
      const cube = this.in([x, y, this.layer]);
      const others = this.list.filter((other) => other !== cube && other.cell[0] === x && other.cell[1] === y);
      cell.replaceChildren(...(cube ? [h('i', { class: 'full', style: `background:${COLOURS[cube.colour]}` })] : []),
        ...others.map((other) => h('i', { class: 'ghost', style: `border-color:${COLOURS[other.colour]}` })));
      const what = cube ? `${cube.colour} cube${cube.label ? ` ${cube.label}` : ''}` : 'empty';
      cell.setAttribute('aria-label', `x ${x}, y ${y}, z ${this.layer}: ${what}`);
      cell.setAttribute('aria-selected', String(Boolean(cube && cube.colour === this.colour)));
    }
    this.plan.setAttribute('aria-label', `Layer z = ${this.layer} from above`);
    this.#rove();
    idle(this.undoing, this.readonly || !this.history.past.length);
    idle(this.redoing, this.readonly || !this.history.future.length);
    this.orders.replaceChildren(...AXES.flatMap((axis, i) => [
      h('dt', {}, `${axis} `, h('span', {}, `${WORDS[axis][0]} to ${WORDS[axis][1]}`)), h('dd', {}, this.list.length ? orderAlong(i, this.list) : '–')]));
    this.space.setAttribute('aria-label', `The grid with ${this.list.length === 1 ? '1 cube' : `${this.list.length} cubes`}. Arrow keys turn it.`);
    this.draw();
  }

  #rove() {
    for (const [key, cell] of this.cells) cell.tabIndex = key === this.at.join() ? 0 : -1;
  }

  draw() {
    if (this.drawn) return;
    this.drawn = requestAnimationFrame(() => {
      this.drawn = null;
      this.scene.replaceChildren(...this.#space(orbit(this.turned.yaw, this.turned.pitch, VIEW)));
      if (this.data.image) this.#photo(this.data.image);
    });
  }

  /** Floor and far walls, the active layer, cubes with their feet on the floor, axes. @param {Look} look */
  #space(look) {
    const { project } = look;
    /** @type {(a: number[], b: number[], name: string) => SVGLineElement} */
    const line = (a, b, name) => s('line', { class: name, x1: project(a)[0], y1: project(a)[1], x2: project(b)[0], y2: project(b)[1] });
    const far = [farSide(0, look), farSide(1, look)];
    const parts = this.#walls(project, far);
    for (const cube of this.list) {
      const [x, y, z] = middle(cube.cell);
      parts.push(s('polygon', { class: 'foot3', fill: COLOURS[cube.colour], points: points(
        [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(([a, b]) => project([x + a, y + b, 0]))) }), line([x, y, 0], [x, y, z - 0.5], 'stem'));
    }
    // Seen from above, the layer lies over the cubes below it and under those that stand on it.
    parts.push(...this.#solids(look, this.list.filter((cube) => cube.cell[2] < this.layer)));
    for (const y of CELLS) {
      for (const x of CELLS) {
        const on = this.over && this.over[0] === x && this.over[1] === y;
        parts.push(s('polygon', { class: `slot${on ? ' over' : ''}`, 'data-cell': `${x},${y}`,
          points: points([[x - 1, y - 1], [x, y - 1], [x, y], [x - 1, y]].map(([a, b]) => project([a, b, this.layer - 1]))) }));
      }
    }
    parts.push(...this.#solids(look, this.list.filter((cube) => cube.cell[2] >= this.layer)));
    parts.push(...this.#axes(look, far));
    for (const cube of farFirst(this.list.map((c) => c.cell), look).flatMap((cell) => this.in(cell) ?? [])) {
      parts.push(this.#label3(cube, project(middle(cube.cell))));
    }
    return parts;
  }

  /** @param {Look['project']} project @param {number[]} far */
  #walls(project, [fx, fy]) {
    /** @type {SVGElement[]} */
    const parts = [];
    const wall = (/** @type {number[][]} */ corners) => parts.push(s('polygon', { class: 'wall', points: points(corners.map(project)) }));
    wall([[0, 0, 0], [SIZE, 0, 0], [SIZE, SIZE, 0], [0, SIZE, 0]]);
    wall([[fx, 0, 0], [fx, SIZE, 0], [fx, SIZE, SIZE], [fx, 0, SIZE]]);
    wall([[0, fy, 0], [SIZE, fy, 0], [SIZE, fy, SIZE], [0, fy, SIZE]]);
    /** @type {(a: number[], b: number[]) => number} */
    const line = (a, b) => parts.push(s('line', { class: 'net', x1: project(a)[0], y1: project(a)[1], x2: project(b)[0], y2: project(b)[1] }));
    for (let i = 0; i <= SIZE; i += 1) {
      line([i, 0, 0], [i, SIZE, 0]); line([0, i, 0], [SIZE, i, 0]);
      line([fx, i, 0], [fx, i, SIZE]); line([fx, 0, i], [fx, SIZE, i]);
      line([i, fy, 0], [i, fy, SIZE]); line([0, fy, i], [SIZE, fy, i]);
    }
    return parts;
  }

  /** @param {Look} look */
  #solids(look, list = this.list) {
    return farFirst(list.map((cube) => cube.cell), look).map((cell) => {
      const cube = /** @type {Cube} */ (this.in(cell));
      return s('g', { class: `solid${cube.colour === this.colour ? ' chosen' : ''}`, 'data-cube': cube.colour },
        facesSeen(cell, look).map(({ axis, side, corners }) => s('polygon', {
        style: `fill:${shade(COLOURS[cube.colour], SHADES[axis][side])}`, points: points(corners.map(look.project)),
      })));
    });
  }

  /** Numbers along the near edges of the floor and up one side, and what the axes mean. @param {Look} look @param {number[]} far */
  #axes({ project }, [fx, fy]) {
    const [nx, ny] = [SIZE - fx, SIZE - fy];
    const centre = project([SIZE / 2, SIZE / 2, SIZE / 2]);
    const side = project([nx, fy, 0])[0] < project([fx, ny, 0])[0] ? [nx, fy] : [fx, ny];
    /** @type {SVGElement[]} */
    const parts = [];
    /** @type {(point: (t: number) => number[], words_: string, level: boolean) => void} */
    const edge = (point, words_, level) => {
      const [[ax, ay], [bx, by]] = [project(point(0)), project(point(SIZE))];
      const long = Math.hypot(bx - ax, by - ay) || 1;
      let [ux, uy] = [(by - ay) / long, (ax - bx) / long];
      const [mx, my] = [(ax + bx) / 2 - (level ? centre[0] : project([2.5, 2.5, 0])[0]), (ay + by) / 2 - (level ? centre[1] : project([2.5, 2.5, 0])[1])];
      if (ux * mx + uy * my < 0) [ux, uy] = [-ux, -uy];
      /** @type {(at: number[], away: number, shown: string, name: string) => number} */
      const text = ([x, y], away, shown, name) => parts.push(s('text', { class: name, x: (x + ux * away).toFixed(1), y: (y + uy * away + 5).toFixed(1) },
        shown));
      // Seen from above, the upright edge is too short to number.
      if (long < 70) return;
      for (const i of CELLS) text(project(point(i - 0.5)), 15, String(i), 'num');
      text(level ? project(point(SIZE + 0.45)) : [(ax + bx) / 2, (ay + by) / 2], level ? 8 : 34 + 26 * Math.abs(ux), words_, 'axis3');
    };
    edge((t) => [t, ny, 0], 'x right', false);
    edge((t) => [nx, t, 0], 'y forward', false);
    edge((t) => [...side, t], 'z up', true);
    return parts;
  }

  /** @param {Cube} cube @param {number[]} at */
  #label3(cube, [x, y]) {
    const words_ = cube.label || cube.colour;
    const shown = words_.length > 18 ? `${words_.slice(0, 17)}…` : words_;
    const wide = shown.length * 6.6 + 12;
    return s('g', { class: 'label3' }, s('rect', { x: x - wide / 2, y: y - 9, width: wide, height: 18, rx: 9 }), s('text', { x, y: y + 4 }, shown));
  }

  /** The grid and the cubes on the reference view: by its calibration, or where the author has laid the grid. @param {Photo} photo */
  #photo({ url, width, height, matrix }) {
    if (this.photo.dataset.url !== url) {
      this.photo.dataset.url = url;
      this.photo.setAttribute('viewBox', `0 0 ${width} ${height}`);
      this.photo.style.aspectRatio = `${width} / ${height}`;
      this.over3 = s('g');
      this.grips = CORNERS.map((name, i) => {
        const grip = s('circle', { class: 'grip', r: width / 90, tabindex: 0, role: 'button', 'aria-label': `${name}. Arrow keys move it.` });
        grip.addEventListener('pointerdown', (event) => { grip.setPointerCapture(event.pointerId); grip.focus(); this.held = i; event.preventDefault(); });
        grip.addEventListener('pointermove', (event) => { if (this.held === i) this.#lay(i, this.#onPhoto(event)); });
        grip.addEventListener('pointerup', () => { this.held = null; this.#laidDown(); });
        grip.addEventListener('keydown', keyed((key, event) => this.#gripKey(key, event, i)));
        return grip;
      });
      this.photo.replaceChildren(s('image', { href: url, width, height }), this.over3, ...this.grips);
    }
    const look = matrix ? camera(matrix) : laid(this.corners);
    const far = [farSide(0, look), farSide(1, look)];
    this.over3.replaceChildren(...this.#walls(look.project, far), ...this.#solids(look));
    this.grips.forEach((grip, i) => {
      grip.style.display = matrix || this.readonly ? 'none' : '';
      if (matrix) return;
      grip.setAttribute('cx', String(this.corners[i][0]));
      grip.setAttribute('cy', String(this.corners[i][1]));
    });
  }

  /** @param {PointerEvent} event */
  #onPhoto(event) {
    const box = this.photo.getBoundingClientRect();
    const { width, height } = /** @type {Photo} */ (this.data.image); // there are grips only where there is one
    return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
  }

  /** Move a corner of the laid grid; the near corner takes the others along. @param {number} index @param {number[]} at */
  #lay(index, [x, y]) {
    const { width, height } = /** @type {Photo} */ (this.data.image);
    const to = [Math.round(clamp(x, 0, width)), Math.round(clamp(y, 0, height))];
    const by = [to[0] - this.corners[index][0], to[1] - this.corners[index][1]];
    this.corners = this.corners.map((corner, i) => (i === index ? to : index === 0 ? [corner[0] + by[0], corner[1] + by[1]] : corner));
    this.draw();
  }

  #laidDown() {
    this.setState?.('corners', this.corners);
    this.say(`The grid lies at ${this.corners.map((corner) => corner.join(', ')).join('; ')}.`);
  }

  /** @param {string} key @param {KeyboardEvent & {target: any}} event @param {number} index */
  #gripKey(key, event, index) {
    const by = GRIP_KEYS[key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const step = event.shiftKey ? 10 : 1;
    this.#lay(index, [this.corners[index][0] + by[0] * step, this.corners[index][1] + by[1] * step]);
    clearTimeout(this.laying);
    this.laying = setTimeout(() => this.#laidDown(), 400);
  }

  // ---------------------------------------------------------------- pointer and keys

  /** @param {PointerEvent & {target: any}} event */
  #down(event) {
    this.drag = { moved: false, x: event.clientX, y: event.clientY, ...this.turned, cell: event.target.dataset?.cell,
      cube: event.target.closest?.('.solid')?.dataset.cube };
    this.space.setPointerCapture(event.pointerId);
    this.space.focus({ preventScroll: true });
    event.preventDefault();
  }

  /** @param {PointerEvent & {target: any}} event */
  #move(event) {
    const { drag } = this;
    if (!drag) {
      const cell = event.target.dataset?.cell;
      const over = cell ? cell.split(',').map(Number) : null;
      if (String(over) !== String(this.over)) { this.over = over; this.draw(); }
      return;
    }
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < CLICK) return;
    drag.moved = true;
    this.space.classList.add('turning');
    this.turned = { yaw: drag.yaw - dx * DRAG_TURN, pitch: clamp(drag.pitch + dy * DRAG_TURN, ...PITCH) };
    this.draw();
  }

  #up() {
    const { drag } = this;
    this.drag = null;
    this.space.classList.remove('turning');
    if (!drag || drag.moved) return;
    if (drag.cube) this.choose(drag.cube);
    else if (drag.cell) this.press([...drag.cell.split(',').map(Number), this.layer]);
  }

  /** @param {string} key @param {KeyboardEvent & {target: any}} event */
  #turnKey(key, event) {
    const by = TURN_KEYS[key];
    if (event.ctrlKey || event.metaKey || event.altKey || !(by || key === 'Home')) return;
    event.preventDefault();
    event.stopPropagation();
    if (by) this.turn(...by);
    else { this.turned = { ...START }; this.draw(); }
    this.say(`Turned to ${Math.round(((this.turned.yaw % 360) + 360) % 360)}°, from ${Math.round(this.turned.pitch)}° above.`);
  }

  /** @param {string} key @param {KeyboardEvent & {target: any}} event */
  #planKey(key, event) {
    const by = PLAN_KEYS[key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (by) {
      this.at = [clamp(this.at[0] + by[0], 1, SIZE), clamp(this.at[1] + by[1], 1, SIZE)];
      this.#rove();
      this.cells.get(this.at.join())?.focus();
    } else if (key === 'PageUp') this.toLayer(this.layer + 1);
    else if (key === 'PageDown') this.toLayer(this.layer - 1);
    else if (key === 'Delete' || key === 'Backspace') {
      const cube = this.in([...this.at, this.layer]);
      if (cube) this.remove(cube.colour);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} key @param {KeyboardEvent & {target: any}} event */
  #key(key, event) {
    if (event.target.matches('input')) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && (key === 'z' || key === 'y')) {
      if (key === 'y' || event.shiftKey) this.redo(); else this.undo();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && /^[1-7]$/.test(key)) this.choose(NAMES[Number(key) - 1]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  destroy() { cancelAnimationFrame(this.drawn ?? 0); this.shell.remove(); }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setStateValue }) => new Cubes(parentElement, data, setStateValue),
  renew: (cubes, { data, setStateValue }) => { cubes.setState = setStateValue; cubes.update(data); },
  same: (cubes, data) => cubes.data.item === data.item,
});
