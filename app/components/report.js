// The dialogue in which a participant reports a problem.
import { clock, h } from './dom.js';

/**
 * @param {string} goesOn - a sentence: what happens to what they are doing
 * @param {(text: string) => Promise<{saved_at: string}>} send
 * @param {string} [contact] - whom they may ask instead, in the study's words
 */
export function reportDialog(goesOn, send, contact = '') {
  const box = h('textarea', { rows: '4', maxlength: '2000', 'aria-label': 'What is wrong?' });
  const told = h('p', { class: 'note', role: 'status' });
  const dialog = h('dialog', { class: 'dialog', 'aria-label': 'Report a problem' },
    h('h2', {}, 'Report a problem'), h('p', {}, `What is wrong? The researchers will read it. ${goesOn}`), box,
    contact ? h('p', { class: 'note contact' }, `You can also ask: ${contact}`) : null, told,
    h('div', { class: 'row end' },
      h('button', { type: 'button', onclick: () => dialog.close() }, 'Close'),
      h('button', { type: 'button', class: 'primary', onclick: async () => {
        if (!box.value.trim()) { told.textContent = 'Please write a few words.'; box.focus(); return; }
        try {
          const reply = await send(box.value.trim());
          box.value = '';
          told.textContent = `Thank you. Saved ${clock(reply.saved_at)}.`;
        } catch (error) {
          told.textContent = error.message;
        }
      } }, 'Send')));
  dialog.addEventListener('close', () => { told.textContent = ''; });
  return dialog;
}
