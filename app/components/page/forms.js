// Answer forms: one small control per form of answer. Each has `value()` (null while nothing is chosen), `set(answer)`,
// `missing()` (what to do, in words) and `digit(n)` for the number keys. None starts with a chosen value.
import { focusedBeside, h, uid } from './dom.js';
import { keyed } from './pressed.js';
import { say } from './words.js';

const text = (/** @type {any} */ value) => (value === null || value === undefined ? '' : String(value));

/** The question's words, where it runs through numbered steps each on a line of its own. @param {Question} question */
export function asLines({ form, text: words }) {
  return form === 'blanks' ? words.replace(/\s+(?=\d{1,2}\.\s)/g, '\n') : words;
}

/**
 * The letters, in lower case, by which a question calls its options: those keys answer, and do nothing else. Empty where it has none.
 * @param {Question} question
 */
export function lettersOf({ form, options }) {
  const lettered = ['choice', 'yes_no'].includes(form) && options.length > 0 && options.every((option) => /^[A-Za-z]$/.test(option));
  return lettered ? options.map((option) => option.toLowerCase()) : [];
}

/** @param {Question} question @param {() => void} changed @returns {AnswerControl} */
function choice(question, changed) {
  const name = uid('choice');
  // Where every option is one digit or one letter, its key is that one; otherwise keys count the places.
  const numerals = question.options.length > 0 && question.options.every((option) => /^[0-9]$/.test(option));
  const letters = lettersOf(question).length > 0;
  const keyFor = (/** @type {string} */ option, /** @type {number} */ index) => (numerals || letters ? option : index < 9 ? String(index + 1) : null);
  const inputs = question.options.map((option) => h('input', { type: 'radio', name, value: option, onchange: changed }));
  const element = h('fieldset', { class: 'options' }, h('legend', { class: 'hidden' }, question.text),
    question.options.map((option, index) => h('label', { class: 'option' }, inputs[index],
      keyFor(option, index) ? h('kbd', { 'aria-hidden': 'true' }, keyFor(option, index)) : null, h('span', {}, option))));
  return {
    element,
    value: () => inputs.find((input) => input.checked)?.value ?? null,
    set: (answer) => inputs.forEach((input) => { input.checked = input.value === answer; }),
    missing: () => say('answer.choose'),
    // The focus follows only if it was among the options already: elsewhere the arrow keys must go on turning the camera.
    digit: (n) => {
      const input = inputs[question.options.findIndex((option, index) => keyFor(option, index)?.toLowerCase() === String(n))];
      if (!input) return false;
      if (inputs.some((one) => one === focusedBeside(element))) input.focus();
      input.checked = true;
      changed();
      return true;
    },
    focus: () => (inputs.find((input) => input.checked) || inputs[0])?.focus(),
  };
}

/** @param {Question} question @param {() => void} changed @returns {AnswerControl} */
function count(question, changed) {
  const input = h('input', { type: 'text', inputmode: 'numeric', maxlength: '6', size: '4', 'aria-label': say('answer.how_many'), autocomplete: 'off',
    oninput: changed });
  const read = () => (/^\d{1,6}$/.test(input.value.trim()) ? Number(input.value.trim()) : null);
  let typed = -Infinity;
  const step = (/** @type {number} */ by) => { input.value = String(Math.min(999999, Math.max(0, (read() ?? (by > 0 ? -1 : 1)) + by))); changed(); };
  input.addEventListener('keydown', keyed((key, event) => {
    if (key === 'ArrowUp') { event.preventDefault(); step(1); }
    if (key === 'ArrowDown') { event.preventDefault(); step(-1); }
  }));
  return {
    element: h('div', { class: 'stepper' },
      h('button', { type: 'button', 'aria-label': say('answer.less'), onclick: () => step(-1) }, '−'), input,
      h('button', { type: 'button', 'aria-label': say('answer.more'), onclick: () => step(1) }, '+')),
    value: () => (read() === null ? null : String(read())),
    set: (answer) => { input.value = text(answer); },
    missing: () => (input.value.trim() ? say('answer.whole') : say('answer.say_how_many')),
    // Digits that follow each other quickly make one number; the focus stays, so that the action keys go on acting.
    digit: (n, at) => {
      const goesOn = at - typed < 1500 && read() !== null && input.value.length < 3;
      input.value = goesOn ? String(Number(`${input.value}${n}`)) : String(n);
      typed = at;
      changed();
      return true;
    },
    focus: () => input.focus(),
  };
}

