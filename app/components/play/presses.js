// What is pressed, and the steps that it asks for: kept in order, sent one at a time, and refused where nobody has seen what they would meet.
import { NoMore, PROMPT_MS, Refused, stepOf } from './api.js';
import { h, sleep } from './dom.js';
import { toTop } from './top.js';
import { say } from './words.js';

const SIGN_OF_LIFE_MS = 80; // a slow frame shows a moving bar before 100 ms have passed
const SAID_MS = 300; // a step that takes longer is told while it is done: what stands there is of the step before
const PAINT_MS = 100; // a page that nobody sees is not painted: then nobody waits for it
const LATE_MS = 10_000; // a press that met a broken connection is not sent again after this: nobody expects it to act any more
const MOST_WAITING = 3; // presses that may wait behind the step that is being done: each costs an observation that nobody has seen yet

/**
 * Whether a press would not arrive. A step that takes long, or stands in line, is none of that: what is pressed meanwhile waits behind it.
 * @param {string | undefined} trouble its kind
 */
export const unheard = (trouble) => Boolean(trouble) && trouble !== 'waiting';

/** @typedef {{action?: string, phase?: boolean, words?: string}} Command what a press asks for; `words`: of what is done with things, as it was chosen */
/** @typedef {Command & {pressed: number, input: string, waits: boolean}} Press `pressed`: ms of the page's clock; `waits`: not done at once */

export class Presses {
  /** @param {import('./play.js').Play} play */
  constructor(play) {
    this.play = play;
    /** @type {Press[]} */
    this.queue = [];
    this.running = false; // a step is being done, or watched again
    /** @type {Press | null} */
    this.doing = null;
    /** @type {Promise<void> | null} */
    this.pumping = null;
    /** @type {Element | null} */
    this.givingBack = null; // what was clicked, and is about to lose the focus
    this.missed = ''; // what came of presses that were not used
  }

