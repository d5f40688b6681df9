// What the pointer does on the views of the drawing component: draw, choose, move, resize, pan, zoom.
import { focusedBeside } from './dom.js';
import { course, handles, hit, inside, shifted, withHandle, withPoint, withSide } from './geometry.js';
import { PULL, REACH } from './pane.js';

/** A press that moves less than this is a click (screen pixels). */
const CLICK = 3;

/** @typedef {import('./geometry.js').Mark} Mark */
/** @typedef {import('./geometry.js').Point} Point */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {{kind: 'pan', lastX?: number, lastY?: number}} Panning */
/** @typedef {{kind: 'draft', fresh: boolean}} Drafting */
/** @typedef {{kind: 'move' | 'handle' | 'side', mark: Mark, index: number, from: Point, grip: Point}} Holding a mark, or a part of it */
/** @typedef {Panning | Drafting | Holding} Hold */
/** @typedef {{pane: Pane, id: number, x: number, y: number, moved?: boolean} & Hold} Drag what the pointer has taken, and where */

export class Pointer {
  /** @type {{clientX: number, clientY: number} | undefined} */ last;
  /** @type {Pane | null} */ #over = null;

  /** @param {import('./canvas.js').Board} board the component; what is dragged is its `drag`, what that would lead to its `preview` */
  constructor(board) { this.board = board; }

  /** The keys have gone to a view: the pointer means nothing until it moves. */
  rest() {
    this.rests = true;
    this.over = null;
  }

  /** The view that is pointed at, until the keys go to another one; keys that enlarge and zoom are meant for it. */
  get over() { return this.#over; }

  set over(pane) {
    if (pane === this.#over) return;
    this.#over?.element.classList.remove('pointed');
    this.#over = pane;
    pane?.element.classList.add('pointed');
  }

  /** Listen on a view. @param {Pane} pane */
  watch(pane) {
    const { port } = pane;
    port.addEventListener('pointerenter', () => { pane.align(); if (!this.rests) this.over = pane; });
    port.addEventListener('pointerdown', (event) => this.down(event, pane));
    port.addEventListener('pointermove', (event) => this.move(event, pane));
    port.addEventListener('pointerup', (event) => this.up(event, pane));
    port.addEventListener('pointercancel', () => this.drop());
    port.addEventListener('pointerleave', () => this.leave(pane));
    port.addEventListener('dblclick', (event) => this.twice(event, pane));
    port.addEventListener('wheel', (event) => this.wheel(event, pane), { passive: false });
  }

  /** @param {Pane} pane */
  leave(pane) {
    if (this.over === pane) this.over = null;
    if (this.board.drag) return;
    this.board.probe = null;
    pane.hover = null;
    pane.tell(null);
    if (this.board.draft) this.board.draft.at = null;
    this.board.draw();
  }

  /** @param {{clientX: number, clientY: number, altKey: boolean}} event @param {Pane} pane */
  #point(event, pane) { return inside(pane.at(event), pane.view, this.board.snap && !event.altKey ? pane.px(PULL) : 0); }

  /** @param {PointerEvent} event @param {Pane} pane */
  down(event, pane) {
    if (this.board.drag) return;
    pane.port.focus({ preventScroll: true });
    event.preventDefault();
    /** @param {Hold} hold */
    const begin = (hold) => {
      this.board.drag = { pane, id: event.pointerId, x: event.clientX, y: event.clientY, ...hold };
      pane.port.setPointerCapture(event.pointerId);
    };
    if (event.button === 1 || (event.button === 0 && (this.board.tool === 'hand' || this.board.spaced))) { begin({ kind: 'pan' }); return; }
    if (event.button !== 0) return;
    pane.cursor = null;
    const point = this.#point(event, pane);
    if (this.board.tool === 'select') this.#take(event, pane, begin);
    else if (this.board.tool === 'pin') this.board.pins.write(pane, point);
    else if (this.board.mayDraw(pane)) {
      const fresh = this.board.draft?.view !== pane.view.name;
      begin({ kind: 'draft', fresh });
      // A box or a grasp line that a first click began is ended where the button comes up.
      if (fresh || this.board.draft?.kind === 'track') this.board.place(pane, point);
      else if (this.board.draft) { this.board.draft.at = point; this.board.draw(); }
    }
  }

  /** Take hold of what lies under the pointer. @param {PointerEvent} event @param {Pane} pane @param {(hold: Hold) => void} begin */
  #take(event, pane, begin) {
    const raw = pane.at(event);
    const found = hit(this.board.on(pane), raw, pane.px(event.pointerType === 'touch' ? 2 * REACH : REACH), this.board.selected);
    const mark = found && this.board.history.present.find((m) => m.id === found.id);
    if (!mark) {
      this.board.selected = this.board.vertex = null;
      begin({ kind: 'pan' });
      this.board.sync();
      return;
    }
    const kind = found.part === 'handle' ? 'handle' : found.part === 'line' && mark.kind === 'box' ? 'side' : 'move';
    this.board.choose(mark.id, found.part === 'handle' && mark.kind !== 'box' ? found.index : null);
    if (this.board.readonly || !this.board.ready) return;
    const at = found.part === 'handle' ? handles(mark)[found.index] : raw;
    begin({ kind, mark, index: found.index, from: raw, grip: [at[0] - raw[0], at[1] - raw[1]] });
  }

  /** @param {PointerEvent} event @param {Pane} pane */
  move(event, pane) {
    const point = this.#point(event, pane);
    // A pointer that rests is told of again when the page moves below it: that is no pointing, once the keys have gone elsewhere.
    if (this.last?.clientX !== event.clientX || this.last?.clientY !== event.clientY) this.rests = false;
    if (!this.rests) this.over = pane;
    this.last = { clientX: event.clientX, clientY: event.clientY };
    pane.pointed = point;
    pane.tell(point);
    this.board.probe = [pane.view.name, point];
    const { drag } = this.board;
    if (!drag) {
      if (this.board.draft?.view === pane.view.name) this.board.draft.at = point;
      if (this.board.tool === 'select') {
        const found = hit(this.board.on(pane), pane.at(event), pane.px(REACH), this.board.selected);
        pane.hover = found?.id || null;
        pane.port.dataset.over = found ? this.#sign(found) : '';
      }
      this.board.draw();
      return;
    }
    if (drag.id !== event.pointerId) return;
    const still = !drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < CLICK;
    if (still) return;
    if (drag.kind === 'pan') {
      pane.pan(event.clientX - (drag.lastX ?? drag.x), event.clientY - (drag.lastY ?? drag.y));
      [drag.lastX, drag.lastY, drag.moved] = [event.clientX, event.clientY, true];
      return;
    }
    drag.moved = true;
    if (drag.kind === 'draft') {
      if (this.board.draft?.kind === 'track') this.board.draft.points[this.board.draft.points.length - 1] = point;
      else if (this.board.draft) this.board.draft.at = point;
      this.board.draw();
      return;
    }
    this.board.preview = this.#dragged(event, pane, drag);
    this.board.draw();
  }

  /** @param {{id: string, part: string, index: number}} found what `hit` found */
  #sign({ id, part, index }) {
    const mark = this.board.marks().find((m) => m.id === id);
    if (this.board.readonly || !mark) return '';
    if (mark.kind !== 'box') return part === 'handle' ? 'point' : 'move';
    if (part === 'handle') return index % 2 ? 'nesw' : 'nwse';
    return part === 'line' ? (index % 2 ? 'ew' : 'ns') : 'move';
  }

