// What keys mean, once for all pages of robot questions; and single keys of a whole page, which are heard before anything else on it, never
// while somebody types, and are off where the reader wants so.
import { h } from './dom.js';
import { keyed } from './pressed.js';

const STORE = 'vantage.shortcuts.v1';
const TYPING = 'textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=range]), [contenteditable=true], [role=grid], [role=combobox]';

/**
 * What keys mean: [keys, words] by the part of a page that hears them. A key means one thing wherever it means something. Digits take what
 * carries that number on the page (an option, a colour, a reason) and never anything else; Y is yes and X is no. The one exception are the
 * letters A to E: where one answers they are the options' names, and where one draws there is nothing to answer, so that B draws a box and
 * E edits points there as in other drawing programs.
 * @type {Record<string, [string, string][]>}
 */
export const MEANINGS = {
  everywhere: [
    ['Enter', 'go on: answer, save'],
    ['Escape', 'close, or give up what is half done'],
    ['F', 'enlarge a picture, and back'],
    ['?', 'show these keys'],
  ],
  pictures: [['+ − 0', 'zoom in, zoom out, all of the picture (Ctrl and wheel also zoom)']],
  answering: [
    ['A B C D E', 'choose that option'],
    ['1 2 3 4 5', 'choose the option at that place'],
    ['← →', 'how sure'],
  ],
  judging: [
    ['Y', 'yes: it is clean, keep it'],
    ['X', 'no: flag it, drop it'],
    ['1 2 3 4 5 6 7 8 9', 'tick the reason with that number'],
    ['W', 'write'],
    ['U', 'take the last decision back'],
    ['Z', 'cannot judge it: give it to somebody else'],
    ['Ctrl+Enter', 'save and go on, also while writing'],
  ],
  verifying: [
    ['1 2 3 4 5 6 7 8 9', 'choose the answer at that place'],
    ['← →', 'how sure; then the previous, the next view'],
    ['Home End', 'the first, the last view'],
    ['↑ ↓', 'the axis above, the axis below'],
    ['O K', 'outlines of the objects in this view; masks: which thing each pixel shows'],
    ['L M T', 'the objects, the map, the twin'],
    ['S', 'step into the simulator at this view'],
    ['G H', 'the guide, your own work'],
  ],
  adjudicating: [
    ['1 2 3 4 5 6 7 8 9', 'choose the answer at that place, or tick the reason with that number'],
    ['N', 'it cannot be told'],
    ['Y X', 'yes: it is sound, the reasons hold; no: a defect shows, none holds'],
    ['← →', 'the previous, the next view'],
    ['Home End', 'the first, the last view'],
    ['↑ ↓', 'the question above, the question below'],
    ['S', 'step into the simulator'],
  ],
  viewing: [
    ['H', 'move the view'],
    ['J', 'comment on a mark or a place: Enter, or a press, says where'],
    ['M O Q L', 'show colour names, outlines of known objects, what they are, lines'],
  ],
  drawing: [
    ['V', 'choose and change marks'],
    ['B T G', 'draw a box, a track, a grasp line'],
    ['1 2 3 4 5 6 7', 'the colour with that number'],
    ['X', 'no: the colour is not visible in this view, and back'],
    ['← ↑ → ↓', 'move the cross, the chosen mark or point by a pixel; with Shift by ten'],
    ['Enter', 'place a point; where the last one is it ends a track'],
    ['N P', 'next, previous mark, or point while points are edited'],
    ['E', 'edit the points of the chosen mark'],
    ['I', 'insert a point after the chosen one'],
    ['Delete', 'delete the chosen point or mark'],
    ['K', 'copy the mark to another view'],
    ['Ctrl+Z Ctrl+Y', 'undo, redo: a mark with all that followed from it'],
    ['S', 'snap to the image edge'],
  ],
  options: [
    ['1 2 3 4', 'in an option’s row: how it was made, in the order of the list'],
    ['=', 'in an option’s row: the same as in this one, or as said last, for all that are left'],
  ],
  directions: [
    ['← → ↑ ↓', 'in an option’s directions: add left, right, forward, backward'],
    ['PageUp PageDown', 'in an option’s directions: add upward, downward'],
    ['Backspace', 'in an option’s directions: take the last away'],
  ],
  authoring: [
    [', .', 'previous, next item of your list'],
    ['Ctrl+Enter', 'send to review and begin the next of this subtask'],
  ],
};

/** The dialog that `?` opens: what the keys mean on this page. @param {string[]} parts */
export function keyTable(parts) {
  const rows = ['everywhere', 'pictures', ...parts].flatMap((part) => MEANINGS[part]);
  const dialog = h('dialog', { class: 'dialog keytable', 'aria-label': 'Keys' }, h('h2', {}, 'Keys'),
    h('dl', { class: 'keylist' }, rows.flatMap(([keys, words]) => [h('dt', {}, keys.split(' ').map((key) => h('kbd', {}, key))), h('dd', {}, words)])),
    h('div', { class: 'row end' }, h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Done')));
  return dialog;
}

export class Shortcuts {
  /**
   * @param {(key: string, event: KeyboardEvent) => boolean} press what to do; whether the key was ours. Letters come in lower case
   * @param {() => boolean} alive whether the part of the page that they belong to is still shown
   * @param {string[]} parts which of `MEANINGS` hold on this page
   */
  constructor(press, alive, parts) {
    this.press = press;
    this.table = keyTable(parts);
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

  /** @param {string} key @param {KeyboardEvent} event */
  #key(key, event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !this.alive()) return;
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || target.matches(TYPING) || target.closest('dialog, [role=dialog], [role=listbox]')) return;
    if (!this.on && key.length === 1) return;
    // Enter and Space belong to the button or link that has the focus, and set an untouched slider.
    if (['Enter', ' '].includes(key) && target.closest('button, a, summary, .untouched, [role=button], [role=tab]')) return;
    if (key === '?') this.show();
    else if (!this.press(key, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** The line that names the keys, with the switch that turns single keys off (WCAG 2.1.4). @param {string[][]} keys keys and words */
  line(keys) {
    const box = h('input', { type: 'checkbox', checked: this.on, onchange: () => {
      this.on = box.checked;
      try {
        localStorage.setItem(STORE, this.on ? 'on' : 'off');
      } catch {
        // No storage: the choice lasts until the page is closed.
      }
    } });
    return h('p', { class: 'hotkeys' }, keys.map(([key, what]) => h('span', {}, h('kbd', {}, key), what)),
      h('button', { type: 'button', class: 'link', onclick: () => this.show() }, h('kbd', {}, '?'), 'all keys'),
      h('label', {}, box, 'Single keys'), this.table);
  }

  /** The table of keys; it lies in the line that names them. */
  show() { if (this.table.isConnected && !this.table.open) this.table.showModal(); }

  close() { this.abort.abort(); }
}
