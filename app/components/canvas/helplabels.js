// Where the names of helping outlines and lines stand, so that they can be read: along their box or line, never over each other or over the
// name of a mark. What has no place is left out; a closer look, or fewer outlines, gives it one.
import { brushOf } from './dom.js';
import { clamp } from './geometry.js';
import { covered } from './markshapes.js';

/** @typedef {import('./helplines.js').Help} Help */
/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {import('./geometry.js').Px} Px */
/** @typedef {import('./geometry.js').Size} Size */
/** @typedef {import('./markshapes.js').Field} Field */

/** Height of the letters (screen pixels). */
export const LETTERS_PX = 11;
/** A line of words with its outline, and what of it lies below the letters (screen pixels). */
const [HIGH, BELOW, AIR] = [14, 3, 2];
const measure = brushOf(document.createElement('canvas'));
measure.font = `italic ${LETTERS_PX}px system-ui, sans-serif`;
/** @type {Map<string, number>} */
const widths = new Map();

/** Width of words (screen pixels): the page's own font may differ a little, so there is some air. @param {string} text */
function widthOf(text) {
  const wide = widths.get(text) ?? measure.measureText(text).width * 1.06 + 2 * AIR;
  widths.set(text, wide);
  return wide;
}

/**
 * Top left corners for the words of a box: below it, above it, beside it, from left to right.
 * @param {Point[]} box
 * @param {number} wide
 * @param {number} high
 * @param {number} air
 */
function aroundBox([[x0, y0], [x1, y1]], wide, high, air) {
  const across = [x0, (x0 + x1 - wide) / 2, x1 - wide];
  return [...across.map((x) => [x, y1 + air]), ...across.map((x) => [x, y0 - high - air]),
    ...[y0, (y0 + y1 - high) / 2, y1 - high].flatMap((y) => [[x1 + air, y], [x0 - wide - air, y]]), ...across.map((x) => [x, y1 - high - air])];
}

/**
 * Corners for the words of a line: over its right end, then along it, over and under it.
 * @param {Point[]} points
 * @param {number} wide
 * @param {number} high
 * @param {number} air
 */
function alongLine(points, wide, high, air) {
  const [a, b] = [points[0], points[points.length - 1]].sort((one, other) => one[0] - other[0]);
  return [1, 0.75, 0.5, 0.25, 0].flatMap((part) => {
    const [x, y] = [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
    return [[x - wide * part, y - high - air], [x - wide * part, y + air]];
  });
}

/**
 * The words to write: {text, x, y}, the baseline's left end in image pixels.
 * @param {{lines: import('./helplines.js').Help[], boxes: import('./helplines.js').Help[]}} help
 * @param {{width: number, height: number}} view
 * @param {number[][]} taken fields that are not free, [left, top, right, bottom]
 * @param {Px} px
 */
export function helpLabels({ lines, boxes }, view, taken, px) {
  /** @type {{text: string, x: number, y: number}[]} */
  const found = [];
  const used = [...taken];
  const [high, air] = [px(HIGH), px(AIR)];
  /** @param {Help} help @param {(points: Point[], wide: number, high: number, air: number) => Point[]} places */
  const put = ({ label, points }, places) => {
    if (!label) return;
    const wide = px(widthOf(label));
    for (const [x, y] of places(points, wide, high, air)) {
      const left = clamp(x, 0, Math.max(0, view.width - wide));
      const place = [left, y, left + wide, y + high];
      if (y < 0 || y + high > view.height || covered(place, used) > 0) continue;
      used.push(place);
      found.push({ text: label, x: left + air, y: y + high - px(BELOW) });
      return;
    }
  };
  for (const box of boxes) put(box, aroundBox);
  for (const line of lines) put(line, alongLine);
  return found;
}