/** @param {Question} question @param {() => void} changed @returns {AnswerControl} */
function number(question, changed) {
  const input = h('input', { type: 'text', inputmode: 'decimal', maxlength: '20', 'aria-label': say('answer.your_number'), autocomplete: 'off',
    oninput: changed });
  const good = () => /^[+-]?(\d+([.,]\d*)?|[.,]\d+)$/.test(input.value.trim());
  return {
    element: input,
    value: () => (good() ? input.value.trim().replace(',', '.') : null),
    set: (answer) => { input.value = text(answer); },
    missing: () => (input.value.trim() ? say('answer.number') : say('answer.type_number')),
    digit: () => false,
    focus: () => input.focus(),
  };
}

/** @param {Question} question @param {() => void} changed @returns {AnswerControl} */
function freeText(question, changed) {
  const input = h('textarea', { rows: '3', maxlength: '2000', 'aria-label': say('answer.your_answer'), oninput: changed });
  return {
    element: input,
    value: () => input.value.trim() || null,
    set: (answer) => { input.value = text(answer); },
    missing: () => say('answer.type_answer'),
    digit: () => false,
    focus: () => input.focus(),
  };
}

/** @param {[string, string[]][]} rows names, and what may be chosen for each @param {() => void} changed @param {boolean} ordered */
function dropdowns(rows, changed, ordered = false) {
  const selects = rows.map(([label, options]) => {
    const id = uid('select');
    const select = h('select', { id, onchange: changed }, h('option', { value: '' }, say('answer.choose_short')),
      options.map((option) => h('option', { value: option }, option)));
    return { select, row: h('div', { class: 'blank' }, h('label', { for: id }, label), select) };
  });
  return { element: h(ordered ? 'ol' : 'div', { class: 'blanks' }, selects.map((entry) => (ordered ? h('li', {}, entry.row) : entry.row))),
    selects: selects.map((entry) => entry.select) };
}

/** @param {Question} question @param {() => void} changed @returns {AnswerControl} */
function blanks(question, changed) {
  // Blanks stand in an order. A name that stands twice tells nothing apart, so it gets its number.
  const names = question.blanks.map((_, index) => question.blank_names[index] || say('answer.step', { number: index + 1 }));
  /** @type {[string, string[]][]} */
  const rows = question.blanks.map((options, index) => [names.filter((name) => name === names[index]).length > 1
    ? say('answer.step_named', { number: index + 1, name: names[index] }) : names[index], options]);
  const { element, selects } = dropdowns(rows, changed, true);
  return {
    element,
    value: () => (selects.every((select) => select.value) ? selects.map((select) => select.value) : null),
    partial: () => selects.map((select) => select.value),
    /** @param {string[] | null} answer */
    set: (answer) => (answer || []).forEach((value, index) => { if (selects[index]) selects[index].value = value; }),
    missing: () => say('answer.fill', { left: selects.filter((select) => !select.value).length }),
    digit: () => false,
    focus: () => (selects.find((select) => !select.value) || selects[0])?.focus(),
  };
}

