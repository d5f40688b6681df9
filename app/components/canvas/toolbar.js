// The buttons of the drawing component: tools, colours, what is undone, zoom, what is shown, and to which views a mark is copied.
import { COLOURS, NAMES } from './colours.js';
import { focusedBeside, h } from './dom.js';
import { KINDS, TOOLS } from './drawkeys.js';
import { icon } from './pane.js';

/** @typedef {'snap' | 'names' | 'outlines' | 'titles' | 'lines'} Toggle */

/** @type {Toggle[]} */
const HELPING = ['lines', 'outlines', 'titles'];
/** @type {Toggle[]} */
const TOGGLES = ['snap', 'names', ...HELPING];

/** @param {string} text */
const upper = (text) => text[0].toUpperCase() + text.slice(1);

export class Toolbar {
  /** @param {import('./canvas.js').Board} board the component: what the buttons do, and what they follow */
  constructor(board) {
    this.board = board;
    /** @type {(label: string, key: string, press: () => void, ...children: (Node | string)[]) => HTMLButtonElement} */
    const button = (label, key, press, ...children) => h('button', { type: 'button', title: `${label} (${key})`, 'aria-label': label, onclick: press },
      ...children);
    const kbd = (/** @type {string} */ key) => h('kbd', { 'aria-hidden': 'true' }, key);
    this.tools = new Map(TOOLS.map(([name, key, label]) => [name, button(label, key.toUpperCase(), () => board.pick(name), icon(name),
      kbd(key.toUpperCase()))]));
    this.swatches = new Map(NAMES.map((name, i) => [name, h('button', {
      type: 'button', class: 'swatch', title: `${upper(name)} (${i + 1})`, 'aria-label': `${upper(name)} ${i + 1}`, onclick: () => board.paint(name),
    }, h('i', { style: `background:${COLOURS[name]}` }), kbd(String(i + 1)))]));
    this.acts = {
      undo: button('Undo', 'Ctrl+Z', () => board.undo(), icon('undo')),
      redo: button('Redo', 'Ctrl+Y', () => board.redo(), icon('redo')),
      remove: button('Delete', 'Delete', () => board.remove(), icon('bin')),
      finish: h('button', { type: 'button', class: 'finish', onclick: () => board.finish() }, 'Finish the track'),
    };
    /** @type {(label: string, key: string, name: Toggle) => HTMLButtonElement} */
    const toggle = (label, key, name) => h('button', { type: 'button', class: 'toggle', title: `${label} (${key})`,
      onclick: () => { board[name] = !board[name]; board.sync(); } }, label, kbd(key));
    this.toggles = {
      snap: toggle('Snap to edge', 'S', 'snap'), names: toggle('Colour names', 'M', 'names'), outlines: toggle('Outlines', 'O', 'outlines'),
      titles: toggle('What they are', 'Q', 'titles'), lines: toggle('Lines', 'L', 'lines'),
    };
    const zooms = [
      button('Zoom out', '−', () => board.zoom(1 / 1.5), '−'),
      button('Fit the whole image', '0', () => board.active?.fit(), 'Fit'),
      button('Zoom in', '+', () => board.zoom(1.5), '+'),
    ];
    this.copies = h('div', { class: 'copies', role: 'group', 'aria-label': 'Copy the mark to' });
    const drawing = h('div', { class: 'group tools', role: 'group', 'aria-label': 'Tools' }, [...this.tools.values()]);
    this.palette = h('div', { class: 'group palette', role: 'group', 'aria-label': 'Colours' }, [...this.swatches.values()]);
    this.editing = h('div', { class: 'group', role: 'group', 'aria-label': 'Edit' }, this.acts.undo, this.acts.redo, this.acts.remove);
    this.element = h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Drawing' },
      drawing, this.palette, this.editing,
      h('div', { class: 'group', role: 'group', 'aria-label': 'Zoom' }, zooms,
        h('button', { type: 'button', class: 'ask', 'aria-label': 'Keys', title: 'Keys (?)', onclick: () => board.keys.showModal() }, '?')),
      h('div', { class: 'group toggles', role: 'group', 'aria-label': 'Show' }, Object.values(this.toggles)));
  }

  /** Buttons follow the state. */
  sync() {
    const { board } = this;
    for (const [name, button] of this.tools) {
      button.setAttribute('aria-pressed', String(board.tool === name));
      button.hidden = name === 'pin' ? !board.pins.possible : board.readonly ? name !== 'hand' : name in KINDS && !board.data.kinds.includes(name);
      button.disabled = !board.ready && name !== 'hand';
    }
    const allowed = board.colours();
    const shown = (board.tool === 'select' && board.chosen?.colour) || board.colour;
    for (const [name, button] of this.swatches) {
      button.hidden = !allowed.includes(name);
      button.setAttribute('aria-pressed', String(shown === name));
    }
    this.palette.hidden = this.editing.hidden = board.readonly;
    // Never really disabled: a button that is pressed for the last time would lose the focus, and the keys with it.
    /** @type {(button: HTMLElement, yes: boolean) => void} */
    const idle = (button, yes) => button.setAttribute('aria-disabled', String(yes));
    idle(this.acts.undo, !board.history.past.length && !board.draft);
    idle(this.acts.redo, !board.history.future.length);
    idle(this.acts.remove, !board.chosen && !board.draft);
    const ended = this.acts.finish === focusedBeside(board.shell) && !board.draft;
    this.acts.finish.hidden = !(board.draft?.kind === 'track' && board.draft.points.length > 1);
    if (ended) board.active?.port.focus();
    for (const name of TOGGLES) this.toggles[name].setAttribute('aria-pressed', String(board[name]));
    this.toggles.snap.hidden = board.readonly;
    for (const name of HELPING) this.toggles[name].hidden = !board.data.help;
    const { chosen } = board;
    const others = chosen && !board.readonly ? [...board.panes.keys()].filter((name) => name !== chosen.view) : [];
    const key = others.join('\n') + board.selected;
    if (this.copies.dataset.key !== key) {
      this.copies.dataset.key = key;
      this.copies.replaceChildren(...(others.length ? [h('span', {}, 'Copy to')] : []),
        ...others.map((name) => h('button', { type: 'button', onclick: () => board.copy(name) }, name)));
    }
  }
}
