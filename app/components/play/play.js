// The play page: opens the episode, keeps presses in order, draws what comes back, and takes the answer.
import { apparatus, PageEvents } from './apparatus.js';
import { alike } from './alike.js';
import { Refused, send, stepOf } from './api.js';
import { GAP_PX, SIDE_PX, arrange } from './arrangement.js';
import { clock, focusedBeside, h, hostOf, sleep } from './dom.js';
import { answerForm, asLines, confidence, inWords, lettersOf } from './forms.js';
import { Keys, keysDialog } from './keys.js';
import { mounting } from './mounting.js';
import { opening } from './opening.js';
import { Pace } from './pace.js';
import { keyed } from './pressed.js';
import { reportDialog } from './report.js';
import { objectPicker } from './picker.js';
import { Pictures, Words } from './pictures.js';
import { sessionBar } from './session.js';
import { passing } from './shelf.js';
import { contactLine, stopping } from './stop.js';
import { TimeLeft } from './timeleft.js';
import { todoList } from './todo.js';
import { View } from './view.js';
import { say } from './words.js';

const CELLS = [0, 1, 2, 3, 4, 5]; // of a group of buttons: two rows of three
const SIGN_OF_LIFE_MS = 80; // a slow frame shows a moving bar before 100 ms have passed
const PICTURE_MS = 200; // how long each picture on the way of an action stays: slow enough to follow, and a pour takes a second and a half
const PAINT_MS = 100; // a page that nobody sees is not painted: then nobody waits for it
const LAST_LOOKS_MS = 1500; // an answer does not wait longer for the record of what was looked at and thought
const MOST_WAITING = 3; // presses that may wait behind the step that is being done: each costs an observation that nobody has seen yet

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** What is said at the end of an episode, by its state: the keys of its words. */
const ENDED = {
  completed: ['page.answer_saved', null],
  rejected: ['page.answer_saved', null],
  returned: ['play.ended', 'page.returned'],
  withdrawn: ['play.ended', 'page.withdrawn'],
  timed_out: ['play.ended', 'page.timed_out'],
  time_limit: ['play.time_up', null],
  time_limit_kept: ['play.time_up', 'play.time_up_kept'],
  session_time: ['play.session_up', 'play.session_up_kept'],
};

