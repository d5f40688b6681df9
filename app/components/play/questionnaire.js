// One questionnaire: its items on one calm page. Every change is kept on the server at once, so a reload finds it again; nothing is chosen
// beforehand, and what is missing is said beside its question. Which answers pass is known to the server alone.
import { apparatus } from './apparatus.js';
import { send, sentenceOf } from './api.js';
import { clock, h, uid } from './dom.js';
import { Drafting } from './drafting.js';
import { mounting } from './mounting.js';
import { reportDialog } from './report.js';
import { sessionBar } from './session.js';
import { contactLine, stopping } from './stop.js';
import { say } from './words.js';

/** Options of at most so many characters stand beside each other where there are many. */
const SHORT = 9;
/** Words that are being typed are kept when the person pauses (ms). */
const REST_MS = 700;

/**
 * An item of a questionnaire, as `item_wire` of app/forms_api.py has it.
 * @typedef {object} Item
 * @property {string} name
 * @property {string} text
 * @property {string} note
 * @property {'choice' | 'several' | 'scale' | 'number' | 'text'} kind
 * @property {string[]} options
 * @property {string} none of several: what says that none holds
 * @property {number} points of a scale
 * @property {string} low
 * @property {string} high
 * @property {string} unit
 * @property {boolean} whole
 * @property {number} lines
 * @property {boolean} required
 * @property {boolean} may_decline
 * @property {string} picture
 */
/** @typedef {string | number | string[] | null} Value of an item; null: nothing yet */
/** @typedef {{answer: Value, declined: boolean}} Answered */
/**
 * @typedef {object} Form as `api/form/open` gives it
 * @property {boolean} sent
 * @property {string} title
 * @property {string} text
 * @property {Item[]} items
 * @property {Record<string, Answered & {saved_at: string}>} answers
 * @property {string} again
 * @property {Record<string, string>} explanations
 */
/** @typedef {{text: string, unit: string, name: string}} Ids of an item's elements; the name that its radio buttons share */
/** @typedef {(later?: unknown) => void} Changed told of every change; true: of words that are being typed */
/** @typedef {{parts: (Node | null)[], inputs: (HTMLInputElement | HTMLTextAreaElement)[], value: () => Value, set: (value: any) => void}} Control */
/** @typedef {(item: Item, changed: Changed, ids: Ids) => Control} Maker */
/** @typedef {{showing: string, title: string, next: string, stop?: StopWords, progress: Progress | null}} Given by the page */

const paragraphs = (/** @type {string} */ words) => words.split(/\n\s*\n/).map((part) => part.trim()).filter(Boolean).map((part) => h('p', {}, part));

/**
 * Radio buttons that share a name: one for each value.
 * @param {string} name
 * @param {(string | number)[]} values
 * @param {Changed} changed
 */
function radios(name, values, changed) {
  return values.map((value) => h('input', { type: 'radio', name, value: String(value), onchange: changed }));
}

/** @param {Item} item @param {Changed} changed @param {Ids} ids @returns {Control} */
function choice(item, changed, ids) {
  const inputs = radios(ids.name, item.options, changed);
  const rows = item.options.map((option, index) => h('label', { class: 'option' }, inputs[index], h('span', {}, option)));
  return {
    parts: rows,
    inputs,
    value: () => inputs.find((input) => input.checked)?.value ?? null,
    set: (value) => inputs.forEach((input) => { input.checked = input.value === value; }),
  };
}

/** @param {Item} item @param {Changed} changed @returns {Control} */
function several(item, changed) {
  const inputs = item.options.map((option) => h('input', { type: 'checkbox', value: option, onchange: changed }));
  const none = item.none ? h('input', { type: 'checkbox', onchange: changed }) : null;
  let touched = false;
  inputs.forEach((input) => input.addEventListener('change', () => { touched = true; }, { capture: true }));
  const value = () => inputs.filter((input) => input.checked).map((input) => input.value);
  if (none) {
    // One or the other: what is ticked last counts.
    none.addEventListener('change', () => { if (none.checked) inputs.forEach((input) => { input.checked = false; }); }, { capture: true });
    inputs.forEach((input) => input.addEventListener('change', () => { if (input.checked) none.checked = false; }, { capture: true }));
  }
  /** @type {(input: HTMLInputElement, words: string) => HTMLLabelElement} */
  const option = (input, words) => h('label', { class: 'option' }, input, h('span', {}, words));
  return {
    parts: [...item.options.map((words, index) => option(inputs[index], words)), none ? option(none, item.none) : null],
    inputs: none ? [...inputs, none] : inputs,
    // Nothing ticked is an answer only once something was, or where it is said.
    value: () => (value().length || (none ? none.checked : touched) ? value() : null),
    set: (chosen) => {
      touched = Array.isArray(chosen);
      inputs.forEach((input) => { input.checked = (chosen || []).includes(input.value); });
      if (none) none.checked = touched && !chosen.length;
    },
  };
}

