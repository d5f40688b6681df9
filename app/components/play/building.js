// What the play page consists of, made once for a task: its head, the view, what one acts with, and what one answers with.
import { focusedBeside, h } from './dom.js';
import { answerForm, asLines, confidence, lettersOf } from './forms.js';
import { Keys, keysDialog } from './keys.js';
import { Pace } from './pace.js';
import { objectPicker } from './picker.js';
import { Pictures, Words } from './pictures.js';
import { reportDialog } from './report.js';
import { sessionBar } from './session.js';
import { TimeLeft } from './timeleft.js';
import { todoList } from './todo.js';
import { View } from './view.js';
import { say } from './words.js';

/** @typedef {import('./play.js').Play} Play */

const CELLS = [0, 1, 2, 3, 4, 5]; // of a group of buttons: two rows of three

/**
 * Where all is shown at once: the pictures, or the words instead of them; null: one view at a time.
 * @param {Play} play
 * @param {Task} task
 * @returns {any}
 */
function atOnce(play, { opens, width, height, parts, told }) {
  if (opens === 'words') return new Words(told);
  if (opens !== 'grid') return null;
  const tell = (/** @type {import('./pictures.js').Look[]} */ looks) => play.post('api/looks', { episode: play.episode, epoch: play.epoch, looks }, () => {});
  return new Pictures({ width, height, parts, send: tell, moved: () => play.noteScale() });
}

/**
 * What shows the next picture: a button with its key; where the pictures come by themselves, a line that says so.
 * @param {Play} play
 * @param {Task} task
 */
function paging(play, task) {
  if (!task.by_itself) return [h('div', { class: 'cluster next' }, actionButton(play,
    { name: 'next_picture', short: say('play.next_picture'), label: say('play.next_picture') }))];
  play.pace = new Pace({
    held: () => play.presses.running || Boolean(play.shell.dataset.trouble) || !navigator.onLine || Object.values(play.dialogs).some((dialog) => dialog.open),
    next: () => play.presses.enqueue({ action: 'next_picture' }, performance.now(), 'pace'),
  });
  return [h('p', { class: 'note next' }, say('play.by_itself'))];
}

/**
 * @param {Play} play
 * @param {{name: string, short: string, label: string}} action
 */
function actionButton(play, { name, short, label }) {
  const button = h('button', { type: 'button', dataset: { action: name }, 'aria-label': label,
    onclick: (event) => play.presses.enqueue({ action: name }, event.timeStamp) },
    h('span', {}, short), ' ', h('kbd', { 'aria-hidden': 'true' }));
  play.buttons[name] = { button, short, label };
  return button;
}

/**
 * @param {Play} play
 * @param {Task} task as `api/open` gives it
 */