  /** @param {string} key @param {KeyboardEvent} event */
  keydown(key, event) {
    if (!this.play.live || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (Object.values(this.play.dialogs || {}).some((dialog) => dialog.open)) return;
    const target = /** @type {HTMLInputElement} */ (event.composedPath()[0]); // or whatever else has the focus
    const tag = target?.tagName || '';
    const typing = tag === 'TEXTAREA' || tag === 'SELECT' || target?.isContentEditable
      || (tag === 'INPUT' && !['radio', 'range', 'checkbox'].includes(target.type));
    if (key === 'escape') {
      if (this.play.view.key?.(key, event)) return;
      this.miss('');
      this.forget('play.lost_stopped');
      this.play.picker?.rest();
      if (this.play.shell.contains(target)) { target.blur?.(); this.play.view.element.focus({ preventScroll: true }); }
      this.inSight();
      return;
    }
    if (typing) return;
    const arrows = key.startsWith('arrow') || key.startsWith('page');
    if (arrows && tag === 'INPUT' && !this.givingBack?.contains(target)) return; // the slider's and the options' own keys
    if ((this.play.keys.enabled || key.length > 1) && !this.play.letters.includes(key) && this.play.view.key?.(key, event)) return;
    if (/^[0-9]$/.test(key)) { if (!event.repeat && this.play.form.digit(Number(key), event.timeStamp)) event.preventDefault(); return; }
    if (!this.play.keys.enabled) return;
    if (this.play.letters.includes(key)) { if (!event.repeat && this.play.form.digit(key, event.timeStamp)) event.preventDefault(); return; }
    const action = this.play.keys.action(key);
    if (!action) return;
    if (action === 'go_answer') { event.preventDefault(); this.goAnswer(); return; }
    if (action === 'go_objects') {
      if (this.play.picker) { event.preventDefault(); this.play.picker.verb.focus(); }
      return;
    }
    const button = this.play.buttons[action]?.button;
    if (!button) return;
    event.preventDefault();
    if (event.repeat) return; // every step costs an observation: one press, one step
    if (this.play.state.stuck) { this.play.announce(this.play.forcedWords.textContent); return; }
    button.classList.add('pressed');
    setTimeout(() => button.classList.remove('pressed'), 120);
    this.inSight();
    this.enqueue({ action }, event.timeStamp, 'key');
  }

  /** Picture and words stand side by side: where somebody scrolled past the words, what a press does is brought back into view. */
  inSight() {
    const { header, shell, status } = this.play;
    if (!status || shell.dataset.form === 'stacked') return; // one below the other: what is pressed lies below both
    const covered = header.classList.contains('stays') ? header.getBoundingClientRect().bottom : 0;
    if ((status.parentElement ?? status).getBoundingClientRect().top < covered) toTop();
  }

  goAnswer() {
    this.play.answer.scrollIntoView({ block: 'nearest' });
    this.play.form.focus();
  }

  /** @param {Command} command @param {number} pressed */
  enqueue(command, pressed, input = this.play.happened.pressedBy()) {
    if (!this.play.live) return;
    if (unheard(this.play.shell.dataset.trouble) || !navigator.onLine) { this.miss(say('play.offline')); return; }
    if (command.words && command.action === (this.queue.at(-1) ?? this.doing)?.action) return; // the same with the same things: pressed twice
    if (this.queue.length >= MOST_WAITING) { this.miss(say('play.most_waiting', { n: MOST_WAITING })); return; }
    this.miss('');
    this.queue.push({ ...command, pressed, input, waits: this.running || this.queue.length > 0 || !this.play.film.painted });
    this.showHowMany();
    this.pump();
  }

  pump() {
    if (this.running) return;
    this.pumping = this.steps().finally(() => { this.pumping = null; });
  }

  async steps() {
    this.running = true;
    try {
      while (this.queue.length && this.play.live) {
        if (this.play.state.stuck && !(this.queue[0].phase && !this.play.state.forced)) {
          this.forget('play.lost_no_views');
          break;
        }
        const next = this.queue.shift();
        this.showHowMany();
        this.doing = next ?? null;
        if (next) await this.step(next);
      }
    } finally {
      this.running = false;
      this.doing = null;
      this.showHowMany();
    }
  }

  /** @param {Press} command */
  async step(command) {
    const seq = this.play.seq + 1;
    const { epoch } = this.play;
    const { film } = this.play;
    if (!film.painted && film.painting) await Promise.race([film.painting, sleep(PAINT_MS)]); // only a press that waited comes so soon
    /** @type {import('./film.js').Times} */
    const times = { seq, key: command.pressed, send: performance.now() };
    const life = setTimeout(() => this.play.view.working(true), SIGN_OF_LIFE_MS);
    const told = setTimeout(() => this.tell(command, seq), SAID_MS);
    this.play.again.hidden = true;
    film.parts = null;
    /** @type {[string, object]} */
    let sent = ['', {}];
    try {
      /** @type {Record<string, any>} */
      const body = { episode: this.play.episode, epoch, seq, t: Math.round((performance.timeOrigin + command.pressed) * 10) / 10, input: command.input };
      body.queued_ms = command.waits ? Math.max(1, Math.round(times.send - command.pressed)) : 0;
      if (film.painted) body.painted_ms = film.painted;
      sent = command.phase ? ['api/phase', body] : this.play.paged ? ['api/next', body] : ['api/act', { ...body, action: command.action }];
      const late = () => performance.now() - command.pressed > LATE_MS;
      const response = await this.play.post(...sent, undefined, { late, within: PROMPT_MS });
      times.head = performance.now();
      const { step, frames } = await stepOf(response);
      times.body = performance.now();
      clearTimeout(life);
      this.play.view.working(step.sizes.length > 1); // until its last picture is there, and what came of it is told
      this.play.picker?.busy(true);
      await film.draw(frames, step, times);
      clearTimeout(told);
      this.play.seq = step.seq;
      this.play.saved(step.saved_at);
      this.play.apply(step);
      this.play.happenedIn(step);
      film.keepPace(step);
      this.play.todo?.look();
    } catch (error) {
      if (this.play.abort.signal.aborted) return;
      const cut = error instanceof DOMException && error.name === 'AbortError'; // the reply began and did not end
      if (error instanceof NoMore || cut) await this.askWhetherItArrived(...sent, seq, epoch);
      else if (!(error instanceof Refused)) this.play.fatal(error);
      else await this.refused(error, epoch);
    } finally {
      clearTimeout(life);
      clearTimeout(told);
      this.play.view.working(false);
      this.play.picker?.busy(false);
    }
  }

  /** What is being done, where a picture of it may play already. @param {Press} press @param {number} seq */
  tell({ action, words }, seq) {
    const what = words ?? this.play.buttons[action ?? '']?.label;
    if (what) this.play.announce(say('play.doing', { step: seq, what }));
  }

  /**
   * The press may have arrived before the connection broke, and is not sent again. What is asked first, for a step that is there already, does nothing
   * and tells whether the task goes on elsewhere. Then it is opened again, which ends the epoch of what may still be under way: the step is there now,
   * and is shown, or it never will be, and that is said.
   * @param {string} path
   * @param {object} told what was sent
   * @param {number} seq the step that the press asked for
   * @param {number} epoch
   */
  async askWhetherItArrived(path, told, seq, epoch) {
    try {
      await this.play.post(path, { ...told, seq: seq - 1 }, undefined, { within: PROMPT_MS });
    } catch (error) {
      if (this.play.abort.signal.aborted) return;
      if (!(error instanceof Refused)) { this.play.fatal(error); return; }
      if (error.code === 'taken_over') { this.play.trouble(null); await this.refused(error, epoch); return; }
    }
    await this.play.open();
    if (this.play.abort.signal.aborted) return;
    this.play.trouble(null);
    if (this.play.live && this.play.seq < seq) this.miss(say('play.too_late'));
  }

  /** @param {Refused} error @param {number} epoch */
  async refused(error, epoch) {
    if (error.code === 'taken_over' && await this.play.byOurselves(epoch)) this.play.announce(say('play.brought_up'), true);
    else if (error.code === 'taken_over') this.play.takenOver();
    else if (['bad_action', 'budget_used', 'action_error', 'bad_request'].includes(error.code)) {
      this.play.announce(error.message, true);
      if (this.queue.length) this.miss(error.message); // what waits is done next, and says what came of it in the same place
    }
    else if (error.code === 'out_of_step' || error.code === 'episode_over') {
      const lost = this.forget('play.lost_out_of_step');
      await this.play.open();
      this.play.announce(say(lost ? 'play.out_of_step_lost' : 'play.out_of_step'));
    } else this.play.fatal(error);
  }

  /** Presses that wait are not done: whoever gave them saw another picture than the one they would meet. @param {string} why */
  forget(why) {
    const lost = this.queue.length;
    this.queue = [];
    this.showHowMany();
    if (lost) this.miss(say(lost === 1 ? 'play.lost_one' : 'play.lost_more', { why: say(why), n: lost }));
    return lost;
  }

  /** Say that a press was not used. It stands in a place of its own, where no step's words replace it, until the next press. @param {string} words */
  miss(words) {
    this.missed = words;
    if (!this.play.missed) return;
    this.play.missed.hidden = !words;
    this.play.missed.textContent = words;
  }

  showHowMany() {
    this.play.shell.dataset.waiting = String(this.queue.length + (this.running ? 1 : 0));
    if (!this.play.waiting) return;
    this.play.waiting.hidden = !this.queue.length;
    this.play.waiting.textContent = this.queue.length ? say('play.waiting', { n: this.queue.length }) : '';
  }

  /** Going on to the next part cannot be undone, so it is asked for twice. @param {number} pressed */
  confirmPart(pressed) {
    const dialog = this.play.dialogs.part;
    const { part, parts } = this.play.state;
    const go = h('button', { type: 'button', class: 'primary', onclick: (event) => {
      dialog.close(); this.enqueue({ phase: true }, event.timeStamp || pressed); } }, say('play.go_to_part', { part: part + 1 }));
    dialog.replaceChildren(h('h2', {}, say('play.go_to_part_asked', { part: part + 1, parts })),
      h('p', {}, say('play.go_to_part_means')),
      h('div', { class: 'row end' }, h('button', { type: 'button', onclick: () => dialog.close() }, say('play.stay')), go));
    dialog.showModal();
    go.focus();
  }
}
