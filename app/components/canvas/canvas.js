// The drawing component: boxes, tracks and grasp lines on several views of one moment. Everything works by pointer and by keyboard.
// Coordinates are continuous pixels of the original image. Here are the views, the marks on them, and what can be done with marks; keeping.js
// saves them as they change, history.js undoes, toolbar.js has the buttons, drawkeys.js the keys and pointer.js the pointer.
import { NAMES } from './colours.js';
import { h, newId, uid } from './dom.js';
import { DrawKeys, KINDS, LEAP, STEP, TOOLS } from './drawkeys.js';
import { boxOf, course, flaw, handles, inside, shifted, tidy, withHandle, withPoint, words } from './geometry.js';
import { probes, suggestions } from './helplines.js';
import { History, same } from './history.js';
import { Keeping } from './keeping.js';
import { MarkTable } from './marktable.js';
import { mounting } from './mounting.js';
import { Layout } from './layout.js';
import { inOrder, isAbsence } from './nextmark.js';
import { listMarks } from './marklist.js';
import { Pane } from './pane.js';
import { Places } from './places.js';
import { Pointer } from './pointer.js';
import { Pins } from './pins.js';
import { keyed } from './pressed.js';
import { keyTable } from './shortcuts.js';
import { Toolbar } from './toolbar.js';

/** @param {string} text */
const upper = (text) => text[0].toUpperCase() + text.slice(1);

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {import('./pane.js').View} View */
/** @typedef {import('./mounting.js').Props} Props */
/**
 * What the page gives the board (`canvas` of app/components, and the editor's own).
 * @typedef {object} Given
 * @property {string} item
 * @property {View[]} views
 * @property {Mark[]} [marks]
 * @property {string[]} kinds
 * @property {string[]} colours
 * @property {boolean} [readonly]
 * @property {import('./helplines.js').Given | null} [help]
 * @property {import('./pins.js').Pin[] | null} [pins]
 * @property {string} [review] the answered review in which a reviewer says something
 * @property {boolean} [staged] it stands in the editor, which has the words around it
 * @property {string[]} [parts] which keys the table of keys shows
 * @property {import('./nextmark.js').Rule | null} [rule]
 * @property {string} [reference]
 */
/** @typedef {import('./pane.js').Draft & {view: string}} Draft */

export class Board {
  /** Where one points. @type {import('./helplines.js').Probe | null} */ probe;
  /** @type {Given} */ data;
  /** The view that has the keys. @type {Pane | undefined} */ active;
  /** The view that fills the room. @type {string | null} */ wide;
  /** @type {string} */ colour;
  /** @type {Draft | null} */ draft;
  /** @type {import('./pointer.js').Drag | null} */ drag;
  /** What a drag would lead to. @type {Mark | null} */ preview;
  /** @type {boolean} */ readonly;
  /** The space bar is down: the pointer moves the view. @type {boolean | undefined} */ spaced;
  /** @type {number | null} */ drawn;
  /** @type {() => void} */ leave;
  /** @type {number | null} */ vertex;
  /** @type {string | null} */ selected;
  /** @type {HTMLDialogElement} */ keys;
  /** @type {HTMLDivElement} */ grid;
  /** @type {() => void} */ back;
  /** @type {HTMLParagraphElement} */ status;
  /** @type {HTMLDivElement} */ shell;
  /** @type {MarkTable} */ table;

  /**
   * @param {HTMLElement} root
   * @param {Given} data
   * @param {(name: string, value: any) => void} setState
   * @param {(name: string, value: any) => void} send
   */
  constructor(root, data, setState, send) {
    this.setState = setState;
    this.send = send;
    this.item = data.item;
    /** @type {Map<string, Pane>} */
    this.panes = new Map();
    this.history = new History(data.marks || [], same);
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
    this.pointer = new Pointer(this);
    this.drawkeys = new DrawKeys(this);
    this.pins = new Pins(this);
    this.toolbar = new Toolbar(this);
    this.keeping = new Keeping(this);
    this.#build(root, data.parts || ['viewing', ...(data.readonly ? [] : ['drawing'])]);
    this.update(data, true);
    if (!data.readonly) this.keeping.load();
  }

  // ---------------------------------------------------------------- parts of the page

