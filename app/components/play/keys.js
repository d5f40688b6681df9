// Keys for actions: defaults, the reader's own map (kept in this browser), and the dialog that changes it.
import { h, the } from './dom.js';
import { keyed } from './pressed.js';
import { lasting } from './shelf.js';
import { say } from './words.js';

const STORE = 'vantage.keys.v1';

/** The page's own commands, beside the actions that the server declares. */
const commands = () => [
  { name: 'go_objects', label: say('keys.go_objects'), code: 'KeyG' },
  { name: 'go_answer', label: say('keys.go_answer'), code: 'KeyF' },
];

/** The key that a declared code names on a US keyboard, as a press tells it (`pressed`, in lower case): what its badge says. @param {string} code */
const keyOf = (code) => code.replace(/^Key/, '').toLowerCase();

/** @type {Record<string, string>} */
const NAMES = { arrowleft: '←', arrowright: '→', arrowup: '↑', arrowdown: '↓', pageup: 'PgUp', pagedown: 'PgDn' };
export const keyName = (/** @type {string} */ key) => NAMES[key] || (key.length === 1 ? key.toUpperCase() : key);

const RESERVED = ['r', 'c']; // the page itself uses them

/**
 * Why a key cannot be bound, or null.
 * @param {string} key
 * @param {string} action that it is to stand for
 * @param {Pick<Keys, 'map' | 'labels'>} keys
 */
export function refusal(key, action, { map, labels }) {
  if (RESERVED.includes(key)) return say('keys.reserved', { key: keyName(key) });
  if (/^[0-9]$/.test(key)) return say('keys.numbers');
  if (!(/^[a-z]$/.test(key) || key in NAMES || /^[,.;\-[\]'/]$/.test(key))) return say('keys.others');
  const taken = Object.entries(map).find(([other, bound]) => bound === key && other !== action);
  return taken ? say('keys.taken', { key: keyName(key), action: labels[taken[0]] }) : null;
}

/** The map in use and whether single keys are on at all (WCAG 2.1.4). */
export class Keys {
  /** @param {{name: string, label: string, code: string}[]} actions all actions that have a default key, whichever this task offers */
  constructor(actions) {
    const declared = [...actions, ...commands()];
    /** @type {Record<string, string>} */
    this.labels = Object.fromEntries(declared.map(({ name, label }) => [name, label]));
    /** @type {Record<string, string>} */
    this.defaults = Object.fromEntries(declared.map(({ name, code }) => [name, keyOf(code)]));
    this.map = { ...this.defaults };
    /** @type {Record<string, string>} */
    this.others = {}; // keys of actions that this page does not know: kept as they are
    this.enabled = true;
    const kept = lasting.read(STORE);
    for (const [action, key] of Object.entries(kept?.map || {})) {
      if (typeof key === 'string') (action in this.defaults ? this.map : this.others)[action] = key;
    }
    const used = Object.values(this.map);
    if (new Set(used).size !== used.length || used.some((key) => RESERVED.includes(key))) this.map = { ...this.defaults };
    this.enabled = kept?.enabled !== false;
  }

  save() {
    lasting.keep(STORE, { map: { ...this.others, ...this.map }, enabled: this.enabled });
  }

  /** @param {string} key */
  action(key) {
    return Object.keys(this.map).find((name) => this.map[name] === key) || null;
  }

  /** @param {string} action */
  label(action) {
    return this.enabled && this.map[action] ? keyName(this.map[action]) : '';
  }
}

/**
 * Dialog to change keys.
 * @param {Keys} keys
 * @param {string[]} actions whose keys can be changed, beside that of the answer
 * @param {() => void} changed called after every change
 */
export function keysDialog(keys, actions, changed) {
  const message = h('p', { class: 'note', role: 'status', 'aria-live': 'polite' });
  const list = h('div', { class: 'keylist' });
  const dialog = h('dialog', { class: 'dialog', 'aria-label': say('keys.title') });
  /** @type {string | null} */
  let listening = null;

  const draw = () => {
    list.replaceChildren(
      ...[...actions, 'go_answer'].map((action) =>
        h('div', { class: 'keyrow' },
          h('span', {}, keys.labels[action]),
          h('button', {
            type: 'button', class: `key ${listening === action ? 'listening' : ''}`, dataset: { action },
            'aria-label': say('keys.change', { action: keys.labels[action], key: keyName(keys.map[action]) }),
            onclick: () => { listening = action; message.textContent = say('keys.press_new', { action: keys.labels[action] }); draw();
              the(list, `[data-action=${action}]`).focus(); },
          }, listening === action ? say('keys.press') : keyName(keys.map[action])))),
    );
  };
  dialog.addEventListener('keydown', keyed((name, event) => {
    if (!listening) return;
    event.preventDefault();
    event.stopPropagation();
    const action = listening;
    const key = name.toLowerCase();
    if (['shift', 'control', 'alt', 'altgraph', 'meta', 'capslock'].includes(key)) return;
    if (key === 'escape' || key === 'tab') message.textContent = say('keys.unchanged');
    else {
      const why = refusal(key, action, keys);
      if (why) message.textContent = why;
      else {
        keys.map[action] = key;
        keys.save();
        changed();
        message.textContent = say('keys.changed', { action: keys.labels[action], key: keyName(key) });
      }
    }
    listening = null;
    draw();
    the(list, `[data-action=${action}]`).focus();
  }), true);
  const toggle = h('input', { type: 'checkbox', checked: keys.enabled, onchange: () => { keys.enabled = toggle.checked; keys.save(); changed(); } });
  dialog.append(
    h('h2', {}, say('keys.title')),
    h('label', { class: 'check' }, toggle, ` ${say('keys.single')}`),
    list, message,
    h('div', { class: 'row end' },
      h('button', { type: 'button', onclick: () => { keys.map = { ...keys.defaults }; keys.save(); changed(); message.textContent = say('keys.restored');
        draw(); } }, say('keys.restore')),
      h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, say('page.done'))),
  );
  dialog.addEventListener('close', () => { listening = null; message.textContent = ''; });
  draw();
  return dialog;
}
