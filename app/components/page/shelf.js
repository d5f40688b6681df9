// What a browser keeps for a page. Storage may be switched off, full or damaged: nothing here throws, and null stands for nothing kept.
/** @param {'localStorage' | 'sessionStorage'} name */
const shelf = (name) => ({
  read(key) {
    try {
      return JSON.parse(window[name].getItem(key));
    } catch {
      return null;
    }
  },
  keep(key, value) {
    try {
      window[name].setItem(key, JSON.stringify(value));
    } catch {
      // Nothing is kept: what matters lives in the page and goes to the server from there.
    }
  },
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
