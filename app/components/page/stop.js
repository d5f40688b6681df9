// Stopping: one can end one's part in the study on every page, and is told what that means before it happens.
import { send, sentenceOf } from './api.js';
import { h, the } from './dom.js';
import { say } from './words.js';

/** Whom one may ask, in the study's words; nothing where it says nobody. @param {string} [contact] */
export const contactLine = (contact) => (contact ? h('p', { class: 'note contact' }, say('stop.ask', { contact })) : '');

/**
 * The quiet button of a page, and the dialogue that it opens. Nothing is chosen beforehand, and taking the data back is asked twice.
 * @param {object} how
 * @param {string} [how.episode] - the id of the task that is shown now
 * @param {string} [how.path] - where to send it, and
 * @param {object} [how.body] - what beside, where no task is shown
 * @param {StopWords} [how.words] - the study's own words and rule
 * @param {AbortSignal} how.signal - of the page
 * @param {() => void} how.stopped - called when the server has written it down
 * @returns {{button: HTMLButtonElement, dialog: HTMLDialogElement, across: (replace: () => void) => void}}
 */
export function stopping({ episode, path = 'api/stop', body = { episode }, words = {}, signal, stopped }) {
  const dialog = h('dialog', { class: 'dialog stopping', 'aria-label': say('stop.label') });
  const problem = h('p', { class: 'problem', role: 'alert' });
  /** @type {AbortController | null} */
  let sending = null; // until the server's word; going on takes it back
  dialog.addEventListener('close', () => { sending?.abort(); sending = null; });
  const buttons = () => [...dialog.querySelectorAll('button')];
  const end = async (/** @type {boolean} */ takeBack) => {
    buttons().forEach((button) => { button.disabled = !('stay' in button.dataset); });
    problem.textContent = '';
    const mine = new AbortController();
    sending = mine;
    /** @param {Trouble} state */
    const sign = (state) => { if (sending === mine) problem.textContent = state ? say('stop.not_yet', { problem: state.message }) : ''; };
    try {
      await send(path, { ...body, take_back: takeBack }, { sign, signal: AbortSignal.any([signal, mine.signal]) });
      sending = null;
      dialog.close();
      stopped();
    } catch (error) {
      if (signal.aborted || mine.signal.aborted) return;
      sending = null;
      buttons().forEach((button) => { button.disabled = false; });
      problem.textContent = sentenceOf(error);
    }
  };
  const stay = () => h('button', { type: 'button', dataset: { stay: '' }, onclick: () => dialog.close() }, say('stop.stay'));
  /** @param {(Node | string)[]} parts */
  const show = (...parts) => { problem.textContent = ''; dialog.replaceChildren(...parts); the(dialog, '[data-first]').focus(); };
  const first = (/** @type {HTMLButtonElement} */ button) => { button.dataset.first = ''; return button; };
  /** @type {(title: string, means: string, onclick: () => void) => HTMLButtonElement} */
  const choice = (title, means, onclick) => h('button', { type: 'button', class: 'way', onclick }, h('b', {}, title), h('span', {}, means));
  const ask = () => show(h('h2', {}, say('stop.asked')),
    h('p', {}, say('stop.any_time')),
    h('p', {}, words.hold_minutes ? say('stop.break_held', { minutes: words.hold_minutes }) : say('stop.break')),
    h('p', {}, words.payment || say('stop.payment')), contactLine(words.contact),
    h('div', { class: 'ways' },
      choice(say('stop.leave'), say('stop.leave_means'), () => end(false)),
      choice(say('stop.take_back'), say('stop.take_back_means'), () => sure())),
    problem, h('div', { class: 'row end' }, first(stay())));
  const sure = () => show(h('h2', {}, say('stop.sure')),
    h('p', {}, say('stop.sure_means')), problem,
    h('div', { class: 'row end' }, first(stay()), h('button', { type: 'button', class: 'primary', onclick: () => end(true) }, say('stop.sure_do'))));
  const button = h('button', { type: 'button', class: 'link stop', onclick: () => { if (!dialog.open) dialog.showModal(); ask(); } }, say('stop.button'));
  /** Put other things on the page around the dialogue: what is moved while it is open would stay behind its own curtain. @param {() => void} replace */
  const across = (replace) => {
    const open = dialog.open;
    if (open) dialog.close();
    replace();
    if (open) button.click();
  };
  return { button, dialog, across };
}
