// What geometry suggests on a view: given lines and boxes, and where a point of another view lies on it.
import { across, epipolar, handles } from './geometry.js';

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {[string, Point]} Probe a view, and a point of it */
/** @typedef {{points: Point[], label: string, view?: string}} Help a line, or a box by two corners, with words; of a view */
/**
 * What the server suggests for an item.
 * @typedef {object} Given
 * @property {Help[]} [lines]
 * @property {Help[]} [boxes]
 * @property {{from: string, to: string, matrix: number[]}[]} [pairs] how a point of one view maps to a line of another: nine numbers, row by row
 */

/**
 * The points of which the other views are asked: those of the chosen mark, or where one points.
 * @param {Mark | null} mark
 * @param {number | null} vertex
 * @param {Probe | null} pointed
 * @returns {Probe[]}
 */
export function probes(mark, vertex, pointed) {
  if (!mark) return pointed ? [pointed] : [];
  if (vertex !== null) return [[mark.view, handles(mark)[vertex]]];
  if (mark.kind === 'box') return [[mark.view, [(mark.points[0][0] + mark.points[1][0]) / 2, (mark.points[0][1] + mark.points[1][1]) / 2]]];
  return (mark.kind === 'grasp' ? mark.points : mark.points.slice(-1)).map((point) => [mark.view, point]);
}


/**
 * Help of every view. What a line says is written once, on the first view that has one.
 * @param {Given} help
 * @param {{name: string, width: number, height: number}[]} views
 * @param {Probe[]} points see `probes`
 * @param {{lines: boolean, outlines: boolean, names: boolean}} shown what the person wants to see
 * @returns {Map<string, {lines: Help[], boxes: Help[]}>}
 */
export function suggestions({ lines = [], boxes = [], pairs = [] }, views, points, shown) {
  let said = false;
  const found = new Map();
  for (const view of views) {
    /** @param {Help} entry */
    const here = (entry) => entry.view === view.name;
    /** @param {Help} entry */
    const named = (entry) => (shown.names ? entry : { ...entry, label: '' });
    const across_ = points.flatMap(([from, point]) => pairs.filter((pair) => pair.from === from && pair.to === view.name).map((pair) => {
      const ends = across(epipolar(pair.matrix, point), view);
      if (!ends) return null;
      const label = said || !shown.names ? '' : `the point in ${from} lies on this line`;
      said = true;
      return { points: ends, label };
    })).filter((one) => one !== null);
    found.set(view.name, {
      lines: shown.lines ? [...lines.filter(here).map(named), ...across_] : [],
      boxes: shown.outlines ? boxes.filter(here).map(named) : [],
    });
  }
  return found;
}
