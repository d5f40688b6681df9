// A part of a page that sends one thing at a time: until there is an answer, or what comes next is shown, it begins nothing else.

/** So long may the page take to show what comes next before the person is told (ms). */
const ONWARD_MS = 8000;

export class Busy {
  /** @type {number | undefined} */ #onward;
  /** @type {HTMLElement} */ shell;

  /** Whether something is under way. The shell says so as `data-busy`; not as `aria-busy`, which would keep the status from being read out. */
  get busy() { return this.shell.hasAttribute('data-busy'); }

  set busy(on) { this.shell.toggleAttribute('data-busy', on); }

  /** What was asked for is done, and the page is to show what comes next. @param {() => void} stuck it does not, and one is not busy any more */
  goingOn(stuck) {
    this.busy = true;
    clearTimeout(this.#onward);
    this.#onward = setTimeout(() => {
      this.#onward = undefined;
      this.busy = false;
      stuck();
    }, ONWARD_MS);
  }

  /** What comes next is here, or this part goes away. Whether it was waited for. */
  wentOn() {
    const waited = this.#onward !== undefined;
    clearTimeout(this.#onward);
    this.#onward = undefined;
    if (waited) this.busy = false;
    return waited;
  }
}
