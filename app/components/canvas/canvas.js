// The drawing component: boxes, tracks and grasp lines on several views of one moment. Everything works by pointer and by keyboard.
// Coordinates are continuous pixels of the original image. Marks are saved by saver.js as they change; history.js undoes.
import { COLOURS, NAMES } from './colours.js';
import { both, choice } from './conflict.js';
import { sentenceOf } from './api.js';
import { clock, focusedBeside, h, newId, uid } from './dom.js';
import { DrawKeys, KINDS, LEAP, STEP, TOOLS } from './drawkeys.js';
import { boxOf, course, flaw, handles, inside, shifted, tidy, withHandle, withPoint, words } from './geometry.js';
import { probes, suggestions } from './helplines.js';
import { History, same } from './history.js';
import { MarkTable } from './marktable.js';
import { mounting } from './mounting.js';
import { Layout } from './layout.js';
import { inOrder, isAbsence } from './nextmark.js';
import { icon, Pane } from './pane.js';
import { Places } from './places.js';
import { Pointer } from './pointer.js';
import { Pins } from './pins.js';
import { keyed } from './pressed.js';
import { Saver } from './saver.js';
import { passing } from './shelf.js';
import { keyTable } from './shortcuts.js';

/** A pause after the last save before the page hears of it (ms). */
const REST_MS = 500;
const SESSION = 'vantage.canvas.v1.';

const upper = (text) => text[0].toUpperCase() + text.slice(1);

export class Board {
  /** @type {[string, number[]] | null} */ probe;
  /** @type {() => void} */ leave;
  /** @type {Saver | null} */ saver;
  /** @type {number | null} */ vertex;
  /** @type {string | null} */ selected;
  /** @type {HTMLDialogElement} */ keys;
  /** @type {HTMLDivElement} */ grid;
  /** @type {() => void} */ back;
  /** @type {HTMLParagraphElement} */ status;
  /** @type {HTMLSpanElement} */ saved;
  /** @type {HTMLDivElement} */ shell;
  /** @type {HTMLButtonElement} */ retry;
  /** @type {HTMLDivElement} */ clash;
  /** @type {Map<string, HTMLButtonElement>} */ tools;
  /** @type {Map<string, HTMLButtonElement>} */ swatches;
  /** @type {HTMLDivElement} */ palette;
  /** @type {HTMLDivElement} */ editing;
  /** @type {Record<'undo' | 'redo' | 'remove' | 'finish', HTMLButtonElement>} */ acts;
  /** @type {Record<'snap' | 'names' | 'outlines' | 'titles' | 'lines', HTMLButtonElement>} */ toggles;
  /** @type {HTMLDivElement} */ copies;
  /** @type {MarkTable} */ table;

  constructor(root, data, setState, send) {
    this.setState = setState;
    this.send = send;
    this.item = data.item;
    this.panes = new Map();
    this.history = new History(data.marks || []);
    this.tool = 'select';
    this.selected = null;
    this.vertex = null;
    this.snap = true;
    this.lines = this.outlines = this.titles = true;
    this.names = true;
    this.staged = Boolean(data.staged);
    this.places = new Places(this);
    this.layout = new Layout(this);
    this.ready = Boolean(data.readonly);
    /** @type {Saver | null} */
    this.saver = null;
    this.pointer = new Pointer(this);
    this.drawkeys = new DrawKeys(this);
    this.pins = new Pins(this);
    this.#build(root, data.parts || ['viewing', ...(data.readonly ? [] : ['drawing'])]);
    this.update(data, true);
    if (!data.readonly) this.#load();
  }

  // ---------------------------------------------------------------- parts of the page

