// Pure geometry of marks. Everything is in continuous pixels of the original image: (0, 0) is the top-left corner of the top-left pixel.

/**
 * @typedef {number[]} Point x, y
 * @typedef {{width: number, height: number}} Size
 * @typedef {(units: number) => number} Px screen pixels as image pixels
 * @typedef {object} Mark what somebody drew
 * @property {string} id
 * @property {string} view
 * @property {string} kind box, track, grasp, or absent
 * @property {string} colour
 * @property {Point[]} points
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */

export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** A hundredth of a pixel: finer than any pointer, and short in JSON. Never "-0". @param {number} value */
export const tidy = (value) => Math.round(value * 100) / 100 + 0;

/** Points as people read them. @param {Point[]} points */
export const words = (points) => points.map(([x, y]) => `${x.toFixed(1)}, ${y.toFixed(1)}`);

/** Where a mark lies, in few words: a track has many points. @param {{points: number[][]}} mark */
export const course = ({ points }) => (points.length > 2
  ? `${points.length} points from ${words([points[0]])[0]} to ${words([points[points.length - 1]])[0]}` : words(points).join(' to '));

/** A box smaller than this in either direction is a slip of the hand (pixels). */
export const MIN_BOX = 4;
/** And so is a line shorter than this (pixels). */
export const MIN_LINE = 4;

/** Points a mark of each kind needs. @type {Record<string, number>} */
export const NEEDS = { box: 2, grasp: 2, track: 2 };

/** Top-left and bottom-right of a box given by any two opposite corners. @param {Point[]} ends @returns {Point[]} */
export function boxOf([[ax, ay], [bx, by]]) {
  return [[Math.min(ax, bx), Math.min(ay, by)], [Math.max(ax, bx), Math.max(ay, by)]];
}

/** The four corners of a box: top-left, top-right, bottom-right, bottom-left. @param {Point[]} box @returns {Point[]} */
export function corners([[x0, y0], [x1, y1]]) {
  return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
}

/** The points a person can take hold of: a box's corners, otherwise the mark's own. @param {Mark} mark */
export const handles = (mark) => (mark.kind === 'box' ? corners(mark.points) : mark.points);

/** Smallest box around points: [[x0, y0], [x1, y1]]. @param {Point[]} points */
export function bounds(points) {
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  return [[Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)]];
}

/** A point kept inside the image, and pulled onto its edge when nearer than `reach` pixels. @param {Point} point @param {Size} size @returns {Point} */
export function inside([x, y], { width, height }, reach = 0) {
  /** @param {number} value @param {number} end */
  const pull = (value, end) => (value <= reach ? 0 : value >= end - reach ? end : value);
  return [tidy(pull(clamp(x, 0, width), width)), tidy(pull(clamp(y, 0, height), height))];
}

/**
 * Points moved together by (dx, dy): they stay inside the image, and their outline is pulled onto its edges like a single point.
 * @type {(points: Point[], dx: number, dy: number, size: Size, reach?: number) => Point[]}
 */
export function shifted(points, dx, dy, { width, height }, reach = 0) {
  const [[x0, y0], [x1, y1]] = bounds(points);
  /** @param {number} low @param {number} high @param {number} by @param {number} end */
  const fit = (low, high, by, end) => {
    const moved = clamp(by, -low, end - high);
    if (low + moved <= reach) return -low;
    if (high + moved >= end - reach) return end - high;
    return moved;
  };
  const [mx, my] = [fit(x0, x1, dx, width), fit(y0, y1, dy, height)];
  return points.map(([x, y]) => [tidy(x + mx), tidy(y + my)]);
}

/**
 * The mark with handle `index` at `point`; a box keeps its opposite corner and at least `MIN_BOX`.
 * @type {(mark: Mark, index: number, point: Point, size: Size) => Mark}
 */
export function withHandle(mark, index, point, size) {
  if (mark.kind !== 'box') return { ...mark, points: mark.points.map((p, i) => (i === index ? point : p)) };
  const fixed = corners(mark.points)[(index + 2) % 4];
  return { ...mark, points: grown(boxOf([fixed, point]), fixed, size) };
}

/** The box with side `index` (top, right, bottom, left) at `point`. @type {(mark: Mark, index: number, point: Point, size: Size) => Mark} */
export function withSide(mark, index, [x, y], size) {
  const [[x0, y0], [x1, y1]] = mark.points;
  const fixed = [index === 1 ? x0 : x1, index === 2 ? y0 : y1];
  const moved = index % 2 ? [x, index === 1 ? y1 : y0] : [index === 2 ? x1 : x0, y];
  return { ...mark, points: grown(boxOf([fixed, moved]), fixed, size) };
}

/**
 * At least `MIN_BOX` wide and high: away from the fixed corner where the image has room, otherwise towards it.
 * @type {(box: Point[], fixed: Point, size: Size) => Point[]}
 */
function grown([[x0, y0], [x1, y1]], [fx, fy], { width, height }) {
  /** @param {number} low @param {number} high @param {number} fixed @param {number} end */
  const stretch = (low, high, fixed, end) => {
    if (high - low >= MIN_BOX) return [low, high];
    const onward = low >= fixed ? low + MIN_BOX <= end : high - MIN_BOX < 0;
    return onward ? [low, tidy(low + MIN_BOX)] : [tidy(high - MIN_BOX), high];
  };
  const [[a, b], [c, d]] = [stretch(x0, x1, fx, width), stretch(y0, y1, fy, height)];
  return [[a, c], [b, d]];
}

