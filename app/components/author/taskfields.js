// The fields of a task's editor: each with its label, shut where the task is handed in.
import { h, uid } from './dom.js';

/** @typedef {{typing?: boolean}} How `typing`: it goes on */

/** @param {string} word */
export const plain = (word) => word.replaceAll('_', ' ');
/** @param {PlacedThing} thing */
export const called = (thing) => thing.words || `${plain(thing.category)} (${thing.key})`;
/** What is typed one a line. @param {string} value */
export const lines = (value) => value.split('\n').map((line) => line.trim()).filter(Boolean);

export class TaskFields {
  /** @param {() => boolean} open whether anything can be changed */
  constructor(open) { this.open = open; }

  /** @param {string} label @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} input */
  row(label, input) {
    input.id = uid('f');
    input.disabled = !this.open();
    return h('div', { class: 'field' }, h('label', { for: input.id }, label), input);
  }

  /** @param {string} label @param {number | null} value @param {(value: number | null) => void} act */
  number(label, value, act, how = {}) {
    return this.row(label, h('input', { type: 'number', step: 'any', value: value === null ? '' : String(value), ...how,
      onchange: (event) => { const { value: typed } = event.currentTarget; act(typed === '' ? null : Number(typed)); } }));
  }

  /** @param {string} label @param {boolean} checked @param {(checked: boolean) => void} act */
  check(label, checked, act) {
    return h('label', { class: 'row check' }, h('input', { type: 'checkbox', checked, disabled: !this.open(),
      onchange: (event) => act(event.currentTarget.checked) }), label);
  }

  /**
   * @param {string} label
   * @param {string} value
   * @param {(value: string, how: {typing: boolean}) => void} act
   * @param {{lines?: number, maxlength?: string, placeholder?: string}} [how]
   */
  text(label, value, act, { lines: rows = 1, ...how } = {}) {
    /** @param {Event & {currentTarget: HTMLInputElement | HTMLTextAreaElement}} event @param {boolean} typing */
    const typed = (event, typing) => act(event.currentTarget.value, { typing });
    /** @type {Pick<ElementProps<HTMLInputElement | HTMLTextAreaElement>, 'oninput' | 'onchange'>} */
    const heard = { oninput: (event) => typed(event, true), onchange: (event) => typed(event, false) };
    return this.row(label, rows > 1 ? h('textarea', { rows, ...how, ...heard }, value) : h('input', { type: 'text', value, ...how, ...heard }));
  }

  /** @param {string} label @param {string} value @param {string[][]} options @param {(value: string) => void} act */
  select(label, value, options, act) {
    return this.row(label, h('select', { onchange: (event) => act(event.currentTarget.value) },
      options.map(([one, words]) => h('option', { value: one, selected: one === value }, words))));
  }

  /**
   * One of some words, or none yet.
   * @param {string} label
   * @param {string} value
   * @param {string[]} words
   * @param {(value: string) => void} act
   */
  one(label, value, words, act) {
    return this.select(label, words.includes(value) ? value : '', [['', 'choose'], ...words.map((word) => [word, word])], act);
  }

  /** @param {string} label @param {() => void} act */
  button(label, act) {
    return h('button', { type: 'button', class: 'small', disabled: !this.open(), onclick: act }, label);
  }
}
