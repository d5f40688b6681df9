// How the views lie: all alike, one large and the others small beside it, or one that fills the room; the tools beside them, or folded.
import { focusedBeside, h } from './dom.js';
import { lasting } from './shelf.js';

/** What a person likes, kept for every item. */
const LIKED = 'vantage.views.v1';
/** Below this width of the page the tools are folded, unless the person has said otherwise (CSS pixels). */
const NARROW = 1240;

/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {{layout: string, folded: boolean}} Liked */

export class Layout {
  /** The view that is large. @type {string | undefined} */ main;

  /** @param {import('./canvas.js').Board} board the component; the view that fills the room is its `wide` */
  constructor(board) {
    this.board = board;
    /** @type {Liked} */
    this.liked = { layout: 'equal', folded: window.innerWidth < NARROW, ...lasting.read(LIKED) };
    this.size = h('button', { type: 'button', class: 'small', title: 'One large view, or all alike',
      onclick: () => this.like({ layout: this.liked.layout === 'large' ? 'equal' : 'large' }) });
    this.fold = h('button', { type: 'button', class: 'small fold', onclick: () => this.like({ folded: !this.liked.folded }) });
    this.element = h('div', { class: 'group ways', role: 'group', 'aria-label': 'Layout' }, this.size, this.fold);
  }

  /** Whether one view is large and the others small beside it. */
  get large() { return this.board.staged && this.liked.layout === 'large' && this.board.panes.size > 2; }

  /** Whether this view is the large one among small ones. @param {Pane} pane */
  isMain(pane) { return this.large && !this.board.wide && this.main === pane.view.name; }

  /**
   * The large view stays the same as long as it is there, and is no reference view that is none any more.
   * @param {Set<string>} names
   * @param {string} first
   * @param {string | undefined} before
   */
  keep(names, first, before) { if (!this.main || !names.has(this.main) || (before && before !== first && this.main === before)) this.main = first; }

  /** Another layout, kept for the next item. @param {Partial<Liked>} what */
  like(what) {
    /** @type {Liked} */
    this.liked = { ...this.liked, ...what };
    lasting.keep(LIKED, this.liked);
    this.board.sync();
  }

  /** Make a view the large one, or let it fill all the room and back. @param {Pane} pane */
  enlarge(pane) {
    const { board } = this;
    const { name } = pane.view;
    const focused = focusedBeside(board.shell);
    if (this.large && !board.wide && this.main !== name) {
      this.main = name;
      board.say(`${name} is the large one.`);
    } else {
      board.wide = board.wide === name ? null : name;
      board.say(board.wide ? `${name} enlarged.` : this.large ? 'Smaller again.' : 'All views alike.');
    }
    board.sync();
    // The view that had the keys may be gone.
    if (board.wide && focused?.matches('.port') && focused !== pane.port) pane.port.focus({ preventScroll: true });
    if (board.staged && board.wide) board.shell.scrollIntoView({ block: 'start' });
  }

  sync() {
    const { board } = this;
    const { folded } = this.liked;
    const filled = board.staged && Boolean(board.wide);
    board.shell.classList.toggle('folded', board.staged && (folded || filled));
    board.shell.classList.toggle('filled', filled);
    board.grid.classList.toggle('large', this.large && !board.wide);
    this.element.hidden = !board.staged;
    this.size.hidden = board.panes.size < 3 || filled;
    this.size.textContent = this.large ? 'All alike' : 'One large';
    this.fold.hidden = filled;
    this.fold.textContent = folded ? '‹' : 'Fold the tools ›';
    this.fold.setAttribute('aria-label', folded ? 'Unfold the tools' : 'Fold the tools');
    this.fold.title = folded ? 'Unfold the tools' : 'More room for the pictures';
  }
}
