// A reviewer's part of the page: five options and a confidence first; what the author meant, and the verdict, after the server has stored
// the answer. Whatever the page does not know yet, this file does not have: everything comes in `data`.
import { Refused, send } from './api.js';
import { Busy } from './busy.js';
import { clock, h, uid } from './dom.js';
import { confidence } from './forms.js';
import { mounting } from './mounting.js';
import { keyed } from './pressed.js';
import { passing } from './shelf.js';
import { Shortcuts } from './shortcuts.js';
import { toTop } from './top.js';

const LETTERS = 'ABCDE';
/** Up to this long the texts of options stand side by side (characters). */
const SHORT = 40;
const DRAFT = 'vantage.judge.v1';

/** @typedef {{letter: string, text: string, image?: string, width?: number, height?: number}} Option */
/** @typedef {{vote: string, label: string, key: string, explained: boolean}} Choice what the verdict can be */
/**
 * What the page knows so far (`judge` of app/components/reviewing.py says which of it is there in each phase).
 * @typedef {object} Given
 * @property {'answer' | 'decide' | 'nothing'} phase
 * @property {string} undo
 * @property {string} last
 * @property {string[]} over
 * @property {string} review
 * @property {string} question
 * @property {Option[]} options
 * @property {number} reason
 * @property {string} answer
 * @property {number | null} confidence
 * @property {string} saved
 * @property {string} gold
 * @property {string[]} hard
 * @property {Record<string, string>} provenance
 * @property {Choice[]} choices
 * @property {string} ask
 * @property {[string, string][]} reasons
 * @property {Record<string, string>} needed
 * @property {number} longest
 */
/** @typedef {{answer?: string | null, confidence?: number | null, verdict?: string | null, reasons?: string[], comment?: string}} Draft */

