// How it stands with what is kept on the server, as the page says it. Once something is changed nothing is called saved until it is there; and a
// server that says nothing for a while is called away, whether a request fails or hangs.

/** So long may the server take before it is said that nothing is saved yet (ms). */
export const PATIENCE_MS = 4000;

/** @typedef {{kind: string, message?: string}} Standing */

/**
 * @template {Standing} S
 * @param {(state: S) => void} tell
 * @returns {{tell: (state: S) => void, changed: () => void}} `tell`: something became of a request ('saving': one is sent, or there is an
 *   answer again); `changed`: the person changed something that is not sent yet
 */
export function patient(tell) {
  /** @type {number | undefined} */
  let timer;
  /** @type {S | null} */
  let trouble = null;
  return {
    tell(state) {
      if (state.kind !== 'merged') {
        clearTimeout(timer);
        trouble = state.kind === 'trouble' ? state : null;
      }
      if (state.kind === 'saving') {
        timer = setTimeout(() => {
          trouble = /** @type {S} */ ({ kind: 'trouble', message: 'The server does not answer.' });
          tell(trouble);
        }, PATIENCE_MS);
      }
      tell(state);
    },
    changed() { tell(trouble ?? /** @type {S} */ ({ kind: 'saving' })); },
  };
}