/** Squared distance from `p` to the segment a–b. @type {(p: Point, a: Point, b: Point) => number} */
function apart([px, py], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const long = dx * dx + dy * dy;
  const t = long ? clamp(((px - ax) * dx + (py - ay) * dy) / long, 0, 1) : 0;
  return (ax + t * dx - px) ** 2 + (ay + t * dy - py) ** 2;
}

/** Segments of a mark's drawn line. @param {Mark} mark */
export function segments(mark) {
  if (mark.kind !== 'box') return mark.points.slice(1).map((p, i) => [mark.points[i], p]);
  const c = corners(mark.points);
  return c.map((p, i) => [p, c[(i + 1) % 4]]);
}

/**
 * What lies at `point`, within `reach` pixels. The selected mark wins; then handles over lines over insides, and small boxes over large.
 * @param {Mark[]} marks
 * @param {Point} point
 * @param {number} reach
 * @param {string | null} selected
 * @returns {null | {id: string, part: 'handle'|'line'|'inside', index: number}}
 */
export function hit(marks, point, reach, selected = null) {
  /** @type {null | {id: string, part: 'handle'|'line'|'inside', index: number, score: number}} */
  let best = null;
  /** @type {(mark: Mark, part: 'handle'|'line'|'inside', index: number, rank: number) => void} */
  const offer = (mark, part, index, rank) => {
    const score = rank - (mark.id === selected ? (part === 'inside' ? 0.5 : 10) : 0);
    if (!best || score < best.score) best = { id: mark.id, part, index, score };
  };
  for (const mark of marks) {
    handles(mark).forEach((p, i) => {
      const d = Math.hypot(p[0] - point[0], p[1] - point[1]);
      if (d <= reach) offer(mark, 'handle', i, d / reach);
    });
    segments(mark).forEach(([a, b], i) => {
      const d = Math.sqrt(apart(point, a, b));
      if (d <= reach) offer(mark, 'line', i, 2 + d / reach);
    });
    if (mark.kind === 'box') {
      const [[x0, y0], [x1, y1]] = mark.points;
      const area = (x1 - x0) * (y1 - y0);
      if (point[0] >= x0 && point[0] <= x1 && point[1] >= y0 && point[1] <= y1) offer(mark, 'inside', 0, 4 + area / (area + 1e4));
    }
  }
  const found = /** @type {null | {id: string, part: 'handle'|'line'|'inside', index: number}} */ (best); // set above
  return found && { id: found.id, part: found.part, index: found.index };
}

/** The track with a point more after point `index` (at `point`, or half way to the next one), or null when there is no room.
 * @param {Mark} mark @param {number} index @param {Point | null} point */
export function withPoint(mark, index, point = null) {
  if (mark.kind !== 'track') return null;
  const after = clamp(index, 0, mark.points.length - 2);
  const [[ax, ay], [bx, by]] = [mark.points[after], mark.points[after + 1]];
  const added = point || [tidy((ax + bx) / 2), tidy((ay + by) / 2)];
  return { mark: { ...mark, points: [...mark.points.slice(0, after + 1), added, ...mark.points.slice(after + 1)] }, index: after + 1 };
}

/** What is wrong with a mark that somebody wants to finish, or null. @param {{kind: string, points: Point[]}} mark */
export function flaw({ kind, points }) {
  if (points.length < NEEDS[kind]) return `A ${kind === 'grasp' ? 'grasp line' : kind} needs ${NEEDS[kind]} points.`;
  if (kind === 'box') {
    const [[x0, y0], [x1, y1]] = boxOf(points);
    if (x1 - x0 < MIN_BOX || y1 - y0 < MIN_BOX) return `A box is at least ${MIN_BOX} pixels wide and high.`;
  } else if (points.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - points[i][0], y - points[i][1]), 0) < MIN_LINE) {
    return `A ${kind === 'grasp' ? 'grasp line' : kind} is at least ${MIN_LINE} pixels long.`;
  }
  return null;
}

/** Where the line a·x + b·y + c = 0 crosses the image: its two ends on the border, or null. @type {(line: number[], size: Size) => Point[] | null} */
export function across([a, b, c], { width, height }) {
  /** @type {Point[]} */
  const found = [];
  /** @param {number} x @param {number} y */
  const add = (x, y) => {
    if (x < -1e-6 || y < -1e-6 || x > width + 1e-6 || y > height + 1e-6) return;
    if (!found.some(([u, v]) => Math.hypot(u - x, v - y) < 1e-3)) found.push([x, y]);
  };
  if (Math.abs(b) > 1e-12) { add(0, -c / b); add(width, -(c + a * width) / b); }
  if (Math.abs(a) > 1e-12) { add(-c / a, 0); add(-(c + b * height) / a, height); }
  return found.length >= 2 ? found.slice(0, 2) : null;
}

/** Epipolar line (a, b, c) of a point, by a fundamental matrix given as nine numbers, row by row. @type {(matrix: number[], point: Point) => number[]} */
export function epipolar(matrix, [x, y]) {
  return [0, 3, 6].map((row) => matrix[row] * x + matrix[row + 1] * y + matrix[row + 2]);
}
