// Verifying a task: the first view and the question alone, then, once the server has stored what one can already tell, all the evidence and
// a verdict on three axes. Whatever the page does not know yet, this file does not have: the server sends it stage by stage.
import { LONG_MS, codeOf, send, sentenceOf } from './api.js';
import { Busy } from './busy.js';
import { h, the } from './dom.js';
import { answerForm, confidence } from './forms.js';
import { mounting } from './mounting.js';
import { keyed } from './pressed.js';
import { Shortcuts } from './shortcuts.js';
import { draftOfVerdict } from './verdictdraft.js';
import { Evidence, whole } from './verifyevidence.js';
import { guideDialog, pastDialog } from './verifyguide.js';

/** After so long without a change what was chosen goes to the server (ms). */
const DRAFT_MS = 300;
const ALL_PASS = 'All three pass. Enter saves it.';
const LOOK_KEYS = [['Y', 'I can tell'], ['X', 'I cannot'], ['1–9', 'choose'], ['← →', 'how sure'], ['Enter', 'go on']];
const JUDGE_KEYS = [['← →', 'views'], ['Y', 'passes'], ['X', 'fails'], ['↑ ↓', 'axis'], ['1–9', 'reason'], ['W', 'note'], ['S', 'step in'],
  ['Enter', 'all pass, save']];

/** @typedef {{verification: string, axes: JudgedAxis[], reason: number, comment: number, ended: string[]}} Given (`verify` of app/components) */
/**
 * What was chosen so far, as it is kept on the server.
 * @typedef {object} Draft
 * @property {string} [stage]
 * @property {string} [told]
 * @property {Answer | null} [answer]
 * @property {number | null} [confidence]
 * @property {Partial<Record<string, AxisVote>>} [votes]
 * @property {string} [note]
 * @property {number} [n] which view was looked at
 */
/**
 * The task before somebody, as far as it is released.
 * @typedef {object} Item
 * @property {string} review
 * @property {string} stage
 * @property {FirstView} first
 * @property {Draft | null} draft
 * @property {Released} rest from the second stage on
 * @property {string} said
 */
/** @typedef {{yours: Record<string, boolean>, right: Record<string, boolean>, explains: string, agrees: boolean}} Feedback on an exercise */
/** @typedef {{item: Item | null, nothing: string, where: string, undo: string, feedback?: Feedback | null}} Standing what is before somebody now */
/** @typedef {{element: HTMLElement, buttons: HTMLButtonElement[], boxes: HTMLLabelElement[], reasons: HTMLDivElement}} Card of an axis */