/** One id per page load: a second tab, even a duplicated one, is another tab. */
const TAB = crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`;

class Play {
  constructor(root, data, trigger) {
    this.data = data;
    this.trigger = trigger;
    this.episode = data.episode;
    this.queue = [];
    this.running = false;
    this.seq = 0;
    this.epoch = 0;
    this.live = false; // may act: open, ours, not over
    this.beliefN = 0;
    this.keys = new Keys([]);
    this.buttons = {};
    this.abort = new AbortController();
    this.root = root;
    this.stop = stopping({ episode: this.episode, words: data.stop, signal: this.abort.signal, stopped: () => this.leave() });
    this.stop.button.hidden = Boolean(data.staff);
    this.shell = h('div', { class: 'vantage', 'data-state': 'loading' }, this.wait(data.title), this.stop.dialog);
    root.append(this.shell);
    this.happened = new PageEvents((body) => this.post('api/event', body, () => {}, { keepalive: true }));
    this.onKey = keyed((key, event) => this.keydown(key.toLowerCase(), event));
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
   * @param {(state: any) => void} [sign] as of `send`; else the page tells of trouble
   * @param {{signal?: AbortSignal, leaving?: () => void, keepalive?: boolean}} [how] as of `send`
   */
  post(path, body, sign, { signal, leaving, keepalive } = {}) {
    return send(path, body, { sign: sign || ((state) => this.trouble(state)), signal: signal
      ? AbortSignal.any([this.abort.signal, signal]) : this.abort.signal, leaving, keepalive });
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
        else this.shell.querySelector('.loading').textContent = state ? state.message : say('play.room');
      });
      const task = await response.json();
      this.task = task;
      this.seq = task.step.seq;
      this.epoch = task.epoch;
      this.happened.opened(this.episode, task.epoch);
      this.queue = [];
      this.channel?.postMessage({ episode: this.episode, epoch: this.epoch });
      const first = !this.view;
      if (first) this.build(task);
      this.apply(task.step);
      this.saved(task.saved_at);
      if (task.over) { this.finished({ state: task.state, saved_at: task.saved_at, ended_by: task.ended_by, answered: task.answered }); return; }
      await this.showFrames(task);
      if (first) this.heard();
      this.live = true;
      this.told = null;
      this.noteScale();
      this.timeLeft.begin(task.clock.left, task.clock.limit);
      this.takenBack = null; // the server says that the task goes on: nothing had arrived
      this.shell.dataset.state = 'ready';
      this.view.say(null);
      this.seen();
      this.refresh();
      this.happenedIn(task.step);
      this.keepPace(task.step);
      if (this.unsent) this.sendBelief(); // thought while the task was being opened
    } catch (error) {
      this.fatal(error);
    }
  }

  async showFrames(task) {
    if (this.view.showAll) {
      const fetch = async (seq) => (await this.post(`api/frame/${encodeURIComponent(this.episode)}/${seq}?strip`)).blob();
      await this.view.showAll(task.frames, fetch);
      this.hook({ seq: task.step.seq, open: true });
      return;
    }
    // The current frame first, then the earlier ones the protocol shows: the same bytes the server stored.
    const { seq } = task.step;
    const fetchFrame = async (wanted) =>
      (await this.post(`api/frame/${encodeURIComponent(this.episode)}/${wanted}${String(wanted).includes('?') ? '&' : '?'}strip`)).blob();
    const latest = await fetchFrame(seq);
    this.view.current(await this.view.draw(latest, seq, this.caption(seq, task.step)), seq);
    if (task.step.pictures > 1) {
      const earlier = await Promise.all([...Array(task.step.pictures - 1).keys()].map((index) => fetchFrame(`${seq}?index=${index}`)));
      this.film([...earlier, latest]);
    }
    for (const earlier of task.frames) {
      if (earlier === seq || this.view.frames.some((frame) => frame.seq === earlier)) continue;
      this.view.remember(await createImageBitmap(await fetchFrame(earlier)), earlier);
    }
    this.hook({ seq, open: true });
  }

  caption(seq, step) {
    const part = step.parts ? ` ${say('play.part', { part: step.part, parts: step.parts })}.` : '';
    if (this.paged) return `${say('play.picture', { number: seq + 1, pictures: this.task.budget })}${part}`;
    return this.still ? `${say('play.only_view')}${part}` : say('play.view', { step: seq, left: step.left, budget: this.task.budget });
  }

  /** The page's outline, until there is a view. */
  wait(title) { return opening({ title, words: say('play.room'), stop: this.stop.button }); }

  /** The focus was on what is gone: it goes to the question, so that it is read out. Keys act from there as from anywhere. */
  heard() {
    const held = focusedBeside(this.shell);
    if (!held && [document.body, hostOf(this.shell)].includes(document.activeElement)) this.header.querySelector('h1').focus({ preventScroll: true });
  }

  /** On to what comes next; its outline stands here until it does. */
  leave(next = '') {
    this.live = false;
    this.queue = [];
    if (next) {
      this.shell.dataset.state = 'loading';
      this.shell.replaceChildren(this.wait(next), this.stop.dialog);
      this.shell.querySelector('h1').focus();
    }
    this.trigger('done', this.episode);
  }

  // ------------------------------------------------------------------ building the page
  /** Where all is shown at once: the pictures, or the words instead of them; null: one view at a time. @returns {any} */
  atOnce({ opens, width, height, parts, told }) {
    if (opens === 'words') return new Words(told);
    if (opens !== 'grid') return null;
    const tell = (looks) => this.post('api/looks', { episode: this.episode, epoch: this.epoch, looks }, () => {});
    return new Pictures({ width, height, parts, send: tell, moved: () => this.noteScale() });
  }

  build(task) {
    const { actions, relations, keys } = task.controls;
    this.paged = task.opens === 'frames'; // pictures that exist, one after the other
    this.still = !actions.length && !this.paged; // a paradigm without actions: one view, and the answer
    const [plain, withObjects] = [actions.filter((action) => !action.form.length), actions.filter((action) => action.form.length)];
    this.keys = new Keys(keys);
    /** @type {View & Partial<Pick<Pictures, 'showAll' | 'fit' | 'key' | 'finish'>>} */
    this.view = this.atOnce(task) || new View({ width: task.width, height: task.height,
      strip: task.history === 'none' ? 0 : task.history === 'last5' ? 5 : task.budget, enlarge: task.enlarge ? (seq) => this.look(seq) : undefined,
      paged: this.paged });
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.waiting = h('p', { class: 'waiting', role: 'status', 'aria-live': 'polite', hidden: true });
    this.part = h('span', { class: 'part', hidden: true });
    this.left = h('span', { class: 'left' });
    this.full = h('i');
    this.bar = h('div', { class: 'bar', 'aria-hidden': 'true' }, this.full);
    this.savedAt = h('span', { class: 'saved', role: 'status', 'aria-live': 'off' });
    this.timeLeft = new TimeLeft({ up: () => this.timeUp(), woke: () => this.open() });
    this.notice = h('div', { class: 'notice', role: 'alert', hidden: true });
    this.form = answerForm(task.question, () => this.changed());
    this.letters = lettersOf(task.question);
    this.confidence = confidence(() => this.changed(), task.question.form === 'yes_no' ? 2 : task.question.options.length);
    this.dialogs = {
      keys: keysDialog(this.keys, [...plain.map((action) => action.name), ...(withObjects.length ? ['go_objects'] : []),
        ...(this.paged ? ['next_picture'] : [])].filter((name) => this.keys.labels[name]), () => this.refresh()),
      report: reportDialog(say('report.task_goes_on'), async (text) => (await this.post('api/report',
        { episode: this.episode, epoch: this.epoch, text })).json(), this.data.stop?.contact),
      confirm: h('dialog', { class: 'dialog', 'aria-label': say('play.final') }),
      part: h('dialog', { class: 'dialog', 'aria-label': say('play.next_part_label') }),
      look: h('dialog', { class: 'dialog look', 'aria-label': say('play.earlier') }),
      stop: this.stop.dialog,
    };
    this.header = h('header', { class: 'question' },
      h('div', { class: 'row spread top' },
        h('span', { class: 'row' }, h('span', { class: 'title' }, this.data.title || ''), this.part, sessionBar(this.data.progress)),
        h('span', { class: 'row' }, this.timeLeft.element, this.savedAt,
          this.still ? null : h('button', { type: 'button', class: 'link', onclick: () => this.dialogs.keys.showModal() }, say('keys.title')),
          h('button', { type: 'button', class: 'link', onclick: () => this.dialogs.report.showModal() }, say('report.title')), this.stop.button)),
      h('h1', { tabIndex: -1 }, asLines(task.question)),
      task.question.note ? h('p', { class: 'qnote' }, task.question.note) : null,
      this.paged ? h('p', { class: 'qnote' }, say('play.given_pictures'), task.history === 'none' ? ` ${say('play.no_way_back')}` : '') : null,
      this.data.practice && actions.length ? h('p', { class: 'qnote' }, this.data.practice) : null);
    this.pad = h('div', { class: 'pad' });
    const clusters = h('div', { class: 'clusters' });
    this.pad.append(clusters);
    this.buttons = {};
    for (const title of new Set(plain.filter((action) => action.pad).map((action) => action.pad[0]))) {
      const at = (cell) => plain.find((action) => action.pad?.[0] === title && action.pad[1] === cell);
      clusters.append(h('div', { class: 'cluster', role: 'group', 'aria-label': title }, h('span', { class: 'cluster-title', 'aria-hidden': 'true' }, title),
        h('div', { class: 'grid' }, CELLS.map((cell) => (at(cell) ? this.actionButton(at(cell)) : h('span'))))));
    }
    if (this.paged) clusters.append(...this.paging(task));
    const extra = h('div', { class: 'row wrap extra' }, plain.filter((action) => !action.pad).map((action) => this.actionButton(action)));
    this.nextPhase = h('button', { type: 'button', hidden: true, onclick: (event) => this.confirmPart(event.timeStamp) }, say('play.next_part'));
    extra.append(this.nextPhase);
    this.pad.append(extra);
    this.picker = withObjects.length ? objectPicker({ actions: withObjects, relations, view: this.view, state: () => this.state,
      tell: (text, failed) => this.announce(text, failed), act: (action, pressed) => this.enqueue({ action }, pressed) }) : null;
    if (this.picker) this.pad.append(this.picker.element);
    // Laid over a corner of the picture, so that nothing moves when it comes and goes.
    this.again = h('button', { type: 'button', class: 'again', hidden: true, onclick: () => this.watchAgain() }, say('play.watch_again'));
    this.view.element.append(this.again);
    // Over the moves that are of no use any more.
    this.forced = h('div', { class: 'forced', role: 'alert', hidden: true }, this.forcedWords = h('span'),
      this.anew = h('button', { type: 'button', hidden: true, onclick: () => this.beginAgain() }, say('tutorial.again')));
    clusters.append(this.forced);
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.submit = h('button', { type: 'submit', class: 'primary wide' }, say('play.give'));
    this.beliefState = h('span', { class: 'note', role: 'status', 'aria-live': 'polite' });
    // Of a worked example: what is still to do, ticked off by the server's record.
    this.todo = this.data.example ? todoList(async () => (await this.post(`api/todo/${encodeURIComponent(this.episode)}`)).json(), () => this.stand(),
      () => this.beginAgain()) : null;
    this.answer = h('form', { class: 'answer', 'aria-label': say('answer.your_answer'), novalidate: true,
      onsubmit: (event) => { event.preventDefault(); this.review(); } },
      this.todo?.element ?? null,
      h('div', { class: 'row spread' }, h('h2', {}, say('answer.your_answer')), h('span', { class: 'row' }, this.beliefState,
        h('kbd', { class: 'jump', title: say('page.jump') }))),
      this.probe = h('p', { class: 'note', hidden: true }, say('play.beliefs')),
      this.form.element, this.confidence.element, this.problem, this.submit);
    this.view.element.append(this.waiting);
    this.stage = h('div', { class: 'stage' }, this.view.element);
    // What came of an action stands above what one acts with; the place for it is always there.
    this.dock = h('div', { class: 'dock' }, this.still ? null : h('div', { class: 'budget' }, this.paged ? null : this.left, this.bar),
      h('div', { class: 'told' }, this.status), this.still ? null : this.pad);
    this.body = h('div', { class: 'body' }, this.view.strip, this.stage, this.dock, this.answer);
    // A radio or slider that was clicked keeps the focus, and with it the arrow keys; give both back to the camera. By keyboard they stay.
    // Only from what was clicked: by the time this runs, the focus may have been taken on by a key.
    this.body.addEventListener('pointerup', (event) => {
      const target = /** @type {Element} */ (event.target);
      const clicked = target.closest('label')?.control ?? target;
      this.givingBack = clicked;
      setTimeout(() => {
        if (this.givingBack === clicked) this.givingBack = null;
        const held = focusedBeside(this.shell);
        if (clicked.contains(held) && held.tagName === 'INPUT' && ['radio', 'range'].includes(
          /** @type {HTMLInputElement} */ (held).type)) this.view.element.focus({ preventScroll: true });
      }, 0);
    });
    this.stop.across(() => this.shell.replaceChildren(this.header, this.notice, this.body, ...Object.values(this.dialogs)));
    this.layoutWatch = new ResizeObserver(() => this.layout());
    this.layoutWatch.observe(this.shell);
    window.addEventListener('resize', () => this.layout(), { signal: this.abort.signal });
    this.layout();
    // staff plays below other parts of a page; in a low window the picture would begin under its lower edge
    if (this.data.staff) this.shell.scrollIntoView({ block: 'start' });
    this.restoreDraft(task);
  }

  /** What shows the next picture: a button with its key; where the pictures come by themselves, a line that says so. */
  paging(task) {
    if (!task.by_itself) return [h('div', { class: 'cluster next' }, this.actionButton(
      { name: 'next_picture', short: say('play.next_picture'), label: say('play.next_picture') }))];
    this.pace = new Pace({
      held: () => this.running || Boolean(this.shell.dataset.trouble) || !navigator.onLine || Object.values(this.dialogs).some((dialog) => dialog.open),
      next: () => this.enqueue({ action: 'next_picture' }, performance.now(), 'pace'),
    });
    return [h('p', { class: 'note next' }, say('play.by_itself'))];
  }

  layout() {
    if (!this.shell.clientWidth) return;
    const { width, height, history } = this.task;
    const words = this.header.querySelector('h1');
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
  }

  /** Where all is shown at once, it takes the room beside the answer, so that question and answer stay in view. */
  gather(form, stays) {
    const stacked = form === 'stacked';
    const room = this.shell.clientWidth;
    const across = stacked ? room : room - Math.min(360, Math.max(SIDE_PX, room * 0.27)) - GAP_PX;
    const head = stays ? this.header.offsetHeight : 0;
    this.body.classList.add('gathered');
    if (this.task.opens === 'words') { this.shell.style.setProperty('--frame', `${Math.min(across, 640)}px`); return; }
    this.shell.style.setProperty('--frame', `${Math.floor(across)}px`);
    this.view.fit(Math.floor(across), Math.max(240, Math.floor((window.innerHeight - head) * (stacked ? 0.6 : 1) - 2 * GAP_PX)));
  }

  /** The scale at which the picture is shown is part of what was shown: it is told when the task opens and when it changes. */
  noteScale() {
    const scale = this.view.shownAt();
    if (!this.live || this.told === scale) return;
    this.told = scale;
    this.happened.note('scaled', scale);
  }

  actionButton({ name, short, label }) {
    const button = h('button', { type: 'button', dataset: { action: name }, 'aria-label': label,
      onclick: (event) => this.enqueue({ action: name }, event.timeStamp) },
      h('span', {}, short), ' ', h('kbd', { 'aria-hidden': 'true' }));
    this.buttons[name] = { button, short, label };
    return button;
  }

  /** An earlier view at its full size, fetched again so that the server notes the look. */
  async look(seq) {
    try {
      const blob = await (await this.post(`api/frame/${encodeURIComponent(this.episode)}/${seq}`)).blob();
      const bitmap = await createImageBitmap(blob);
      const numbered = say('view.numbered', { number: seq + 1 });
      const label = this.paged ? numbered : say('view.after', { step: seq });
      const canvas = h('canvas', { width: bitmap.width, height: bitmap.height, class: 'frame', role: 'img', 'aria-label': label });
      canvas.getContext('2d', { alpha: false }).drawImage(bitmap, 0, 0);
      bitmap.close();
      const dialog = this.dialogs.look;
      const close = h('button', { type: 'button', onclick: () => dialog.close() }, say('page.close'));
      dialog.replaceChildren(canvas, h('div', { class: 'row spread end' }, h('span', { class: 'note' },
        this.paged ? numbered : seq === 0 ? say('play.first_view') : say('play.after', { step: seq })), close));
      dialog.showModal();
      close.focus();
    } catch (error) {
      if (!this.abort.signal.aborted) this.announce(error.message);
    }
  }

  // ------------------------------------------------------------------ what the page says
  /** Take over what a reply says about the episode's state. */
  apply(step) {
    const before = this.state;
    this.state = { left: step.left, forced: step.forced, objects: step.objects || [], choices: step.choices, reach: step.reach, held: step.held || null,
      phase: step.phase, next: step.phase_next, part: step.part, parts: step.parts, stuck: step.forced || step.phase_used };
    // Whether what is thought so far is noted at this view.
    this.probing = this.task.belief_bar && (step.seq + 1) % this.task.probe_every === 0;
    this.probe.hidden = !this.probing || this.still;
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
      await this.pumping;
      await this.post('api/again', { episode: this.episode });
      passing.forget(this.draftKey());
      this.leave(this.data.title);
    } catch (error) {
      if (!this.abort.signal.aborted) this.announce(error.message, true);
    }
  }

  refresh() {
    const off = !this.live || this.state?.stuck;
    // Where the task goes on elsewhere, nothing here looks as if it still did something.
    for (const part of [this.view?.strip, this.dock, this.answer]) if (part) part.inert = this.shell.dataset.state === 'taken';
    for (const [name, { button, short, label }] of Object.entries(this.buttons)) {
      button.disabled = off;
      const key = this.letters?.includes(this.keys.map[name]) ? '' : this.keys.label(name); // an answer's letter is no action's
      button.querySelector('kbd').textContent = key;
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

  /** Say what came of an action; what failed looks so. */
  announce(text, failed = false) {
    if (!this.status) return;
    this.status.textContent = text;
    this.status.classList.toggle('failed', failed);
  }

  /** What came of a step: the same words when it is done and when the task is opened again after it. */
  happenedIn({ seq, words, ok }) { this.announce(seq && !this.still && !this.paged ? say('play.step', { step: seq, words }) : words, !ok); }

  saved(iso) { if (iso) this.savedAt.textContent = say('page.saved', { time: clock(iso) }); }

  /** A strip above the page for passing trouble; null removes it. Laid over, so nothing moves. */
  trouble(state) {
    if (!this.notice) return;
    this.notice.hidden = !state;
    this.notice.textContent = state ? state.message : '';
    this.shell.dataset.trouble = state ? state.kind : '';
    if (state) this.forgetPresses('play.lost_offline');
    else if (this.status?.textContent === say('play.offline')) this.announce('');
  }

  /** Presses that wait are not done: whoever gave them saw another picture than the one they would meet. */
  forgetPresses(why) {
    const lost = this.queue.length;
    this.queue = [];
    this.showWaiting();
    if (lost) this.announce(say(lost === 1 ? 'play.lost_one' : 'play.lost_more', { why: say(why), n: lost }));
    return lost;
  }

  showWaiting() {
    this.shell.dataset.waiting = String(this.queue.length + (this.running ? 1 : 0));
    if (!this.waiting) return;
    this.waiting.hidden = !this.queue.length;
    this.waiting.textContent = this.queue.length ? say('play.waiting', { n: this.queue.length }) : '';
  }

  takenOver() {
    // Before the page is built there is nothing to take: what opens now gets the newest epoch, or is refused.
    if (!this.view || (!this.live && this.shell.dataset.state === 'taken')) return;
    this.live = false;
    this.queue = [];
    this.shell.dataset.state = 'taken';
    this.refresh();
    this.view.say(say('play.taken'),
      h('button', { type: 'button', class: 'primary', onclick: () => { this.view.say(say('page.taking_back')); this.open(); } }, say('page.continue_here')));
  }

  fatal(error) {
    if (this.abort.signal.aborted) return;
    this.live = false;
    this.shell.dataset.state = 'stopped';
    const text = error instanceof Refused ? error.message : say('page.error');
    if (!(error instanceof Refused)) console.error(error);
    const again = error.code === 'scene_unplayable' && !this.view
      ? h('button', { type: 'button', class: 'primary', onclick: () => this.skip(again) }, say('play.skip'))
      : h('button', { type: 'button', class: 'primary', onclick: () => window.location.reload() }, say('page.reload'));
    if (this.view) this.view.say(text, again);
    else this.shell.replaceChildren(h('p', { class: 'loading', role: 'alert' }, text), again, this.stop.button, this.stop.dialog);
    this.refresh();
  }

  /** Leave a task that cannot be shown at all. */
  async skip(button) {
    button.disabled = true;
    try {
      await this.post('api/skip', { episode: this.episode });
      this.trigger('done', this.episode);
    } catch (error) {
      if (!this.abort.signal.aborted) this.fatal(error);
    }
  }

  // ------------------------------------------------------------------ acting
  keydown(key, event) {
    if (!this.live || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (Object.values(this.dialogs || {}).some((dialog) => dialog.open)) return;
    const target = event.composedPath()[0];
    const tag = target?.tagName || '';
    const typing = tag === 'TEXTAREA' || tag === 'SELECT' || target?.isContentEditable
      || (tag === 'INPUT' && !['radio', 'range', 'checkbox'].includes(target.type));
    if (key === 'escape') {
      if (this.view.key?.(key, event)) return;
      this.forgetPresses('play.lost_stopped');
      this.picker?.rest();
      if (this.shell.contains(target)) { target.blur?.(); this.view.element.focus(); }
      return;
    }
    if (typing) return;
    const arrows = key.startsWith('arrow') || key.startsWith('page');
    if (arrows && tag === 'INPUT' && !this.givingBack?.contains(target)) return; // the slider's and the options' own keys
    if ((this.keys.enabled || key.length > 1) && !this.letters.includes(key) && this.view.key?.(key, event)) return;
    if (/^[0-9]$/.test(key)) { if (!event.repeat && this.form.digit(Number(key), event.timeStamp)) event.preventDefault(); return; }
    if (!this.keys.enabled) return;
    if (this.letters.includes(key)) { if (!event.repeat && this.form.digit(key, event.timeStamp)) event.preventDefault(); return; }
    const action = this.keys.action(key);
    if (!action) return;
    if (action === 'go_answer') { event.preventDefault(); this.goAnswer(); return; }
    if (action === 'go_objects') {
      if (this.picker) { event.preventDefault(); this.picker.verb.focus(); }
      return;
    }
    const button = this.buttons[action]?.button;
    if (!button) return;
    event.preventDefault();
    if (event.repeat) return; // every step costs an observation: one press, one step
    if (this.state.stuck) { this.announce(this.forcedWords.textContent); return; }
    button.classList.add('pressed');
    setTimeout(() => button.classList.remove('pressed'), 120);
    this.enqueue({ action }, event.timeStamp, 'key');
  }

  goAnswer() {
    this.answer.scrollIntoView({ block: 'nearest' });
    this.form.focus();
  }

  enqueue(command, pressed, input = this.happened.pressedBy()) {
    if (!this.live) return;
    if (this.shell.dataset.trouble || !navigator.onLine) { this.announce(say('play.offline'), true); return; }
    if (this.queue.length >= MOST_WAITING) { this.announce(say('play.most_waiting', { n: MOST_WAITING }), true); return; }
    this.queue.push({ ...command, pressed, input, waits: this.running || this.queue.length > 0 || !this.painted });
    this.showWaiting();
    this.pump();
  }

  pump() {
    if (this.running) return;
    this.pumping = this.steps().finally(() => { this.pumping = null; });
  }

  async steps() {
    this.running = true;
    try {
      while (this.queue.length && this.live) {
        if (this.state.stuck && !(this.queue[0].phase && !this.state.forced)) {
          this.forgetPresses('play.lost_no_views');
          break;
        }
        const next = this.queue.shift();
        this.showWaiting();
        await this.step(next);
      }
    } finally {
      this.running = false;
      this.showWaiting();
    }
  }

  async step(command) {
    const seq = this.seq + 1;
    const { epoch } = this;
    if (!this.painted && this.painting) await Promise.race([this.painting, sleep(PAINT_MS)]); // only a press that waited comes so soon
    const times = { seq, key: command.pressed, send: performance.now() };
    const life = setTimeout(() => this.view.working(true), SIGN_OF_LIFE_MS);
    this.again.hidden = true;
    this.parts = null;
    try {
      const body = { episode: this.episode, epoch, seq, t: Math.round((performance.timeOrigin + command.pressed) * 10) / 10, input: command.input };
      body.queued_ms = command.waits ? Math.max(1, Math.round(times.send - command.pressed)) : 0;
      if (this.painted) body.painted_ms = this.painted;
      const [path, told] = command.phase ? ['api/phase', body] : this.paged ? ['api/next', body] : ['api/act', { ...body, action: command.action }];
      const response = await this.post(path, told);
      times.head = performance.now();
      const { step, frames } = await stepOf(response);
      times.body = performance.now();
      clearTimeout(life);
      this.view.working(false);
      this.picker?.busy(true);
      await this.draw(frames, step, times);
      this.seq = step.seq;
      this.saved(step.saved_at);
      this.apply(step);
      this.happenedIn(step);
      this.keepPace(step);
      this.todo?.look();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (!(error instanceof Refused)) { this.fatal(error); return; }
      await this.refused(error, epoch);
    } finally {
      clearTimeout(life);
      this.view.working(false);
      this.picker?.busy(false);
    }
  }

  async refused(error, epoch) {
    if (error.code === 'taken_over' && await this.byOurselves(epoch)) this.announce(say('play.brought_up'), true);
    else if (error.code === 'taken_over') this.takenOver();
    else if (['bad_action', 'budget_used', 'action_error', 'bad_request'].includes(error.code)) this.announce(error.message, true);
    else if (error.code === 'out_of_step' || error.code === 'episode_over') {
      const lost = this.forgetPresses('play.lost_out_of_step');
      await this.open();
      this.announce(say(lost ? 'play.out_of_step_lost' : 'play.out_of_step'));
    } else this.fatal(error);
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

  /** The partner's pace counts from when the picture is on the screen: nobody has less time to look than the partner had. */
  async keepPace(step) {
    await this.painting;
    if (!this.abort.signal.aborted && this.seq === step.seq) this.pace?.begin(step.next_ms);
  }

  async draw(blob, step, times) {
    // A step may bring several frames (a slide, a pour); they play in order, presses wait, and the last one is the observation.
    const { sizes } = step;
    const parts = sizes.length === 1 ? [blob] : sizes.map((size, index) => blob.slice(sum(sizes.slice(0, index)), sum(sizes.slice(0, index + 1)),
      'image/webp'));
    times.pictures = [];
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1;
      const bitmap = await this.view.draw(part, step.seq, this.caption(step.seq, step));
      times.pictures.push(performance.now());
      if (last) {
        this.film(parts);
        times.drawn = performance.now();
        this.seen((painted) => {
          times.painted = painted;
          this.hook({ ...times, timing: step.timing });
          this.view.current(bitmap, step.seq);
        });
      } else {
        bitmap.close();
        await sleep(PICTURE_MS);
      }
    }
  }

  /** The pictures of the current step; several can be watched again, which costs nothing and changes nothing. */
  film(parts) {
    this.parts = parts;
    this.again.hidden = true;
    if (parts.length > 1) void alike(parts).then((still) => { if (this.parts === parts) this.again.hidden = still; });
  }

  async watchAgain() {
    if (this.running || !this.parts) return;
    this.happened.note('watched_again');
    this.running = true; // presses wait, as while a step is done
    this.again.disabled = true;
    this.picker?.busy(true);
    try {
      const label = this.view.canvas.getAttribute('aria-label');
      for (const [index, part] of this.parts.entries()) {
        if (index) await sleep(PICTURE_MS);
        (await this.view.draw(part, this.seq, label)).close();
      }
    } finally {
      this.running = false;
      this.again.disabled = false;
      this.picker?.busy(false);
    }
    this.pump();
  }

  /** For tests and measurements only: present when the server was started for them. */
  hook(entry) {
    if (!this.data.test) return;
    window.__vantage ??= { steps: [] };
    window.__vantage.steps.push(entry);
    window.__vantage.last = entry;
  }

  // ------------------------------------------------------------------ beliefs and the answer
  draftKey() { return `vantage.draft.${this.episode}`; }

  changed() {
    this.problem.textContent = '';
    this.thought = Date.now();
    const draft = { answer: (this.form.partial || this.form.value)(), confidence: this.confidence.value() };
    passing.keep(this.draftKey(), draft);
    if (!this.probing) return;
    this.beliefState.textContent = '…';
    clearTimeout(this.beliefTimer);
    this.beliefTimer = setTimeout(() => this.sendBelief(), this.task.question.form === 'free_text' ? 900 : 250);
  }

  restoreDraft(task) {
    const draft = passing.read(this.draftKey()) || (task.belief ? { answer: task.belief.answer, confidence: task.belief.confidence } : null);
    this.beliefN = task.belief?.n || 0;
    if (!draft) return;
    if (draft.answer !== null && draft.answer !== undefined) this.form.set(draft.answer);
    this.confidence.set(draft.confidence);
  }

  /** Note what is thought now; one request at a time, so that what is kept last is what was thought last. */
  sendBelief() {
    this.unsent = true;
    this.noting ??= this.notes().finally(() => { this.noting = null; });
    return this.noting;
  }

  async notes() {
    while (this.unsent && this.live) {
      this.unsent = false;
      await this.note();
    }
  }

  async note() {
    const answer = (this.form.partial || this.form.value)();
    const sure = this.confidence.value();
    if (!this.probing || (answer === null && sure === null)) { this.beliefState.textContent = ''; return; }
    this.beliefN += 1;
    const { epoch } = this;
    try {
      const reply = await (await this.post('api/belief', { episode: this.episode, epoch, n: this.beliefN, answer, confidence: sure, t: this.thought })).json();
      if (!this.unsent) this.beliefState.textContent = say('play.noted', { time: clock(reply.saved_at) });
      this.saved(reply.saved_at);
      this.todo?.look();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (error.code === 'taken_over' && await this.byOurselves(epoch)) this.unsent = true;
      else if (error.code === 'taken_over') this.takenOver();
      else if (error.code === 'episode_over') this.open();
      else this.beliefState.textContent = error.message;
    }
  }

  /** Whether the epoch of a refused request was ended by this page itself, which opened the task again meanwhile. */
  async byOurselves(epoch) {
    await this.opening;
    return this.live && this.epoch > epoch;
  }

  /** A press on the answer's button is done as soon as it can be: a step on its way ends first, and the server is asked what is still to do. */
  async review() {
    if (this.reviewing) return;
    this.reviewing = true;
    try {
      await this.opening;
      await this.pumping;
      if (this.live && this.given() && this.todo?.left().length) await this.todo.look();
    } finally {
      this.reviewing = false;
    }
    if (this.live) this.confirmGiven(); // where it is not, the page says why in the picture's place
  }

  /** The answer and how sure, or null after saying what is missing. */
  given() {
    const answer = this.form.value();
    const sure = this.confidence.value();
    if (answer === null) { this.problem.textContent = this.form.missing(); this.form.focus(); return null; }
    if (sure === null && this.task.confidence_required) {
      this.problem.textContent = say('page.also_confidence');
      this.confidence.focus();
      return null;
    }
    return { answer, sure };
  }

  confirmGiven() {
    const given = this.given();
    if (!given) return;
    if (this.todo?.left().length) {
      this.problem.textContent = say('tutorial.first', { things: this.todo.left().join('; ') });
      return;
    }
    if (this.paged && !this.task.early_answer && this.state.left) {
      this.problem.textContent = say('play.look_first', { number: this.seq + 1, pictures: this.task.budget });
      return;
    }
    if (this.data.practice && !this.still && !this.paged && this.seq === 0) {
      this.problem.textContent = say('play.move_first');
      return;
    }
    this.confirmAnswer(given.answer, given.sure);
  }

  /** Ask once more, then send. Until an attempt leaves, and again while one has failed, it can be taken back; in between the page says that it cannot. */
  confirmAnswer(answer, sure) {
    const dialog = this.dialogs.confirm;
    const problem = h('p', { class: 'problem', role: 'alert' });
    const unseen = !this.still && !this.paged && Boolean(this.state.parts) && this.state.part < this.state.parts;
    const note = h('p', { class: 'note', role: 'status', 'aria-live': 'polite' }, say('play.cannot_change'));
    let sending = null; // set from Submit until the server's word
    let leaving = false; // an attempt is on its way: it may be stored at any moment
    let failed = false; // an attempt has failed: the page tries again by itself
    let wished = false; // it is to be taken back as soon as the attempt on its way has failed
    const show = (words) => {
      note.textContent = words;
      back.disabled = leaving && !failed;
      back.textContent = say(sending ? 'play.take_it_back' : 'play.not_yet');
      go.disabled = Boolean(sending);
    };
    const leave = () => {
      if (leaving) {
        wished = failed;
        if (wished) show(say('play.taking_back'));
        return;
      }
      const taken = sending;
      sending = null;
      taken?.abort();
      dialog.close();
      if (taken) this.tookBack(answer);
    };
    const back = h('button', { type: 'button', onclick: leave }, say('play.not_yet'));
    const go = h('button', { type: 'button', class: 'primary', onclick: async () => {
      const submitted = Date.now();
      const mine = new AbortController();
      sending = mine;
      failed = wished = false;
      clearTimeout(this.beliefTimer);
      problem.textContent = '';
      const trouble = (state) => {
        this.trouble(state);
        if (sending !== mine || !state) return;
        leaving = false;
        failed = true;
        if (wished) { leave(); return; }
        show(say('play.not_saved', { problem: state.message }));
      };
      const sets = () => { leaving = true; if (!failed) show(say('play.sending')); };
      try {
        this.unsent = false; // the answer says it
        await Promise.race([Promise.all([this.view.finish?.(), this.noting]), sleep(LAST_LOOKS_MS)]);
        const reply = await (await this.post('api/answer', { episode: this.episode, epoch: this.epoch, answer, confidence: sure, t: submitted }, trouble,
          { signal: mine.signal, leaving: sets })).json();
        leaving = false;
        sending = null;
        dialog.close();
        this.finished(reply);
      } catch (error) {
        if (this.abort.signal.aborted || mine.signal.aborted) return;
        leaving = false;
        sending = null;
        show(say('play.cannot_change'));
        if (error.code === 'taken_over') { dialog.close(); this.takenOver(); } else if (error.code === 'episode_over') {
          dialog.close(); this.open(); } else problem.textContent = error.message;
      }
    } }, say('play.submit'));
    // Escape is "Not yet", and as little possible while an attempt is on its way.
    dialog.onkeydown = keyed((key, event) => { if (key === 'Escape') { event.preventDefault(); event.stopPropagation(); leave(); } });
    dialog.oncancel = (event) => { event.preventDefault(); leave(); };
    dialog.replaceChildren(h('h2', {}, say('play.final')),
      h('p', { class: 'final' }, inWords(answer, this.task.question)),
      h('p', { class: 'unseen', hidden: !unseen }, unseen ? say('play.unseen', { part: this.state.part, parts: this.state.parts }) : ''),
      h('p', {}, sure === null ? say('play.no_confidence') : say('play.confidence', { n: sure })),
      note, problem,
      h('div', { class: 'row end' }, back, go));
    dialog.showModal();
    (unseen ? back : go).focus();
  }

  /** A submission was taken back after an attempt had failed. Its request may have arrived with only the reply lost, so the server is asked. */
  tookBack(answer) {
    this.takenBack = answer;
    this.trouble(null);
    this.announce(say('play.took_back'));
    this.open();
  }

  /** Going on to the next part cannot be undone, so it is asked for twice. */
  confirmPart(pressed) {
    const dialog = this.dialogs.part;
    const { part, parts } = this.state;
    const go = h('button', { type: 'button', class: 'primary', onclick: (event) => {
      dialog.close(); this.enqueue({ phase: true }, event.timeStamp || pressed); } }, say('play.go_to_part', { part: part + 1 }));
    dialog.replaceChildren(h('h2', {}, say('play.go_to_part_asked', { part: part + 1, parts })),
      h('p', {}, say('play.go_to_part_means')),
      h('div', { class: 'row end' }, h('button', { type: 'button', onclick: () => dialog.close() }, say('play.stay')), go));
    dialog.showModal();
    go.focus();
  }

  /** The time is up by this page's clock: whether it is, the server's says; what stands here goes with the question. */
  async timeUp() {
    if (!this.live) return;
    clearTimeout(this.beliefTimer);
    this.announce(say('play.time_asking'));
    try {
      await Promise.race([Promise.all([this.happened.line, this.noting]), sleep(LAST_LOOKS_MS)]);
      const draft = { answer: (this.form.partial || this.form.value)(), confidence: this.confidence.value() };
      const { left } = await (await this.post('api/time', { episode: this.episode, epoch: this.epoch, ...draft })).json();
      if (this.shell.dataset.state === 'finished') return; // the answer was on its way
      this.announce('');
      if (left !== null) { this.timeLeft.begin(left, this.task.clock.limit); return; }
      await this.pumping;
      for (const dialog of Object.values(this.dialogs)) if (dialog.open) dialog.close();
      await this.open();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (error.code === 'taken_over') this.takenOver(); else this.fatal(error);
    }
  }

  finished(reply) {
    this.live = false;
    this.timeLeft?.stop();
    this.happened.over();
    this.queue = [];
    this.shell.dataset.state = 'finished';
    passing.forget(this.draftKey());
    const feedback = reply.feedback ? h('p', { class: 'final' }, reply.feedback.correct
      ? say('page.right') : say('play.was_wrong', { answer: inWords(reply.answer, this.task.question),
      right: inWords(reply.feedback.right_answer, this.task.question) })) : null;
    const next = h('button', { type: 'button', class: 'primary', onclick: () => { next.disabled = true; this.leave(this.data.following); } },
      this.data.next || say('page.continue'));
    const [title, how] = ENDED[reply.ended_by === 'time_limit' && reply.answered ? 'time_limit_kept' : reply.ended_by || reply.state] || ['play.over', null];
    const why = this.takenBack ? say('play.had_arrived', { answer: inWords(this.takenBack, this.task.question) }) : how && say(how);
    const box = h('section', { class: 'done' }, h('h1', {}, say(title)), why ? h('p', {}, why) : null,
      h('p', { class: 'note' }, say('page.saved', { time: clock(reply.saved_at) })), feedback, this.data.pause ? h('p', {}, this.data.pause) : null,
      reply.comes_again ? h('p', {}, say('tutorial.comes_again')) : null, next, contactLine(this.data.stop?.contact));
    this.shell.replaceChildren(...[box, this.data.following || this.data.example ? h('p', { class: 'leave' }, this.stop.button) : null,
      this.stop.dialog].filter(Boolean));
    next.focus();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Play(parentElement, data, setTriggerValue),
  renew: (play, { setTriggerValue }) => { play.trigger = setTriggerValue; },
  same: (play, data) => play.episode === data.episode,
});