class Judge extends Busy {
  /** @type {ReturnType<typeof confidence>} */ sure;
  /** @type {HTMLParagraphElement} */ outcome;
  /** @type {HTMLDivElement} */ panel;
  /** @type {HTMLTextAreaElement} */ comment;
  /** @type {Map<string, HTMLButtonElement>} */ choices;
  /** @type {Given} */ data;
  /** @type {Draft} */ draft;
  /** @type {HTMLInputElement[]} */ inputs;
  /** @type {HTMLLabelElement[]} */ boxes;
  /** @type {string | null} */ verdict;
  /** @type {HTMLParagraphElement} */ status;
  /** @type {HTMLButtonElement} */ submit;
  /** @type {HTMLFieldSetElement} */ why;
  /** @type {HTMLLabelElement} */ need;
  /** @type {HTMLParagraphElement} */ problem;
  /** @type {HTMLButtonElement} */ giveUp;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} trigger */
  constructor(root, data, trigger) {
    super();
    this.trigger = trigger;
    this.abort = new AbortController();
    this.shell = h('div', { class: 'vantage judge' });
    this.busy = false;
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.submit = h('button', { type: 'button', class: 'primary', onclick: () => (this.data.phase === 'answer' ? this.#answer() : this.#decide()) });
    root.append(this.shell);
    this.keys = new Shortcuts((key, event) => this.#key(key, event), () => this.shell.isConnected, ['answering', 'judging']);
    this.update(data);
  }

  /** @param {Given} data */
  update(data) {
    const fresh = !this.data || this.data.review !== data.review || this.data.phase !== data.phase;
    const same = JSON.stringify(this.data) === JSON.stringify(data);
    this.data = data;
    if (!this.wentOn() && same) return;
    if (fresh || data.phase === 'nothing') {
      this.draft = this.#recall();
      this.#say('');
      if (data.phase === 'answer') this.#drawQuestion(); else if (data.phase === 'decide') this.#drawVerdict(); else this.#drawNothing();
    }
    this.#sync();
    if (fresh) this.#begin();
  }

  /** Each stage begins with its beginning in view: the page's, and what is to be decided where that lies below the views. */
  #begin() {
    toTop();
    if (this.data.phase === 'decide') this.shell.firstElementChild?.scrollIntoView({ block: 'nearest' });
  }

  // ---------------------------------------------------------------- the question

  #drawQuestion() {
    const name = uid('option');
    this.inputs = this.data.options.map((option) => h('input', { type: 'radio', name, value: option.letter, checked: this.draft.answer === option.letter,
      onchange: () => this.#changed() }));
    this.sure = confidence(() => this.#changed());
    this.sure.set(this.draft.confidence);
    this.submit.textContent = 'Answer';
    this.options = h('fieldset', { class: `options ${this.#layout()}` }, h('legend', { class: 'hidden' }, this.data.question),
      this.data.options.map((option, i) => h('label', { class: 'option' }, this.inputs[i], h('b', {}, option.letter),
        option.image ? null : h('span', {}, option.text), this.#picture(option))));
    this.shell.replaceChildren(this.options,
      h('div', { class: 'bar' }, this.sure.element, h('div', { class: 'act' }, this.status, this.submit)), this.problem,
      this.#aside(), this.keys.line([['A–E', 'or 1–5: choose'], ['← →', 'how sure'], ['Enter', 'answer']]));
    this.inputs[0]?.focus({ preventScroll: true });
    this.inputs[0]?.blur();
  }

  #layout() {
    if (this.data.options.some((option) => option.image)) return 'pictures';
    return this.data.options.every((option) => option.text.length <= SHORT) ? 'short' : '';
  }

  /** @param {Option} option */
  #picture(option) {
    if (!option.image) return null;
    const alt = `Option ${option.letter}`;
    return [h('button', { type: 'button', class: 'look', 'aria-label': `Enlarge option ${option.letter}`, title: 'Enlarge',
      onclick: (event) => { event.preventDefault(); this.#look(option, alt); } }, '⤢'),
      h('img', { src: option.image, alt, width: option.width, height: option.height })];
  }

  /** @param {Option} option @param {string} alt */
  #look(option, alt) {
    const dialog = h('dialog', { class: 'look dialog', 'aria-label': alt, onclose: () => dialog.remove() }, h('img', { src: option.image, alt }),
      h('div', { class: 'row end' }, h('button', { type: 'button', onclick: () => dialog.close() }, 'Close')));
    this.shell.append(dialog);
    dialog.showModal();
  }

  get answer() { return this.inputs.find((input) => input.checked)?.value ?? null; }

  #answer() {
    if (this.busy) return;
    if (!this.answer) { this.#say('Choose one of the options first.'); this.inputs[0].focus(); return; }
    this.#post('answer', this.data.review, { answer: this.answer, confidence: this.sure.value() });
  }

  // ---------------------------------------------------------------- the verdict

  #drawVerdict() {
    const { data } = this;
    const right = data.answer === data.gold;
    this.verdict = this.draft.verdict || null;
    this.outcome = h('p', { class: `outcome ${right ? 'yes' : 'no'}`, tabIndex: -1 },
      right ? `Your answer ${data.answer} is the author’s.` : `You answered ${data.answer}; the author’s answer is ${data.gold}.`);
    const options = h('ul', { class: `options ${this.#layout()}` }, data.options.map((option) => this.#told(option)));
    this.choices = new Map(data.choices.map(({ vote, key, label }) => [vote,
      h('button', { type: 'button', onclick: () => this.#choose(vote) }, label, h('kbd', { 'aria-hidden': 'true' }, key.toUpperCase()))]));
    this.boxes = data.reasons.map(([reason, words], i) => h('label', { class: 'reason' },
      h('input', { type: 'checkbox', value: reason, checked: (this.draft.reasons || []).includes(reason),
        onchange: () => { this.#choose(this.explained); } }), h('kbd', { 'aria-hidden': 'true' }, String(i + 1)), h('span', {}, words)));
    this.why = h('fieldset', { class: 'reasons' }, h('legend', { class: 'hidden' }, 'Why it is flagged'), this.boxes);
    const id = uid('comment');
    this.comment = h('textarea', { id, rows: '2', maxlength: String(data.longest), oninput: () => this.#changed() });
    this.comment.value = this.draft.comment || '';
    this.comment.addEventListener('keydown', keyed((key, event) => {
      if (key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.#decide(); }
      if (key === 'Escape') this.outcome.focus({ preventScroll: true });
    }));
    this.need = h('label', { for: id });
    this.submit.textContent = 'Save and go on';
    const sure = data.confidence === null ? 'confidence not given' : `${data.confidence} % sure`;
    this.panel = h('div', { class: 'panel' }, this.why, h('div', { class: 'field' }, this.need, this.comment),
      h('div', { class: 'row end' }, this.status, this.submit));
    this.shell.replaceChildren(
      h('div', { class: 'row spread wrap' }, h('div', {}, this.outcome, h('p', { class: 'note' }, `Answer saved ${clock(data.saved)}, ${sure}`)),
        h('div', { class: 'verdicts', role: 'group', 'aria-label': 'Your verdict' }, [...this.choices.values()])),
      this.panel, this.problem, options,
      this.#aside(), this.keys.line([...data.choices.map(({ key, label }) => [key.toUpperCase(), label.toLowerCase()]), ['1–5', 'reasons'], ['W', 'write'],
        ['Enter', 'save']]));
    this.outcome.focus({ preventScroll: true });
  }

  /** @param {Option} option */
  #told(option) {
    const { gold, answer, hard, provenance } = this.data;
    const made = provenance[option.letter];
    const pills = [[option.letter === gold, 'author’s answer', 'yes'], [option.letter === answer, 'your answer', option.letter === gold ? 'yes' : 'no'],
      [hard.includes(option.letter), 'hard', '']]
      .filter(([holds]) => holds).map(([, words, tone]) => h('span', { class: `pill ${tone}` }, words));
    return h('li', { class: `option told ${option.letter === gold ? 'gold' : ''}` }, h('b', {}, option.letter),
      pills.length ? h('span', { class: 'pills' }, pills) : null, this.#picture(option),
      h('div', {}, option.image ? null : option.text, made ? h('small', {}, made) : null));
  }

  /** @param {string} verdict */
  #choose(verdict) {
    this.verdict = verdict;
    this.#say('');
    this.#changed();
    this.panel.scrollIntoView({ block: 'nearest' });
  }

  /** The vote to which the reasons belong. */
  get explained() { return this.data.choices.find(({ explained }) => explained)?.vote ?? ''; }

  get reasons() { return this.boxes.flatMap((box) => box.querySelector('input') ?? []).filter((input) => input.checked).map((input) => input.value); }

  #decide() {
    if (this.busy) return;
    const comment = this.comment.value.trim();
    const chosen = this.data.choices.find(({ vote }) => vote === this.verdict);
    if (!chosen) { this.#say(this.data.ask); [...this.choices.values()][0].focus(); return; }
    if (chosen.explained && !this.reasons.length) { this.#say(`Tick at least one reason for “${chosen.label}”.`);
      this.boxes[0].querySelector('input')?.focus(); return; }
    if (!comment && this.data.needed[chosen.vote]) { this.#say(this.data.needed[chosen.vote]); this.comment.focus(); return; }
    this.#post('decide', this.data.review, { verdict: this.verdict, reasons: chosen.explained ? this.reasons : [], comment });
  }

  // ---------------------------------------------------------------- both

  /** The ways out: back to the last verdict, and giving the item to somebody else. */
  #aside() {
    const { data } = this;
    const why = h('input', { type: 'text', maxlength: String(data.reason), 'aria-label': 'Why you cannot judge it, for the lead',
      placeholder: 'Why: too dark, I know this recording, …' });
    const give = () => { if (!why.value.trim()) { this.#say('Say in a few words why you cannot judge it.'); why.focus(); } else this.#post('skip',
      data.review, { why: why.value.trim() }); };
    why.addEventListener('keydown', keyed((key, event) => { if (key === 'Enter') { event.preventDefault(); give(); } if (key === 'Escape') close(); }));
    const form = h('span', { class: 'skip', hidden: true }, why, h('button', { type: 'button', onclick: give }, 'Give it to somebody else'),
      h('button', { type: 'button', class: 'link', onclick: () => close() }, 'Cancel'));
    const open = h('button', { type: 'button', class: 'link', onclick: () => { form.hidden = false; open.hidden = true; why.focus(); } },
      'I cannot judge this', h('kbd', { 'aria-hidden': 'true' }, 'Z'));
    this.giveUp = open;
    const close = () => { form.hidden = true; open.hidden = false; open.focus(); };
    return h('div', { class: 'aside' }, this.#wayBack(), open, form);
  }

  /** The way back to the last verdict; null where there is none. */
  #wayBack() {
    return this.data.undo ? h('button', { type: 'button', class: 'back', onclick: () => this.#undo() }, this.data.undo,
      h('kbd', { 'aria-hidden': 'true' }, 'U')) : null;
  }

  /** There is no item now. */
  #drawNothing() {
    const back = this.#wayBack();
    this.shell.replaceChildren(...(back ? [h('div', { class: 'aside' }, back)] : []), this.status, this.problem);
  }

  #undo() { if (this.data.undo) this.#post('undo', this.data.last, {}); }

  /**
   * Send it; the page shows what comes next once the server has stored it, or says that it is over.
   * @param {string} did
   * @param {string} review
   * @param {object} body
   */
  async #post(did, review, body) {
    if (this.busy) return;
    this.busy = true;
    this.#say('');
    this.status.textContent = 'Saving…';
    this.#sync();
    try {
      await send(`api/qa/review/${encodeURIComponent(review)}/${did}`, body, { signal: this.abort.signal,
        sign: (state) => { this.status.textContent = state ? state.message : 'Saving…'; } });
    } catch (error) {
      if (this.abort.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      if (!this.data.over.includes(error.code)) {
        this.busy = false;
        this.#say(error.message);
        this.#sync();
        return;
      }
    }
    this.status.textContent = 'Going on…';
    this.goingOn(() => {
      this.#sync();
      this.#say('What you sent has arrived, but the page does not go on. Reload it.');
    });
    this.trigger('moved', { did, review });
  }

  #changed() {
    if (this.data.phase === 'answer') this.#say('');
    this.#keep();
    this.#sync();
  }

  #sync() {
    if (!this.busy) this.status.textContent = '';
    this.submit.disabled = this.busy;
    if (this.data.phase !== 'decide') return;
    for (const [name, button] of this.choices) button.setAttribute('aria-pressed', String(this.verdict === name));
    this.panel.hidden = !this.verdict;
    this.why.hidden = this.verdict !== this.explained;
    const needed = this.verdict && this.data.needed[this.verdict];
    this.need.textContent = this.verdict === this.explained ? 'What is wrong, for its author' : needed ? `Comment (needed)` : 'Comment (if you like)';
  }

  /** @param {string} text */
  #say(text) { this.problem.textContent = text; }

  /** Whether the key was ours. @param {string} key @param {KeyboardEvent} event */
  #key(key, event) {
    if (this.busy) return false;
    const digit = /^[1-5]$/.test(key) ? Number(key) - 1 : -1;
    if (this.data.phase === 'nothing' && key !== 'u') return false;
    if (key === 'Enter') { if (this.data.phase === 'answer') this.#answer(); else this.#decide(); return true; }
    if (key === 'u' && this.data.undo) { this.#undo(); return true; }
    if (key === 'z' && !this.giveUp.hidden) { this.giveUp.click(); return true; }
    if (this.data.phase === 'answer') {
      const place = digit >= 0 ? digit : LETTERS.toLowerCase().indexOf(key);
      if (key.length === 1 && place >= 0 && this.inputs[place]) { this.inputs[place].checked = true; this.#changed(); return true; }
      // Arrows belong to the field or the picture that has the focus.
      if (!['ArrowLeft', 'ArrowRight'].includes(key) || /** @type {Element} */ (event.composedPath()[0]).closest('input, .port')) return false;
      this.sure.step(key === 'ArrowLeft' ? -1 : 1);
      return true;
    }
    const meant = this.data.choices.find((choice) => choice.key === key);
    if (meant) { this.#choose(meant.vote); return true; }
    if (key === 'w') {
      if (this.verdict) this.comment.focus(); else this.#say(this.data.ask);
      return true;
    }
    const box = this.boxes[digit]?.querySelector('input');
    if (box) { box.checked = !box.checked; this.#choose(this.explained); return true; }
    return false;
  }

  /** What is half entered survives a reload of this tab. */
  #keep() {
    const { phase, review } = this.data;
    const now = phase === 'answer' ? { answer: this.answer, confidence: this.sure.value() } : {
      verdict: this.verdict, reasons: this.reasons, comment: this.comment.value };
    passing.keep(DRAFT, { review, phase, ...now });
  }

  #recall() {
    const kept = passing.read(DRAFT) || {};
    return kept.review === this.data.review && kept.phase === this.data.phase ? kept : {};
  }

  destroy() {
    this.abort.abort();
    this.wentOn();
    this.keys.close();
    this.shell.remove();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Judge(parentElement, data, setTriggerValue),
  renew: (judge, { data, setTriggerValue }) => { judge.trigger = setTriggerValue; judge.update(data); },
});
