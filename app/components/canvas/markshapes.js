// What is painted of a mark, after the one table of `marks_style.js`: the same shapes, one for one, as annotation/qa/drawn/drawing.py paints
// into the picture that is answered. Lengths of the table become image pixels through `px`.
import { STYLE } from './marks_style.js';
import { s } from './dom.js';
import { clamp } from './geometry.js';

export { s };

/** Points as SVG has them. @param {Point[]} points */
export const list = (points) => points.map((p) => p.join(',')).join(' ');

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {import('./geometry.js').Px} Px */
/** @typedef {import('./geometry.js').Size} Size */
/** @typedef {number[]} Field left, top, right, bottom */

/** @type {{colours: Record<string, string>, letters: Record<string, string>, glyphs: Record<string, {advance: number, strokes: Point[][]}>}} */
const { colours: COLOURS, letters: LETTERS, glyphs: GLYPHS } = STYLE;
/** @type {[string, number][]} */
const LINES = [['edge', STYLE.edge_width], ['ink', STYLE.line_width]];
const OUTLINE = { class: 'knob', stroke: STYLE.edge_colour, 'stroke-opacity': STYLE.outline_alpha, 'stroke-width': STYLE.outline_width };

/**
 * A line twice: a dark edge below, so that every colour is seen on every picture. Widths are in pixels of the screen at every zoom.
 * @param {'rect' | 'polyline'} tag
 * @param {string|null} colour of the upper one; null: the sheet decides
 * @param {Record<string, number | string>} shape
 */
export const twice = (tag, colour, shape) => LINES.map(([line, width]) => s(tag, {
  class: line, 'stroke-width': width, ...(line === 'edge' ? { stroke: STYLE.edge_colour, 'stroke-opacity': STYLE.edge_alpha } : { stroke: colour }), ...shape,
}));

/** A small disc with an outline. @param {Point} point @param {number} radius @param {string} fill @param {Px} px */
export const knob = ([cx, cy], radius, fill, px) => s('circle', { ...OUTLINE, fill, cx, cy, r: px(radius) });

/** The direction in which a polyline ends, and the length of its last piece that has one. @param {Point[]} points */
function end(points) {
  const [bx, by] = points[points.length - 1];
  const [ax, ay] = points.findLast(([x, y]) => x !== bx || y !== by) || [bx - 1, by];
  const long = Math.hypot(bx - ax, by - ay);
  return [(bx - ax) / long, (by - ay) / long, long];
}

/** The line of a track ends under its head, so that the tip is the last point. @param {Mark} mark @param {Px} px */
function underTheHead({ kind, points }, px) {
  if (kind !== 'track') return points;
  const [ux, uy, long] = end(points);
  const back = Math.min(long, px(STYLE.arrow_under));
  const [x, y] = points[points.length - 1];
  return [...points.slice(0, -1), [x - ux * back, y - uy * back]];
}

/** @param {Point[]} points @param {string} colour @param {Px} px */
function head(points, colour, px) {
  const [[ux, uy], [x, y]] = [end(points), points[points.length - 1]];
  const [long, half] = [px(STYLE.arrow_length), px(STYLE.arrow_half)];
  const [bx, by] = [x - ux * long, y - uy * long];
  return s('polygon', { ...OUTLINE, fill: colour, points: list([[x, y], [bx - uy * half, by + ux * half], [bx + uy * half, by - ux * half]]) });
}

/** The lines and signs of a mark. @param {Mark} mark @param {Px} px */
export function shapes(mark, px) {
  const colour = COLOURS[mark.colour];
  if (mark.kind === 'box') {
    const [[x, y], [x1, y1]] = mark.points;
    return twice('rect', colour, { x, y, width: x1 - x, height: y1 - y });
  }
  const parts = twice('polyline', colour, { points: list(underTheHead(mark, px)) });
  if (mark.kind === 'grasp') return [...parts, ...mark.points.map((point) => knob(point, STYLE.finger_radius, colour, px))];
  return [...parts, knob(mark.points[0], STYLE.start_radius, STYLE.start_colour, px),
    ...mark.points.slice(1, -1).map(([cx, cy]) => s('circle', { fill: colour, cx, cy, r: px(STYLE.way_radius) })),
    head(mark.points, colour, px)];
}

/** Names that cover less of each other than this, in square units, only touch. */
const TOUCHING = 0.01;
/** @param {Mark} mark */
const lettersOf = (mark) => [...mark.colour].map((letter) => GLYPHS[letter]);

