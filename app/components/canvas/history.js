// Undo and redo over whole states. Marks are never changed in place, so a state costs only its list.

/** Most states that can be undone. */
const LIMIT = 400;
/** Small steps of one thing within this time are one step to undo (ms). */
const TOGETHER_MS = 900;

/** Whether two lists hold the same marks in the same order. */
export const same = (a, b) => a === b || (a.length === b.length && a.every((mark, i) => mark === b[i] || equal(mark, b[i])));

function equal(a, b) {
  return a.id === b.id && a.view === b.view && a.kind === b.kind && a.colour === b.colour
    && a.points.length === b.points.length && a.points.every((p, i) => p[0] === b.points[i][0] && p[1] === b.points[i][1]);
}

export class History {
  constructor(present = [], alike = same) {
    this.alike = alike;
    this.past = [];
    this.present = present;
    this.future = [];
    this.run = null;
  }

  /**
   * Go to a new state. Equal `run`s in quick succession (arrow keys on one mark) count as one step.
   * @param {any[]} marks
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
    this.run = run && { name: run, at: performance.now() };
    return true;
  }

  undo() { return this.#step(this.past, this.future); }

  redo() { return this.#step(this.future, this.past); }

  #step(from, to) {
    if (!from.length) return false;
    to.push(this.present);
    this.present = from.pop();
    this.run = null;
    return true;
  }

  /** Plain data: every mark once, states as lists of numbers. */
  dump() {
    const numbers = new Map();
    const marks = [];
    const list = (state) => state.map((mark) => {
      if (!numbers.has(mark)) { numbers.set(mark, marks.length); marks.push(mark); }
      return numbers.get(mark);
    });
    const [past, present, future] = [this.past.map(list), list(this.present), this.future.map(list)];
    return { marks, past, present, future };
  }

  /** The history of `dump`, if its present is `present`; otherwise a new one. */
  static restore(data, present) {
    const history = new History(present);
    if (!data) return history;
    const list = (state) => state.map((number) => data.marks[number]);
    if (!same(list(data.present), present)) return history;
    history.past = data.past.map(list);
    history.future = data.future.map(list);
    return history;
  }
}
