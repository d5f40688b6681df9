// All pictures of a task at once: a grid of exact pixels, as small as lets all be seen or each at its full size; one alone, enlarged.
// Which picture was on the screen when is told to the server as looks.
import { pictureWidth } from './arrangement.js';
import { brushOf, h, the } from './dom.js';
import { say } from './words.js';

const GAP = 6;
const HEAD = 26; // of a part, CSS px
const BAR = 40; // above the pictures, CSS px
const SCROLLBAR = 16;
const SMALLEST = 96; // of a small picture, CSS px: below it the grid scrolls
const SEEN = 0.5; // so much of a picture in view counts as a look
const FLUSH_MS = 4000;
const MOST = 400; // looks in one message

/** @typedef {{seq: number, scale: number, enlarged: boolean, began_ms: number}} Going a look that goes on; times in ms since 1970 */
/** @typedef {Going & {n: number, ended_ms: number}} Look */
/** @type {Record<string, number>} */
const ASIDE = { arrowleft: -1, arrowright: 1 };
/** @type {Record<string, number>} */
const UPRIGHT = { arrowup: -1, arrowdown: 1 };

/** Looks that go on and looks that ended; those are sent together, and again when they did not arrive. */
class Looks {
  /** @type {Promise<void> | null | undefined} */ sending;

  /** @param {(looks: Look[]) => Promise<any>} send */
  constructor(send) {
    this.send = send;
    /** @type {Map<number, Going>} */
    this.going = new Map();
    /** @type {Look[]} */
    this.ended = [];
    this.n = 0;
    this.timer = setInterval(() => this.flush(), FLUSH_MS);
  }

  /** Another opening of the episode: its looks are counted anew. */
  opened() { this.going.clear(); this.ended = []; this.n = 0; }

  /** @param {number} seq @param {number} scale @param {boolean} enlarged */
  begin(seq, scale, enlarged) {
    if (!this.going.has(seq)) this.going.set(seq, { seq, scale, enlarged, began_ms: this.now() });
  }

  /** @param {number} seq */
  end(seq) {
    const look = this.going.get(seq);
    if (!look) return;
    this.going.delete(seq);
    this.n += 1;
    this.ended.push({ n: this.n, ...look, ended_ms: this.now() });
  }

  endAll() { for (const seq of [...this.going.keys()]) this.end(seq); }

  now() { return Math.round((performance.timeOrigin + performance.now()) * 10) / 10; }

  async flush() {
    if (this.sending || !this.ended.length) return this.sending;
    const batch = this.ended.slice(0, MOST);
    this.sending = this.send(batch).then(() => { this.ended = this.ended.filter((look) => !batch.includes(look)); },
      () => {}).finally(() => { this.sending = null; });
    return this.sending;
  }

  close() { clearInterval(this.timer); }
}

export class Pictures {
  /** @type {number} */ exact;
  /** @type {number} */ aloneAcross;
  /** @type {{across: number, tall: number}} */ room;
  /** @type {number} */ across;

