// Two states of an item's marks that grew from one: what only one of them changed is taken over mark by mark.
import { same } from './history.js';
import { inOrder } from './nextmark.js';

/** @typedef {import('./geometry.js').Mark} Mark */

/** @param {Mark | undefined} a @param {Mark | undefined} b */
const equal = (a, b) => a === b || Boolean(a && b && same([a], [b]));
/** @param {Mark[]} marks */
const byId = (marks) => new Map(marks.map((mark) => [mark.id, mark]));

/**
 * Merge by mark.
 *
 * @param {Mark[]} base the state that both grew from
 * @param {Mark[]} mine
 * @param {Mark[]} theirs
 * @returns {{marks: Mark[], clashes: string[]}} theirs with what is only mine; `clashes`: ids of marks that both
 *   changed, each otherwise
 */
export function merge(base, mine, theirs) {
  const [was, ours, others] = [byId(base), byId(mine), byId(theirs)];
  /** @type {string[]} */
  const clashes = [];
  /** @param {string} id */
  const pick = (id) => {
    const [before, here, there] = [was.get(id), ours.get(id), others.get(id)];
    if (equal(here, there) || equal(there, before)) return here;
    if (!equal(here, before)) clashes.push(id);
    return there;
  };
  const ids = [...new Set([...others.keys(), ...ours.keys()])];
  return { marks: inOrder(ids.map(pick).filter((mark) => mark !== undefined)), clashes };
}
