// The dialogue in which a participant reports a problem.
import { sentenceOf } from './api.js';
import { clock, h } from './dom.js';
import { say } from './words.js';

/**
 * @param {string} goesOn - a sentence: what happens to what they are doing
 * @param {(text: string) => Promise<{saved_at: string}>} send
 * @param {string} [contact] - whom they may ask instead, in the study's words
 */
export function reportDialog(goesOn, send, contact = '') {
  const box = h('textarea', { rows: '4', maxlength: '2000', 'aria-label': say('report.wrong') });
  const told = h('p', { class: 'note', role: 'status' });
  const dialog = h('dialog', { class: 'dialog', 'aria-label': say('report.title') },
    h('h2', {}, say('report.title')), h('p', {}, `${say('report.told')} ${goesOn}`), box,
    contact ? h('p', { class: 'note contact' }, say('report.contact', { contact })) : null, told,
    h('div', { class: 'row end' },
      h('button', { type: 'button', onclick: () => dialog.close() }, say('page.close')),
      h('button', { type: 'button', class: 'primary', onclick: async () => {
        if (!box.value.trim()) { told.textContent = say('report.empty'); box.focus(); return; }
        try {
          const reply = await send(box.value.trim());
          box.value = '';
          told.textContent = say('report.saved', { time: clock(reply.saved_at) });
        } catch (error) {
          told.textContent = sentenceOf(error);
        }
      } }, say('report.send'))));
  dialog.addEventListener('close', () => { told.textContent = ''; });
  return dialog;
}
