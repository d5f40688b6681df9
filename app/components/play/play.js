// The play page: opens the episode, and says how it stands. What it consists of is in building.js; presses and the steps that they ask for in
// presses.js, their pictures in film.js, what is thought meanwhile in thoughts.js, the answer and the end in answering.js.
import { Answering } from './answering.js';
import { apparatus, PageEvents } from './apparatus.js';
import { PROMPT_MS, Refused, codeOf, send, sentenceOf } from './api.js';
import { GAP_PX, SIDE_PX, arrange } from './arrangement.js';
import { build } from './building.js';
import { brushOf, clock, focusedBeside, h, hostOf, the } from './dom.js';
import { Film } from './film.js';
import { Keys } from './keys.js';
import { mounting } from './mounting.js';
import { opening } from './opening.js';
import { keyed } from './pressed.js';
import { Presses, unheard } from './presses.js';
import { passing } from './shelf.js';
import { stopping } from './stop.js';
import { Thoughts } from './thoughts.js';
import { say } from './words.js';

/** One id per page load: a second tab, even a duplicated one, is another tab. */
const TAB = crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`;

/**
 * What the page gives (`play` of app/components).
 * @typedef {object} Given
 * @property {string} episode
 * @property {string} title
 * @property {string} next words on the button after the answer
 * @property {string} following where the person will be then; empty: at the end
 * @property {string} pause
 * @property {StopWords} [stop]
 * @property {string} practice
 * @property {boolean} example
 * @property {Progress | null} progress
 * @property {boolean} staff
 * @property {boolean} test
 */
/**
 * How it stands after a step; `stuck`: nothing can be done but going on or answering.
 * @typedef {Pick<Step, 'left' | 'forced' | 'objects' | 'choices' | 'reach' | 'held' | 'phase' | 'part' | 'parts'> & {next: boolean, stuck: boolean}} State
 */

export class Play {
  // made for the task when it is opened (building.js); none of them is there before
  /** @type {HTMLDivElement} */ notice;
  /** @type {boolean} */ still;
  /** @type {boolean} */ paged;
  /** @type {import('./timeleft.js').TimeLeft} */ timeLeft;
  /** @type {import('./view.js').View & Partial<Pick<import('./pictures.js').Pictures, 'showAll' | 'fit' | 'key' | 'finish'>>} */ view;
  /** @type {HTMLElement} */ header;
  /** @type {Record<string, HTMLDialogElement>} */ dialogs;
  /** @type {HTMLDivElement} */ body;
  /** @type {HTMLParagraphElement} */ probe;
  /** @type {HTMLSpanElement} */ left;
  /** @type {HTMLElement} */ full;
  /** @type {HTMLDivElement} */ forced;
  /** @type {HTMLButtonElement} */ nextPhase;
  /** @type {HTMLSpanElement} */ part;
  /** @type {HTMLSpanElement} */ forcedWords;
  /** @type {HTMLButtonElement} */ anew;
  /** @type {HTMLParagraphElement} */ problem;
  /** @type {HTMLSpanElement} */ savedAt;
  /** @type {ReturnType<typeof import('./forms.js').answerForm>} */ form;
  /** @type {State} */ state;
  /** As `api/open` gave it. @type {Task} */ task;
  /** @type {Promise<void> | null | undefined} */ opening;
  /** The scale that was told last. @type {string | null | undefined} */ told;
  /** What the picker offers. @type {string | undefined} */ offered;
  /** @type {boolean | undefined} */ wasStuck;
  /** @type {HTMLFormElement} */ answer;
  /** @type {HTMLButtonElement} */ again;
  /** @type {ReturnType<typeof import('./forms.js').confidence>} */ confidence;
  /** @type {HTMLSpanElement} */ beliefState;
  /** @type {HTMLParagraphElement} */ status;
  /** @type {HTMLParagraphElement} */ waiting;
  /** @type {HTMLParagraphElement} */ missed;
  /** @type {HTMLButtonElement} */ submit;
  /** @type {HTMLDivElement} */ pad;
  /** @type {HTMLDivElement} */ dock;
  /** @type {ResizeObserver} */ layoutWatch;
  /** @type {string[]} */ letters;
  /** @type {ReturnType<typeof import('./picker.js').objectPicker> | null} */ picker;
  /** @type {ReturnType<typeof import('./todo.js').todoList> | null} */ todo;
  /** @type {import('./pace.js').Pace | undefined} */ pace;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} trigger */
  constructor(root, data, trigger) {
    this.data = data;
    this.trigger = trigger;
    this.episode = data.episode;
    this.seq = 0;
    this.epoch = 0;
    this.live = false; // may act: open, ours, not over
    this.film = new Film(this);
    this.presses = new Presses(this);
    this.thoughts = new Thoughts(this);
    this.answering = new Answering(this);
    this.keys = new Keys([]);
    /** @type {Record<string, {button: HTMLButtonElement, short: string, label: string}>} */
    this.buttons = {};
    this.abort = new AbortController();
    this.root = root;
    this.stop = stopping({ episode: this.episode, words: data.stop, signal: this.abort.signal, stopped: () => this.leave() });
    this.stop.button.hidden = Boolean(data.staff);
    this.shell = h('div', { class: 'vantage', 'data-state': 'loading' }, this.wait(data.title), this.stop.dialog);
    root.append(this.shell);
    this.happened = new PageEvents((body) => this.post('api/event', body, () => {}, { keepalive: true }));
    this.onKey = keyed((key, event) => this.presses.keydown(key.toLowerCase(), event));
    window.addEventListener('keydown', this.onKey);
    this.channel = 'BroadcastChannel' in window ? new BroadcastChannel('vantage.episode') : null;
    if (this.channel) this.channel.onmessage = ({ data: other }) => { if (other.episode === this.episode && other.epoch > this.epoch) this.takenOver(); };
    this.open();
  }

  destroy() {
    this.abort.abort();
    this.happened.close();
    window.removeEventListener('keydown', this.onKey);
    this.shell.remove();
    this.channel?.close();
    this.layoutWatch?.disconnect();
    this.picker?.close();
    this.pace?.close();
    this.timeLeft?.stop();
    this.view?.close();
  }

  /**
   * @param {string} path
   * @param {any} [body]
   * @param {(state: Trouble) => void} [sign] as of `send`; else the page tells of trouble
   * @param {{signal?: AbortSignal, leaving?: () => void, keepalive?: boolean, late?: () => boolean, within?: number}} [how] as of `send`
   */
  post(path, body, sign, { signal, leaving, keepalive, late, within } = {}) {
    return send(path, body, { sign: sign || ((state) => this.trouble(state)), signal: signal
      ? AbortSignal.any([this.abort.signal, signal]) : this.abort.signal, leaving, keepalive, late, within });
  }

  // ------------------------------------------------------------------ opening and resuming
  open() {
    this.opening = this.reopen().finally(() => { this.opening = null; });
    return this.opening;
  }

  async reopen() {
    try {
      const response = await this.post('api/open',
        { episode: this.episode, tab: `${TAB} ${window.innerWidth}x${window.innerHeight}@${window.devicePixelRatio}`, device: apparatus() }, (state) => {
        if (this.view) this.view.say(state ? state.message : null);
        else the(this.shell, '.loading').textContent = state ? state.message : say('play.room');
      }, { within: PROMPT_MS });
      const task = /** @type {Task} */ (await response.json());
      this.task = task;
      this.seq = task.step.seq;
      this.epoch = task.epoch;
      this.happened.opened(this.episode, task.epoch);
      this.presses.forget('play.lost_reopened');
      this.channel?.postMessage({ episode: this.episode, epoch: this.epoch });
      const first = !this.view;
      if (first) build(this, task);
      this.apply(task.step);
      this.saved(task.saved_at);
      if (task.over) { this.answering.finished({ state: task.state, saved_at: task.saved_at, ended_by: task.ended_by, answered: task.answered }); return; }
      await this.showFrames(task);
      if (first) this.heard();
      this.live = true;
      this.told = null;
      this.noteScale();
      this.timeLeft.begin(task.clock.left, task.clock.limit);
      this.answering.takenBack = null; // the server says that the task goes on: nothing had arrived
      this.shell.dataset.state = 'ready';
      this.view.say(null);
      this.film.seen();
      this.refresh();
      this.happenedIn(task.step);
      this.film.keepPace(task.step);
      if (this.thoughts.unsent) this.thoughts.send(); // thought while the task was being opened
    } catch (error) {
      this.fatal(error);
    }
  }

  /** @param {Task} task */
  async showFrames(task) {
    if (this.view.showAll) {
      const fetch = async (/** @type {number} */ seq) => (await this.post(`api/frame/${encodeURIComponent(this.episode)}/${seq}?strip`)).blob();
      await this.view.showAll(task.frames, fetch);
      this.hook({ seq: task.step.seq, open: true });
      return;
    }
    // The current frame first, then the earlier ones the protocol shows: the same bytes the server stored.
    const { seq } = task.step;
    const fetchFrame = async (/** @type {number | string} */ wanted) =>
      (await this.post(`api/frame/${encodeURIComponent(this.episode)}/${wanted}${String(wanted).includes('?') ? '&' : '?'}strip`)).blob();
    const latest = await fetchFrame(seq);
    this.view.current(await this.view.draw(latest, seq, this.caption(seq, task.step)), seq);
    if (task.step.pictures > 1) {
      const earlier = await Promise.all([...Array(task.step.pictures - 1).keys()].map((index) => fetchFrame(`${seq}?index=${index}`)));
      this.film.hold([...earlier, latest]);
    }
    for (const earlier of task.frames) {
      if (earlier === seq || this.view.frames.some((frame) => frame.seq === earlier)) continue;
      this.view.remember(await createImageBitmap(await fetchFrame(earlier)), earlier);
    }
    this.hook({ seq, open: true });
  }

  /** @param {number} seq @param {Step} step */
  caption(seq, step) {
    const part = step.parts ? ` ${say('play.part', { part: step.part, parts: step.parts })}.` : '';
    if (this.paged) return `${say('play.picture', { number: seq + 1, pictures: this.task.budget })}${part}`;
    return this.still ? `${say('play.only_view')}${part}` : say('play.view', { step: seq, left: step.left, budget: this.task.budget });
  }

  /** The page's outline, until there is a view. @param {string} title */
  wait(title) { return opening({ title, words: say('play.room'), stop: this.stop.button }); }

  /** The focus was on what is gone: it goes to the question, so that it is read out. Keys act from there as from anywhere. */
  heard() {
    const held = focusedBeside(this.shell);
    const at = document.activeElement;
    if (!held && (at === document.body || at === hostOf(this.shell))) the(this.header, 'h1').focus({ preventScroll: true });
  }

  /** On to what comes next; its outline stands here until it does. */
  leave(next = '') {
    this.live = false;
    this.presses.queue = [];
    if (next) {
      this.shell.dataset.state = 'loading';
      this.shell.replaceChildren(this.wait(next), this.stop.dialog);
      the(this.shell, 'h1').focus();
    }
    this.trigger('done', this.episode);
  }

  // ------------------------------------------------------------------ how large it is

  layout() {
    if (!this.shell.clientWidth) return;
    const { width, height, history } = this.task;
    const words = the(this.header, 'h1');
    words.classList.remove('long');
    words.classList.toggle('long', words.scrollHeight > words.clientHeight + 1);
    const strip = history !== 'none' && !this.still;
    const { form, picture, strip: thumb, stays } = arrange({ width, height, room: this.shell.clientWidth, tall: window.innerHeight,
      head: this.header.offsetHeight, ratio: window.devicePixelRatio, strip, still: this.still });
    this.shell.dataset.form = form;
    this.header.classList.toggle('stays', stays);
    this.body.classList.toggle('stripped', strip);
    this.body.classList.toggle('still', this.still);
    this.shell.style.setProperty('--frame', `${picture}px`);
    this.shell.style.setProperty('--thumb', `${thumb}px`);
    if (this.view.across !== picture) this.view.resize(picture);
    this.view.snap();
    if (this.view.fit) this.gather(form, stays);
    this.noteScale();
    this.fitWords();
  }

  /**
   * Where all is shown at once, it takes the room beside the answer, so that question and answer stay in view.
   * @param {string} form
   * @param {boolean} stays
   */
  gather(form, stays) {
    const stacked = form === 'stacked';
    const room = this.shell.clientWidth;
    const across = stacked ? room : room - Math.min(360, Math.max(SIDE_PX, room * 0.27)) - GAP_PX;
    const head = stays ? this.header.offsetHeight : 0;
    this.body.classList.add('gathered');
    if (this.task.opens === 'words') { this.shell.style.setProperty('--frame', `${Math.min(across, 640)}px`); return; }
    this.shell.style.setProperty('--frame', `${Math.floor(across)}px`);
    this.view.fit?.(Math.floor(across), Math.max(240, Math.floor((window.innerHeight - head) * (stacked ? 0.6 : 1) - 2 * GAP_PX)));
  }

  /** The scale at which the picture is shown is part of what was shown: it is told when the task opens and when it changes. */
  noteScale() {
    const scale = this.view.shownAt();
    if (!this.live || this.told === scale) return;
    this.told = scale;
    this.happened.note('scaled', scale);
  }

  /** An earlier view at its full size, fetched again so that the server notes the look. @param {number} seq */
  async look(seq) {
    try {
      const blob = await (await this.post(`api/frame/${encodeURIComponent(this.episode)}/${seq}`)).blob();
      const bitmap = await createImageBitmap(blob);
      const numbered = say('view.numbered', { number: seq + 1 });
      const label = this.paged ? numbered : say('view.after', { step: seq });
      const canvas = h('canvas', { width: bitmap.width, height: bitmap.height, class: 'frame', role: 'img', 'aria-label': label });
      brushOf(canvas).drawImage(bitmap, 0, 0);
      bitmap.close();
      const dialog = this.dialogs.look;
      const close = h('button', { type: 'button', onclick: () => dialog.close() }, say('page.close'));
      dialog.replaceChildren(canvas, h('div', { class: 'row spread end' }, h('span', { class: 'note' },
        this.paged ? numbered : seq === 0 ? say('play.first_view') : say('play.after', { step: seq })), close));
      dialog.showModal();
      close.focus();
    } catch (error) {
      if (!this.abort.signal.aborted) this.announce(sentenceOf(error), true);
    }
  }

  // ------------------------------------------------------------------ what the page says
  /** Take over what a reply says about the episode's state. @param {Step} step */
  apply(step) {
    const before = this.state;
    this.state = { left: step.left, forced: step.forced, objects: step.objects || [], choices: step.choices, reach: step.reach, held: step.held || null,
      phase: step.phase, next: step.phase_next, part: step.part, parts: step.parts, stuck: step.forced || step.phase_used };
    // Whether what is thought so far is noted at this view.
    this.thoughts.probing = this.task.belief_bar && (step.seq + 1) % this.task.probe_every === 0;
    this.probe.hidden = !this.thoughts.probing || this.still;
    this.left.textContent = say('play.left', { left: step.left, budget: this.task.budget });
    const through = this.task.budget ? step.left / this.task.budget : 0;
    this.full.style.transform = `scaleX(${this.paged ? 1 - through : through})`;
    this.forced.hidden = !(step.forced || step.phase_used);
    this.stand();
    // Its place is kept while it cannot be pressed.
    this.nextPhase.hidden = !step.parts || this.paged || this.still;
    this.nextPhase.classList.toggle('gone', !step.phase_next);
    this.part.hidden = !step.parts;
    this.part.classList.toggle('begun', step.part > 1 && this.state.part !== before?.part);
    this.part.textContent = step.parts ? say('play.part', { part: step.part, parts: step.parts }) : '';
    const offered = JSON.stringify([step.objects, step.choices, step.held]);
    if (offered !== this.offered) { this.offered = offered; this.picker?.offer(); }
    if (this.state.stuck !== this.wasStuck) { this.wasStuck = this.state.stuck; this.refresh(); }
  }

  /** What is said where no view is left; in a worked example with something still to do, that it can be begun again. */
  stand() {
    const { forced } = this.state;
    const open = Boolean(forced && !this.paged && this.todo?.left().length);
    this.forcedWords.textContent = say(open ? 'tutorial.used_up' : forced ? (this.paged ? 'play.all_seen' : 'play.used_up') : 'play.part_used_up');
    this.anew.hidden = !open;
    this.problem.textContent = ''; // it was said of what stood before
  }

  /** Give a worked example back, and begin it anew. */
  async beginAgain() {
    if (!this.live) return;
    try {
      await this.presses.pumping;
      await this.post('api/again', { episode: this.episode });
      passing.forget(this.thoughts.draftKey());
      this.leave(this.data.title);
    } catch (error) {
      if (!this.abort.signal.aborted) this.announce(sentenceOf(error), true);
    }
  }

  refresh() {
    const off = !this.live || this.state?.stuck;
    // Where the task goes on elsewhere, nothing here looks as if it still did something.
    for (const part of [this.view?.strip, this.dock, this.answer]) if (part) part.inert = this.shell.dataset.state === 'taken';
    for (const [name, { button, short, label }] of Object.entries(this.buttons)) {
      button.disabled = off;
      const key = this.letters?.includes(this.keys.map[name]) ? '' : this.keys.label(name); // an answer's letter is no action's
      the(button, 'kbd').textContent = key;
      // The name begins with the words that are seen, for people who say them aloud.
      button.setAttribute('aria-label', [[short, key].filter(Boolean).join(' '), short === label ? '' : label].filter(Boolean).join(', '));
    }
    if (this.picker) {
      this.picker.button.disabled = off;
      this.picker.jump.textContent = this.keys.label('go_objects');
    }
    if (this.nextPhase) this.nextPhase.disabled = !this.live;
    if (this.submit) this.submit.disabled = !this.live;
    const jump = this.answer?.querySelector('.jump');
    if (jump) jump.textContent = this.keys.label('go_answer');
  }

  /** Say what came of an action; what failed looks so. @param {string} text */
  announce(text, failed = false) {
    if (!this.status) return;
    this.status.textContent = text;
    this.status.classList.toggle('failed', failed);
    this.fitWords();
  }

  /** The place for what is told keeps its height: what would not fit is smaller. Of what even then does not, the end is shown, since what came of it
   * stands there, with a shadow over it. */
  fitWords() {
    const told = this.status?.parentElement;
    if (!told) return;
    told.classList.remove('long');
    told.classList.toggle('long', told.scrollHeight > told.clientHeight);
    told.classList.toggle('cut', told.scrollHeight > told.clientHeight);
    told.scrollTop = told.scrollHeight;
  }

  /**
   * What came of a step: the same words when it is done and when the task is opened again after it.
   * @param {Pick<Step, 'seq' | 'words' | 'ok'>} step
   */
  happenedIn({ seq, words, ok }) { this.announce(seq && !this.still && !this.paged ? say('play.step', { step: seq, words }) : words, !ok); }

  /** @param {string} iso */
  saved(iso) { if (iso) this.savedAt.textContent = say('page.saved', { time: clock(iso) }); }

  /** A strip above the page for passing trouble; null removes it. Laid over, so nothing moves. @param {Trouble} state */
  trouble(state) {
    if (!this.notice) return;
    this.notice.hidden = !state;
    this.notice.textContent = state ? state.message : '';
    this.shell.dataset.trouble = state ? state.kind : '';
    if (unheard(state?.kind)) this.presses.forget('play.lost_offline');
  }

  takenOver() {
    // Before the page is built there is nothing to take: what opens now gets the newest epoch, or is refused.
    if (!this.view || (!this.live && this.shell.dataset.state === 'taken')) return;
    this.live = false;
    this.presses.queue = [];
    this.shell.dataset.state = 'taken';
    this.refresh();
    this.view.say(say('play.taken'),
      h('button', { type: 'button', class: 'primary', onclick: () => { this.view.say(say('page.taking_back')); this.open(); } }, say('page.continue_here')));
  }

  /** @param {unknown} error */
  fatal(error) {
    if (this.abort.signal.aborted) return;
    this.live = false;
    this.shell.dataset.state = 'stopped';
    const text = error instanceof Refused ? error.message : say('page.error');
    if (!(error instanceof Refused)) console.error(error);
    const again = codeOf(error) === 'scene_unplayable' && !this.view
      ? h('button', { type: 'button', class: 'primary', onclick: () => this.skip(again) }, say('play.skip'))
      : h('button', { type: 'button', class: 'primary', onclick: () => window.location.reload() }, say('page.reload'));
    if (this.view) this.view.say(text, again);
    else this.shell.replaceChildren(h('p', { class: 'loading', role: 'alert' }, text), again, this.stop.button, this.stop.dialog);
    this.refresh();
  }

  /** Leave a task that cannot be shown at all. @param {HTMLButtonElement} button */
  async skip(button) {
    button.disabled = true;
    try {
      await this.post('api/skip', { episode: this.episode });
      this.trigger('done', this.episode);
    } catch (error) {
      if (!this.abort.signal.aborted) this.fatal(error);
    }
  }

  /** For tests and measurements only: present when the server was started for them. @param {object} entry */
  hook(entry) {
    if (!this.data.test) return;
    window.__vantage ??= { steps: [] };
    window.__vantage.steps.push(entry);
    window.__vantage.last = entry;
  }

  /** Whether the epoch of a refused request was ended by this page itself, which opened the task again meanwhile. @param {number} epoch */
  async byOurselves(epoch) {
    await this.opening;
    return this.live && this.epoch > epoch;
  }

}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Play(parentElement, data, setTriggerValue),
  renew: (play, { setTriggerValue }) => { play.trigger = setTriggerValue; },
  same: (play, data) => play.episode === data.episode,
});
