// The camera view: exact pixels on a canvas, and the strip of earlier frames.
import { brushOf, h } from './dom.js';
import { say } from './words.js';

/** Pixels of an earlier view as it is kept in the strip: enough for twice its largest width. */
const THUMB_W = 416;

export class View {
  /** @type {number} */ across;
  /** @type {{bitmap: ImageBitmap, seq: number} | undefined} */ shown;

  /**
   * @param {{width: number, height: number, strip: number, enlarge?: (seq: number) => void, paged?: boolean}} options frame size in pixels; how many earlier
   *   frames to show; what to do when one is chosen (only where the protocol lets people enlarge them); whether they are pictures that come
   *   one after the other, without any action
   */
  constructor({ width, height, strip, enlarge, paged }) {
    this.enlarge = enlarge;
    this.paged = paged;
    this.width = width;
    this.height = height;
    this.keep = strip;
    this.canvas = h('canvas', { width, height, class: 'frame', role: 'img', 'aria-label': say('view.loading') });
    this.context = brushOf(this.canvas);
    this.busy = h('div', { class: 'busy', hidden: true });
    this.cover = h('div', { class: 'cover', hidden: true, role: 'status', 'aria-live': 'polite' });
    this.element = h('div', { class: 'view', tabIndex: 0, role: 'group', 'aria-label': say(paged ? 'view.picture' : 'view.keys') }, this.canvas, this.busy,
      this.cover);
    this.resize(width);
    this.strip = h('ol', { class: 'strip', 'aria-label': say('view.earlier'), hidden: !strip });
    /** @type {{seq: number, item: HTMLElement}[]} */
    this.frames = []; // in the strip, oldest first
    this.watch = new ResizeObserver(() => this.snap());
    this.watch.observe(document.documentElement);
  }

  /** Show the picture `across` CSS pixels wide. @param {number} across */
  resize(across) {
    this.across = across;
    const style = { width: `${across}px`, height: `${(across * this.height) / this.width}px` };
    Object.assign(this.canvas.style, style);
    Object.assign(this.element.style, style);
    const per = (across * window.devicePixelRatio) / this.width;
    this.whole = Math.abs(per - Math.round(per)) < 1e-3;
    this.canvas.classList.toggle('smooth', !this.whole);
  }

  /** At which scale the picture is shown, in words for the record: screen pixels for each of its own, and its width in CSS pixels. */
  shownAt() {
    return `${((this.across * window.devicePixelRatio) / this.width).toFixed(3)} ${this.whole ? 'whole' : 'smooth'} ${Math.round(this.across)}`;
  }

  /** Put the canvas on whole device pixels, so that one frame pixel is a whole number of screen pixels. */
  snap() {
    if (!this.element.isConnected) return;
    this.canvas.style.left = this.canvas.style.top = '0px';
    const box = this.canvas.getBoundingClientRect();
    const off = (/** @type {number} */ value) => { const by = Math.round(value) - value; return Math.abs(by) < 0.001 ? 0 : by; };
    this.canvas.style.left = `${off(box.left)}px`;
    this.canvas.style.top = `${off(box.top)}px`;
  }

  /**
   * Decode and draw; returns when the pixels are in the canvas.
   * @param {Blob} blob
   * @param {number} seq
   * @param {string} label
   */
  async draw(blob, seq, label) {
    const bitmap = await createImageBitmap(blob);
    this.context.drawImage(bitmap, 0, 0);
    this.canvas.setAttribute('aria-label', label);
    this.canvas.dataset.seq = String(seq);
    return bitmap;
  }

  /** The frame now shown; the one before it moves to the strip, which holds earlier frames only. @param {ImageBitmap} bitmap @param {number} seq */
  current(bitmap, seq) {
    if (this.shown && this.shown.seq !== seq) this.remember(this.shown.bitmap, this.shown.seq);
    else this.shown?.bitmap.close();
    this.shown = { bitmap, seq };
  }

  /** Add a frame to the strip (newest last) and drop the oldest. @param {ImageBitmap} bitmap @param {number} seq */
  remember(bitmap, seq) {
    if (!this.keep) { bitmap.close?.(); return; }
    if (this.frames.some((frame) => frame.seq === seq)) { bitmap.close?.(); return; }
    const height = Math.round((THUMB_W * this.height) / this.width);
    const small = h('canvas', { width: THUMB_W, height, role: 'img', 'aria-label': this.paged
      ? say('view.numbered', { number: seq + 1 }) : say('view.after', { step: seq }) });
    brushOf(small).drawImage(bitmap, 0, 0, small.width, small.height);
    bitmap.close?.();
    const picture = this.enlarge ? h('button', { type: 'button', class: 'thumb',
      'aria-label': this.paged ? say('view.enlarge_numbered', { number: seq + 1 }) : say('view.enlarge', { step: seq }), onclick: () => this.enlarge?.(seq) },
      small) : small;
    const item = h('li', { dataset: { seq } }, picture, h('span', { 'aria-hidden': 'true' },
      this.paged ? String(seq + 1) : seq === 0 ? say('view.start') : String(seq)));
    this.frames.push({ seq, item });
    this.frames.sort((a, b) => a.seq - b.seq);
    while (this.frames.length > this.keep) this.frames.shift()?.item.remove();
    this.strip.replaceChildren(...this.frames.map((frame) => frame.item));
    this.strip.scrollTo(this.strip.scrollWidth, this.strip.scrollHeight);
  }

  /** Show that a frame is on its way; after a longer wait the sign moves. @param {boolean} on */
  working(on) {
    if (this.busy.hidden === !on) return;
    this.busy.hidden = !on;
    clearTimeout(this.longer);
    this.busy.classList.remove('long');
    if (on) this.longer = setTimeout(() => this.busy.classList.add('long'), 600);
  }

  /** Text over the picture (loading, waiting, taken over), with optional buttons; null removes it. @param {string | null} text @param {Node[]} buttons */
  say(text, ...buttons) {
    this.cover.hidden = text === null;
    this.cover.replaceChildren(...(text === null ? [] : [h('p', {}, text), ...buttons]));
  }

  close() { this.watch.disconnect(); this.shown?.bitmap.close(); }
}
