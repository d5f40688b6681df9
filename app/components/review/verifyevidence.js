// The evidence of a task under verification: the views of its verified trajectory, what was done and what came of it, the things as the
// simulator has them, the map and the twin.
import { LONG_MS, send, sentenceOf } from './api.js';
import { h, s } from './dom.js';

/** One picture at its own shape. @param {KeptPicture} one @param {string} alt */
export const picture = (one, alt) => h('img', { src: one.url, width: String(one.width), height: String(one.height), alt });

/** One picture that stands in the window whole, however low that is. @param {KeptPicture} one @param {string} alt */
export function whole(one, alt) {
  const shown = picture(one, alt);
  shown.style.maxWidth = `calc(70vh * ${one.width / one.height})`;
  return shown;
}

/** A question with its first view, as text and picture: of the twin. @param {FirstView} first @param {string[]} answers */
export function firstView(first, answers) {
  return h('div', { class: 'twin' }, h('p', {}, h('b', {}, first.question)),
    first.options.length ? h('p', { class: 'note' }, first.options.join(' · ')) : null,
    h('p', {}, `Its answer: ${answers.join(' or ')}`), first.pictures.map((one) => picture(one, 'First view of the twin')));
}

/** @typedef {{image: string, things: {words: string, colour: string, pixels: number}[]}} Masks of a view: which thing each pixel shows */
/** @typedef {'things' | 'map' | 'twin'} Tab */
/** @type {[Tab, string, string][]} */
const TABS = [['things', 'Objects', 'l'], ['map', 'Map', 'm'], ['twin', 'Twin', 't']];

export class Evidence {
  /** @type {HTMLInputElement} */ slider;
  /** @type {HTMLDivElement} */ frame;
  /** @type {HTMLImageElement} */ over;
  /** @type {HTMLDivElement} */ legend;
  /** @type {HTMLButtonElement} */ masking;
  /** @type {HTMLImageElement} */ image;
  /** @type {HTMLParagraphElement} */ done;
  /** @type {HTMLButtonElement} */ toggle;
  /** @type {HTMLDivElement} */ outlined;
  /** @type {Map<Tab, HTMLButtonElement>} */ tabs;
  /** @type {HTMLDivElement} */ below;

  /**
   * @param {{first: FirstView, rest: Released}} item - as the server tells it
   * @param {{at: number, changed: () => void, stepIn: (n: number) => void, masks?: string}} how - `masks`: address of the masks
   *   of a view, less its number; none: none are shown
   */
  constructor(item, { at, changed, stepIn, masks }) {
    this.rest = item.rest;
    this.moments = item.rest.evidence?.moments || [];
    this.changed = changed;
    this.stepIn = stepIn;
    this.at = Math.min(Math.max(0, at), Math.max(0, this.moments.length - 1));
    this.outlines = false;
    this.masks = masks;
    this.masked = false;
    /** @type {Map<number, Masks>} */
    this.known = new Map();
    /** @type {AbortController | null} */
    this.asking = null;
    /** @type {Tab} */
    this.tab = 'things';
    this.element = h('div', { class: 'evidence' });
    if (this.moments.length) this.#make(); else this.element.append(...this.#none(item));
  }