/** @param {string[]} names @param {(index: number) => string[]} optionsOf @param {() => void} changed @returns {AnswerControl} */
function mapping(names, optionsOf, changed) {
  const { element, selects } = dropdowns(names.map((name, index) => [name, optionsOf(index)]), changed);
  const read = () => Object.fromEntries(names.map((name, index) => [name, selects[index].value]));
  return {
    element,
    value: () => (selects.every((select) => select.value) ? read() : null),
    partial: read,
    set: (answer) => names.forEach((name, index) => { selects[index].value = (answer || {})[name] || ''; }),
    missing: () => say('answer.each', { left: selects.filter((select) => !select.value).length }),
    digit: () => false,
    focus: () => (selects.find((select) => !select.value) || selects[0])?.focus(),
  };
}

/** @typedef {DragEvent & {currentTarget: Element, dataTransfer: DataTransfer}} Moved */

const LONG_ITEM = 14; // characters: longer names do not fit side by side on one line

// Ordering: items wait in a tray and are put in order by click, number key or drag; placed items move by drag or arrow
// keys. Nothing counts as an answer until every item has been placed, so an untouched list is never an answer.
// A stack is drawn as one: its first item at the bottom, and up is up.
/** @param {Question} question @param {() => void} changed @returns {AnswerControl} */
function sequence(question, changed) {
  const stack = Boolean(question.stacked);
  const up = stack ? 1 : -1; // where in the order the item lies that is drawn above
  /** @type {string[]} */
  let order = [];
  /** @type {string | null} */
  let drag = null;
  const long = question.options.some((item) => item.length > LONG_ITEM) ? ' long' : '';
  const tray = h('ul', { class: `tray${long}`, 'aria-label': say('answer.to_place') });
  const placed = h('ol', { class: stack ? 'placed stack' : 'placed', 'aria-label': say(stack ? 'answer.stack' : 'answer.order') });
  const hint = h('p', { class: 'note' }, '');
  const told = h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
  /** @param {string[]} next @param {string | false} focus on which item */
  const update = (next, focus) => { order = next; draw(); changed(); if (focus) element.querySelector(`[data-item="${CSS.escape(focus)}"]`)?.focus(); };
  const place = (/** @type {string} */ item, at = order.length, focus = true) => {
    const rest = order.filter((other) => other !== item);
    rest.splice(at, 0, item);
    told.textContent = say(stack ? 'answer.placed_stack' : 'answer.placed', { item, number: rest.indexOf(item) + 1 });
    update(rest, focus && item);
  };
  const lift = (/** @type {string} */ item) => { told.textContent = say('answer.lifted', { item }); update(order.filter((other) => other !== item), item); };
  const dragging = (/** @type {string} */ item) => ({
    draggable: true,
    ondragstart: (/** @type {Moved} */ event) => { drag = item; event.dataTransfer.setData('text/plain', item); event.dataTransfer.effectAllowed = 'move'; },
    ondragend: () => { drag = null; draw(); },
  });
  /** @param {string} item @param {number} index */
  const named = (item, index) => [h('kbd', { 'aria-hidden': 'true' }, String(index + 1)), h('span', {}, item)];
  /** @param {string} item @param {number} index */
  const waiting = (item, index) => h('button', { type: 'button', class: 'named', disabled: true }, ...named(item, index));
  const draw = () => {
    // The place of what was taken stays empty, so that nothing moves under the pointer.
    tray.replaceChildren(...question.options.map((item, index) => (order.includes(item)
      ? h('li', { class: 'gone', 'aria-hidden': 'true' }, waiting(item, index))
      : h('li', dragging(item), h('button', { type: 'button', class: 'item', dataset: { item }, onclick: () => place(item) }, ...named(item, index))))));
    tray.hidden = order.length === question.options.length;
    const there = (/** @type {number} */ index) => index >= 0 && index < order.length;
    const items = order.map((item, index) => h('li', {
      ...dragging(item),
      ondragover: (/** @type {Moved} */ event) => { if (drag !== null) { event.preventDefault(); event.currentTarget.classList.add('over'); } },
      ondragleave: (/** @type {Moved} */ event) => event.currentTarget.classList.remove('over'),
      ondrop: (/** @type {DragEvent} */ event) => { event.preventDefault(); event.stopPropagation(); if (drag !== null && drag !== item) place(drag, index); },
    },
    h('span', {
      class: 'item', tabIndex: 0, role: 'group', dataset: { item }, 'aria-label': say(stack ? 'answer.item_stack' : 'answer.item', { number: index + 1, item }),
      onkeydown: keyed((key, event) => {
        const to = { ArrowUp: index + up, ArrowDown: index - up }[key];
        if (to !== undefined) { event.preventDefault(); event.stopPropagation(); if (there(to)) place(item, to); }
        if (key === 'Delete' || key === 'Backspace') { event.preventDefault(); event.stopPropagation(); lift(item); }
      }),
    }, h('b', {}, `${index + 1}`), h('span', {}, item)),
    h('button', { type: 'button', class: 'quiet', 'aria-label': say('answer.up', { item }), disabled: !there(index + up),
      onclick: () => place(item, index + up) }, '↑'),
    h('button', { type: 'button', class: 'quiet', 'aria-label': say('answer.down', { item }), disabled: !there(index - up),
      onclick: () => place(item, index - up) }, '↓'),
    h('button', { type: 'button', class: 'quiet', 'aria-label': say('answer.take', { item }), onclick: () => lift(item) }, '×')));
    placed.replaceChildren(...(stack ? items.reverse() : items));
    placed.classList.toggle('empty', order.length === 0);
    hint.textContent = order.length === 0 ? say(stack ? 'answer.click_stack' : 'answer.click') : '';
    hint.hidden = order.length > 0;
  };
  const ends = stack ? [h('p', { class: 'end-of-stack' }, say('answer.top')), h('p', { class: 'end-of-stack ground' }, say('answer.bottom'))] : [null, null];
  // A stack stands in a room that is as high as it will need: what waits hangs above, and what stands keeps its place.
  const rows = stack ? question.options.slice(1).map((item) => h('li', {}, h('span', { class: 'named' }, h('b', {}, '0'), h('span', {}, item)),
    ...['↑', '↓', '×'].map((sign) => h('button', { type: 'button', class: 'quiet', disabled: true }, sign)))) : [];
  const ghost = stack && h('div', { class: 'ghost', 'aria-hidden': 'true' },
    h('ul', { class: `hanging${long}` }, question.options.map((item, index) => h('li', {}, waiting(item, index)))),
    h('div', {}, h('p', { class: 'end-of-stack' }, '·'), h('ol', { class: 'standing' }, rows), h('p', { class: 'end-of-stack ground' }, '·')));
  const pile = stack ? h('div', { class: 'pile' }, ends[0], placed, hint, ends[1]) : placed;
  pile.addEventListener('dragover', (event) => { if (drag !== null) event.preventDefault(); });
  pile.addEventListener('drop', (event) => { event.preventDefault(); if (drag !== null) place(drag); });
  const element = stack
    ? h('div', { class: 'sequence stacking' }, ghost, h('div', { class: 'live' }, tray, pile), told)
    : h('div', { class: 'sequence' }, tray, placed, hint, told);
  draw();
  return {
    element,
    value: () => (order.length === question.options.length ? [...order] : null),
    partial: () => [...order],
    set: (answer) => { order = (answer || []).filter((/** @type {string} */ item) => question.options.includes(item)); draw(); },
    missing: () => say('answer.place', { left: question.options.length - order.length }),
    // As for choices, the focus follows only if it was here already: elsewhere the arrow keys must go on turning the camera.
    digit: (n) => {
      const item = question.options[Number(n) - 1];
      if (!item || order.includes(item)) return false;
      place(item, order.length, element.contains(focusedBeside(element)));
      return true;
    },
    focus: () => element.querySelector('.item')?.focus(),
  };
}

