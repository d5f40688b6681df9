// What is left of a time limit: a line above the picture, in words that are read out once when a minute is left. The server decides; this only
// tells, and asks when it comes to the end.
import { h } from './dom.js';
import { say } from './words.js';

const SOON_S = 60; // from here on the line also says what comes of it, where the limit is longer
const ASLEEP_MS = 90_000; // a hidden page is woken once a minute; a longer gap is a computer that slept
const TICK_MS = 250;

/** Limit → the keys of its words. @type {Record<string, {left: string, soon: string, told: string}>} */
const WORDS = {
  task: { left: 'play.time_left', soon: 'play.time_soon', told: 'play.time_soon_told' },
  session: { left: 'play.time_left_session', soon: 'play.time_soon_session', told: 'play.time_soon_session_told' },
};

const minutes = (/** @type {number} */ seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

export class TimeLeft {
  /** @type {string | undefined} */ warned;

  /**
   * @param {object} page
   * @param {() => void} page.up - the time is up by this clock
   * @param {() => void} page.woke - the computer slept: nothing that was counted meanwhile is right
   */
  constructor({ up, woke }) {
    this.up = up;
    this.woke = woke;
    this.line = h('span', { class: 'clock', role: 'timer', hidden: true });
    this.told = h('span', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
    this.element = h('span', { class: 'timeleft' }, this.line, this.told);
  }

  /**
   * Count down from so many seconds of a limit; null: there is none.
   * @param {number | null} left
   * @param {string} limit `task` or `session`
   */
  begin(left, limit) {
    this.stop();
    this.line.hidden = left === null;
    if (left === null) return;
    const end = performance.now() + left * 1000;
    const words = WORDS[limit];
    let seen = Date.now();
    const tick = () => {
      const gap = Date.now() - seen;
      seen += gap;
      if (gap > ASLEEP_MS) { this.stop(); this.woke(); return; }
      const rest = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      const soon = rest <= SOON_S;
      this.line.classList.toggle('soon', soon);
      this.line.textContent = say(soon ? words.soon : words.left, { time: minutes(rest) });
      if (soon && this.warned !== limit) { this.warned = limit; this.told.textContent = say(words.told); }
      if (performance.now() < end) return;
      this.stop();
      this.up();
    };
    this.ticking = setInterval(tick, TICK_MS);
    tick();
  }

  stop() { clearInterval(this.ticking); }
}
