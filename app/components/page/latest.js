// Asking again for what may have changed meanwhile: what is shown in the end is the newest.

/**
 * @param {() => Promise<void>} ask asks, and shows what came
 * @returns {() => Promise<void>} one question at a time, so that no older reply comes after a newer one; over when a question that began
 *   after the call has been answered
 */
export function latest(ask) {
  /** @type {Promise<void> | null} */
  let running = null;
  /** @type {Promise<void> | null} */
  let next = null;
  const begin = () => {
    const asked = ask().finally(() => { running = null; });
    running = asked;
    return asked;
  };
  return () => {
    if (!running) return begin();
    next ??= running.catch(() => {}).then(() => { next = null; return begin(); });
    return next;
  };
}