/**
 * The control that fits the question.
 * @param {Question} question
 * @param {() => void} changed called on every change by the person
 */
export function answerForm(question, changed) {
  switch (question.form) {
    case 'yes_no':
    case 'choice':
      return choice(question, changed);
    case 'count':
      return question.options.length ? choice(question, changed) : count(question, changed);
    case 'number':
      return question.options.length ? choice(question, changed) : number(question, changed);
    case 'sequence':
      return sequence(question, changed);
    case 'blanks':
      return blanks(question, changed);
    case 'assignment':
      return mapping(question.options, () => question.targets, changed);
    case 'pair':
      return mapping(question.blank_names, (index) => question.blanks[index], changed);
    default:
      return question.options.length ? choice(question, changed) : freeText(question, changed);
  }
}

/**
 * "near the stool", "1. cup, 2. plate", "from the bottom: cup, plate", "cup → box" for the confirmation.
 * @param {Answer | null | undefined} answer
 * @param {Partial<Question>} question
 */
export function inWords(answer, question = {}) {
  if (answer === null || answer === undefined) return say('answer.none');
  if (Array.isArray(answer) && question.stacked) return say('answer.from_bottom', { items: answer.join(', ') });
  if (Array.isArray(answer)) return answer.map((part, index) => `${index + 1}. ${part}`).join(', ');
  if (typeof answer === 'object') return Object.entries(answer).map(([item, value]) => `${item} → ${value}`).join(', ');
  return String(answer);
}

