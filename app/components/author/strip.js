// The pictures of an item in small, at the head of the window while one writes further down: they are never out of sight.
import { h } from './dom.js';
import { s, shapes } from './markshapes.js';
import { lasting } from './shelf.js';

/** Whether a person wants them. */
const LIKED = 'vantage.strip.v1';
/** Height: a share of the window's within limits; in windows lower or narrower than this there is no room for them (CSS pixels). */
const SHARE = 0.26;
const [LEAST, MOST] = [130, 250];
const [LOW, NARROW] = [600, 760];

export class Strip {
  /** Whether the large pictures are out of sight. @type {boolean | undefined} */ out;
  /** @type {IntersectionObserver | undefined} */ seen;
  /** @type {number} */ head;

  /**
   * @param {HTMLElement} large where the pictures stand in large
   * @param {(view: string) => void} enlarge what a press on a picture does
   */
  constructor(large, enlarge) {
    this.large = large;
    this.enlarge = enlarge;
    this.liked = lasting.read(LIKED) !== false;
    this.pictures = h('div', { class: 'row' });
    this.fold = h('button', { type: 'button', class: 'small', onclick: () => this.#like() });
    this.element = h('div', { class: 'strip off', role: 'group', 'aria-label': 'Pictures in small' }, h('div', { class: 'held' }, this.pictures,
      this.fold));
    this.resized = () => this.watch();
    window.addEventListener('resize', this.resized);
  }

  /** Height while they are shown. */
  get height() { return Math.round(Math.min(MOST, Math.max(LEAST, SHARE * window.innerHeight))); }

  /** They come when less of the large ones is in sight than they themselves take, so that they never cover more than those did. */
  watch(head = this.head || 0) {
    this.head = head;
    this.seen?.disconnect();
    const room = window.innerHeight >= LOW && window.innerWidth >= NARROW;
    this.element.style.setProperty('--strip', `${this.height}px`);
    if (!room) { this.#out(false); return; }
    this.seen = new IntersectionObserver(([entry]) => this.#out(!entry.isIntersecting && entry.boundingClientRect.bottom < this.head + this.height + 1),
      { rootMargin: `-${Math.round(this.head + this.height)}px 0px 0px 0px` });
    this.seen.observe(this.large);
  }

  /** What has the focus is not left below them. @param {Element} target */
  clear(target) {
    requestAnimationFrame(() => {
      if (!this.out || !this.liked || this.element.contains(target)) return;
      const { top, bottom } = target.getBoundingClientRect();
      if (bottom > this.head && top < this.head + this.height) target.scrollIntoView({ block: 'center' });
    });
  }

  /** @param {boolean} yes */
  #out(yes) {
    this.out = yes;
    this.#sync();
  }

  #like() {
    this.liked = !this.liked;
    lasting.keep(LIKED, this.liked);
    this.#sync();
  }

  #sync() {
    // Unseen it keeps its place, so that nothing moves when it comes.
    this.element.classList.toggle('off', !this.out);
    this.pictures.hidden = !this.liked;
    this.element.classList.toggle('folded', !this.liked);
    this.fold.textContent = this.liked ? 'Hide the pictures' : 'Show the pictures';
  }

  /**
   * What they show.
   * @param {{name: string, url: string, width: number, height: number}[]} views
   * @param {import('./geometry.js').Mark[]} marks
   */
  show(views, marks) {
    this.pictures.replaceChildren(...views.map(({ name, url, width, height }) => {
      const px = (/** @type {number} */ units) => units * height / this.height;
      const here = marks.filter((mark) => mark.view === name && mark.points.length > 1);
      return h('button', { type: 'button', class: 'quiet', title: `Enlarge ${name}`, 'aria-label': `Enlarge ${name}`, onclick: () => this.enlarge(name) },
        s('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' }, s('image', { href: url, width, height }),
          ...here.map((mark) => s('g', { 'data-colour': mark.colour }, shapes(mark, px)))), h('span', { class: 'vname' }, name));
    }));
    this.#sync();
  }

  close() {
    this.seen?.disconnect();
    window.removeEventListener('resize', this.resized);
  }
}