class Verify extends Busy {
  /** @type {Map<string, HTMLButtonElement>} */ can;
  /** @type {HTMLDivElement} */ panel;
  /** @type {ReturnType<typeof answerForm>} */ form;
  /** @type {ReturnType<typeof confidence>} */ sure;
  /** @type {HTMLButtonElement} */ submit;
  /** @type {Record<string, AxisVote>} */ votes;
  /** @type {Item | null} */ item;
  /** @type {Standing | undefined} */ told;
  /** What comes after the feedback on an exercise. @type {Standing | null} */ ready;
  /** What was chosen and not yet sent as a verdict. @type {Draft} */ draft;
  /** Whether the first view tells it: yes, no, or nothing yet. @type {string} */ toldBy;
  /** Which axis the keys judge. @type {number} */ axis;
  /** @type {Card[]} */ cards;
  /** @type {HTMLButtonElement | undefined} */ giveUp;
  /** @type {HTMLTextAreaElement} */ note;
  /** @type {Evidence} */ evidence;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} trigger */
  constructor(root, data, trigger) {
    super();
    this.data = data;
    this.trigger = trigger;
    this.shell = h('div', { class: 'vantage judge verify', dataset: { stage: 'loading' } });
    this.busy = false;
    root.append(this.shell);
    this.keys = new Shortcuts((key, event) => this.#key(key, event), () => this.shell.isConnected, ['judging', 'verifying']);
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.abort = new AbortController();
    this.drafting = draftOfVerdict({ keep: () => this.#keep(), rest: DRAFT_MS, status: this.status, say: (words) => this.#say(words),
      busy: () => this.busy, signal: this.abort.signal });
    this.#next();
  }

  // ---------------------------------------------------------------- talking to the server

  /**
   * One request; the page that follows, or what was refused. Nothing is sent twice meanwhile.
   * @param {string} path
   * @param {object} body
   * @param {(told: Standing) => void} after
   */
  async #ask(path, body, after) {
    if (this.busy) return;
    this.busy = true;
    this.#say('');
    this.status.textContent = 'Saving…';
    this.drafting.hold();
    try {
      const response = await send(path, body, { signal: this.abort.signal, sign: (state) => { this.status.textContent = state ? state.message : ''; } });
      const told = await response.json();
      this.busy = false;
      this.status.textContent = '';
      this.drafting.release(true);
      after(told);
    } catch (error) {
      this.busy = false;
      this.status.textContent = '';
      if (this.abort.signal.aborted) return;
      this.drafting.release(false);
      this.#refused(error);
    }
  }

  #next() { this.#ask('api/verify/next', { verification: this.data.verification }, (told) => this.#show(told)); }

  /** @param {unknown} error */
  #refused(error) {
    if (!this.item) { this.#drawNothing(sentenceOf(error)); return; }
    this.#say(sentenceOf(error));
    // The review has ended: what was chosen stands on the page still, and the way on beside it.
    if (this.data.ended.includes(codeOf(error))) {
      this.problem.append(' ', h('button', { type: 'button', class: 'link', onclick: () => { this.item = null; this.#next(); } },
        'Go on with what comes next'));
    }
  }

  /** @param {Standing} told */
  #show(told) {
    this.told = told;
    this.item = told.item;
    if (!this.item) { this.#drawNothing(told.nothing); return; }
    // a draft belongs to the stage in which it was made
    this.draft = this.item.draft?.stage === this.item.stage ? this.item.draft : {};
    if (this.item.stage === 'first_view') this.#drawLook(); else this.#drawJudge();
  }

  /** The task that is shown. */
  get #here() {
    if (!this.item) throw new Error('There is no task here.');
    return this.item;
  }

  // ---------------------------------------------------------------- frames of the page

  /** @param {string} stage @param {string} title @param {...(Node | string)} children */
  #page(stage, title, ...children) {
    this.shell.dataset.stage = stage;
    this.shell.replaceChildren(this.#head(title), ...children);
    // who goes by keyboard begins at the top of what is new
    const heading = the(this.shell, 'h2');
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }

  /** @param {string} title */
  #head(title) {
    const { told } = this;
    /** @type {(key: string, words: string, act: () => void) => HTMLButtonElement} */
    const link = (key, words, act) => h('button', { type: 'button', class: 'link', onclick: act }, words, h('kbd', { 'aria-hidden': 'true' }, key));
    return h('div', { class: 'head' },
      h('h2', {}, title),
      h('p', { class: 'note' }, told ? told.where : ''),
      h('div', { class: 'ways' },
        told && told.undo ? link('U', 'Take the last verdict back', () => this.#undo()) : null,
        link('G', 'Guide', () => this.#guide()), link('H', 'Your work', () => this.#past())));
  }

  /** @param {string} sentence */
  #drawNothing(sentence) {
    this.#page('nothing', 'Nothing to verify now', h('p', {}, sentence),
      h('div', { class: 'row' }, h('button', { type: 'button', class: 'primary', onclick: () => this.#next() }, 'Look again'), this.status), this.problem);
  }

  /** What is wrong or what is kept, and the way on: at the lower edge of the window as long as the rest is longer than it. */
  #foot() { return h('div', { class: 'foot' }, h('div', { class: 'row end' }, this.problem, this.status, this.submit)); }

  #aside() {
    const why = h('input', { type: 'text', maxlength: String(this.data.reason), 'aria-label': 'Why you cannot judge it',
      placeholder: 'Why: I know this scene, I made something like it, …' });
    const give = () => {
      if (!why.value.trim()) { this.#say('Say in a few words why you cannot judge it.'); why.focus(); return; }
      this.#ask('api/verify/skip', { review: this.#here.review, why: why.value.trim() }, (told) => this.#show(told));
    };
    const form = h('span', { class: 'skip', hidden: true }, why, h('button', { type: 'button', onclick: give }, 'Give it to somebody else'),
      h('button', { type: 'button', class: 'link', onclick: () => close() }, 'Cancel'));
    const open = h('button', { type: 'button', class: 'link', onclick: () => { form.hidden = false; open.hidden = true; why.focus(); } },
      'I cannot judge this', h('kbd', { 'aria-hidden': 'true' }, 'Z'));
    const close = () => { form.hidden = true; open.hidden = false; open.focus(); };
    why.addEventListener('keydown', keyed((key, event) => { if (key === 'Enter') { event.preventDefault(); give(); } if (key === 'Escape') close(); }));
    this.giveUp = open;
    return h('div', { class: 'aside' }, open, form);
  }

  // ---------------------------------------------------------------- the first view

  #drawLook() {
    const item = this.#here;
    this.toldBy = this.draft.told || '';
    this.form = answerForm({ ...item.first, text: item.first.question, stacked: false }, () => this.#changed());
    if (this.draft.answer !== undefined) this.form.set(this.draft.answer);
    this.sure = confidence(() => this.#changed());
    this.sure.set(this.draft.confidence);
    this.can = new Map([['yes', 'Yes, the first view tells it', 'Y'], ['no', 'No, one has to look further', 'X']].map(([vote, words, key]) =>
      [vote, h('button', { type: 'button', onclick: () => this.#tell(vote) }, words, h('kbd', { 'aria-hidden': 'true' }, key))]));
    this.submit = h('button', { type: 'button', class: 'primary', onclick: () => this.#look() }, 'Go on');
    this.panel = h('div', { class: 'panel' }, h('p', { class: 'ask' }, ''), this.form.element, this.sure.element);
    this.#page('look', item.first.question,
      h('div', { class: 'sides' },
        h('div', { class: 'shown' }, item.first.pictures.length ? item.first.pictures.map((one, n) =>
          whole(one, `First view${item.first.pictures.length > 1 ? `, ${n + 1}` : ''}`))
          : h('p', { class: 'missing' }, 'No first view of this task is kept yet.'), item.first.note ? h('p', { class: 'note' }, item.first.note) : null),
        h('div', { class: 'said' }, h('p', { class: 'ask' }, 'Can you already tell?'), h('div', { class: 'verdicts' }, [...this.can.values()]),
          this.panel, this.#foot(), this.#aside())),
      this.keys.line(LOOK_KEYS));
    this.#syncLook();
  }

  /** @param {string} vote */
  #tell(vote) {
    this.toldBy = vote;
    this.#changed();
    this.#say('');
  }

  #syncLook() {
    for (const [vote, button] of this.can) button.setAttribute('aria-pressed', String(this.toldBy === vote));
    this.panel.hidden = !this.toldBy;
    the(this.panel, '.ask').textContent = this.toldBy === 'yes' ? 'Your answer, and how sure you are' : 'If you would guess: what? It may stay empty.';
  }

  #look() {
    const answer = this.form.value();
    if (!this.toldBy) { this.#say('Say first whether the first view tells it.'); this.can.get('yes')?.focus(); return; }
    if (this.toldBy === 'yes' && answer === null) { this.#say(this.form.missing()); this.form.focus(); return; }
    if (this.toldBy === 'yes' && this.sure.value() === null) { this.#say('Say how sure you are.'); this.sure.focus(); return; }
    const body = { review: this.#here.review, told: this.toldBy, answer, confidence: answer === null ? null : this.sure.value() };
    this.#ask('api/verify/look', body, (told) => this.#show(told));
  }

  // ---------------------------------------------------------------- all the evidence

  #drawJudge() {
    const item = this.#here;
    this.votes = Object.fromEntries(this.data.axes.map(({ name }) => [name, { vote: '', reasons: [], ...(this.draft.votes || {})[name] }]));
    this.axis = 0;
    this.evidence?.close();
    this.evidence = new Evidence(item, { at: this.draft.n ?? 0, changed: () => this.#changed(), stepIn: (n) => this.#stepIn(n),
      masks: `api/verify/mask/${item.review}/` });
    this.note = h('textarea', { rows: '2', maxlength: String(this.data.comment), 'aria-label': 'Note', placeholder: 'Note, if you like',
      oninput: () => this.#changed() });
    this.note.value = this.draft.note || '';
    this.note.addEventListener('keydown', keyed((key, event) => { if (key === 'Escape') this.submit.focus();
      if (key === 'Enter' && event.ctrlKey) { event.preventDefault(); this.#judge(); } }));
    this.submit = h('button', { type: 'button', class: 'primary', onclick: () => this.#judge() }, '');
    this.cards = this.data.axes.map((axis, n) => this.#card(axis, n));
    const { rest } = item;
    this.#page('judge', item.first.question,
      h('div', { class: 'sides' },
        h('div', { class: 'shown' }, this.evidence.element),
        h('div', { class: 'said' },
          h('dl', { class: 'answers' }, h('dt', {}, 'Proposed answer'), h('dd', {}, h('b', {}, rest.answers[0]),
            rest.answers.length > 1 ? ` or ${rest.answers.slice(1).join(', ')}` : '', rest.derivation ? h('small', {}, rest.derivation) : null),
            rest.evidence?.derived ? [h('dt', {}, 'By the state'), h('dd', {}, rest.evidence.derived)] : [],
            h('dt', {}, 'You said'), h('dd', {}, item.said),
            rest.fidelity ? [h('dt', {}, 'Its scene'), h('dd', { class: 'fidelity' }, rest.fidelity)] : []),
          rest.flags.length ? h('ul', { class: 'flags' }, rest.flags.map((flag) =>
            h('li', { dataset: { severity: flag.severity } }, h('b', {}, flag.severity), ` ${flag.text}`))) : null,
          this.cards.map((card) => card.element), this.note,
          this.#foot(), this.#aside())),
      this.keys.line(JUDGE_KEYS));
    this.#syncJudge();
  }

  /** One axis: its lines of the checklist, pass or fail, and the reasons. @param {JudgedAxis} axis @param {number} n */
  #card(axis, n) {
    const lines = this.#here.rest.checklist.filter((line) => line.axis === axis.name);
    const mark = (/** @type {Released['checklist'][number]} */ line) => (line.holds === true ? ['yes', '✓', 'Yes, by the state'] : line.holds === false
      ? ['no', '✗', 'No, by the state'] : ['open', '?', 'For you to see']);
    const choose = (/** @type {string} */ vote) => { this.axis = n; this.#vote(vote); };
    const buttons = [['pass', 'Pass'], ['fail', 'Fail']].map(([vote, words]) => h('button',
      { type: 'button', dataset: { vote }, onclick: () => choose(vote) }, words));
    const boxes = axis.reasons.map(([name, words], place) => {
      const input = h('input', { type: 'checkbox', value: name, checked: this.votes[axis.name].reasons.includes(name), onchange: () => this.#changed() });
      return h('label', { class: 'reason' }, input, place < 9 ? h('kbd', { 'aria-hidden': 'true' }, String(place + 1)) : null, h('span', {}, words));
    });
    const reasons = h('div', { class: 'reasons', role: 'group', 'aria-label': `Why it fails on ${axis.label.toLowerCase()}` }, boxes);
    const element = h('section', { class: 'axis', 'aria-label': axis.label },
      h('div', { class: 'row spread' }, h('h3', {}, axis.label), h('div', { class: 'row' }, buttons)),
      h('ul', { class: 'checks' }, lines.map((line) => {
        const [state, sign, words] = mark(line);
        return h('li', { dataset: { state } }, h('i', { role: 'img', 'aria-label': words, title: words }, sign),
          h('span', {}, line.text, line.why ? h('small', {}, line.why) : null));
      })), reasons);
    return { element, buttons, boxes, reasons };
  }

  /** Whether nothing that a program could see speaks against the task: then one key lets it pass. */
  get #clean() { return this.#here.rest.checklist.every((line) => line.holds !== false) && this.#here.rest.flags.every((flag) => flag.severity !== 'error'); }

  get #complete() { return this.data.axes.every(({ name }) => this.votes[name].vote); }

  /** @param {string} vote */
  #vote(vote) {
    this.votes[this.data.axes[this.axis].name].vote = vote;
    this.#say('');
    this.#changed();
    this.#toAxis(vote === 'pass' && this.axis < this.data.axes.length - 1 ? this.axis + 1 : this.axis);
  }

  /** Mark an axis, where the keys that judge it can be seen to work. @param {number} axis */
  #toAxis(axis) {
    this.axis = axis;
    this.#syncJudge();
    this.cards[axis].element.scrollIntoView({ block: 'nearest' });
  }

  #syncJudge() {
    this.cards.forEach((card, n) => {
      const said = this.votes[this.data.axes[n].name];
      card.element.classList.toggle('current', n === this.axis);
      if (n === this.axis) card.element.setAttribute('aria-current', 'true'); else card.element.removeAttribute('aria-current');
      for (const button of card.buttons) button.setAttribute('aria-pressed', String(button.dataset.vote === said.vote));
      card.reasons.hidden = said.vote !== 'fail';
      said.reasons = said.vote !== 'fail' ? [] : card.boxes.flatMap((label) => label.querySelector('input') ?? []).filter((input) => input.checked)
        .map((input) => input.value);
    });
    if (this.status.textContent === ALL_PASS && !this.data.axes.every(({ name }) => this.votes[name].vote === 'pass')) this.status.textContent = '';
    const none = this.data.axes.every(({ name }) => !this.votes[name].vote);
    this.submit.textContent = none && this.#clean ? 'All pass' : 'Save and go on';
  }

  #judge() {
    const { axes } = this.data;
    if (axes.every(({ name }) => !this.votes[name].vote)) {
      if (!this.#clean) { this.#say('Something speaks against this task, so each axis is judged by itself: Y passes it, X fails it.'); return; }
      for (const { name } of axes) this.votes[name].vote = 'pass';
      this.#changed();
      this.status.textContent = ALL_PASS;
      return;
    }
    if (!this.#complete) {
      this.#toAxis(axes.findIndex(({ name }) => !this.votes[name].vote));
      this.#say(axes[this.axis].ask);
      return;
    }
    const bare = axes.findIndex(({ name }) => this.votes[name].vote === 'fail' && !this.votes[name].reasons.length);
    if (bare >= 0) { this.#toAxis(bare); this.#say(`Tick at least one reason why it fails on ${axes[bare].label.toLowerCase()}.`); return; }
    const { review } = this.#here;
    this.#ask('api/verify/judge', { review, votes: this.votes, note: this.note.value.trim() },
      (told) => { if (told.feedback) this.#drawFeedback(told); else this.#show(told); });
  }

  // ---------------------------------------------------------------- after an exercise

  /** @param {Standing} told */
  #drawFeedback(told) {
    const { feedback } = told;
    if (!feedback) return;
    const word = (/** @type {boolean} */ passes) => (passes ? 'pass' : 'fail');
    this.told = { ...told, where: this.told?.where ?? '' }; // what comes next is told with it
    this.ready = told;
    this.#page('feedback', feedback.agrees ? 'Exercise: you judged it as it is known' : 'Exercise: it is known to be otherwise',
      h('p', {}, this.#here.first.question),
      h('table', { class: 'grid' }, h('thead', {}, h('tr', {}, ['Axis', 'You', 'Known'].map((head) => h('th', { scope: 'col' }, head)))),
        h('tbody', {}, this.data.axes.filter(({ name }) => name in feedback.right).map(({ name, label }) =>
          h('tr', { class: feedback.yours[name] === feedback.right[name] ? '' : 'differs' }, h('th', { scope: 'row' }, label),
            h('td', {}, word(feedback.yours[name])), h('td', {}, word(feedback.right[name])))))),
      h('p', { class: 'explains' }, feedback.explains),
      h('div', { class: 'row end' }, this.status, h('button', { type: 'button', class: 'primary', onclick: () => this.#goOn() }, 'Go on')), this.problem,
      this.keys.line([['Enter', 'go on'], ['G', 'guide']]));
  }

  #goOn() {
    const told = this.ready;
    this.ready = null;
    if (told) this.#show(told);
  }

  // ---------------------------------------------------------------- everywhere

  #undo() { if (this.told?.undo) this.#ask('api/verify/undo', { review: this.told.undo }, (told) => this.#show(told)); }

  async #guide() {
    const definition = this.shell.dataset.stage === 'judge' ? this.#here.rest.definition : '';
    await this.#open('api/verify/guide', (told) => guideDialog(told.text, definition));
  }

  async #past() { await this.#open(`api/verify/past/${this.data.verification}`, (told) => pastDialog(told, this.data.axes)); }

  /** @param {string} path @param {(told: any) => HTMLDialogElement} make */
  async #open(path, make) {
    if (this.shell.querySelector('dialog[open]')) return;
    try {
      const dialog = make(await (await send(path, undefined, { signal: this.abort.signal })).json());
      dialog.addEventListener('close', () => dialog.remove());
      this.shell.append(dialog);
      dialog.showModal();
    } catch (error) {
      if (!this.abort.signal.aborted) this.#say(sentenceOf(error));
    }
  }

  /** @param {number} n */
  async #stepIn(n) {
    if (this.entering) return;
    this.entering = true;
    try {
      await this.drafting.flush();
      const { episode } = await (await send('api/verify/stepin', { review: this.#here.review, n }, { signal: this.abort.signal, within: LONG_MS,
        sign: (state) => { this.status.textContent = state ? state.message : ''; } })).json();
      this.trigger('stepin', episode);
    } catch (error) {
      if (!this.abort.signal.aborted) this.#refused(error);
    }
    this.entering = false;
  }

  /** @param {string} text */
  #say(text) { this.problem.textContent = text; }

  #changed() {
    if (this.shell.dataset.stage === 'look' || this.form) this.can && this.#syncLook();
    if (this.cards && this.item?.stage !== 'first_view') this.#syncJudge();
    this.drafting.changed();
  }

  /** What is chosen and not yet sent, to the server. @returns {Promise<string>} */
  async #keep() {
    if (!this.item) return '';
    const look = this.item.stage === 'first_view';
    const draft = look
      ? { stage: 'first_view', told: this.toldBy, answer: this.form.partial?.() ?? this.form.value(), confidence: this.sure.value() }
      : { stage: 'evidence', votes: this.votes, note: this.note.value, n: this.evidence.at };
    const response = await send('api/verify/draft', { review: this.item.review, draft }, this.leaving ? {} : { signal: this.abort.signal });
    return (await response.json()).saved_at;
  }

  /** Whether the key was ours. @param {string} key @param {KeyboardEvent} event */
  #key(key, event) {
    const { stage = '' } = this.shell.dataset;
    if (key === 'g') { this.#guide(); return true; }
    if (key === 'h') { this.#past(); return true; }
    if (this.busy) return false;
    if (key === 'u' && this.told?.undo && stage !== 'feedback') { this.#undo(); return true; }
    if (key === 'z' && this.giveUp && !this.giveUp.hidden && ['look', 'judge'].includes(stage)) { this.giveUp.click(); return true; }
    if (key === 'Enter') {
      if (stage === 'look') this.#look();
      else if (stage === 'judge') this.#judge();
      else if (stage === 'feedback') this.#goOn();
      else if (stage === 'nothing') this.#next();
      else return false;
      return true;
    }
    // whoever took "I cannot judge this" back and decides now goes on with Enter, which would open it again
    if ('xy'.includes(key) && event.composedPath()[0] === this.giveUp) this.submit.focus();
    if (stage === 'look') return this.#lookKey(key, event);
    return stage === 'judge' && this.#judgeKey(key);
  }

  /** @param {string} key @param {KeyboardEvent} event */
  #lookKey(key, event) {
    if (key === 'y' || key === 'x') { this.#tell(key === 'y' ? 'yes' : 'no'); return true; }
    if (/^[0-9]$/.test(key) && this.toldBy) return this.form.digit(Number(key), event.timeStamp);
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (!['ArrowLeft', 'ArrowRight'].includes(key) || !this.toldBy || target.closest('input:not([type=radio]), .item')) return false;
    this.sure.step(key === 'ArrowLeft' ? -1 : 1);
    return true;
  }

  /** @param {string} key */
  #judgeKey(key) {
    if (key === 'y' || key === 'x') { this.#vote(key === 'y' ? 'pass' : 'fail'); return true; }
    if (key === 'w') { this.note.focus(); return true; }
    if (key === 's') { if (this.#here.rest.can_take_over) this.#stepIn(this.evidence.at); return true; }
    if (['ArrowUp', 'ArrowDown'].includes(key)) {
      this.#toAxis(Math.max(0, Math.min(this.data.axes.length - 1, this.axis + (key === 'ArrowUp' ? -1 : 1))));
      return true;
    }
    const box = /^[1-9]$/.test(key) && this.cards[this.axis].boxes[Number(key) - 1]?.querySelector('input');
    if (box) {
      box.checked = !box.checked;
      this.#vote('fail');
      return true;
    }
    return this.evidence.key(key);
  }

  destroy() {
    this.leaving = true;
    this.drafting.close();
    this.evidence?.close();
    this.abort.abort();
    this.keys.close();
    this.shell.remove();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Verify(parentElement, data, setTriggerValue),
  same: (verify, data) => verify.data.verification === data.verification,
  renew: (verify, { setTriggerValue }) => { verify.trigger = setTriggerValue; },
});