/** How far an arrow key moves the confidence (percent). */
const CONFIDENCE_STEP = 5;

/**
 * Confidence 0–100 with no value until touched: the thumb appears on first use.
 * @param {() => void} changed
 * @param {number} options - how many the question offers; of two, one is right by a pure guess in half of the cases, which is said
 */
export function confidence(changed, options = 0) {
  const id = uid('confidence');
  const out = h('output', { for: id }, '–');
  const slider = h('input', { type: 'range', id, min: '0', max: '100', step: '1', value: '50', class: 'untouched', 'aria-valuetext': say('answer.not_set') });
  let touched = false;
  const show = () => {
    slider.classList.toggle('untouched', !touched);
    slider.setAttribute('aria-valuetext', touched ? say('answer.percent', { n: slider.value }) : say('answer.not_set'));
    slider.style.setProperty('--fill', touched ? `${slider.value}%` : '0%');
    out.textContent = touched ? say('answer.percent_short', { n: slider.value }) : '–';
  };
  const touch = () => { touched = true; show(); changed(); };
  slider.addEventListener('input', touch);
  // A press in the very middle, or Space/Enter on the slider, gives no input event but is a choice all the same.
  slider.addEventListener('pointerup', () => { if (!touched) touch(); });
  slider.addEventListener('keydown', keyed((key, event) => { if (!touched && (key === ' ' || key === 'Enter')) { event.preventDefault(); touch(); } }));
  show();
  return {
    element: h('div', { class: 'confidence' },
      h('div', { class: 'row spread' }, h('label', { for: id }, say('answer.confidence')), out),
      h('div', { class: 'scale' }, slider, h('div', { class: 'ticks', 'aria-hidden': 'true' },
        [0, 25, 50, 75, 100].map((at) => h('i', { style: `left: ${at}%` }, String(at))))),
      h('div', { class: 'row spread note' }, h('span', {}, say('answer.wrong')), options === 2 ? h('span', {}, say('answer.guess')) : null,
        h('span', {}, say('answer.right')))),
    value: () => (touched ? Number(slider.value) : null),
    /** @param {number | null | undefined} value */
    set: (value) => { touched = value !== null && value !== undefined; if (touched) slider.value = String(value); show(); },
    /** A step down (-1) or up (1) by key; the first one sets the middle. */
    step: (/** @type {number} */ by) => {
      slider.value = String(touched ? Math.max(0, Math.min(100, Number(slider.value) + by * CONFIDENCE_STEP)) : 50);
      touch();
    },
    focus: () => slider.focus(),
  };
}