/** @param {Item} item @param {Changed} changed @param {Ids} ids @returns {Control} */
function scale(item, changed, ids) {
  const points = [...Array(item.points).keys()].map((index) => index + 1);
  const inputs = radios(ids.name, points, changed);
  const words = (/** @type {number} */ point) => (point === 1 ? `${point}, ${item.low}` : point === item.points ? `${point}, ${item.high}` : null);
  inputs.forEach((input, index) => { const end = words(points[index]); if (end) input.setAttribute('aria-label', end); });
  return {
    parts: [h('div', { class: 'rating' },
      h('span', { class: 'end' }, item.low),
      h('div', { class: 'points' }, points.map((point, index) => h('label', { class: 'point' }, inputs[index], h('span', {}, String(point))))),
      h('span', { class: 'end last' }, item.high))],
    inputs,
    value: () => { const chosen = inputs.find((input) => input.checked); return chosen ? Number(chosen.value) : null; },
    set: (value) => inputs.forEach((input) => { input.checked = Number(input.value) === value; }),
  };
}

/** @param {Item} item @param {Changed} changed @param {Ids} ids @returns {Control} */
function number(item, changed, ids) {
  const input = h('input', { type: 'text', inputmode: item.whole ? 'numeric' : 'decimal', maxlength: '20', size: '6', autocomplete: 'off',
    'aria-labelledby': `${ids.text} ${ids.unit}`, oninput: () => changed(true) });
  const read = () => {
    const given = input.value.trim().replace(',', '.');
    if (!given) return null;
    return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(given) ? Number(given) : input.value.trim();
  };
  return {
    parts: [h('div', { class: 'row' }, input, h('span', { id: ids.unit, class: 'unit' }, item.unit))],
    inputs: [input],
    value: read,
    set: (value) => { input.value = value === null || value === undefined ? '' : String(value); },
  };
}

/** @param {Item} item @param {Changed} changed @param {Ids} ids @returns {Control} */
function text(item, changed, ids) {
  const common = { maxlength: '5000', 'aria-labelledby': ids.text, autocomplete: 'off', oninput: () => changed(true) };
  const input = item.lines > 1 ? h('textarea', { ...common, rows: String(item.lines) }) : h('input', { ...common, type: 'text' });
  return {
    parts: [input],
    inputs: [input],
    value: () => input.value.trim() || null,
    set: (value) => { input.value = value || ''; },
  };
}

/** Kind of an item → its control: `parts` to show, `inputs`, `value()` (null: nothing yet) and `set(value)`. @type {Record<string, Maker>} */
const CONTROLS = { choice, several, scale, number, text };

/** @typedef {ReturnType<Questionnaire['item']>} Row an item on the page */

