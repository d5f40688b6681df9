// Two states of an item's marks that grew from one: what only one of them changed is taken over mark by mark.
import { same } from './history.js';
import { inOrder } from './nextmark.js';

const equal = (a, b) => a === b || Boolean(a && b && same([a], [b]));
const byId = (marks) => new Map(marks.map((mark) => [mark.id, mark]));

/**
 * Merge by mark.
 *
 * @param {import('./geometry.js').Mark[]} base the state that both grew from
 * @param {import('./geometry.js').Mark[]} mine
 * @param {import('./geometry.js').Mark[]} theirs
 * @returns {{marks: import('./geometry.js').Mark[], clashes: string[]}} theirs with what is only mine; `clashes`: ids of marks that both
 *   changed, each otherwise
 */
export function merge(base, mine, theirs) {
  const [was, ours, others] = [byId(base), byId(mine), byId(theirs)];
  const clashes = [];
  const pick = (id) => {
    const [before, here, there] = [was.get(id), ours.get(id), others.get(id)];
    if (equal(here, there) || equal(there, before)) return here;
    if (!equal(here, before)) clashes.push(id);
    return there;
  };
  const ids = [...new Set([...others.keys(), ...ours.keys()])];
  return { marks: inOrder(ids.map(pick).filter(Boolean)), clashes };
}
