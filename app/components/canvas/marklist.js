// The marks of a view in words, below its picture: what is drawn, and what is said to be out of sight.
import { COLOURS } from './colours.js';
import { focusedBeside, h } from './dom.js';
import { KINDS } from './drawkeys.js';
import { handles, words } from './geometry.js';
import { isAbsence } from './nextmark.js';

/**
 * Say the marks of a view in words; pressing one chooses it.
 * @param {import('./canvas.js').Board} board
 * @param {import('./pane.js').Pane} pane
 */
export function listMarks(board, pane) {
  const marks = board.on(pane);
  const unseen = board.history.present.filter((mark) => isAbsence(mark) && mark.view === pane.view.name);
  const key = JSON.stringify([marks, unseen, board.selected, board.readonly]);
  // Beside the table of what is drawn where, a list would say the same twice.
  pane.marks.hidden = Boolean(board.staged && board.data.rule);
  if (pane.listed === key) return;
  pane.listed = key;
  const focused = focusedBeside(board.shell);
  const refocus = focused && pane.marks.contains(focused) && focused.dataset.id;
  pane.marks.replaceChildren(...marks.map((mark) => h('li', {}, h('button', {
    type: 'button', class: 'markrow', dataset: { id: mark.id }, 'aria-pressed': String(mark.id === board.selected), disabled: board.readonly,
    onclick: () => { if (board.tool !== 'select') board.pick('select'); board.choose(mark.id); pane.reveal(handles(mark)[0]); pane.port.focus(); },
  }, h('i', { style: `background:${COLOURS[mark.colour]}` }), h('span', {}, `${mark.colour} ${KINDS[mark.kind]}`),
    h('em', {}, mark.points.length > 2 ? `${mark.points.length} points` : words(mark.points).join(' → '))))),
  ...unseen.map(({ colour }) => h('li', { class: 'unseen' }, h('i', { style: `background:${COLOURS[colour]}` }), `${colour}: not visible here`)));
  if (refocus) pane.marks.querySelector(`[data-id="${CSS.escape(refocus)}"]`)?.focus();
}
