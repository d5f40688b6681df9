// What a browser keeps for a page. Storage may be switched off, full or damaged: nothing here throws, and null stands for nothing kept.
/** @param {'localStorage' | 'sessionStorage'} name */
const shelf = (name) => ({
  /** @param {string} key @returns {any} */
  read(key) {
    try {
      return JSON.parse(window[name].getItem(key) ?? 'null');
    } catch {
      return null;
    }
  },
  /** @param {string} key @param {any} value */
  keep(key, value) {
    try {
      window[name].setItem(key, JSON.stringify(value));
    } catch {
      // Nothing is kept: what matters lives in the page and goes to the server from there.
    }
  },
  /** @param {string} key */
  forget(key) {
    try {
      window[name].removeItem(key);
    } catch {
      // As above.
    }
  },
});

/** Kept until it is forgotten. */
export const lasting = shelf('localStorage');
/** Kept for reloads of this tab. */
export const passing = shelf('sessionStorage');