  /** @param {{first: FirstView}} item */
  #none(item) {
    const twin = this.#twin();
    return [...item.first.pictures.map((one) => picture(one, 'First view')), h('p', { class: 'missing' },
      this.rest.why_none || 'There is no evidence of this task yet.'), ...(twin ? [twin] : [])];
  }

  #make() {
    this.image = h('img', { alt: '' });
    this.outlined = h('div', { class: 'outlined', 'aria-hidden': 'true' });
    this.done = h('p', { class: 'told-of', role: 'status', 'aria-live': 'polite' });
    this.slider = h('input', { type: 'range', class: 'scrub', min: '0', max: String(this.moments.length - 1), step: '1',
      'aria-label': 'View of the trajectory', oninput: () => this.go(Number(this.slider.value)) });
    this.toggle = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.#outline() }, 'Outlines',
      h('kbd', { 'aria-hidden': 'true' }, 'O'));
    this.over = h('img', { class: 'masks', alt: '', hidden: true });
    this.legend = h('div', { class: 'legend', role: 'status', 'aria-live': 'polite', hidden: true });
    this.masking = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.#mask() }, 'Masks', h('kbd', { 'aria-hidden': 'true' }, 'K'));
    this.masking.hidden = !this.masks;
    const into = this.rest.can_take_over ? h('button', { type: 'button', onclick: () => this.stepIn(this.at) }, 'Step in here',
      h('kbd', { 'aria-hidden': 'true' }, 'S')) : null;
    this.tabs = new Map(TABS.map(([name, words, key]) => [name, h('button', { type: 'button', role: 'tab', onclick: () => this.#turn(name) }, words,
      h('kbd', { 'aria-hidden': 'true' }, key.toUpperCase()))]));
    this.below = h('div', { class: 'below', role: 'tabpanel', tabIndex: 0 });
    this.frame = h('div', { class: 'frame' }, this.image, this.over, this.outlined);
    this.element.append(this.frame, h('div', { class: 'scale' }, this.slider), this.done, this.legend,
      h('div', { class: 'row wrap' }, this.toggle, this.masking, into, h('div', {
        class: 'row tabs', role: 'tablist', 'aria-label': 'More about this view' }, [...this.tabs.values()])), this.below,
      this.rest.evidence?.notes.length ? h('ul', { class: 'note' }, this.rest.evidence.notes.map((note) => h('li', {}, note))) : '');
    this.#draw();
  }

  /** Whether the key was ours. @param {string} key */
  key(key) {
    if (!this.moments.length) return false;
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.moments.length - 1 };
    const to = places[key];
    if (to !== undefined) {
      this.go(to);
      this.frame.scrollIntoView({ block: 'nearest' }); // an axis further down may have moved it out of the window
      return true;
    }
    if (key === 'o') { this.#outline(); return true; }
    if (key === 'k') { this.#mask(); return true; }
    const tab = TABS.find(([, , own]) => own === key);
    if (tab) { this.#turn(tab[0]); return true; }
    return false;
  }

  /** @param {number} to */
  go(to) {
    const at = Math.min(Math.max(0, to), this.moments.length - 1);
    if (at === this.at) return;
    this.at = at;
    this.#draw();
    this.#masks();
    this.changed();
  }

  /**
   * What is seen of each thing, in a frame with its name.
   * @param {KeptPicture} keptPicture
   * @param {{words: string, box: number[]}[]} things
   */
  #boxes({ width, height }, things) {
    const size = width / 42;
    return s('svg', { viewBox: `0 0 ${width} ${height}` }, things.map(({ words, box: [x0, y0, x1, y1] }) => s('g', {},
      s('rect', { x: x0, y: y0, width: x1 - x0, height: y1 - y0, 'stroke-width': width / 320 }),
      s('text', { x: x0 + size * 0.2, y: Math.max(size, y0 - size * 0.25), 'font-size': size, 'stroke-width': size * 0.22 }, words))));
  }

  #outline() {
    this.outlines = !this.outlines;
    this.#draw();
  }

  #mask() {
    if (!this.masks) return;
    this.masked = !this.masked;
    this.#masks();
  }

  /** Which thing each pixel shows, as the simulator tells it: over the picture, with a legend. What was asked of another view is dropped. */
  async #masks() {
    this.asking?.abort();
    this.over.hidden = true;
    this.legend.hidden = !this.masked;
    this.masking.setAttribute('aria-pressed', String(this.masked));
    if (!this.masked) return;
    const at = this.at;
    const asking = this.asking = new AbortController();
    this.legend.replaceChildren('A simulator does the trajectory again up to this view…');
    try {
      let found = this.known.get(at);
      if (!found) {
        const sign = (/** @type {Trouble} */ state) => { if (state) this.legend.replaceChildren(state.message); };
        found = /** @type {Masks} */ (await (await send(`${this.masks}${at}`, undefined, { signal: asking.signal, sign, within: LONG_MS })).json());
        this.known.set(at, found);
      }
      if (asking.signal.aborted) return;
      const { image, things } = found;
      this.over.src = image;
      this.over.hidden = false;
      this.legend.replaceChildren(...(things.length
        ? things.map(({ words, colour, pixels }) => h('span', {}, h('i', { style: `background: ${colour}` }), `${words} (${pixels})`))
        : ['Nothing but the room shows in this view.']));
    } catch (error) {
      if (!asking.signal.aborted) this.legend.replaceChildren(sentenceOf(error));
    }
  }

  /** Nobody looks any more. */
  close() { this.asking?.abort(); }

  /** @param {Tab} name */
  #turn(name) {
    this.tab = name;
    this.#draw();
  }

  #draw() {
    const moment = this.moments[this.at];
    const last = this.at === this.moments.length - 1;
    Object.assign(this.image, { src: moment.picture.url, width: moment.picture.width, height: moment.picture.height });
    // the view and what was done stand on one screen
    this.frame.style.maxWidth = `calc(54vh * ${moment.picture.width / moment.picture.height})`;
    this.image.alt = `View ${this.at + 1} of ${this.moments.length}${last ? ', the last' : ''}`;
    this.slider.value = String(this.at);
    this.slider.setAttribute('aria-valuetext', `${this.at + 1} of ${this.moments.length}`);
    this.slider.style.setProperty('--fill', `${this.moments.length > 1 ? (100 * this.at) / (this.moments.length - 1) : 0}%`);
    this.done.replaceChildren(h('b', {}, `${this.at + 1} / ${this.moments.length}`), ` ${moment.action || 'The start'}`,
      moment.result ? h('span', { class: moment.ok ? 'result' : 'result no' }, ` → ${moment.result}`) : '',
      moment.phase ? h('span', { class: 'pill' }, moment.phase) : '', last ? h('span', { class: 'pill' }, 'final state') : '',
      moment.clipped ? h('span', { class: 'pill no' }, 'inside a wall or a thing') : '');
    this.toggle.setAttribute('aria-pressed', String(this.outlines));
    const seen = moment.things.flatMap(({ words, box }) => (box ? { words, box } : []));
    this.toggle.disabled = !seen.length;
    this.toggle.title = seen.length ? '' : 'Where things lie in this view is not known.';
    this.outlined.replaceChildren(...(this.outlines && seen.length ? [this.#boxes(moment.picture, seen)] : []));
    for (const near of [this.at + 1, this.at + 2, this.at - 1]) if (this.moments[near]) new Image().src = this.moments[near].picture.url;
    const absent = { twin: !this.rest.twin, map: !this.rest.evidence?.map, things: false };
    for (const [name, button] of this.tabs) {
      button.setAttribute('aria-selected', String(name === this.tab));
      button.hidden = absent[name];
    }
    this.below.replaceChildren({ things: () => this.#things(moment), map: () => this.#map(), twin: () => this.#twin() }[this.tab]() || '');
  }

  /** The things of this view, those in question first, as people read them. @param {EvidenceMoment} moment */
  #things(moment) {
    const metres = (/** @type {number[]} */ values) => values.map((value) => value.toFixed(2)).join(' × ');
    const row = (/** @type {SeenThing} */ thing) => h('tr', { class: thing.present ? '' : 'gone' }, h('th', { scope: 'row' }, thing.words),
      h('td', {}, thing.present ? thing.room : 'not there'),
      h('td', { class: 'number' }, thing.pixels ? String(thing.pixels) : '–'), h('td', {}, thing.states.join(', ')),
      h('td', { class: thing.faults.length ? 'no' : '' }, thing.faults.join(', ')),
      h('td', { class: 'number' }, metres(thing.size_m)), h('td', { class: 'number' }, thing.centre_m.map((value) => value.toFixed(2)).join(', ')));
    return h('div', {}, moment.relations.length ? h('ul', { class: 'relations' }, moment.relations.map((words) => h('li', {}, words))) : null,
      h('div', { class: 'scroll' }, h('table', { class: 'grid' }, h('thead', {},
        h('tr', {}, ['Object', 'Room', 'Pixels', 'State', 'Fault', 'Size (m)', 'Centre x, y, z (m)'].map((head) => h('th', { scope: 'col' }, head)))),
        h('tbody', {}, moment.things.map(row)))));
  }

  /** From above, x to the right and y up; the camera's way with where it looks now. */
  #map() {
    if (!this.rest.evidence?.map) return null; // then its tab is not there
    const { rooms, things, camera } = this.rest.evidence.map;
    const corners = [...rooms, ...things].flatMap(([, [x0, y0, x1, y1]]) => [[x0, y0], [x1, y1]]).concat(camera.map(([x, y]) => [x, y]));
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
    const [left, right, low, high] = [Math.min(...xs) - 0.3, Math.max(...xs) + 0.3, Math.min(...ys) - 0.3, Math.max(...ys) + 0.3];
    const across = Math.max(right - left, high - low);
    const unit = across / 100;
    const rect = (/** @type {string} */ name) => (/** @type {NamedPlace} */ [words, [x0, y0, x1, y1]]) => s('g', { class: name },
      s('rect', { x: x0, y: -y1, width: Math.max(x1 - x0, unit / 2), height: Math.max(y1 - y0, unit / 2) }),
      s('text', { x: name === 'room' ? x0 + unit : (x0 + x1) / 2, y: name === 'room' ? -y1 + 3.4 * unit : -(y0 + y1) / 2, 'font-size': 2.6 * unit,
        'text-anchor': name === 'room' ? 'start' : 'middle' }, words));
    const [x, y, yaw] = camera[Math.min(this.at, camera.length - 1)] || [0, 0, 0];
    const turn = (/** @type {number} */ degrees) => [x + 6 * unit * Math.cos((degrees * Math.PI) / 180), -y - 6 * unit * Math.sin((degrees * Math.PI) / 180)];
    const fan = `M ${x} ${-y} L ${turn(yaw - 30).join(' ')} L ${turn(yaw + 30).join(' ')} Z`;
    return s('svg', { class: 'map', viewBox: `${left} ${-high} ${right - left} ${high - low}`, role: 'img',
      'aria-label': 'The scene from above, with the way of the camera', style: `--unit: ${unit}` },
      rooms.map(rect('room')), things.map(rect('thing')),
      s('polyline', { class: 'way', points: camera.map(([a, b]) => `${a},${-b}`).join(' '), 'stroke-width': unit * 0.6 }),
      camera.map(([a, b]) => s('circle', { class: 'stop', cx: a, cy: -b, r: unit * 0.7 })), s('path', { class: 'looks', d: fan }),
      s('circle', { class: 'here', cx: x, cy: -y, r: unit * 1.3 }));
  }

  #twin() { return this.rest.twin ? firstView(this.rest.twin, this.rest.twin_answers) : null; }
}