  #build(root, parts_) {
    const button = (label, key, press, ...children) => h('button', { type: 'button', title: `${label} (${key})`, 'aria-label': label, onclick: press },
      ...children);
    const kbd = (key) => h('kbd', { 'aria-hidden': 'true' }, key);
    this.tools = new Map(TOOLS.map(([name, key, label]) => [name, button(label, key.toUpperCase(), () => this.pick(name), icon(name),
      kbd(key.toUpperCase()))]));
    this.swatches = new Map(NAMES.map((name, i) => [name, h('button', {
      type: 'button', class: 'swatch', title: `${upper(name)} (${i + 1})`, 'aria-label': `${upper(name)} ${i + 1}`, onclick: () => this.paint(name),
    }, h('i', { style: `background:${COLOURS[name]}` }), kbd(String(i + 1)))]));
    this.acts = {
      undo: button('Undo', 'Ctrl+Z', () => this.undo(), icon('undo')),
      redo: button('Redo', 'Ctrl+Y', () => this.redo(), icon('redo')),
      remove: button('Delete', 'Delete', () => this.remove(), icon('bin')),
      finish: h('button', { type: 'button', class: 'finish', onclick: () => this.finish() }, 'Finish the track'),
    };
    const toggle = (label, key, name) => h('button', { type: 'button', class: 'toggle', title: `${label} (${key})`,
      onclick: () => { this[name] = !this[name]; this.sync(); } }, label, kbd(key));
    this.toggles = {
      snap: toggle('Snap to edge', 'S', 'snap'), names: toggle('Colour names', 'M', 'names'), outlines: toggle('Outlines', 'O', 'outlines'),
      titles: toggle('What they are', 'Q', 'titles'), lines: toggle('Lines', 'L', 'lines'),
    };
    this.zooms = [
      button('Zoom out', '−', () => this.zoom(1 / 1.5), '−'),
      button('Fit the whole image', '0', () => this.active?.fit(), 'Fit'),
      button('Zoom in', '+', () => this.zoom(1.5), '+'),
    ];
    this.saved = h('span', { class: 'saved', 'aria-live': 'polite' });
    this.retry = h('button', { type: 'button', class: 'link', hidden: true, onclick: () => this.saver?.put(this.history.present) }, 'Try again');
    this.copies = h('div', { class: 'copies', role: 'group', 'aria-label': 'Copy the mark to' });
    this.drawing = h('div', { class: 'group tools', role: 'group', 'aria-label': 'Tools' }, [...this.tools.values()]);
    this.palette = h('div', { class: 'group palette', role: 'group', 'aria-label': 'Colours' }, [...this.swatches.values()]);
    this.editing = h('div', { class: 'group', role: 'group', 'aria-label': 'Edit' }, this.acts.undo, this.acts.redo, this.acts.remove);
    this.bar = h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Drawing' },
      this.drawing, this.palette, this.editing,
      h('div', { class: 'group', role: 'group', 'aria-label': 'Zoom' }, this.zooms,
        h('button', { type: 'button', class: 'ask', 'aria-label': 'Keys', title: 'Keys (?)', onclick: () => this.keys.showModal() }, '?')),
      h('div', { class: 'group toggles', role: 'group', 'aria-label': 'Show' }, Object.values(this.toggles)));
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.status.id = uid('canvas-status');
    this.grid = h('div', { class: 'views' });
    this.clash = h('div', { class: 'clash', role: 'alert', hidden: true });
    this.keys = keyTable(parts_);
    this.table = new MarkTable(this);
    // Never both at once: one ends a mark, the other begins with one that is there.
    const next = h('div', { class: 'next' }, this.acts.finish, this.copies);
    const foot = h('div', { class: 'foot' }, this.status, next, h('span', { class: 'savebox' }, this.saved, this.retry));
    // In the editor the tools stand beside the pictures, with what the page around them has to say there.
    const parts = this.staged ? [this.grid, h('div', { class: 'panel' }, h('slot', { name: 'top' }), this.bar, this.table.element,
      this.layout.element, foot, h('slot', { name: 'todo' }), this.pins.list), this.clash]
      : [this.bar, this.grid, this.pins.list, this.clash, foot];
    this.shell = h('div', { class: `vantage canvas${this.staged ? ' staged' : ''}` }, parts, this.keys, this.pins.dialog);
    this.shell.addEventListener('keydown', keyed((key, event) => this.drawkeys.key(key, event)));
    // Who comes back to this tab sees what was changed elsewhere meanwhile; without a network the next change tells of it.
    this.back = () => { if (this.ready && !this.readonly) this.saver?.refresh().catch(() => {}); };
    window.addEventListener('focus', this.back);
    this.leave = () => this.remember();
    window.addEventListener('pagehide', this.leave);
    this.shell.addEventListener('keyup', keyed((key) => { if (key === ' ') { this.spaced = false; this.sync(); } }));
    root.append(this.shell);
  }

  /** New data from the page: views, what may be drawn, help. Marks that are being edited stay as they are. */
  update(data, first = false) {
    const before = this.data;
    this.data = data;
    this.readonly = Boolean(data.readonly);
    const names = new Set(data.views.map((view) => view.name));
    for (const [name, pane] of this.panes) if (!names.has(name)) { pane.close(); this.panes.delete(name); }
    for (const view of data.views) {
      if (this.panes.has(view.name)) this.panes.get(view.name).show(view);
      else this.#open(view);
    }
    const order = data.views.map((view) => this.panes.get(view.name).element);
    // Moving an element takes the focus from it, so only a changed order moves any.
    if (order.some((element, i) => this.grid.children[i] !== element)) this.grid.append(...order);
    if (!names.has(this.wide)) this.wide = null;
    this.pins.update(data.pins, data.review);
    this.layout.keep(names, data.reference || data.views[0]?.name, before?.reference);
    if (before && data.rule && before.reference !== data.reference) this.places.turned(before.reference);
    if (!this.panes.has(this.active?.view.name)) this.active = this.panes.values().next().value;
    this.grid.dataset.count = String(data.views.length);
    const allowed = this.colours();
    if (!allowed.includes(this.colour)) this.colour = allowed[0];
    if (first && data.rule && this.panes.has(data.reference)) this.active = this.panes.get(data.reference);
    if (first) this.pick(this.readonly ? 'hand' : data.kinds[0] || 'select', true);
    else if (this.readonly) { if (!same(this.history.present, data.marks)) this.history = new History(data.marks); }
    else if (before && !same(before.marks || [], data.marks || []) && !this.saver?.pending && !same(this.history.present, data.marks || [])) {
      // Once there are marks, what comes late must not put back what was changed here meanwhile.
      if (this.ready) this.back();
      else this.#load();
    }
    this.sync();
  }

  colours() { return NAMES.filter((name) => this.data.colours.includes(name)); }

  #open(view) {
    const pane = new Pane(view, { enlarge: () => this.layout.enlarge(pane), moved: () => this.draw() });
    const { port } = pane;
    this.pointer.watch(pane);
    port.addEventListener('focus', () => {
      if (this.pointer.over !== pane) this.pointer.rest();
      if (this.active !== pane) this.places.enter(pane);
      this.sync();
    });
    port.setAttribute('aria-describedby', this.status.id);
    this.panes.set(view.name, pane);
  }

  // ---------------------------------------------------------------- keeping

  async #load() {
    this.saver ||= new Saver(this.item, (state) => this.#kept(state));
    const saver = this.saver;
    let marks;
    try {
      marks = await saver.load();
    } catch (error) {
      this.#kept({ kind: 'refused', message: sentenceOf(error), early: true });
      return;
    }
    if (saver !== this.saver || this.ready) return;
    const kept = this.#recall();
    this.history = History.restore(kept?.history, marks);
    for (const [view, zoom] of Object.entries(kept?.zooms || {})) this.panes.get(view)?.recall(zoom);
    if (!kept) this.places.begin();
    if (kept?.draft && this.panes.has(kept.draft.view) && this.data.kinds.includes(kept.draft.kind)) {
      this.pick(kept.draft.kind, true);
      this.draft = { ...kept.draft, at: null };
      this.say(`Your half-drawn ${KINDS[kept.draft.kind]} is still here: Enter goes on with it, Escape drops it.`);
    }
    this.ready = true;
    if (!this.status.textContent) this.say(this.#count());
    this.sync();
  }

  /** @param {import('./saver.js').Kept & {early?: boolean}} state */
  #kept({ kind, at, message, marks, theirs, rev, early }) {
    if (kind === 'merged') { this.#merged(marks); return; }
    const text = {
      loading: 'Loading the marks…', saving: 'Saving…', saved: at ? `saved ${clock(at)}` : 'saved',
      trouble: `Not saved yet: ${message} Your marks are kept in this browser.`,
      refused: early ? message : `Not saved: ${message} Your marks are kept in this browser.`,
      conflict: 'Not saved: choose which marks to keep.',
    }[kind];
    this.saved.textContent = text ?? '';
    this.shell.dataset.kept = kind;
    this.retry.hidden = kind !== 'refused' || Boolean(early);
    if (kind === 'conflict') this.#conflict(theirs);
    else this.#settled();
    // A run of the page per pause, not per save: runs take time, and a run that begins can cut off another.
    clearTimeout(this.telling);
    if (rev !== undefined) this.telling = setTimeout(() => this.setState?.('rev', rev), REST_MS);
  }

  /** What somebody else changed meanwhile has been taken over, mark by mark; undo brings back what was here. */
  #merged(marks) {
    if (!this.history?.commit(marks)) return;
    this.say('Marks that were changed elsewhere have been taken over.');
    if (!marks.some((mark) => mark.id === this.selected)) this.selected = this.vertex = null;
    this.remember?.();
    this.sync();
  }

  #settled() {
    if (!this.theirs) return;
    this.theirs = null;
    this.clash.hidden = true;
    this.draw();
  }

  /** Two people changed the same marks. */
  #conflict(theirs) {
    this.theirs = theirs;
    const way = (label, hint, make) => ({ label, hint, act: () => {
      if (this.theirs !== theirs) return; // another conflict, or none, stands here by now
      const marks = make();
      this.theirs = null;
      this.clash.hidden = true;
      this.history.commit(marks);
      this.saver?.settle(this.history.present);
      this.say(`${label}: done. Undo brings back what was here.`);
      this.selected = null;
      this.changed();
      this.active?.port.focus();
    } });
    this.clash.replaceChildren(...choice([
      way('Keep mine', 'Your marks replace theirs', () => this.history.present),
      way('Take theirs', 'Their marks replace yours', () => theirs),
      way('Keep both', 'Their marks are added to yours', () => inOrder(both(this.history.present, theirs, () => newId('m'))))]));
    this.clash.hidden = false;
    this.draw();
  }

  /** After a change of marks: save, remember, draw. */
  changed() {
    if (!this.marks().some((mark) => mark.id === this.selected)) this.selected = this.vertex = null;
    this.saver?.put(this.history.present);
    this.remember();
    this.sync();
  }

  commit(marks, /** @type {string | null} */ run = null) {
    if (this.history.commit(inOrder(marks), run)) this.changed();
  }

  /** What the server does not need, kept for a reload of this tab: steps to undo, the half-drawn mark. */
  remember() {
    if (this.readonly || !this.ready) return;
    const draft = this.draft && { view: this.draft.view, kind: this.draft.kind, colour: this.draft.colour, points: this.draft.points };
    const zooms = Object.fromEntries([...this.panes].map(([name, pane]) => [name, pane.kept]).filter(([, zoom]) => zoom));
    passing.keep(SESSION + this.item, { history: this.history.dump(), draft, colour: this.colour, zooms });
  }

  #recall() {
    const kept = passing.read(SESSION + this.item);
    if (this.colours().includes(kept?.colour)) this.colour = kept.colour;
    return kept;
  }

  // ---------------------------------------------------------------- looking at it

  /** The marks as they are seen now: a drag shows where it would lead. */
  marks() {
    const { present } = this.history;
    return this.preview ? present.map((mark) => (mark.id === this.preview.id ? this.preview : mark)) : present;
  }

  on(pane) { return this.marks().filter((mark) => mark.view === pane.view.name && !isAbsence(mark)); }

  get chosen() { return this.marks().find((mark) => mark.id === this.selected) || null; }

  paneOf(mark) { return this.panes.get(mark.view); }

  draw() {
    if (this.drawn) return;
    this.drawn = requestAnimationFrame(() => {
      this.drawn = null;
      const help = suggestions(this.data.help || {}, this.data.views, probes(this.chosen, this.vertex, this.probe),
        { lines: this.lines, outlines: this.outlines, names: this.titles });
      for (const pane of this.panes.values()) {
        const { name } = pane.view;
        pane.draw({
          marks: this.on(pane), selected: this.selected, vertex: this.vertex, hover: pane.hover || null, names: this.names,
          draft: this.draft?.view === name ? this.draft : null,
          theirs: (this.theirs || []).filter((mark) => mark.view === name && !isAbsence(mark)),
          help: help.get(name), pins: this.pins.on(pane),
        });
      }
    });
  }

  /** Buttons, lists and labels follow the state. */
  sync() {
    if (!this.data) return;
    const { readonly, ready } = this;
    this.shell.dataset.tool = this.spaced ? 'hand' : this.tool;
    this.shell.dataset.ready = ready ? 'yes' : 'no';
    for (const [name, button] of this.tools) {
      button.setAttribute('aria-pressed', String(this.tool === name));
      button.hidden = name === 'pin' ? !this.pins.possible : readonly ? name !== 'hand' : name in KINDS && !this.data.kinds.includes(name);
      button.disabled = !ready && name !== 'hand';
    }
    const allowed = this.colours();
    const shown = (this.tool === 'select' && this.chosen?.colour) || this.colour;
    for (const [name, button] of this.swatches) {
      button.hidden = !allowed.includes(name);
      button.setAttribute('aria-pressed', String(shown === name));
    }
    this.palette.hidden = this.editing.hidden = Boolean(readonly);
    // Never really disabled: a button that is pressed for the last time would lose the focus, and the keys with it.
    const idle = (button, yes) => button.setAttribute('aria-disabled', String(yes));
    idle(this.acts.undo, !this.history.past.length && !this.draft);
    idle(this.acts.redo, !this.history.future.length);
    idle(this.acts.remove, !this.chosen && !this.draft);
    const ended = this.acts.finish === focusedBeside(this.shell) && !this.draft;
    this.acts.finish.hidden = !(this.draft?.kind === 'track' && this.draft.points.length > 1);
    if (ended) this.active?.port.focus();
    for (const [name, button] of Object.entries(this.toggles)) button.setAttribute('aria-pressed', String(this[name]));
    this.toggles.snap.hidden = Boolean(readonly);
    for (const name of ['lines', 'outlines', 'titles']) this.toggles[name].hidden = !this.data.help;
    this.layout.sync();
    const others = this.chosen && !readonly ? [...this.panes.keys()].filter((name) => name !== this.chosen.view) : [];
    const key = others.join('\n') + this.selected;
    if (this.copies.dataset.key !== key) {
      this.copies.dataset.key = key;
      this.copies.replaceChildren(...(others.length ? [h('span', {}, 'Copy to')] : []),
        ...others.map((name) => h('button', { type: 'button', onclick: () => this.copy(name) }, name)));
    }
    for (const pane of this.panes.values()) {
      const wide = this.wide === pane.view.name;
      pane.large.setAttribute('aria-pressed', String(wide));
      pane.element.classList.toggle('active', pane === this.active);
      pane.element.classList.toggle('main', wide || this.layout.isMain(pane));
      pane.port.setAttribute('aria-label', `${pane.view.name}, ${this.#plural(this.on(pane).length)}`);
      this.#list(pane);
    }
    this.grid.classList.toggle('one', Boolean(this.wide));
    this.table.sync();
    this.pins.sync();
    this.draw();
  }

  /** The marks of a view in words; pressing one chooses it. */
  #list(pane) {
    const marks = this.on(pane);
    const unseen = this.history.present.filter((mark) => isAbsence(mark) && mark.view === pane.view.name);
    const key = JSON.stringify([marks, unseen, this.selected, this.readonly]);
    // Beside the table of what is drawn where, a list would say the same twice.
    pane.marks.hidden = Boolean(this.staged && this.data.rule);
    if (pane.listed === key) return;
    pane.listed = key;
    const focused = focusedBeside(this.shell);
    const refocus = focused && pane.marks.contains(focused) && focused.dataset.id;
    pane.marks.replaceChildren(...marks.map((mark) => h('li', {}, h('button', {
      type: 'button', class: 'markrow', dataset: { id: mark.id }, 'aria-pressed': String(mark.id === this.selected), disabled: this.readonly,
      onclick: () => { if (this.tool !== 'select') this.pick('select'); this.choose(mark.id); pane.reveal(handles(mark)[0]); pane.port.focus(); },
    }, h('i', { style: `background:${COLOURS[mark.colour]}` }), h('span', {}, `${mark.colour} ${KINDS[mark.kind]}`),
      h('em', {}, mark.points.length > 2 ? `${mark.points.length} points` : words(mark.points).join(' → '))))),
    ...unseen.map(({ colour }) => h('li', { class: 'unseen' }, h('i', { style: `background:${COLOURS[colour]}` }), `${colour}: not visible here`)));
    if (refocus) pane.marks.querySelector(`[data-id="${CSS.escape(refocus)}"]`)?.focus();
  }

  #plural(count) { return count === 1 ? '1 mark' : `${count} marks`; }

  #count() {
    const { present } = this.history;
    const drawn = present.filter((mark) => !isAbsence(mark)).length;
    const unseen = present.length - drawn;
    const where = this.panes.size === 1 ? 'this view' : `${this.panes.size} views`;
    return `${this.#plural(drawn)} on ${where}${unseen ? `, ${unseen} said to be out of sight` : ''}.`;
  }

  say(text) { this.status.textContent = text; }

  nameOf(mark) { return `${upper(mark.colour)} ${KINDS[mark.kind]}`; }

  // ---------------------------------------------------------------- commands

  pick(tool, quiet = false) {
    if (tool === 'pin' ? !this.pins.possible : this.readonly && tool !== 'hand') return;
    if (tool in KINDS && !this.data.kinds.includes(tool)) { this.say(`No ${KINDS[tool]} belongs into this item.`); return; }
    if (this.draft && this.draft.kind !== tool) this.cancel();
    this.tool = tool;
    if (tool !== 'select') this.vertex = null;
    const how = { select: 'Press a mark to choose it, drag to move it, drag a corner or a point to change it.', hand: 'Drag the image, or use the arrow keys.',
      box: 'Drag from corner to corner.', track: 'Press point after point; Enter, or the last one again, ends it.', grasp: 'Drag from finger to finger.',
      pin: 'Press the mark or the place that you have something to say about.' }[tool];
    if (!quiet) this.say(`${TOOLS.find(([name]) => name === tool)?.[2]}. ${how}`);
    this.sync();
  }

  /** Use a colour: for the chosen mark while selecting, otherwise for the next one. */
  paint(colour) {
    if (!this.colours().includes(colour)) { this.say(`${upper(colour)} is not used here.`); return; }
    const mark = this.chosen;
    this.colour = colour;
    if (this.draft) this.draft.colour = colour;
    if (this.tool === 'select' && mark) {
      this.say(`Now a ${colour} ${KINDS[mark.kind]}.`);
      this.commit(this.history.present.map((m) => (m.id === mark.id ? { ...m, colour } : m)));
    } else this.say(`${upper(colour)}.`);
    this.remember();
    this.sync();
  }

  /** @param {string | null} id @param {number | null} vertex */
  choose(id, vertex = null) {
    this.selected = id;
    this.vertex = vertex;
    const mark = this.chosen;
    if (mark) {
      const points = handles(mark);
      const at = vertex === null ? `: ${course(mark)}` : `, point ${vertex + 1} of ${points.length}: ${words([points[vertex]])[0]}`;
      this.say(`${this.nameOf(mark)} on ${mark.view}${at}.`);
    }
    this.sync();
  }

  /** Put a point of the draft; a box or grasp line is done with its second, a track when its last point is placed again. */
  place(pane, point) {
    if (!this.mayDraw(pane)) return;
    if (!this.draft || this.draft.view !== pane.view.name) {
      this.draft = { view: pane.view.name, kind: this.tool, colour: this.colour, points: [point], at: null };
      this.selected = null;
      this.say(`First point at ${words([point])[0]}.`);
    } else {
      const last = this.draft.points.at(-1);
      const again = Math.hypot(last[0] - point[0], last[1] - point[1]) <= (this.drag ? pane.px(5) : 0.01);
      if (this.draft.kind === 'track' && again) { this.finish(); return; }
      this.draft.points.push(point);
      if (this.draft.kind !== 'track') { this.finish(); return; }
      this.say(`Point ${this.draft.points.length} at ${words([point])[0]}. Enter, or again at the same place, ends the track.`);
    }
    this.remember();
    this.sync();
  }

  mayDraw(pane) {
    if (this.readonly || !(this.tool in KINDS)) return false;
    if (!this.ready) { this.say('The marks are still loading.'); return false; }
    return this.places.serves(pane.view.name);
  }

  /** Make the draft a mark. */
  finish() {
    const { draft } = this;
    if (!draft) return;
    const wrong = flaw(draft);
    if (wrong) {
      this.say(wrong);
      if (draft.kind !== 'track') { draft.points.length = 1; this.sync(); }
      return;
    }
    const mark = { id: newId('m'), view: draft.view, kind: draft.kind, colour: draft.colour,
      points: draft.kind === 'box' ? boxOf(draft.points) : draft.points };
    this.draft = null;
    this.selected = mark.id;
    this.vertex = null;
    this.commit([...this.history.present, mark]);
    this.say(`${this.nameOf(mark)} drawn on ${mark.view}: ${course(mark)}.${this.places.advance(mark)}`);
  }

  cancel() {
    this.draft = null;
    this.preview = null;
    this.drag = null;
    this.remember();
    this.sync();
  }

  /** Delete the chosen point of a track, otherwise the chosen mark. */
  remove() {
    if (this.readonly) return;
    if (this.draft) { this.say(`Half-drawn ${KINDS[this.draft.kind]} dropped.`); this.cancel(); return; }
    const mark = this.chosen;
    if (!mark) { this.say('Choose a mark first.'); return; }
    if (this.vertex !== null && mark.kind === 'track' && mark.points.length > 2) {
      const index = this.vertex;
      const thinner = { ...mark, points: mark.points.filter((_, i) => i !== index) };
      this.vertex = Math.min(index, thinner.points.length - 1);
      this.commit(this.replaced(thinner));
      this.say(`Point ${index + 1} deleted; ${thinner.points.length} are left.`);
      return;
    }
    this.selected = this.vertex = null;
    if (this.data.rule) this.colour = mark.colour;
    this.commit(this.history.present.filter((other) => other.id !== mark.id));
    this.say(`${this.nameOf(mark)} on ${mark.view} deleted. Ctrl+Z brings it back.`);
  }

  insert() {
    const mark = this.chosen;
    if (this.readonly || !mark) return;
    const longer = withPoint(mark, this.vertex ?? mark.points.length - 2);
    if (!longer) { this.say(`A ${KINDS[mark.kind]} has no points to add.`); return; }
    this.vertex = longer.index;
    this.commit(this.replaced(longer.mark));
    this.choose(mark.id, longer.index);
  }

  replaced(mark) { return this.history.present.map((other) => (other.id === mark.id ? mark : other)); }

  undo() {
    if (this.readonly) return;
    if (this.draft) {
      this.draft.points.pop();
      if (!this.draft.points.length) this.draft = null;
      this.say(this.draft ? `Back to point ${this.draft.points.length}.` : 'Half-drawn mark dropped.');
      this.remember();
      this.sync();
    } else this.#travel(() => this.history.undo(), 'Undone', 'Nothing to undo.');
  }

  redo() {
    if (this.readonly) return;
    this.#travel(() => this.history.redo(), 'Done again', 'Nothing to redo.');
  }

  /** Through the history; the one mark that came back or changed is chosen. */
  #travel(step, done, none) {
    const before = new Set(this.history.present);
    if (!step()) { this.say(none); return; }
    const fresh = this.history.present.filter((mark) => !before.has(mark) && !isAbsence(mark));
    const [gone] = [...before].filter((mark) => !this.history.present.some(({ id }) => id === mark.id));
    if (this.data.rule && gone) this.colour = gone.colour;
    if (this.tool === 'select' && fresh.length === 1) { this.selected = fresh[0].id; this.vertex = null; }
    this.say(`${done}. ${this.#count()}`);
    this.changed();
  }

  /** The same mark in another view, at the same place relative to its size. */
  copy(name) {
    const mark = this.chosen;
    const target = this.panes.get(name);
    if (this.readonly || !mark || !target) return;
    const { width, height } = this.paneOf(mark)?.view || target.view;
    const points = mark.points.map(([x, y]) => [tidy((x * target.view.width) / width), tidy((y * target.view.height) / height)]);
    const copied = { ...mark, id: newId('m'), view: name, points };
    this.selected = copied.id;
    this.vertex = null;
    if (this.tool !== 'select') this.pick('select', true);
    this.commit([...this.history.present, copied]);
    this.say(`${this.nameOf(copied)} copied to ${name}.`);
    target.port.focus();
  }

  zoom(factor) { this.active?.zoom(factor); }

  /** Next or previous mark of the view; while points are edited, next or previous point. */
  step(pane, by) {
    if (this.vertex !== null && this.chosen) {
      const count = handles(this.chosen).length;
      this.choose(this.selected, (this.vertex + by + count) % count);
      pane.reveal(handles(this.chosen)[this.vertex]);
      return;
    }
    const marks = this.on(pane);
    if (!marks.length) { this.say(`No marks on ${pane.view.name}.`); return; }
    if (this.tool !== 'select') this.pick('select', true);
    const now = marks.findIndex((mark) => mark.id === this.selected);
    const next = marks[now < 0 ? (by > 0 ? 0 : marks.length - 1) : (now + by + marks.length) % marks.length];
    this.choose(next.id);
    pane.reveal(handles(next)[0]);
  }

  /** Arrow keys: the image with the hand, the chosen mark or point while selecting, otherwise the cross. */
  nudge(pane, [dx, dy], far) {
    const step = far ? LEAP : STEP;
    const mark = this.chosen;
    if (this.tool === 'hand') pane.pan(-dx * 40, -dy * 40);
    else if (this.tool === 'select' && mark && mark.view === pane.view.name && !this.readonly) {
      let moved;
      if (this.vertex === null) moved = { ...mark, points: shifted(mark.points, dx * step, dy * step, pane.view) };
      else {
        const [x, y] = handles(mark)[this.vertex];
        moved = withHandle(mark, this.vertex, inside([x + dx * step, y + dy * step], pane.view), pane.view);
        if (mark.kind === 'box') this.vertex = nearest(handles(moved), [x + dx * step, y + dy * step]);
      }
      this.commit(this.replaced(moved), `nudge ${mark.id} ${this.vertex}`);
      const point = handles(moved)[this.vertex ?? 0];
      pane.reveal(point);
      this.say(this.vertex === null ? course(moved) : words([point])[0]);
    } else if (this.tool !== 'select') {
      const from = pane.cursor || this.draft?.points.at(-1) || pane.pointed?.map(Math.round) || pane.middle();
      pane.cursor = pane.cursor || this.draft ? inside([from[0] + dx * step, from[1] + dy * step], pane.view) : inside(from, pane.view);
      if (this.draft?.view === pane.view.name) this.draft.at = pane.cursor;
      this.probe = [pane.view.name, pane.cursor];
      pane.reveal(pane.cursor);
      pane.tell(pane.cursor);
      this.say(words([pane.cursor])[0]);
      this.draw();
    } else pane.pan(-dx * 40, -dy * 40);
  }

  destroy() {
    window.removeEventListener('focus', this.back);
    window.removeEventListener('pagehide', this.leave);
    cancelAnimationFrame(this.drawn ?? 0);
    clearTimeout(this.telling);
    this.remember();
    this.saver?.close();
    for (const pane of this.panes.values()) pane.close();
    this.shell.remove();
  }
}

const nearest = (points, [x, y]) => points.reduce((best, p, i) => (Math.hypot(p[0] - x, p[1] - y) < Math.hypot(points[best][0] - x, points[best][1] - y)
  ? i : best), 0);

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setStateValue, setTriggerValue }) => new Board(parentElement, data, setStateValue, setTriggerValue),
  renew: (board, { data, setStateValue, setTriggerValue }) => { board.setState = setStateValue; board.send = setTriggerValue; board.update(data); },
  same: (board, data) => board.item === data.item && board.readonly === Boolean(data.readonly),
});
