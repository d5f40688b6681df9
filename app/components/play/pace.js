// The partner's pace: the next picture comes by itself when the one before it was looked at for so long. Time counts only while the page is
// seen and nothing is laid over it.

const AGAIN_MS = 250; // how soon it is tried again where the page cannot go on just now

export class Pace {
  /** @type {number | null} */ since;
  /** @type {number | null} */ left;
  /** @type {number | undefined} */ timer;

  /**
   * @param {object} page
   * @param {() => boolean} page.held - whether the picture is covered or the page is not connected: then nothing comes
   * @param {() => void} page.next - shows the next picture
   */
  constructor({ held, next }) {
    this.held = held;
    this.next = next;
    this.left = null;
    this.watch = () => (document.hidden ? this.#rest() : this.#run());
    document.addEventListener('visibilitychange', this.watch);
  }

  /** A picture is on the screen; the next comes after `ms` milliseconds. null: at a key, or never. @param {number | null} ms */
  begin(ms) {
    this.stop();
    this.left = ms;
    if (!document.hidden) this.#run();
  }

  stop() {
    clearTimeout(this.timer);
    this.left = this.since = null;
  }

  close() {
    this.stop();
    document.removeEventListener('visibilitychange', this.watch);
  }

  #run() {
    if (this.left === null || this.left === undefined) return;
    clearTimeout(this.timer);
    this.since = performance.now();
    this.timer = setTimeout(() => this.#due(), this.left);
  }

  #rest() {
    clearTimeout(this.timer);
    if (this.since !== null && this.left !== null) this.left = Math.max(0, this.left - (performance.now() - this.since));
    this.since = null;
  }

  #due() {
    if (this.held()) {
      this.left = AGAIN_MS;
      this.#run();
      return;
    }
    this.stop();
    this.next();
  }
}
