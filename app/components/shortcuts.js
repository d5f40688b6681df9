// Single-key shortcuts of a whole page: heard before anything else on it, never while somebody types, and off where the reader wants so.
import { h } from './dom.js';
import { keyed } from './pressed.js';

const STORE = 'vantage.shortcuts.v1';
const TYPING = 'textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=range]), [contenteditable=true], [role=grid], [role=combobox]';

export class Shortcuts {
  /**
   * @param {(key: string, event: KeyboardEvent) => boolean} press what to do; whether the key was ours. Letters come in lower case
   * @param {() => boolean} alive whether the part of the page that they belong to is still shown
   */
  constructor(press, alive) {
    this.press = press;
    this.alive = alive;
    this.on = true;
    try {
      this.on = localStorage.getItem(STORE) !== 'off';
    } catch {
      // No storage: they are on.
    }
    this.abort = new AbortController();
    window.addEventListener('keydown', keyed((key, event) => this.#key(key, event)), { capture: true, signal: this.abort.signal });
  }

  #key(key, event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !this.alive()) return;
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || target.matches(TYPING) || target.closest('dialog, [role=dialog], [role=listbox]')) return;
    if (!this.on && key.length === 1) return;
    // Enter and Space belong to the button or link that has the focus, and set an untouched slider.
    if (['Enter', ' '].includes(key) && target.closest('button, a, summary, .untouched, [role=button], [role=tab]')) return;
    if (!this.press(key, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** The line that names the keys, with the switch that turns single keys off (WCAG 2.1.4). */
  line(keys) {
    const box = h('input', { type: 'checkbox', checked: this.on, onchange: () => {
      this.on = box.checked;
      try {
        localStorage.setItem(STORE, this.on ? 'on' : 'off');
      } catch {
        // No storage: the choice lasts until the page is closed.
      }
    } });
    return h('p', { class: 'hotkeys' }, keys.map(([key, what]) => h('span', {}, h('kbd', {}, key), what)), h('label', {}, box, 'Single keys'));
  }

  close() { this.abort.abort(); }
}