export function build(play, task) {
  const { actions, relations, keys } = task.controls;
  play.paged = task.opens === 'frames'; // pictures that exist, one after the other
  play.still = !actions.length && !play.paged; // a paradigm without actions: one view, and the answer
  const [plain, withObjects] = [actions.filter((action) => !action.form.length), actions.filter((action) => action.form.length)];
  play.keys = new Keys(keys);
  play.view = atOnce(play, task) || new View({ width: task.width, height: task.height,
    strip: task.history === 'none' ? 0 : task.history === 'last5' ? 5 : task.budget, paged: play.paged,
    enlarge: task.enlarge ? (seq) => play.look(seq) : undefined });
  play.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
  play.waiting = h('p', { class: 'waiting', role: 'status', 'aria-live': 'polite', hidden: true });
  play.missed = h('p', { class: 'missed', role: 'status', 'aria-live': 'polite', hidden: true });
  play.part = h('span', { class: 'part', hidden: true });
  play.left = h('span', { class: 'left' });
  play.full = h('i');
  const bar = h('div', { class: 'bar', 'aria-hidden': 'true' }, play.full);
  play.savedAt = h('span', { class: 'saved', role: 'status', 'aria-live': 'off' });
  play.timeLeft = new TimeLeft({ up: () => play.answering.timeUp(), woke: () => play.open() });
  play.notice = h('div', { class: 'notice', role: 'alert', hidden: true });
  play.form = answerForm(task.question, () => play.thoughts.changed());
  play.letters = lettersOf(task.question);
  play.confidence = confidence(() => play.thoughts.changed(), task.question.form === 'yes_no' ? 2 : task.question.options.length);
  play.dialogs = {
    keys: keysDialog(play.keys, [...plain.map((action) => action.name), ...(withObjects.length ? ['go_objects'] : []),
      ...(play.paged ? ['next_picture'] : [])].filter((name) => play.keys.labels[name]), () => play.refresh()),
    report: reportDialog(say('report.task_goes_on'), async (text) => (await play.post('api/report',
      { episode: play.episode, epoch: play.epoch, text })).json(), play.data.stop?.contact),
    confirm: h('dialog', { class: 'dialog', 'aria-label': say('play.final') }),
    part: h('dialog', { class: 'dialog', 'aria-label': say('play.next_part_label') }),
    look: h('dialog', { class: 'dialog look', 'aria-label': say('play.earlier') }),
    stop: play.stop.dialog,
  };
  play.header = h('header', { class: 'question' },
    h('div', { class: 'row spread top' },
      h('span', { class: 'row' }, h('span', { class: 'title' }, play.data.title || ''), play.part, sessionBar(play.data.progress)),
      h('span', { class: 'row' }, play.timeLeft.element, play.savedAt,
        play.still ? null : h('button', { type: 'button', class: 'link', onclick: () => play.dialogs.keys.showModal() }, say('keys.title')),
        h('button', { type: 'button', class: 'link', onclick: () => play.dialogs.report.showModal() }, say('report.title')), play.stop.button)),
    h('h1', { tabIndex: -1 }, asLines(task.question)),
    task.question.note ? h('p', { class: 'qnote' }, task.question.note) : null,
    play.paged ? h('p', { class: 'qnote' }, say('play.given_pictures'), task.history === 'none' ? ` ${say('play.no_way_back')}` : '') : null,
    play.data.practice && actions.length ? h('p', { class: 'qnote' }, play.data.practice) : null);
  play.pad = h('div', { class: 'pad' });
  const clusters = h('div', { class: 'clusters' });
  play.pad.append(clusters);
  play.buttons = {};
  for (const title of new Set(plain.flatMap((action) => action.pad?.[0] ?? []))) {
    const at = (/** @type {number} */ cell) => plain.find((action) => action.pad?.[0] === title && action.pad?.[1] === cell);
    clusters.append(h('div', { class: 'cluster', role: 'group', 'aria-label': title }, h('span', { class: 'cluster-title', 'aria-hidden': 'true' }, title),
      h('div', { class: 'grid' }, CELLS.map((cell) => { const action = at(cell); return action ? actionButton(play, action) : h('span'); }))));
  }
  if (play.paged) clusters.append(...paging(play, task));
  const extra = h('div', { class: 'row wrap extra' }, plain.filter((action) => !action.pad).map((action) => actionButton(play, action)));
  play.nextPhase = h('button', { type: 'button', hidden: true, onclick: (event) => play.presses.confirmPart(event.timeStamp) }, say('play.next_part'));
  extra.append(play.nextPhase);
  play.pad.append(extra);
  play.picker = withObjects.length ? objectPicker({ actions: withObjects, relations, stacked: Boolean(task.question.stacked),
    view: play.view, state: () => play.state,
    tell: (text, failed) => play.announce(text, failed),
    act: (action, pressed, words) => { play.presses.inSight(); play.presses.enqueue({ action, words }, pressed); } }) : null;
  if (play.picker) play.pad.append(play.picker.element);
  // Laid over a corner of the picture, so that nothing moves when it comes and goes.
  play.again = h('button', { type: 'button', class: 'again', hidden: true, onclick: () => play.film.watchAgain() }, say('play.watch_again'));
  play.view.element.append(play.again);
  // Over the moves that are of no use any more.
  play.forced = h('div', { class: 'forced', role: 'alert', hidden: true }, play.forcedWords = h('span'),
    play.anew = h('button', { type: 'button', hidden: true, onclick: () => play.beginAgain() }, say('tutorial.again')));
  clusters.append(play.forced);
  play.problem = h('p', { class: 'problem', role: 'alert' });
  play.submit = h('button', { type: 'submit', class: 'primary wide' }, say('play.give'));
  play.beliefState = h('span', { class: 'note', role: 'status', 'aria-live': 'polite' });
  // Of a worked example: what is still to do, ticked off by the server's record.
  play.todo = play.data.example ? todoList(async () => (await play.post(`api/todo/${encodeURIComponent(play.episode)}`)).json(), () => play.stand(),
    () => play.beginAgain()) : null;
  play.answer = h('form', { class: 'answer', 'aria-label': say('answer.your_answer'), novalidate: true,
    onsubmit: (event) => { event.preventDefault(); play.answering.review(); } },
    play.todo?.element ?? null,
    h('div', { class: 'row spread' }, h('h2', {}, say('answer.your_answer')), h('span', { class: 'row' }, play.beliefState,
      h('kbd', { class: 'jump', title: say('page.jump') }))),
    play.probe = h('p', { class: 'note', hidden: true }, say('play.beliefs')),
    play.form.element, play.confidence.element, h('div', { class: 'giving' }, play.problem, play.submit));
  play.view.element.append(play.waiting, play.missed);
  const stage = h('div', { class: 'stage' }, play.view.element);
  // What came of an action stands above what one acts with; the place for it is always there.
  play.dock = h('div', { class: 'dock' }, play.still ? null : h('div', { class: 'budget' }, play.paged ? null : play.left, bar),
    h('div', { class: 'told' }, play.status), play.still ? null : play.pad);
  play.body = h('div', { class: 'body' }, play.view.strip, stage, play.dock, play.answer);
  // A radio or slider that was clicked keeps the focus, and with it the arrow keys; give both back to the camera. By keyboard they stay.
  // Only from what was clicked: by the time play runs, the focus may have been taken on by a key.
  play.body.addEventListener('pointerup', (event) => {
    const target = /** @type {Element} */ (event.target);
    const clicked = target.closest('label')?.control ?? target;
    play.presses.givingBack = clicked;
    setTimeout(() => {
      if (play.presses.givingBack === clicked) play.presses.givingBack = null;
      const held = focusedBeside(play.shell);
      if (held && clicked.contains(held) && held.tagName === 'INPUT' && ['radio', 'range'].includes(
        /** @type {HTMLInputElement} */ (held).type)) play.view.element.focus({ preventScroll: true });
    }, 0);
  });
  play.stop.across(() => play.shell.replaceChildren(play.header, play.notice, play.body, ...Object.values(play.dialogs)));
  play.layoutWatch = new ResizeObserver(() => play.layout());
  play.layoutWatch.observe(play.shell);
  window.addEventListener('resize', () => play.layout(), { signal: play.abort.signal });
  play.layout();
  // staff plays below other parts of a page; in a low window the picture would begin under its lower edge
  if (play.data.staff) play.shell.scrollIntoView({ block: 'start' });
  play.thoughts.restore(task);
}
