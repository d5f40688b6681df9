// The 5 × 5 × 5 grid in the reference camera's frame: x right, y forward, z up; cell (1, 1, 1) is the near, left, low corner.
// Points here are in cells, 0 to 5 along each axis; a cell [x, y, z] fills x - 1 … x, and so on.

/** @typedef {number[]} Cell x, y, z */
/** @typedef {{colour: string, label: string, cell: Cell}} Cube */
/**
 * A way of looking at the grid.
 * @typedef {object} Look
 * @property {(p: number[]) => number[]} project to the screen
 * @property {(p: number[]) => number[]} towards direction to the looker
 * @property {boolean} [flat] whether that is the same everywhere
 */

export const SIZE = 5;
/** @type {('x' | 'y' | 'z')[]} */
export const AXES = ['x', 'y', 'z'];

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** @param {number[]} a @param {number[]} b */
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** The middle of a cell. @param {Cell} cell */
export const middle = (cell) => cell.map((value) => value - 0.5);

/**
 * Looking at the grid from outside, without perspective.
 * @param {number} yaw degrees the looker has walked around it; 0: behind the reference camera, looking forward
 * @param {number} pitch degrees above the horizon
 * @param {{width: number, height: number, scale: number}} size of the drawing (pixels), and of a cell in it
 * @returns {Look}
 */
export function orbit(yaw, pitch, { width, height, scale }) {
  const [a, b] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  const right = [Math.cos(a), Math.sin(a), 0];
  const ahead = [-Math.sin(a), Math.cos(a), 0];
  const forward = [ahead[0] * Math.cos(b), ahead[1] * Math.cos(b), -Math.sin(b)];
  const up = [ahead[0] * Math.sin(b), ahead[1] * Math.sin(b), Math.cos(b)];
  const centre = [SIZE / 2, SIZE / 2, SIZE / 2];
  const back = forward.map((value) => -value);
  return {
    project: (p) => { const d = minus(p, centre); return [width / 2 + scale * dot(right, d), height / 2 - scale * dot(up, d)]; },
    towards: () => back,
    flat: true,
  };
}

/**
 * Looking through the reference camera.
 * @param {number[]} matrix its 3 × 4 projection of grid points to image pixels, row by row
 * @returns {Look}
 */
export function camera(matrix) {
  /** @param {number} i */
  const row = (i) => matrix.slice(4 * i, 4 * i + 4);
  const [r0, r1, r2] = [row(0), row(1), row(2)];
  /** @param {number} i @param {number} j @param {number} k */
  const det = (i, j, k) => r0[i] * (r1[j] * r2[k] - r1[k] * r2[j]) - r0[j] * (r1[i] * r2[k] - r1[k] * r2[i]) + r0[k] * (r1[i] * r2[j] - r1[j] * r2[i]);
  const whole = det(0, 1, 2);
  // Where the camera stands: the point that the matrix sends nowhere.
  const place = [-det(3, 1, 2) / whole, -det(0, 3, 2) / whole, -det(0, 1, 3) / whole];
  return {
    project: (p) => { const [u, v, w] = [r0, r1, r2].map((r) => dot(r, p) + r[3]); return [u / w, v / w]; },
    towards: (p) => minus(place, p),
  };
}

/**
 * The grid laid over an image by hand, without perspective.
 * @param {number[][]} corners pixels of the grid's near left low corner, and of the far ends of its x, y and z edges from there
 * @returns {Look}
 */
export function laid([origin, ...ends]) {
  const along = ends.map((end) => [(end[0] - origin[0]) / SIZE, (end[1] - origin[1]) / SIZE]);
  const [u, v] = [along.map((a) => a[0]), along.map((a) => a[1])];
  // The direction that the picture does not show leads to the looker, who is on the near side.
  const blind = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const back = blind.map((value) => (blind[1] > 0 ? -value : value));
  return { project: (p) => [origin[0] + dot(u, p), origin[1] + dot(v, p)], towards: () => back, flat: true };
}

/** Where the grid lies on an image at first: in its lower middle. @param {{width: number, height: number}} image */
export function firstCorners({ width, height }) {
  return [[0.25, 0.9], [0.75, 0.9], [0.38, 0.62], [0.25, 0.42]].map(([x, y]) => [Math.round(x * width), Math.round(y * height)]);
}

/** The faces of a cell that the looker sees: {normal, corners}. @param {Cell} cell @param {Look} look */
export function facesSeen(cell, { towards }) {
  const low = cell.map((value) => value - 1);
  /** @type {{axis: number, side: number, corners: number[][]}[]} */
  const seen = [];
  for (let axis = 0; axis < 3; axis += 1) {
    for (const side of [0, 1]) {
      const normal = [0, 0, 0];
      normal[axis] = side ? 1 : -1;
      const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([p, q]) => {
        const corner = [...low];
        corner[axis] += side;
        corner[i] += p;
        corner[j] += q;
        return corner;
      });
      const face = [0, 1, 2].map((k) => (corners[0][k] + corners[2][k]) / 2);
      if (dot(normal, towards(face)) > 1e-9) seen.push({ axis, side, corners });
    }
  }
  return seen;
}

/**
 * Cells from the farthest to the nearest. On a lattice of equal cubes this order draws every cube over those behind it.
 * @param {Cell[]} cells
 * @param {Look} look
 */
export function farFirst(cells, { towards, flat }) {
  /** @param {Cell} cell */
  const near = (cell) => {
    const c = middle(cell);
    const t = towards(c);
    return flat ? dot(c, t) : -dot(t, t);
  };
  return [...cells].sort((a, b) => near(a) - near(b));
}

/** Which side (0 or SIZE) of an axis is far from the looker. @param {number} axis @param {Look} look */
export function farSide(axis, { towards }) {
  return towards([SIZE / 2, SIZE / 2, SIZE / 2])[axis] > 0 ? 0 : SIZE;
}

/** Order along an axis in words: "red 1 < blue 2 = green 2". @param {number} axis @param {Cube[]} cubes */
export function orderAlong(axis, cubes) {
  const sorted = [...cubes].sort((a, b) => a.cell[axis] - b.cell[axis]);
  return sorted.map((cube, i) => `${i ? (sorted[i - 1].cell[axis] === cube.cell[axis] ? ' = ' : ' < ') : ''}${cube.colour} ${cube.cell[axis]}`).join('');
}
