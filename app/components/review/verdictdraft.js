// A draft beside a verdict, as verifying and adjudicating keep it.
import { sentenceOf } from './api.js';
import { clock } from './dom.js';
import { Drafting } from './drafting.js';

const KEPT = 'Draft kept ';

/**
 * Keeps the draft; when it was kept stands in the line of status, where nothing else is said.
 * @param {object} page
 * @param {() => Promise<string>} page.keep as of `Drafting`
 * @param {number} page.rest as there
 * @param {HTMLElement} page.status
 * @param {(words: string) => void} page.say tells what went wrong
 * @param {() => boolean} page.busy whether the verdict is being sent, of which the line speaks then
 * @param {AbortSignal} page.signal the page goes away
 */
export function draftOfVerdict({ keep, rest, status, say, busy, signal }) {
  const told = (/** @type {string} */ at) => {
    const words = status.textContent ?? '';
    if (!busy() && (!words || words.startsWith(KEPT))) status.textContent = at ? `${KEPT}${clock(at)}` : '';
  };
  const drafting = new Drafting({ keep, told, failed: (error) => { if (!signal.aborted) say(sentenceOf(error)); }, rest });
  document.addEventListener('visibilitychange', () => { if (document.hidden) drafting.flush(); }, { signal });
  return drafting;
}