/** Width and height of a name's field. @param {Mark} mark @param {Px} px */
function field(mark, px) {
  const long = lettersOf(mark).reduce((sum, glyph) => sum + glyph.advance, 0) - STYLE.letter_gap;
  return [px(long + 2 * STYLE.tag_pad), px(STYLE.tag_height)];
}

/**
 * Where a name's field may be, the best first: above the mark (below its highest point where there is no room), at its other corners or
 * ends, beside it. Only the first may be what the image has no room for.
 * @param {Mark} mark
 * @param {Size} size
 * @param {Px} px
 */
function corners(mark, { width, height }, px) {
  const [wide, high] = field(mark, px);
  const [[x0, y0], [x1, y1]] = [mark.points[0], mark.points[mark.points.length - 1]];
  let places;
  if (mark.kind === 'box') {
    const [lift, out] = [px(STYLE.tag_lift_box), px(STYLE.tag_out)];
    const [above, below] = [y0 - high - lift, y1 + lift];
    places = [
      [x0 - out, above < 0 ? y0 + lift : above], [x1 - wide + out, above], [x0 - out, below], [x1 - wide + out, below],
      [x0 - wide - lift, y0], [x1 + lift, y0], [x0 - wide - lift, y1 - high], [x1 + lift, y1 - high],
    ];
  } else {
    const [lift, out] = [px(STYLE.tag_lift_line), wide / 2];
    const [x, y] = mark.points.reduce((a, b) => (b[1] < a[1] ? b : a));
    const [lowX, lowY] = mark.points.reduce((a, b) => (b[1] > a[1] ? b : a));
    const above = y - high - lift;
    places = [
      [x - out, above < 0 ? y + lift : above], [x1 - out, y1 - high - lift], [x0 - out, y0 - high - lift], [lowX - out, lowY + lift],
      [x1 + lift, y1 - high / 2], [x1 - wide - lift, y1 - high / 2], [x0 + lift, y0 - high / 2], [x0 - wide - lift, y0 - high / 2],
    ];
  }
  const inside = places.map(([left, top]) => [clamp(left, 0, Math.max(0, width - wide)), top]);
  return [inside[0], ...inside.slice(1).filter(([, top]) => top >= 0 && top <= height - high)];
}

/** How much of a field [left, top, right, bottom] others cover. @type {(place: Field, taken: Field[]) => number} */
export const covered = ([left, top, right, bottom], taken) => taken.reduce((sum, [x0, y0, x1, y1]) => (
  sum + Math.max(0, Math.min(right, x1) - Math.max(left, x0)) * Math.max(0, Math.min(bottom, y1) - Math.max(top, y0))), 0);

/**
 * The field of each mark's name, [left, top, right, bottom]: at the first of its places that no earlier name covers, or where it is covered
 * least.
 * @param {Mark[]} marks
 * @param {Size} view
 * @param {Px} px
 * @param {Field[]} held fields that are not free
 */
export function nameFields(marks, view, px, held = []) {
  /** @type {Field[]} */
  const taken = [...held];
  const enough = TOUCHING * px(1) * px(1);
  for (const mark of marks) {
    const [wide, high] = field(mark, px);
    let least = Infinity;
    /** @type {Field} */
    let best = [];
    for (const [left, top] of corners(mark, view, px)) {
      const place = [left, top, left + wide, top + high];
      const over = covered(place, taken);
      if (over < least - enough) [best, least] = [place, over];
      if (least < enough) break;
    }
    taken.push(best);
  }
  return taken.slice(held.length);
}

/** The colour's name on a field of the colour. @param {Mark} mark @param {Field} field @param {Px} px */
export function name(mark, [left, top, right, bottom], px) {
  const base = top + px(STYLE.tag_line);
  /** @type {string[]} */
  const strokes = [];
  let x = left + px(STYLE.tag_pad);
  for (const glyph of lettersOf(mark)) {
    for (const stroke of glyph.strokes) strokes.push(`M${stroke.map(([gx, gy]) => `${x + px(gx)},${base - px(gy)}`).join('L')}`);
    x += px(glyph.advance);
  }
  return s('g', { class: 'tag', 'data-name': mark.colour },
    s('rect', { ...OUTLINE, x: left, y: top, width: right - left, height: bottom - top, rx: px(STYLE.tag_corner), fill: COLOURS[mark.colour] }),
    s('path', { class: 'letters', d: strokes.join(''), stroke: LETTERS[mark.colour], 'stroke-width': STYLE.letter_width }));
}