  /** @param {HTMLElement} root @param {string[]} parts_ */
  #build(root, parts_) {
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.status.id = uid('canvas-status');
    this.grid = h('div', { class: 'views' });
    this.keys = keyTable(parts_);
    this.table = new MarkTable(this);
    // Never both at once: one ends a mark, the other begins with one that is there.
    const next = h('div', { class: 'next' }, this.toolbar.acts.finish, this.toolbar.copies);
    const foot = h('div', { class: 'foot' }, this.status, next, this.keeping.element);
    // In the editor the tools stand beside the pictures, with what the page around them has to say there.
    const parts = this.staged ? [this.grid, h('div', { class: 'panel' }, h('slot', { name: 'top' }), this.toolbar.element, this.table.element,
      this.layout.element, foot, h('slot', { name: 'todo' }), this.pins.list), this.keeping.clash]
      : [this.toolbar.element, this.grid, this.pins.list, this.keeping.clash, foot];
    this.shell = h('div', { class: `vantage canvas${this.staged ? ' staged' : ''}` }, parts, this.keys, this.pins.dialog);
    this.shell.addEventListener('keydown', keyed((key, event) => this.drawkeys.key(key, event)));
    // Who comes back to this tab sees what was changed elsewhere meanwhile; without a network the next change tells of it.
    this.back = () => { if (this.ready && !this.readonly) this.keeping.refresh(); };
    window.addEventListener('focus', this.back);
    this.leave = () => this.remember();
    window.addEventListener('pagehide', this.leave);
    this.shell.addEventListener('keyup', keyed((key) => { if (key === ' ') { this.spaced = false; this.sync(); } }));
    root.append(this.shell);
  }

  /** New data from the page: views, what may be drawn, help. Marks that are being edited stay as they are. @param {Given} data */
  update(data, first = false) {
    const before = this.data;
    this.data = data;
    this.readonly = Boolean(data.readonly);
    const names = new Set(data.views.map((view) => view.name));
    for (const [name, pane] of this.panes) if (!names.has(name)) { pane.close(); this.panes.delete(name); }
    for (const view of data.views) {
      const pane = this.panes.get(view.name);
      if (pane) pane.show(view);
      else this.#open(view);
    }
    const order = data.views.flatMap((view) => this.panes.get(view.name)?.element ?? []);
    // Moving an element takes the focus from it, so only a changed order moves any.
    if (order.some((element, i) => this.grid.children[i] !== element)) this.grid.append(...order);
    if (!names.has(this.wide ?? '')) this.wide = null;
    this.pins.update(data.pins, data.review);
    this.layout.keep(names, data.reference || data.views[0]?.name, before?.reference);
    if (before && data.rule && before.reference !== data.reference) this.places.turned(before.reference ?? '');
    if (!this.panes.has(this.active?.view.name ?? '')) this.active = this.panes.values().next().value;
    this.grid.dataset.count = String(data.views.length);
    const allowed = this.colours();
    if (!allowed.includes(this.colour)) this.colour = allowed[0];
    if (first && data.rule && this.panes.has(data.reference ?? '')) this.active = this.panes.get(data.reference ?? '');
    if (first) this.pick(this.readonly ? 'hand' : data.kinds[0] || 'select', true);
    else if (this.readonly) { if (!same(this.history.present, data.marks || [])) this.history = new History(data.marks || [], same); }
    else if (before && !same(before.marks || [], data.marks || []) && !this.keeping.pending && !same(this.history.present, data.marks || [])) {
      // Once there are marks, what comes late must not put back what was changed here meanwhile.
      if (this.ready) this.back();
      else this.keeping.load();
    }
    this.sync();
  }

  colours() { return NAMES.filter((name) => this.data.colours.includes(name)); }

  /** @param {View} view */
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

  /** After a change of marks: save, remember, draw. */
  changed() {
    if (!this.marks().some((mark) => mark.id === this.selected)) this.selected = this.vertex = null;
    this.keeping.put();
    this.remember();
    this.sync();
  }

  /** Kept for a reload of this tab. */
  remember() { this.keeping.remember(); }

  /** @param {Mark[]} marks @param {string | null} run */
  commit(marks, run = null) {
    if (this.history.commit(inOrder(marks), run)) this.changed();
  }

  // ---------------------------------------------------------------- looking at it

  /** The marks as they are seen now: a drag shows where it would lead. */
  marks() {
    const { present } = this.history;
    const { preview } = this;
    return preview ? present.map((mark) => (mark.id === preview.id ? preview : mark)) : present;
  }

  /** @param {Pane} pane */
  on(pane) { return this.marks().filter((mark) => mark.view === pane.view.name && !isAbsence(mark)); }

  get chosen() { return this.marks().find((mark) => mark.id === this.selected) || null; }

  /** @param {Mark} mark */
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
          theirs: (this.keeping.theirs || []).filter((mark) => mark.view === name && !isAbsence(mark)),
          help: help.get(name), pins: this.pins.on(pane),
        });
      }
    });
  }

  /** Buttons, lists and labels follow the state. */
  sync() {
    if (!this.data) return;
    const { ready } = this;
    this.shell.dataset.tool = this.spaced ? 'hand' : this.tool;
    this.shell.dataset.ready = ready ? 'yes' : 'no';
    this.toolbar.sync();
    this.layout.sync();
    for (const pane of this.panes.values()) {
      const wide = this.wide === pane.view.name;
      pane.large.setAttribute('aria-pressed', String(wide));
      pane.element.classList.toggle('active', pane === this.active);
      pane.element.classList.toggle('main', wide || this.layout.isMain(pane));
      pane.port.setAttribute('aria-label', `${pane.view.name}, ${this.#plural(this.on(pane).length)}`);
      listMarks(this, pane);
    }
    this.grid.classList.toggle('one', Boolean(this.wide));
    this.table.sync();
    this.pins.sync();
    this.draw();
  }

  /** @param {number} count */
  #plural(count) { return count === 1 ? '1 mark' : `${count} marks`; }

  count() {
    const { present } = this.history;
    const drawn = present.filter((mark) => !isAbsence(mark)).length;
    const unseen = present.length - drawn;
    const where = this.panes.size === 1 ? 'this view' : `${this.panes.size} views`;
    return `${this.#plural(drawn)} on ${where}${unseen ? `, ${unseen} said to be out of sight` : ''}.`;
  }

  /** @param {string} text */
  say(text) { this.status.textContent = text; }

  /** @param {Mark} mark */
  nameOf(mark) { return `${upper(mark.colour)} ${KINDS[mark.kind]}`; }

  // ---------------------------------------------------------------- commands

  /** @param {string} tool */
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

  /** Use a colour: for the chosen mark while selecting, otherwise for the next one. @param {string} colour */
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

  /**
   * Put a point of the draft; a box or grasp line is done with its second, a track when its last point is placed again.
   * @param {Pane} pane
   * @param {Point} point
   */
  place(pane, point) {
    if (!this.mayDraw(pane)) return;
    if (!this.draft || this.draft.view !== pane.view.name) {
      this.draft = { view: pane.view.name, kind: this.tool, colour: this.colour, points: [point], at: null };
      this.selected = null;
      this.say(`First point at ${words([point])[0]}.`);
    } else {
      const last = this.draft.points[this.draft.points.length - 1];
      const again = Math.hypot(last[0] - point[0], last[1] - point[1]) <= (this.drag ? pane.px(5) : 0.01);
      if (this.draft.kind === 'track' && again) { this.finish(); return; }
      this.draft.points.push(point);
      if (this.draft.kind !== 'track') { this.finish(); return; }
      this.say(`Point ${this.draft.points.length} at ${words([point])[0]}. Enter, or again at the same place, ends the track.`);
    }
    this.remember();
    this.sync();
  }

  /** @param {Pane} pane */
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

  /** @param {Mark} mark */
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

  /**
   * Through the history; the one mark that came back or changed is chosen.
   * @param {() => boolean} step
   * @param {string} done
   * @param {string} none
   */
  #travel(step, done, none) {
    const before = new Set(this.history.present);
    if (!step()) { this.say(none); return; }
    const fresh = this.history.present.filter((mark) => !before.has(mark) && !isAbsence(mark));
    const [gone] = [...before].filter((mark) => !this.history.present.some(({ id }) => id === mark.id));
    if (this.data.rule && gone) this.colour = gone.colour;
    if (this.tool === 'select' && fresh.length === 1) { this.selected = fresh[0].id; this.vertex = null; }
    this.say(`${done}. ${this.count()}`);
    this.changed();
  }

  /** The same mark in another view, at the same place relative to its size. @param {string} name */
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

  /** @param {number} factor */
  zoom(factor) { this.active?.zoom(factor); }

  /** Next or previous mark of the view; while points are edited, next or previous point. @param {Pane} pane @param {number} by */
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

  /**
   * Arrow keys: the image with the hand, the chosen mark or point while selecting, otherwise the cross.
   * @param {Pane} pane
   * @param {Point} point
   * @param {boolean} [far]
   */
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
    this.keeping.close();
    for (const pane of this.panes.values()) pane.close();
    this.shell.remove();
  }
}

/** @param {Point[]} points @param {Point} point */
const nearest = (points, [x, y]) => points.reduce((best, p, i) => (Math.hypot(p[0] - x, p[1] - y) < Math.hypot(points[best][0] - x, points[best][1] - y)
  ? i : best), 0);

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setStateValue, setTriggerValue }) => new Board(parentElement, data, setStateValue, setTriggerValue),
  renew: (board, { data, setStateValue, setTriggerValue }) => { board.setState = setStateValue; board.send = setTriggerValue; board.update(data); },
  same: (board, data) => board.item === data.item && board.readonly === Boolean(data.readonly),
});
