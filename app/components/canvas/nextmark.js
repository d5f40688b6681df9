// Which mark is drawn next: the places where a subtask wants one, in the order of drawing, and the first of them that is still empty.

/** Candidates of a matching item before it has more: with four the option that none is right makes five. */
const CANDIDATES = 4;

/** Whether this entry says that a view does not show what a colour marks elsewhere. */
export const isAbsence = (mark) => mark.kind === 'absent';
/** The mark of absence of a colour in a view, as the server keeps it. */
export const absence = (view, colour) => ({ id: `absent ${view} ${colour}`, view, kind: 'absent', colour, points: [] });

/** Marks in the order in which the server keeps them: what is drawn, then what is out of sight. */
export const inOrder = (marks) => [...marks.filter((mark) => !isAbsence(mark)), ...marks.filter(isAbsence)];

/** What a view has of a colour: a drawn mark, a mark of absence, or undefined. */
export const at = (marks, { view, colour }) => marks.find((mark) => mark.view === view && mark.colour === colour && !isAbsence(mark))
  || marks.find((mark) => mark.view === view && mark.colour === colour);

/** Whether a colour can be drawn in a view, as the subtask has it: in matching red belongs into the reference view, the others elsewhere. */
export function belongs({ where }, { view, colour }, reference) {
  if (where === 'apart') return (colour === 'red') === (view === reference);
  return where !== 'reference' || view === reference;
}

/**
 * The places that are still empty, in the order of drawing.
 * @param {{where: string, colours: string[]}} rule what the subtask draws, and where
 * @param {import('./geometry.js').Mark[]} marks what there is, marks of absence included
 * @param {string[]} views
 * @param {string} reference the reference view
 * @param {string} here the view where one draws now; where any view will do, it is this one
 * @returns {{view: string, colour: string}[]}
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
  const view = { reference, one: marks[0]?.view || reference }[rule.where] || here || reference;
  return rule.colours.filter((colour) => !drawn.has(colour)).map((colour) => ({ view, colour }));
}

/** The empty place after one: the next colour in its view, or the first in the next view that lacks one. */
export function following(places, { view, colour }, views, colours) {
  const later = (list, from) => (item) => (list.indexOf(item) - list.indexOf(from) + list.length) % list.length;
  const [byView, byColour] = [later(views, view), later(colours, colour)];
  const first = (found) => found.reduce((a, b) => (!a || byColour(b.colour) < byColour(a.colour) ? b : a), null);
  const here = places.filter((place) => place.view === view);
  if (here.length) return first(here);
  const next = places.reduce((a, b) => (!a || byView(b.view) < byView(a.view) ? b : a), null);
  return next && places.find((place) => place.view === next.view);
}
