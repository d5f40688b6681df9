// What the page is shown with, and what becomes of it: hidden, left, resized, cut off. For the tables of an export.

/** A window that is being dragged larger is told of once, when it has kept its size for so long (ms). */
const REST_MS = 400;

/** Window, screen and scheme as they are now; browser and system are in every request's head. */
export function apparatus() {
  const zoom = window.outerWidth && window.innerWidth ? Math.round((window.outerWidth / window.innerWidth) * 100) / 100 : null;
  return {
    viewport_width: Math.round(window.innerWidth),
    viewport_height: Math.round(window.innerHeight),
    screen_width: Math.round(window.screen.width),
    screen_height: Math.round(window.screen.height),
    pixel_ratio: window.devicePixelRatio,
    zoom,
    colour_scheme: window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    touch: navigator.maxTouchPoints > 0,
  };
}

/** Tells the server, one after the other, what becomes of the page while an episode is open; and what was pressed with last. */
export class PageEvents {
  /** @type {number | undefined} */ resting;

  /** @param {(body: object) => Promise<any>} post sends one event */
  constructor(post) {
    this.post = post;
    /** @type {string | null} */
    this.episode = null; // of which events are noted
    /** @type {number | null} */
    this.epoch = null;
    this.n = 0;
    this.going = false;
    this.line = Promise.resolve();
    this.listening = new AbortController();
    const { signal } = this.listening;
    /** @param {EventTarget} target @param {string} name @param {(event: any) => void} act */
    const on = (target, name, act) => target.addEventListener(name, act, { signal, capture: true });
    // A page that goes away, closed or loaded again, is hidden as well, just after it says that it goes.
    on(window, 'pagehide', () => { this.going = true; });
    on(window, 'pageshow', () => { this.going = false; });
    on(document, 'visibilitychange', () => this.note(document.hidden ? 'hidden' : 'visible', document.hidden && this.going ? 'going' : ''));
    // Of the window itself: elements within it lose and gain the focus all the time.
    for (const name of ['blur', 'focus']) on(window, name, (event) => { if (event.target === window) this.note(name); });
    for (const name of ['offline', 'online']) on(window, name, () => this.note(name));
    on(window, 'resize', () => {
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.note('resized', `${window.innerWidth}x${window.innerHeight}@${window.devicePixelRatio}`), REST_MS);
    });
    on(window, 'pointerdown', (event) => { this.pointer = event.pointerType; });
    on(window, 'keydown', () => { this.pointer = ''; });
  }

  /** The episode goes on in this opening: what happens from now on belongs to it. @param {string} episode @param {number} epoch */
  opened(episode, epoch) {
    if (this.episode === episode && this.epoch === epoch) return;
    Object.assign(this, { episode, epoch, n: 0 });
  }

  /** The episode is over: what happens to the page says nothing of it. */
  over() { this.episode = null; }

  close() {
    this.over();
    clearTimeout(this.resting);
    this.listening.abort();
  }

  /** A button on the page was pressed: by a finger, or otherwise. */
  pressedBy() { return this.pointer === 'touch' ? 'touch' : 'button'; }

  /** Note one event; it is sent when those before it have arrived. @param {string} what @param {string} detail */
  note(what, detail = '') {
    if (!this.episode) return;
    this.n += 1;
    const body = { episode: this.episode, epoch: this.epoch, n: this.n, what, t: Date.now(), detail };
    // What is refused (the task was continued elsewhere, or is over) says nothing of the episode: nobody needs to be told.
    this.line = this.line.then(() => this.post(body)).catch(() => {});
  }
}
