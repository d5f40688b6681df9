// The pictures that a step brings: drawn one after the other, noted when they are on the screen, and watched again.
import { sleep } from './dom.js';

const PICTURE_MS = 200; // how long each picture on the way of an action stays: slow enough to follow, and a pour takes a second and a half

/**
 * When what of a step happened, for tests and measurements (ms of the page's clock).
 * @typedef {object} Times
 * @property {number} seq
 * @property {number} key
 * @property {number} send
 * @property {number} [head]
 * @property {number} [body]
 * @property {number[]} [pictures]
 * @property {number} [drawn]
 * @property {number} [painted]
 */

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export class Film {
  /** @param {import('./play.js').Play} play */
  constructor(play) {
    this.play = play;
    /** @type {number | null} */
    this.painted = null; // when the picture came on the screen; until it is there: null
    /** @type {Promise<void> | null} */
    this.painting = null;
    /** @type {Blob[] | null} */
    this.parts = null; // of the current step
  }

  /**
   * Note when what was just drawn is on the screen: until then nothing is, and a press answers an earlier picture.
   * @param {(painted: number) => void} then
   */
  seen(then = () => {}) {
    this.painted = null;
    this.painting = /** @type {Promise<void>} */ (new Promise((done) => {
      requestAnimationFrame(() => {
        const painted = performance.now();
        this.painted = Math.round((performance.timeOrigin + painted) * 10) / 10;
        then(painted);
        done();
      });
    }));
  }

  /**
   * The partner's pace counts from when the picture is on the screen: nobody has less time to look than the partner had.
   * @param {Step} step
   */
  async keepPace(step) {
    await this.painting;
    if (!this.play.abort.signal.aborted && this.play.seq === step.seq) this.play.pace?.begin(step.next_ms);
  }

  /** @param {Blob} blob @param {Step} step @param {Times} times */
  async draw(blob, step, times) {
    // A step may bring several frames (a slide, a pour); they play in order, presses wait, and the last one is the observation.
    const { sizes } = step;
    const parts = sizes.length === 1 ? [blob] : sizes.map((size, index) => blob.slice(sum(sizes.slice(0, index)), sum(sizes.slice(0, index + 1)),
      'image/webp'));
    /** @type {number[]} */
    const pictures = [];
    times.pictures = pictures;
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1;
      const bitmap = await this.play.view.draw(part, step.seq, this.play.caption(step.seq, step));
      pictures.push(performance.now());
      if (last) {
        this.hold(parts);
        times.drawn = performance.now();
        this.seen((painted) => {
          times.painted = painted;
          this.play.hook({ ...times, timing: step.timing });
          this.play.view.current(bitmap, step.seq);
        });
      } else {
        bitmap.close();
        await sleep(PICTURE_MS);
      }
    }
  }

  /** The pictures of the current step; several can be watched again, which costs nothing and changes nothing. @param {Blob[]} parts */
  hold(parts) {
    this.parts = parts;
    this.play.again.hidden = parts.length < 2; // that nothing moves is something to see, too
  }

  async watchAgain() {
    if (this.play.presses.running || !this.parts) return;
    this.play.happened.note('watched_again');
    this.play.presses.running = true; // presses wait, as while a step is done
    this.play.again.disabled = true;
    this.play.picker?.busy(true);
    try {
      const label = this.play.view.canvas.getAttribute('aria-label') ?? '';
      for (const [index, part] of this.parts.entries()) {
        if (index) await sleep(PICTURE_MS);
        (await this.play.view.draw(part, this.play.seq, label)).close();
      }
    } catch (error) {
      this.play.fatal(error); // the picture that stands there now may be an earlier one than the last
    } finally {
      this.play.presses.running = false;
      this.play.again.disabled = false;
      this.play.picker?.busy(false);
    }
    this.play.presses.pump();
  }
}
