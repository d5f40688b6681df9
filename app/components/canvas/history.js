// Undo and redo over whole states. Marks are never changed in place, so a state costs only its list.

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {{marks: Mark[], past: number[][], present: number[], future: number[][]}} Kept what `dump` gives of marks */

/** Most states that can be undone. */
const LIMIT = 400;
/** Small steps of one thing within this time are one step to undo (ms). */
const TOGETHER_MS = 900;

/** Whether two lists hold the same marks in the same order. @param {Mark[]} a @param {Mark[]} b */
export const same = (a, b) => a === b || (a.length === b.length && a.every((mark, i) => mark === b[i] || equal(mark, b[i])));

/** @param {Mark} a @param {Mark} b */
function equal(a, b) {
  return a.id === b.id && a.view === b.view && a.kind === b.kind && a.colour === b.colour
    && a.points.length === b.points.length && a.points.every((p, i) => p[0] === b.points[i][0] && p[1] === b.points[i][1]);
}

/** @template Item what a state is a list of */
export class History {
  /** @type {{name: string, at: number} | null} */ run = null;

  /** @param {Item[]} present @param {(a: Item[], b: Item[]) => boolean} alike */
  constructor(present, alike) {
    this.alike = alike;
    /** @type {Item[][]} */
    this.past = [];
    this.present = present;
    /** @type {Item[][]} */
    this.future = [];
  }

  /**
   * Go to a new state. Equal `run`s in quick succession (arrow keys on one mark) count as one step.
   * @param {Item[]} marks
   * @param {string | null} run
   */
  commit(marks, run = null) {
    if (this.alike(marks, this.present)) return false;
    const joined = run && this.run && this.run.name === run && performance.now() - this.run.at < TOGETHER_MS;
    if (!joined) {
      this.past.push(this.present);
      if (this.past.length > LIMIT) this.past.shift();
    }
    this.present = marks;
    this.future = [];
    this.run = run ? { name: run, at: performance.now() } : null;
    return true;
  }

  undo() { return this.#step(this.past, this.future); }

  redo() { return this.#step(this.future, this.past); }

  /** @param {Item[][]} from @param {Item[][]} to */
  #step(from, to) {
    const state = from.pop();
    if (!state) return false;
    to.push(this.present);
    this.present = state;
    this.run = null;
    return true;
  }

  /** Plain data: every mark once, states as lists of numbers. */
  dump() {
    /** @type {Map<Item, number>} */
    const numbers = new Map();
    /** @type {Item[]} */
    const marks = [];
    const list = (/** @type {Item[]} */ state) => state.map((mark) => {
      if (!numbers.has(mark)) { numbers.set(mark, marks.length); marks.push(mark); }
      return Number(numbers.get(mark));
    });
    const [past, present, future] = [this.past.map(list), list(this.present), this.future.map(list)];
    return { marks, past, present, future };
  }

  /**
   * The history of `dump`, if its present is `present`; otherwise a new one.
   * @param {Kept | null | undefined} data
   * @param {Mark[]} present
   */
  static restore(data, present) {
    const history = new History(present, same);
    if (!data) return history;
    const list = (/** @type {number[]} */ state) => state.map((number) => data.marks[number]);
    if (!same(list(data.present), present)) return history;
    history.past = data.past.map(list);
    history.future = data.future.map(list);
    return history;
  }
}
