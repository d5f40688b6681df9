// Pictures of a task one after the other, by slider and arrow keys, without a word on what was done between them.
import { h } from './dom.js';

export class Views {
  /**
   * @param {KeptPicture[]} pictures in order
   * @param {{at: number, changed: () => void, stepIn: () => void}} how
   */
  constructor(pictures, { at, changed, stepIn }) {
    this.pictures = pictures;
    this.changed = changed;
    this.at = Math.min(Math.max(0, at), Math.max(0, pictures.length - 1));
    const into = h('button', { type: 'button', onclick: () => stepIn() }, 'Step into the simulator', h('kbd', { 'aria-hidden': 'true' }, 'S'));
    this.image = h('img', { alt: '' });
    this.frame = h('div', { class: 'frame' }, this.image);
    this.told = h('p', { class: 'told-of', role: 'status', 'aria-live': 'polite' });
    this.slider = h('input', { type: 'range', class: 'scrub', min: '0', max: String(Math.max(0, pictures.length - 1)), step: '1', 'aria-label': 'Picture',
      oninput: () => this.go(Number(this.slider.value)) });
    this.element = h('div', { class: 'evidence' }, pictures.length ? [this.frame, pictures.length > 1 ? h('div', { class: 'scale' }, this.slider) : null,
      this.told]
      : h('p', { class: 'missing' }, 'No picture of this task is kept here. Step into the simulator to look.'), h('div', { class: 'row wrap' }, into));
    if (pictures.length) this.#draw();
  }

  /** Whether the key was ours. @param {string} key */
  key(key) {
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.pictures.length - 1 };
    const to = places[key];
    if (to === undefined || !this.pictures.length) return false;
    this.go(to);
    return true;
  }

  /** @param {number} to */
  go(to) {
    const at = Math.min(Math.max(0, to), this.pictures.length - 1);
    if (at === this.at) return;
    this.at = at;
    this.#draw();
    this.changed();
  }

  #draw() {
    const { url, width, height } = this.pictures[this.at];
    Object.assign(this.image, { src: url, width, height });
    this.frame.style.maxWidth = `calc(54vh * ${width / height})`;
    const of = this.pictures.length;
    const place = this.at ? `View ${this.at + 1} of ${of}` : `The start view${of > 1 ? `, 1 of ${of}` : ''}`;
    this.image.alt = place;
    this.told.textContent = place;
    this.slider.value = String(this.at);
    this.slider.setAttribute('aria-valuetext', `${this.at + 1} of ${this.pictures.length}`);
    this.slider.style.setProperty('--fill', `${this.pictures.length > 1 ? (100 * this.at) / (this.pictures.length - 1) : 0}%`);
    for (const near of [this.at + 1, this.at - 1]) if (this.pictures[near]) new Image().src = this.pictures[near].url;
  }
}
