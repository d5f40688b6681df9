// Which mark is drawn next: the places where a subtask wants one, in the order of drawing, and the first of them that is still empty.

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {{view: string, colour: string}} Place where a mark is, or is missing */
/** @typedef {{where: string, colours: string[], absent?: boolean}} Rule what a subtask draws, and where (`annotation/qa/subtasks`) */

/** Candidates of a matching item before it has more: with four the option that none is right makes five. */
const CANDIDATES = 4;

/** Whether this entry says that a view does not show what a colour marks elsewhere. @param {Mark} mark */
export const isAbsence = (mark) => mark.kind === 'absent';
/** The mark of absence of a colour in a view, as the server keeps it. @param {string} view @param {string} colour */
export const absence = (view, colour) => ({ id: `absent ${view} ${colour}`, view, kind: 'absent', colour, points: [] });

/** Marks in the order in which the server keeps them: what is drawn, then what is out of sight. @param {Mark[]} marks */
export const inOrder = (marks) => [...marks.filter((mark) => !isAbsence(mark)), ...marks.filter(isAbsence)];

/** What a view has of a colour: a drawn mark, a mark of absence, or undefined. @param {Mark[]} marks @param {Place} place */
export const at = (marks, { view, colour }) => marks.find((mark) => mark.view === view && mark.colour === colour && !isAbsence(mark))
  || marks.find((mark) => mark.view === view && mark.colour === colour);

/**
 * Whether a colour can be drawn in a view, as the subtask has it: in matching red belongs into the reference view, the others elsewhere.
 * @param {Rule} rule
 * @param {Place} place
 * @param {string | undefined} reference
 */
export function belongs({ where }, { view, colour }, reference) {
  if (where === 'apart') return (colour === 'red') === (view === reference);
  return where !== 'reference' || view === reference;
}

/**
 * The places that are still empty, in the order of drawing.
 * @param {Rule} rule
 * @param {Mark[]} marks what there is, marks of absence included
 * @param {string[]} views
 * @param {string} reference the reference view
 * @param {string} here the view where one draws now; where any view will do, it is this one
 * @returns {Place[]}
 */
export function empty(rule, marks, views, reference, here) {
  const drawn = new Set(marks.filter((mark) => !isAbsence(mark)).map(({ colour }) => colour));
  if (rule.where === 'apart') {
    const others = rule.colours.filter((colour) => colour !== 'red');
    const wanted = others.filter((colour, i) => i < CANDIDATES || drawn.has(colour));
    const places = [{ view: reference, colour: 'red' }, ...views.filter((view) => view !== reference).flatMap((view) =>
      wanted.map((colour) => ({ view, colour })))];
    return places.filter((place) => !at(marks, place));
  }
  const view = /** @type {Record<string, string>} */ ({ reference, one: marks[0]?.view || reference })[rule.where] || here || reference;
  return rule.colours.filter((colour) => !drawn.has(colour)).map((colour) => ({ view, colour }));
}

/**
 * The empty place after one: the next colour in its view, or the first in the next view that lacks one.
 * @param {Place[]} places
 * @param {Place} place
 * @param {string[]} views
 * @param {string[]} colours
 */
export function following(places, { view, colour }, views, colours) {
  const later = (/** @type {string[]} */ list, /** @type {string} */ from) => (/** @type {string} */ item) => (
    list.indexOf(item) - list.indexOf(from) + list.length) % list.length;
  const [byView, byColour] = [later(views, view), later(colours, colour)];
  /** @param {Place[]} found */
  const first = (found) => found.reduce((a, b) => (byColour(b.colour) < byColour(a.colour) ? b : a));
  const here = places.filter((place) => place.view === view);
  if (here.length) return first(here);
  if (!places.length) return null;
  const next = places.reduce((a, b) => (byView(b.view) < byView(a.view) ? b : a));
  return places.find((place) => place.view === next.view);
}
