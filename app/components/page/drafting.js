// What is typed and not sent yet is kept on the server, where it outlives the browser: one request at a time, so that the newest arrives last.
// What is said of it is the server's word: that it is kept is said of what stands there now, and no longer once something is changed.

export class Drafting {
  /** @type {number | undefined} */ #waiting;
  /** @type {Promise<void> | null} */ #under = null;
  #held = false;
  /** How often the whole was taken: a draft that was under way then is about what is not here any more. */
  #taken = 0;
  /** Something was changed that has not been sent. */
  unsent = false;

  /**
   * @param {object} how
   * @param {() => Promise<string>} how.keep sends what stands now, and gives when the server kept it
   * @param {(at: string) => void} how.told what stands there is kept since then; empty: it is not
   * @param {(error: unknown) => void} how.failed it could not be kept
   * @param {number} how.rest milliseconds without a change after which it is sent
   */
  constructor({ keep, told, failed, rest }) {
    this.keep = keep;
    this.told = told;
    this.failed = failed;
    this.rest = rest;
  }

  /** Whether all that was changed is kept, or could not be. */
  get idle() { return !this.unsent && !this.#under; }

  /** @param {number} rest */
  changed(rest = this.rest) {
    this.unsent = true;
    this.told('');
    clearTimeout(this.#waiting);
    if (!this.#held) this.#waiting = setTimeout(() => this.flush(), rest);
  }

  /** Send what is unsent; settles when all of it is kept or could not be. */
  flush() {
    clearTimeout(this.#waiting);
    if (this.#held || (!this.unsent && !this.#under)) return Promise.resolve();
    this.#under ??= this.#send();
    return this.#under;
  }

  /** Nothing is sent from here on: the whole is being sent. */
  hold() {
    clearTimeout(this.#waiting);
    this.#held = true;
  }

  /** The whole was not taken, or another one is here: drafts are kept again. @param {boolean} anew what was unsent is of no use any more */
  release(anew) {
    this.#held = false;
    if (anew) {
      this.unsent = false;
      this.#taken += 1;
    } else if (this.unsent) this.changed();
  }

  /** The page goes away: what is not known to be kept is sent once more, and nobody is there to hear of it. */
  close() {
    const open = !this.idle;
    this.hold();
    if (open) this.keep().catch(() => undefined);
  }

  async #send() {
    let at = '';
    let about = this.#taken;
    while (this.unsent && !this.#held) {
      this.unsent = false;
      about = this.#taken;
      try {
        at = await this.keep();
      } catch (error) {
        at = '';
        if (!this.unsent && about === this.#taken) { this.#under = null; this.failed(error); return; } // else what has come meanwhile may be kept
      }
    }
    this.#under = null;
    if (at && !this.unsent && about === this.#taken) this.told(at);
  }
}
