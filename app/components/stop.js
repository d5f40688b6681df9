// Stopping: one can end one's part in the study on every page, and is told what that means before it happens.
import { Refused, send } from './api.js';
import { h } from './dom.js';

/** What is said about the payment where the study itself says nothing. */
const PAYMENT = 'If you are paid for taking part, ask the person who invited you what stopping means for your payment.';

/**
 * The quiet button of a page, and the dialogue that it opens. Nothing is chosen beforehand, and taking the data back is asked twice.
 * @param {object} how
 * @param {string} [how.episode] - the id of the task that is shown now
 * @param {string} [how.path] - where to send it, and
 * @param {object} [how.body] - what beside, where no task is shown
 * @param {{payment?: string, hold_minutes?: number}} [how.words] - the study's own words and rule
 * @param {AbortSignal} how.signal - of the page
 * @param {() => void} how.stopped - called when the server has written it down
 * @returns {{button: HTMLButtonElement, dialog: HTMLDialogElement, across: (replace: () => void) => void}}
 */
export function stopping({ episode, path = 'api/stop', body = { episode }, words = {}, signal, stopped }) {
  const dialog = h('dialog', { class: 'dialog stopping', 'aria-label': 'Stop taking part' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  let sending = null; // until the server's word; going on takes it back
  dialog.addEventListener('close', () => { sending?.abort(); sending = null; });
  const buttons = () => [...dialog.querySelectorAll('button')];
  const end = async (takeBack) => {
    buttons().forEach((button) => { button.disabled = !('stay' in button.dataset); });
    problem.textContent = '';
    const mine = new AbortController();
    sending = mine;
    const sign = (state) => { if (sending === mine) problem.textContent = state ? `${state.message} Nothing is stopped yet; it is sent as soon as possible, unless you go on.` : ''; };
    try {
      await send(path, { ...body, take_back: takeBack }, { sign, signal: AbortSignal.any([signal, mine.signal]) });
      sending = null;
      dialog.close();
      stopped();
    } catch (error) {
      if (signal.aborted || mine.signal.aborted) return;
      sending = null;
      buttons().forEach((button) => { button.disabled = false; });
      problem.textContent = error instanceof Refused ? error.message : 'This page met an error. Reload it, then try again.';
    }
  };
  const stay = () => h('button', { type: 'button', dataset: { stay: '' }, onclick: () => dialog.close() }, 'Go on taking part');
  const show = (...parts) => { problem.textContent = ''; dialog.replaceChildren(...parts); dialog.querySelector('[data-first]').focus(); };
  const first = (button) => { button.dataset.first = ''; return button; };
  const choice = (title, means, onclick) => h('button', { type: 'button', class: 'way', onclick }, h('b', {}, title), h('span', {}, means));
  const ask = () => show(h('h2', {}, 'Stop taking part?'),
    h('p', {}, 'You can stop at any time, without giving a reason.'),
    h('p', {}, 'Only a break? Close this window. By the same link you come back to where you were',
      words.hold_minutes ? `; after ${words.hold_minutes} minutes the task that you had begun may be given to somebody else.` : '.'),
    h('p', {}, words.payment || PAYMENT),
    h('div', { class: 'ways' },
      choice('Stop and leave my answers', 'What you did so far is kept and may be used. You cannot go on later; taking your data back is still possible.', () => end(false)),
      choice('Stop and take my data back…', 'Nothing that you did will be used.', () => sure())),
    problem, h('div', { class: 'row end' }, first(stay())));
  const sure = () => show(h('h2', {}, 'Take your data back?'),
    h('p', {}, 'Nothing that you did in this study will be used. This cannot be undone, and you cannot go on later.'), problem,
    h('div', { class: 'row end' }, first(stay()), h('button', { type: 'button', class: 'primary', onclick: () => end(true) }, 'Take my data back')));
  const button = h('button', { type: 'button', class: 'link stop', onclick: () => { if (!dialog.open) dialog.showModal(); ask(); } }, 'Stop…');
  /** Put other things on the page around the dialogue: what is moved while it is open would stay behind its own curtain. */
  const across = (replace) => {
    const open = dialog.open;
    if (open) dialog.close();
    replace();
    if (open) button.click();
  };
  return { button, dialog, across };
}
