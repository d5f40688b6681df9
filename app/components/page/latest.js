// Asking again for what may have changed meanwhile: what is shown in the end is the newest.

/**
 * @param {() => Promise<void>} ask asks, and shows what came
 * @returns {() => Promise<void>} one question at a time, so that no older reply comes after a newer one; over when a question that began
 *   after the call has been answered
 */
export function latest(ask) {
  let running = null;
  let next = null;
  const begin = () => {
    running = ask().finally(() => { running = null; });
    return running;
  };
  return () => {
    if (!running) return begin();
    next ??= running.catch(() => {}).then(() => { next = null; return begin(); });
    return next;
  };
}