  /**
   * @param {{width: number, height: number, parts: number[], send: (looks: Look[]) => Promise<any>, moved: () => void}} options size of a
   *   picture in its pixels; which part of the task each shows, from 1 (0: it has none); sends looks; the scale has changed
   */
  constructor({ width, height, parts, send, moved }) {
    this.width = width;
    this.height = height;
    this.parts = parts;
    this.moved = moved;
    /** @type {{seq: number}[]} */
    this.frames = [];
    this.strip = null;
    this.full = false;
    /** @type {number | null} */
    this.alone = null; // which picture is enlarged
    this.at = 0;
    this.looks = new Looks(send);
    this.canvases = parts.map(() => h('canvas', { width, height, class: 'frame' }));
    this.cells = parts.map((part, seq) => this.cell(seq));
    this.cover = h('div', { class: 'cover', hidden: true, role: 'status', 'aria-live': 'polite' });
    const numbers = [...new Set(parts)];
    this.groups = numbers.map((part) => h('section', { 'aria-label': part ? say('play.part', { part, parts: numbers.length }) : undefined },
      part ? h('h2', {}, say('play.part', { part, parts: numbers.length })) : null,
      h('div', { class: 'cells' }, this.cells.filter((cell, seq) => parts[seq] === part))));
    this.scroll = h('div', { class: 'scroll' }, this.groups);
    this.large = h('canvas', { width, height, class: 'frame', role: 'img' });
    this.name = h('span', { class: 'name', role: 'status', 'aria-live': 'polite' });
    this.one = h('div', { class: 'one', hidden: true }, this.large);
    this.size = h('button', { type: 'button', class: 'small', 'aria-pressed': 'false', onclick: () => this.toggle() }, h('span', {}, say('pictures.full')),
      ' ', h('kbd', { 'aria-hidden': 'true' }, 'Z'));
    this.back = h('button', { type: 'button', class: 'small', hidden: true, onclick: () => this.gather() }, h('span', {}, say('pictures.all')), ' ',
      h('kbd', { 'aria-hidden': 'true' }, 'Esc'));
    this.bar = h('div', { class: 'gridbar' }, this.name, h('span', { class: 'row' }, this.back, this.size));
    this.element = h('div', { class: 'view pictures', tabIndex: -1, role: 'group', 'aria-label': say('pictures.group', { n: parts.length }) }, this.bar,
      this.scroll, this.one, this.cover);
    this.canvas = this.canvases[0];
    /** @type {Set<number>} */
    this.inView = new Set();
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const seq = Number(/** @type {HTMLElement} */ (entry.target).dataset.seq);
        if (entry.intersectionRatio >= SEEN) this.inView.add(seq); else this.inView.delete(seq);
      }
      this.note();
    }, { root: this.scroll, threshold: SEEN });
    this.listening = new AbortController();
    document.addEventListener('visibilitychange', () => this.note(), { signal: this.listening.signal });
    this.tell();
  }

  /** @param {number} seq */
  cell(seq) {
    return h('button', { type: 'button', class: 'cell', tabIndex: seq ? -1 : 0, dataset: { seq }, 'aria-label': this.nameOf(seq),
      onfocus: () => this.goTo(seq, false), onclick: () => { this.goTo(seq); this.enlarge(seq); } }, this.canvases[seq]);
  }

  /** What a picture is called; in a task of several parts, with the part that it shows. @param {number} seq */
  nameOf(seq) {
    const part = this.parts[seq];
    if (part) return say(this.parts.indexOf(part) === seq ? 'pictures.first_part' : 'pictures.picture_part',
      { n: seq + 1, of: this.parts.length, part, parts: Math.max(...this.parts) });
    return seq ? say('pictures.picture', { n: seq + 1, of: this.parts.length }) : say('pictures.first', { of: this.parts.length });
  }

  /**
   * Fetch and draw all: the bytes that the server kept. A few at a time.
   * @param {number[]} seqs
   * @param {(seq: number) => Promise<Blob>} fetch
   */
  async showAll(seqs, fetch) {
    this.looks.opened();
    const left = seqs.filter((seq) => !this.cells[seq].dataset.drawn);
    const next = async () => {
      for (let seq = left.shift(); seq !== undefined; seq = left.shift()) {
        const bitmap = await createImageBitmap(await fetch(seq));
        brushOf(this.canvases[seq]).drawImage(bitmap, 0, 0);
        bitmap.close();
        this.cells[seq].dataset.drawn = '1';
      }
    };
    await Promise.all([next(), next(), next(), next()]);
    this.ready = true;
    for (const cell of this.cells) this.seen.observe(cell);
    this.note();
  }

  // ------------------------------------------------------------------ how large
  /** Fill `across` × `tall` CSS pixels. @param {number} across @param {number} tall */
  fit(across, tall) {
    this.room = { across, tall };
    Object.assign(this.element.style, { width: `${across}px`, height: `${tall}px` });
    const ratio = window.devicePixelRatio;
    const inside = { across: across - 2 * GAP - SCROLLBAR - 2, tall: tall - BAR - GAP - 2 };
    this.exact = pictureWidth(this.width, inside.across, ratio);
    const cell = this.full ? this.exact : this.smallest(inside);
    const alone = pictureWidth(this.width, Math.min(inside.across, (inside.tall * this.width) / this.height), ratio);
    const changed = cell !== this.across || alone !== this.aloneAcross;
    this.across = cell;
    this.aloneAcross = alone;
    this.element.style.setProperty('--cell', `${cell}px`);
    for (const canvas of this.canvases) this.dress(canvas, cell);
    this.dress(this.large, alone);
    if (changed) this.renew();
  }

  /** @param {HTMLCanvasElement} canvas @param {number} across */
  dress(canvas, across) {
    Object.assign(canvas.style, { width: `${across}px`, height: `${(across * this.height) / this.width}px` });
    const per = (across * window.devicePixelRatio) / this.width;
    canvas.classList.toggle('smooth', Math.abs(per - Math.round(per)) > 1e-3);
  }

  /**
   * The largest width at which all pictures are in view together, but not so small that nothing is made out.
   * @param {{across: number, tall: number}} room
   */
  smallest({ across, tall }) {
    const shape = this.height / this.width;
    const sizes = [...new Set(this.parts)].map((part) => this.parts.filter((one) => one === part).length);
    const heads = sizes.length > 1 ? sizes.length * HEAD : 0;
    let best = 0;
    for (let columns = 1; columns <= 15; columns += 1) {
      const rows = sizes.reduce((sum, size) => sum + Math.ceil(size / columns), 0);
      const wide = (across - GAP * (columns - 1)) / columns;
      const high = (tall - heads - GAP * (rows + 1)) / rows / shape;
      best = Math.max(best, Math.min(wide, high));
    }
    return Math.floor(Math.max(SMALLEST, Math.min(this.exact, best)));
  }

  toggle() {
    this.full = !this.full;
    this.size.setAttribute('aria-pressed', String(this.full));
    the(this.size, 'span').textContent = say(this.full ? 'pictures.small' : 'pictures.full');
    this.fit(this.room.across, this.room.tall);
    this.goTo(this.at);
  }

  resize() {}

  snap() {}

  /** At which scale a picture of the grid is shown, in words for the record: as `View.shownAt`. */
  shownAt() {
    const per = (this.across * window.devicePixelRatio) / this.width;
    return `${per.toFixed(3)} ${Math.abs(per - Math.round(per)) < 1e-3 ? 'whole' : 'smooth'} ${Math.round(this.across)}`;
  }

  // ------------------------------------------------------------------ moving and enlarging
  /** What a key does here; whether it does something. @param {string} key @param {KeyboardEvent} event */
  key(key, event) {
    const step = ASIDE[key];
    const rows = UPRIGHT[key];
    if (step) this.goTo(this.at + step);
    else if (rows && this.alone === null) this.goTo(this.below(rows));
    else if (rows) this.goTo(this.at + rows);
    else if (key === 'home') this.goTo(0);
    else if (key === 'end') this.goTo(this.parts.length - 1);
    else if (key === 'enter' && this.holds(event)) this.turn(event.repeat);
    else if (key === 'escape' && this.alone !== null) this.gather();
    else if (key === 'z' && this.alone === null) { if (!event.repeat) this.toggle(); } else return false;
    event.preventDefault();
    return true;
  }

  /** Whether a press is for the pictures: on one of them, or on the enlarged one. @param {KeyboardEvent} event */
  holds(event) {
    const [target] = event.composedPath();
    return target === this.element || this.cells.some((cell) => cell === target);
  }

  /** Enlarge the current picture, or go back to all. @param {boolean} again */
  turn(again) {
    if (again) return;
    if (this.alone === null) this.enlarge(this.at); else this.gather();
  }

  /** The picture nearest below (or above) the current one. @param {number} by */
  below(by) {
    const box = (/** @type {Element} */ cell) => cell.getBoundingClientRect();
    const here = box(this.cells[this.at]);
    const others = this.cells.map((cell, seq) => ({ seq, there: box(cell) })).filter(({ there }) => (there.top - here.top) * by > 1);
    others.sort((a, b) => Math.abs(a.there.top - here.top) - Math.abs(b.there.top - here.top)
      || Math.abs(a.there.left - here.left) - Math.abs(b.there.left - here.left));
    return others.length ? others[0].seq : this.at;
  }

  /** @param {number} seq */
  goTo(seq, focus = true) {
    const to = Math.min(this.parts.length - 1, Math.max(0, seq));
    this.cells[this.at].tabIndex = -1;
    this.at = to;
    this.cells[to].tabIndex = 0;
    if (this.alone !== null && this.alone !== to) this.enlarge(to);
    else if (focus && this.alone === null) {
      this.cells[to].focus({ preventScroll: true });
      this.cells[to].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    this.tell();
  }

  /** One picture alone. @param {number} seq */
  enlarge(seq) {
    if (!this.ready) return;
    this.looks.endAll();
    this.alone = seq;
    brushOf(this.large).drawImage(this.canvases[seq], 0, 0);
    this.large.setAttribute('aria-label', this.nameOf(seq));
    this.large.dataset.seq = String(seq);
    this.one.hidden = false;
    this.scroll.style.visibility = 'hidden';
    this.back.hidden = false;
    this.size.hidden = true;
    this.element.focus({ preventScroll: true });
    this.tell();
    this.note();
  }

  /** Back to all. */
  gather() {
    if (this.alone === null) return;
    this.looks.endAll();
    this.alone = null;
    this.one.hidden = true;
    this.scroll.style.visibility = '';
    this.back.hidden = true;
    this.size.hidden = false;
    this.goTo(this.at);
    this.note();
  }

  tell() {
    const name = this.alone === null ? say('pictures.how') : this.nameOf(this.alone);
    if (this.name.textContent !== name) this.name.textContent = name;
  }

  // ------------------------------------------------------------------ looks
  /** Begin and end looks by what is on the screen now. */
  note() {
    const on = !this.ready || document.hidden ? [] : this.alone !== null ? [this.alone] : [...this.inView];
    for (const seq of [...this.looks.going.keys()]) if (!on.includes(seq)) this.looks.end(seq);
    const ratio = window.devicePixelRatio / this.width;
    for (const seq of on) this.looks.begin(seq, Math.round((this.alone === null ? this.across : this.aloneAcross) * ratio * 1000) / 1000, this.alone !== null);
  }

  /** The scale has changed: what is in view is another look. */
  renew() {
    this.looks.endAll();
    this.note();
    this.moved();
  }

  /** Before the answer is given: what was looked at so far has arrived. */
  async finish() {
    this.looks.endAll();
    this.note();
    await this.looks.flush();
    await this.looks.flush();
  }

  // ------------------------------------------------------------------ as View
  /** @param {string | null} text @param {...Node} buttons */
  say(text, ...buttons) {
    this.cover.hidden = text === null;
    this.cover.replaceChildren(...(text === null ? [] : [h('p', {}, text), ...buttons]));
  }

  working() {}

  close() { this.seen.disconnect(); this.listening.abort(); this.looks.endAll(); this.looks.flush(); this.looks.close(); }
}

/** No picture: words beside the question, or nothing at all. */
export class Words {
  /** @param {string[]} told what is told beside the question */
  constructor(told) {
    /** @type {{seq: number}[]} */
    this.frames = [];
    this.strip = null;
    this.across = 0;
    this.cover = h('div', { class: 'cover', hidden: true, role: 'status', 'aria-live': 'polite' });
    this.canvas = h('span', { hidden: true });
    this.element = h('div', { class: 'view wordlist', tabIndex: -1, role: 'group', 'aria-label': say('pictures.told') },
      told.length ? [h('h2', {}, say('pictures.told')), h('ul', {}, told.map((word) => h('li', {}, word)))] : h('p', {}, say('pictures.none')), this.cover);
  }

  async showAll() {}

  fit() {}

  resize() {}

  snap() {}

  shownAt() { return ''; }

  key() { return false; }

  async finish() {}

  /** @param {string | null} text @param {...Node} buttons */
  say(text, ...buttons) {
    this.cover.hidden = text === null;
    this.cover.replaceChildren(...(text === null ? [] : [h('p', {}, text), ...buttons]));
  }

  working() {}

  close() {}
}