class Questionnaire {
  /** @type {HTMLDivElement} */ notice;
  /** @type {HTMLDialogElement} */ report;
  /** @type {HTMLSpanElement} */ savedAt;
  /** @type {HTMLButtonElement} */ button;
  /** @type {HTMLParagraphElement} */ problem;
  /** @type {Row[]} */ rows;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} trigger */
  constructor(root, data, trigger) {
    this.data = data;
    this.trigger = trigger;
    this.showing = data.showing;
    this.abort = new AbortController();
    /** @type {Map<string, Drafting>} */
    this.drafts = new Map(); // item → what is typed there
    this.stop = stopping({ path: 'api/form/stop', body: { showing: this.showing }, words: data.stop, signal: this.abort.signal, stopped: () => this.leave() });
    this.shell = h('div', { class: 'vantage form', 'data-state': 'loading' }, h('p', { class: 'note', role: 'status' }, say('form.fetching')),
      this.stop.dialog);
    root.append(this.shell);
    this.open();
  }

  destroy() {
    this.leaving = true;
    this.drafts.forEach((draft) => draft.close());
    this.abort.abort();
    this.shell.remove();
  }

  leave() { this.trigger('done', this.showing); }

  /** @param {string} path @param {object} body */
  post(path, body) {
    return send(path, { showing: this.showing, ...body }, this.leaving ? {} : { sign: (state) => this.trouble(state), signal: this.abort.signal });
  }

  /** @param {Trouble} state */
  trouble(state) {
    if (!this.notice) return;
    this.notice.hidden = !state;
    this.notice.textContent = state ? state.message : '';
  }

  async open() {
    try {
      const form = /** @type {Form} */ (await (await this.post('api/form/open', { device: apparatus() })).json());
      if (form.sent) { this.leave(); return; }
      this.build(form);
      this.shell.dataset.state = 'ready';
    } catch (error) {
      this.fatal(error);
    }
  }

  /** @param {unknown} error */
  fatal(error) {
    if (this.abort.signal.aborted) return;
    this.shell.replaceChildren(h('p', { class: 'problem', role: 'alert' }, sentenceOf(error)),
      h('button', { type: 'button', onclick: () => window.location.reload() }, say('form.reload')));
  }

  /** @param {Form} form */
  build(form) {
    this.savedAt = h('span', { class: 'saved', role: 'status', 'aria-live': 'off' });
    this.report = reportDialog(say('report.form_goes_on'), async (words) => (await this.post('api/form/report', { text: words })).json(),
      this.data.stop?.contact);
    this.notice = h('div', { class: 'notice', role: 'alert', hidden: true });
    this.rows = form.items.map((item) => this.item(item, form.explanations[item.name]));
    const kept = Object.values(form.answers).map((answer) => answer.saved_at).sort();
    this.rows.forEach((row) => row.restore(form.answers[row.name]));
    if (kept.length) this.saved(kept[kept.length - 1]);
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.button = h('button', { type: 'submit', class: 'primary' }, this.data.next);
    const heading = h('h1', { tabIndex: -1 }, form.title);
    const again = form.again ? h('p', { class: 'explained asked-again', role: 'alert', tabIndex: -1 }, form.again) : null;
    const box = h('form', { novalidate: true, 'aria-label': form.title, onsubmit: (event) => { event.preventDefault(); this.submit(); } },
      this.rows.map((row) => row.element), h('div', { class: 'row spread' }, this.button, this.problem, this.savedAt));
    this.stop.across(() => this.shell.replaceChildren(
      h('div', { class: 'row spread top' }, h('span', { class: 'row' }, h('span', { class: 'title' }, this.data.title || ''), sessionBar(this.data.progress)),
        h('span', { class: 'row' }, h('button', { type: 'button', class: 'link', onclick: () => this.report.showModal() }, say('report.title')),
          this.stop.button)),
      heading, ...(again ? [again] : []), ...paragraphs(form.text), this.notice, box, contactLine(this.data.stop?.contact), this.report, this.stop.dialog));
    this.shell.scrollIntoView({ block: 'start' }); // whoever was at the foot of the page before begins at its top
    (again ?? heading).focus({ preventScroll: true });
  }

  /**
   * One item: its question, its control, what is wrong with it, and a way not to answer.
   * @param {Item} item
   * @param {string | undefined} explanation
   */
  item(item, explanation) {
    const id = uid('item');
    const ids = { text: `${id}-text`, unit: `${id}-unit`, name: id };
    const problem = h('p', { class: 'problem', id: `${id}-problem`, role: 'alert' });
    let declined = false;
    /** @type {(later?: boolean) => void} */
    const changed = (later = false) => {
      row.fault('');
      declined = decline ? decline.checked : false;
      this.changed(item.name, row, later);
    };
    const control = CONTROLS[item.kind](item, (later) => { if (decline) decline.checked = false; changed(later === true); }, ids);
    const grouped = ['choice', 'scale'].includes(item.kind);
    const decline = item.may_decline ? h('input', grouped
      ? { type: 'radio', name: ids.name, onchange: () => changed() }
      : { type: 'checkbox', onchange: () => { if (decline?.checked) control.set(null); changed(); } }) : null;
    const note = item.note ? h('p', { class: 'note', id: `${id}-note` }, item.note) : null;
    const described = [note && `${id}-note`, explanation && `${id}-told`].filter(Boolean);
    const short = item.options.length > 4 && item.options.every((option) => option.length <= SHORT);
    const element = h('fieldset', { class: `item ${item.kind}${short ? ' short' : ''}`, dataset: { item: item.name } },
      h('legend', { id: ids.text }, item.text, item.required ? null : h('span', { class: 'optional' }, ` ${say('form.optional')}`)),
      note,
      item.picture ? h('img', { src: item.picture, alt: '', decoding: 'async' }) : null,
      explanation ? h('p', { class: 'explained', id: `${id}-told` }, explanation) : null,
      h('div', { class: 'parts' }, control.parts),
      decline ? h('label', { class: 'option decline' }, decline, h('span', {}, say('form.decline'))) : null,
      problem);
    control.inputs.forEach((input) => { if (described.length) input.setAttribute('aria-describedby', described.join(' ')); });
    const row = {
      name: item.name,
      element,
      /** @returns {Answered} */
      given: () => (declined ? { answer: null, declined: true } : { answer: control.value(), declined: false }),
      restore: (/** @type {Answered | undefined} */ answer) => {
        if (!answer) return;
        declined = answer.declined;
        if (decline) decline.checked = declined;
        if (!declined) control.set(answer.answer);
      },
      fault: (/** @type {string | undefined} */ words) => {
        problem.textContent = words || '';
        control.inputs.forEach((input) => {
          input.setAttribute('aria-invalid', words ? 'true' : 'false');
          const by = [...described, ...(words ? [`${id}-problem`] : [])];
          if (by.length) input.setAttribute('aria-describedby', by.join(' '));
          else input.removeAttribute('aria-describedby');
        });
      },
      focus: () => (control.inputs.find((input) => 'checked' in input && input.checked) || control.inputs[0]).focus(),
    };
    return row;
  }

  /**
   * Keep a change on the server; words that are being typed when the person pauses.
   * @param {string} name
   * @param {Row} row
   * @param {boolean} later
   */
  changed(name, row, later) {
    let draft = this.drafts.get(name);
    if (!draft) {
      draft = new Drafting({
        keep: async () => (await (await this.post('api/form/note', { item: name, ...row.given(), t: Date.now() })).json()).saved_at,
        told: (at) => this.told(at),
        failed: () => this.told(''), // What cannot be kept yet (half a number) is said when the page is sent.
        rest: REST_MS,
      });
      this.drafts.set(name, draft);
    }
    draft.changed(later ? REST_MS : 0);
  }

  /** It is kept, where nothing else waits for that. @param {string} at when; empty: something is not kept */
  told(at) {
    const idle = [...this.drafts.values()].every((draft) => draft.idle);
    if (!idle) this.savedAt.textContent = '…';
    else this.saved(at);
  }

  /** @param {string} at */
  saved(at) { this.savedAt.textContent = at ? `${say('form.saved')} ${clock(at)}` : ''; }

  async submit() {
    this.drafts.forEach((draft) => draft.hold());
    this.button.disabled = true;
    this.problem.textContent = '';
    try {
      const answers = Object.fromEntries(this.rows.map((row) => [row.name, row.given()]));
      const reply = await (await this.post('api/form/send', { answers, t: Date.now() })).json();
      if (reply.faults) {
        this.drafts.forEach((draft) => draft.release(false));
        this.faults(reply.faults);
        return;
      }
      this.drafts.clear(); // all of it is there
      if (reply.then === 'warn') this.warn(reply.message);
      else this.leave();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.drafts.forEach((draft) => draft.release(false));
      this.problem.textContent = sentenceOf(error);
      this.button.disabled = false;
    }
  }

  /** @param {Record<string, string>} faults */
  faults(faults) {
    this.button.disabled = false;
    this.rows.forEach((row) => row.fault(faults[row.name]));
    this.rows.find((row) => faults[row.name])?.focus();
  }

  /** @param {string} message */
  warn(message) {
    const next = h('button', { type: 'button', class: 'primary', onclick: () => { next.disabled = true; this.leave(); } }, say('form.go_on'));
    this.shell.replaceChildren(h('section', { class: 'done' }, h('h1', { tabIndex: -1 }, say('form.note_first')), h('p', {}, message), next), this.stop.dialog);
    next.focus();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Questionnaire(parentElement, data, setTriggerValue),
  renew: (form, { setTriggerValue }) => { form.trigger = setTriggerValue; },
  same: (form, data) => form.showing === data.showing,
});
