// Adjudicating: one disputed gold answer, or one rejection whose reasons are disputed, after the other. What is asked (an answer in the
// question's form, choices, reasons) comes from the server with each; of a disputed gold nothing that tells it comes here.
import { LONG_MS, codeOf, send, sentenceOf } from './api.js';
import { Busy } from './busy.js';
import { h, the } from './dom.js';
import { answerForm, confidence, lettersOf } from './forms.js';
import { mounting } from './mounting.js';
import { keyed } from './pressed.js';
import { Shortcuts } from './shortcuts.js';
import { draftOfVerdict } from './verdictdraft.js';
import { Evidence } from './verifyevidence.js';
import { Views } from './views.js';

/** After so long without a change what was chosen goes to the server (ms). */
const DRAFT_MS = 300;
const KEYS = [['← →', 'views'], ['1–9', 'answer, or reason'], ['N', 'cannot be told'], ['Y X', 'yes, no'], ['↑ ↓', 'question'], ['W', 'note'],
  ['S', 'step in'], ['Z', 'give it away'], ['Enter', 'save']];

/** @typedef {{study: string, reason: number, comment: number, ended: string[]}} Given (`adjudicate` of app/components) */
/**
 * @typedef {object} Choice of a question
 * @property {string} vote
 * @property {string} label
 * @property {string} key empty: none
 * @property {boolean} explained whether reasons belong to it
 * @property {string} comment why a note is needed; empty: it is not
 */
/** @typedef {JudgedAxis & {written: boolean, choices: Choice[]}} Axis one question: in the form of an answer (`written`), or with choices */
/** @typedef {Partial<AxisVote> & {answer?: Answer | null, confidence?: number | null}} Found what was chosen on a question */
/** @typedef {{votes?: Record<string, Found>, note?: string, n?: number}} Draft */
/**
 * What is before somebody.
 * @typedef {object} Item
 * @property {string} review
 * @property {string} about
 * @property {FirstView} first
 * @property {KeptPicture[]} views
 * @property {Released | null} rest
 * @property {Axis[]} axes
 * @property {Draft | null} draft
 */
/** @typedef {{item: Item | null, nothing: string, undo: string}} Standing */
/**
 * A question on the page.
 * @typedef {object} Card
 * @property {Axis} axis
 * @property {{vote: string}} state
 * @property {AnswerControl | null} form
 * @property {ReturnType<typeof confidence> | null} sure
 * @property {HTMLButtonElement[]} buttons
 * @property {HTMLLabelElement[]} boxes
 * @property {HTMLDivElement} reasons
 * @property {HTMLElement} element
 * @property {(vote: string) => void} choose
 * @property {() => Choice | undefined} choice
 */