  /** The mark under the hand, where the pointer has brought it. @param {PointerEvent} event @param {Pane} pane @param {Holding} drag */
  #dragged(event, pane, drag) {
    const raw = pane.at(event);
    const reach = this.board.snap && !event.altKey ? pane.px(PULL) : 0;
    if (drag.kind === 'move') return { ...drag.mark, points: shifted(drag.mark.points, raw[0] - drag.from[0], raw[1] - drag.from[1], pane.view, reach) };
    const point = inside([raw[0] + drag.grip[0], raw[1] + drag.grip[1]], pane.view, reach);
    return drag.kind === 'side' ? withSide(drag.mark, drag.index, point, pane.view) : withHandle(drag.mark, drag.index, point, pane.view);
  }

  /** @param {PointerEvent} event @param {Pane} pane */
  up(event, pane) {
    const { drag } = this.board;
    if (!drag || drag.id !== event.pointerId) return;
    const moved = drag.moved || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= CLICK;
    if (drag.kind === 'draft' && this.board.draft) {
      const point = this.#point(event, pane);
      if (this.board.draft.kind === 'track') {
        if (moved) this.board.draft.points[this.board.draft.points.length - 1] = point;
        this.board.remember();
      } else if (moved || !drag.fresh) this.board.place(pane, point);
    } else if (moved && drag.kind !== 'pan' && drag.kind !== 'draft') {
      const mark = this.#dragged(event, pane, drag);
      this.board.preview = null;
      this.board.drag = null;
      this.board.commit(this.board.replaced(mark));
      this.board.say(`${this.board.nameOf(mark)}: ${course(mark)}.`);
    }
    this.board.drag = null;
    this.board.preview = null;
    this.board.sync();
  }

  drop() {
    if (this.board.drag?.kind === 'draft' && this.board.drag.fresh) this.board.draft = null;
    this.board.drag = null;
    this.board.preview = null;
    this.board.sync();
  }

  /**
   * A double click on a track's line puts a point there; elsewhere it enlarges the view, and back. Two clicks that draw are no such thing.
   * @param {MouseEvent} event
   * @param {Pane} pane
   */
  twice(event, pane) {
    const { board } = this;
    const mark = board.chosen;
    const at = this.#fine(event);
    const found = board.tool === 'select' && !board.readonly && mark?.kind === 'track' ? hit([mark], pane.at(at), pane.px(REACH)) : null;
    const longer = mark && found?.part === 'line' && withPoint(mark, found.index, this.#point(at, pane));
    if (!longer) {
      const idle = ['select', 'hand'].includes(board.tool) ? !hit(board.on(pane), pane.at(at), pane.px(REACH)) : board.draft?.kind !== 'track'
        && board.draft?.points.length === 1;
      if (idle && board.tool !== 'track') {
        if (board.draft) board.cancel();
        board.layout.enlarge(pane);
      }
      return;
    }
    this.board.commit(this.board.replaced(longer.mark));
    this.board.choose(mark.id, longer.index);
  }

  /**
   * Where a wheel or double-click event happened: it tells whole pixels only, the pointer's last move tells more.
   * @param {MouseEvent} event
   */
  #fine(event) {
    const { last } = this;
    return last && Math.hypot(last.clientX - event.clientX, last.clientY - event.clientY) < 2 ? { ...last, altKey: event.altKey } : event;
  }

  /** @param {WheelEvent} event @param {Pane} pane */
  wheel(event, pane) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const box = pane.port.getBoundingClientRect();
      const { clientX, clientY } = this.#fine(event);
      pane.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0025)), clientX - box.left, clientY - box.top);
    } else if (!pane.fitted && pane.port === focusedBeside(pane.port)) {
      event.preventDefault();
      pane.pan(-event.deltaX, -event.deltaY);
    }
  }
}