class Adjudicate extends Busy {
  /** @type {HTMLButtonElement} */ giveUp;
  /** @type {HTMLButtonElement} */ submit;
  /** @type {HTMLTextAreaElement} */ note;
  /** @type {Evidence | Views} */ shown;
  /** @type {Item | null} */ item;
  /** The one that can be taken back; empty: none. @type {string} */ undoable;
  /** @type {Card[]} */ cards;
  /** Which question the keys answer. @type {number} */ current;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} trigger */
  constructor(root, data, trigger) {
    super();
    this.data = data;
    this.trigger = trigger;
    this.shell = h('div', { class: 'vantage judge verify adjudicate', dataset: { stage: 'loading' } });
    this.busy = false;
    root.append(this.shell);
    this.keys = new Shortcuts((key, event) => this.#key(key, event), () => this.shell.isConnected, ['judging', 'adjudicating']);
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.abort = new AbortController();
    this.draft = draftOfVerdict({ keep: () => this.#keep(), rest: DRAFT_MS, status: this.status, say: (words) => this.#say(words),
      busy: () => this.busy, signal: this.abort.signal });
    this.#next();
  }

  // ---------------------------------------------------------------- talking to the server

  /** One request, and what comes next. Nothing is sent twice meanwhile. @param {string} path @param {object} body */
  async #ask(path, body) {
    if (this.busy) return;
    this.busy = true;
    this.#say('');
    this.status.textContent = 'Saving…';
    this.draft.hold();
    try {
      const response = await send(`api/adjudicate/${path}`, body, { signal: this.abort.signal,
        sign: (state) => { this.status.textContent = state ? state.message : ''; } });
      const told = await response.json();
      this.busy = false;
      this.status.textContent = '';
      this.draft.release(true);
      this.#show(told);
    } catch (error) {
      this.busy = false;
      this.status.textContent = '';
      if (this.abort.signal.aborted) return;
      this.draft.release(false);
      this.#refused(error);
    }
  }

  #next() { this.#ask('next', { study: this.data.study }); }

  /** @param {unknown} error */
  #refused(error) {
    if (!this.item) { this.#drawNothing(sentenceOf(error)); return; }
    this.#say(sentenceOf(error));
    if (this.data.ended.includes(codeOf(error))) {
      this.problem.append(' ', h('button', { type: 'button', class: 'link', onclick: () => { this.item = null; this.#next(); } },
        'Go on with what comes next'));
    }
  }

  /** @param {Standing} told */
  #show(told) {
    this.undoable = told.undo;
    this.item = told.item;
    if (this.item) this.#draw(); else this.#drawNothing(told.nothing);
  }

  /** What is shown. */
  get #here() {
    if (!this.item) throw new Error('There is nothing here.');
    return this.item;
  }

  // ---------------------------------------------------------------- the page

  /** @param {string} stage @param {string} title @param {...(Node | string)} children */
  #page(stage, title, ...children) {
    this.shell.dataset.stage = stage;
    const undo = h('button', { type: 'button', class: 'link', hidden: !this.undoable, onclick: () => this.#undo() }, 'Take the last one back',
      h('kbd', { 'aria-hidden': 'true' }, 'U'));
    this.shell.replaceChildren(h('div', { class: 'head' }, h('h2', { tabIndex: -1 }, title), h('p', { class: 'note' }, this.item ? this.item.about : ''),
      h('div', { class: 'ways' }, undo)), ...children);
    // who goes by keyboard begins at the top of what is new
    the(this.shell, 'h2').focus({ preventScroll: true });
  }

  /** @param {string} sentence */
  #drawNothing(sentence) {
    this.#page('nothing', 'Nothing to adjudicate now', h('p', {}, sentence),
      h('div', { class: 'row' }, h('button', { type: 'button', class: 'primary', onclick: () => this.#next() }, 'Look again'), this.status), this.problem);
  }

  #draw() {
    const item = this.#here;
    const kept = item.draft || {};
    this.current = 0;
    this.cards = item.axes.map((axis, n) => this.#card(axis, n, (kept.votes || {})[axis.name] || {}));
    this.shown = item.rest
      ? new Evidence({ first: item.first, rest: item.rest }, { at: kept.n ?? 0, changed: () => this.#changed(), stepIn: (n) => this.#stepIn(n) })
      : new Views([...item.first.pictures, ...item.views], { at: kept.n ?? 0, changed: () => this.#changed(), stepIn: () => this.#stepIn(0) });
    this.note = h('textarea', { rows: '2', maxlength: String(this.data.comment), 'aria-label': 'Note', placeholder: 'Note: what shows it, and where',
      oninput: () => this.#changed() });
    this.note.value = kept.note || '';
    this.note.addEventListener('keydown', keyed((key, event) => { if (key === 'Escape') this.submit.focus();
      if (key === 'Enter' && event.ctrlKey) { event.preventDefault(); this.#judge(); } }));
    this.submit = h('button', { type: 'button', class: 'primary', onclick: () => this.#judge() }, 'Save and go on');
    const { rest } = item;
    this.#page('judge', item.first.question,
      h('div', { class: 'sides' },
        h('div', { class: 'shown' }, this.shown.element, item.first.note ? h('p', { class: 'note' }, item.first.note) : null),
        h('div', { class: 'said' },
          rest ? h('dl', { class: 'answers' }, h('dt', {}, 'Proposed answer'), h('dd', {}, h('b', {}, rest.answers.join(' or ')),
            rest.derivation ? h('small', {}, rest.derivation) : null)) : null,
          this.cards.map((card) => card.element), this.note, h('div', { class: 'row end' }, this.status, this.submit), this.problem, this.#aside())),
      this.keys.line(KEYS.filter(([key]) => key !== 'N' || item.axes.some((axis) => axis.written))));
    this.#sync();
  }

  /**
   * One question: an answer in its own form or choices, and the reasons that belong to a choice.
   * @param {Axis} axis
   * @param {number} n
   * @param {Found} kept
   */
  #card(axis, n, kept) {
    const here = () => { this.current = n; };
    const state = { vote: kept.vote || '' };
    const choose = (/** @type {string} */ vote) => { here(); state.vote = vote; if (form) form.set(null); this.#say(''); this.#changed(); };
    const form = axis.written ? answerForm({ ...this.#here.first, text: this.#here.first.question, stacked: false },
      () => { here(); state.vote = ''; this.#changed(); }) : null;
    const sure = axis.written ? confidence(() => { here(); this.#changed(); }) : null;
    if (form && !state.vote && kept.answer !== undefined) form.set(kept.answer);
    if (sure) sure.set(kept.confidence);
    const buttons = axis.choices.map((one) => h('button', { type: 'button', dataset: { choice: one.vote }, onclick: () => choose(one.vote) }, one.label,
      one.key ? h('kbd', { 'aria-hidden': 'true' }, one.key.toUpperCase()) : null));
    const boxes = axis.reasons.map(([name, words], place) => h('label', { class: 'reason' },
      h('input', { type: 'checkbox', value: name, checked: (kept.reasons || []).includes(name),
        onchange: () => { here(); if (!state.vote) state.vote = axis.choices.find((one) => one.explained)?.vote ?? ''; this.#changed(); } }),
        place < 9 ? h('kbd', { 'aria-hidden': 'true' }, String(place + 1)) : null, h('span', {}, words)));
    const reasons = h('div', { class: 'reasons', role: 'group', 'aria-label': `Reasons: ${axis.label.toLowerCase()}` }, boxes);
    const element = h('section', { class: 'axis', tabIndex: -1, 'aria-label': axis.label }, h('h3', {}, axis.label), form ? form.element : null,
      h('div', { class: 'verdicts' }, buttons), sure ? sure.element : null, boxes.length ? reasons : null);
    return { axis, state, form, sure, buttons, boxes, reasons, element, choose, choice: () => axis.choices.find((one) => one.vote === state.vote) };
  }

  #aside() {
    const why = h('input', { type: 'text', maxlength: String(this.data.reason), 'aria-label': 'Why you cannot judge it',
      placeholder: 'Why: I know this task, I know who answered, …' });
    const give = () => {
      if (!why.value.trim()) { this.#say('Say in a few words why you cannot judge it.'); why.focus(); return; }
      this.#ask('skip', { review: this.#here.review, study: this.data.study, why: why.value.trim() });
    };
    const close = () => { form.hidden = true; this.giveUp.hidden = false; this.giveUp.focus(); };
    const form = h('span', { class: 'skip', hidden: true }, why, h('button', { type: 'button', onclick: give }, 'Give it to somebody else'),
      h('button', { type: 'button', class: 'link', onclick: close }, 'Cancel'));
    this.giveUp = h('button', { type: 'button', class: 'link', onclick: () => { form.hidden = false; this.giveUp.hidden = true; why.focus(); } },
      'I cannot judge this', h('kbd', { 'aria-hidden': 'true' }, 'Z'));
    why.addEventListener('keydown', keyed((key, event) => { if (key === 'Enter') { event.preventDefault(); give(); } if (key === 'Escape') close(); }));
    return h('div', { class: 'aside' }, this.giveUp, form);
  }

  #sync() {
    this.cards.forEach((card, n) => {
      card.element.classList.toggle('current', n === this.current);
      if (n === this.current) card.element.setAttribute('aria-current', 'true'); else card.element.removeAttribute('aria-current');
      for (const button of card.buttons) button.setAttribute('aria-pressed', String(button.dataset.choice === card.state.vote));
      // where reasons are all that is asked, they are there to be looked for before anything is chosen
      const chosen = card.choice();
      card.reasons.hidden = chosen ? !chosen.explained : this.cards.length > 1;
      if (card.sure) card.sure.element.hidden = Boolean(card.state.vote);
    });
  }

  /** @param {Card} card */
  #ticked(card) {
    if (!card.choice()?.explained) return [];
    return card.boxes.flatMap((label) => label.querySelector('input') ?? []).filter((input) => input.checked).map((input) => input.value);
  }

  /** What is chosen, question by question; an answer that is half written only for a draft. @param {boolean} draft */
  #votes(draft) {
    return Object.fromEntries(this.cards.map((card) => [card.axis.name, {
      vote: card.state.vote, reasons: this.#ticked(card),
      answer: card.form && !card.state.vote ? (draft ? card.form.partial?.() : undefined) ?? card.form.value() : null,
      confidence: card.sure && !card.state.vote ? card.sure.value() : null,
    }]));
  }

  /** What is missing on a question, said where it stands; whether anything is. @param {Card} card @param {number} n */
  #missing(card, n) {
    /** @type {(words: string, focus?: () => void) => true} */
    const stop = (words, focus) => { this.current = n; this.#sync(); this.#say(words); focus?.(); return true; };
    const { form, sure } = card;
    if (form && !card.state.vote) {
      if (form.value() === null) return stop(`${form.missing()} If it cannot be told, say so.`, () => form.focus());
      if (sure && sure.value() === null) return stop('Say how sure you are.', () => sure.focus());
    }
    const choice = card.choice();
    if (!card.form && !choice) return stop(card.axis.ask || `Say first: ${card.axis.label.toLowerCase()}.`);
    if (choice?.explained && card.boxes.length && !this.#ticked(card).length) return stop('Tick at least one reason.');
    if (choice?.comment && !this.note.value.trim()) return stop(choice.comment, () => this.note.focus());
    return false;
  }

  #judge() {
    if (this.cards.some((card, n) => this.#missing(card, n))) return;
    this.#ask('judge', { review: this.#here.review, study: this.data.study, votes: this.#votes(false), note: this.note.value.trim() });
  }

  #undo() { if (this.undoable) this.#ask('undo', { review: this.undoable, study: this.data.study }); }

  /** @param {number} n */
  async #stepIn(n) {
    if (this.entering) return;
    this.entering = true;
    try {
      await this.draft.flush();
      const { episode } = await (await send('api/adjudicate/stepin', { review: this.#here.review, n }, { signal: this.abort.signal, within: LONG_MS,
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
    if (!this.cards || !this.submit) return;
    this.#sync();
    this.draft.changed();
  }

  /** What is chosen and not yet sent, to the server. @returns {Promise<string>} */
  async #keep() {
    if (!this.item) return '';
    const draft = { votes: this.#votes(true), note: this.note.value, n: this.shown.at };
    const response = await send('api/adjudicate/draft', { review: this.#here.review, draft }, this.leaving ? {} : { signal: this.abort.signal });
    return (await response.json()).saved_at;
  }

  // ---------------------------------------------------------------- keys

  /** Whether the key was ours. @param {string} key @param {KeyboardEvent} event */
  #key(key, event) {
    const { stage } = this.shell.dataset;
    if (this.busy) return false;
    if (key === 'u' && this.undoable) { this.#undo(); return true; }
    if (key === 'Enter') { if (stage === 'judge') this.#judge(); else if (stage === 'nothing') this.#next(); else return false; return true; }
    return stage === 'judge' && this.#judgeKey(key, event);
  }

  /** @param {string} key @param {KeyboardEvent} event */
  #judgeKey(key, event) {
    if (key === 'w') { this.note.focus(); return true; }
    if (key === 's') { if (!this.#here.rest || this.#here.rest.can_take_over) this.#stepIn(this.shown.at); return true; }
    if (key === 'z') { if (!this.giveUp.hidden) this.giveUp.click(); return true; }
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (key.startsWith('Arrow') && target.closest?.('input, .item')) return false;
    if (['ArrowUp', 'ArrowDown'].includes(key)) {
      this.current = Math.max(0, Math.min(this.cards.length - 1, this.current + (key === 'ArrowUp' ? -1 : 1)));
      this.#sync();
      return true;
    }
    const card = this.cards[this.current];
    const letter = card.form && lettersOf({ ...this.#here.first, text: this.#here.first.question }).includes(key);
    if (card.form && (/^[0-9]$/.test(key) || letter)) return card.form.digit(letter ? key : Number(key), event.timeStamp);
    const box = /^[1-9]$/.test(key) && card.boxes[Number(key) - 1]?.querySelector('input');
    if (box) {
      box.checked = !box.checked;
      card.choose(card.axis.choices.find((one) => one.explained)?.vote ?? '');
      return true;
    }
    for (const one of this.cards) {
      const choice = one.axis.choices.find((each) => each.key === key);
      if (choice) {
        // The arrows that follow are for the questions here, not for an option that was focused in another one.
        if (one !== card && card.element.contains(target)) one.element.focus({ preventScroll: true });
        one.choose(choice.vote);
        return true;
      }
    }
    return this.shown.key(key);
  }

  destroy() {
    this.leaving = true;
    this.draft.close();
    this.abort.abort();
    this.keys.close();
    this.shell.remove();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Adjudicate(parentElement, data, setTriggerValue),
  same: (page, data) => page.data.study === data.study,
  renew: (page, { setTriggerValue }) => { page.trigger = setTriggerValue; },
});
