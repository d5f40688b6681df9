// Where somebody makes a task: the scene from above to place things on, the start view to fly, what stands there, and the question. The
// draft goes to the server with every change; what the page shows as kept, built or wrong is always the server's own word.
import { LONG_MS, Refused, send } from './api.js';
import { clock, focusedBeside, h, uid } from './dom.js';
import { Floorplan, round } from './floorplan.js';
import { mounting } from './mounting.js';
import { keyed } from './pressed.js';
import { lasting } from './shelf.js';
import { called, plain, TaskFields } from './taskfields.js';
import { question } from './taskquestion.js';

const PREFIX = 'vantage.taskdraft.v1.';
/** Typing rests this long before it is kept (ms). */
const REST_MS = 500;
/** Keys that are no letters → what stands on them. @type {Record<string, string>} */
const ON_KEYS = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };
/** Fields that the picture follows from. */
const WORLD = ['room_kind', 'seed', 'furnished', 'bounds_m', 'clear_m', 'house_rooms', 'lighting', 'settle_steps', 'things', 'parts', 'width', 'height',
  'hfov_deg', 'eye'];
const EYE = 'eye';

/** @typedef {import('./taskfields.js').How} How */
/**
 * What the page gives (`taskmaker` of app/components/authoring.py).
 * @typedef {object} Given
 * @property {string} draft
 * @property {number} rev
 * @property {{name: string, definition: string, actions: string, rule: string}} about
 * @property {string[]} models
 * @property {{name: string, label: string, key: string}[]} moves
 * @property {string[]} rooms
 * @property {string[]} lighting
 * @property {string[]} forms
 */

class Taskmaker {
  /** As the server has it. @type {TaskState} */ state;
  /** With what was changed here since. @type {TaskDraft} */ doc;
  /** @type {number | undefined} */ rev;
  /** Whether the server lacks something. @type {boolean | undefined} */ dirty;
  /** Whether the picture does not follow the draft any more. @type {boolean | undefined} */ rebuild;
  /** @type {boolean | undefined} */ gone;
  /** @type {number | undefined} */ timer;
  /** @type {number | undefined} */ settling;
  /** What was built. @type {BuiltTask | null} */ shown = null;
  /** @type {HTMLParagraphElement} */ trouble;
  /** @type {HTMLSpanElement} */ busy;
  /** @type {HTMLSpanElement} */ saved;
  /** @type {HTMLDivElement} */ shell;
  /** @type {HTMLImageElement} */ picture;
  /** @type {HTMLInputElement} */ kind;
  /** @type {HTMLUListElement} */ missing;
  /** @type {HTMLUListElement} */ faults;
  /** @type {HTMLParagraphElement} */ relations;
  /** @type {HTMLDivElement} */ partRow;
  /** @type {HTMLUListElement} */ things;
  /** @type {HTMLDivElement} */ detail;
  /** @type {HTMLDivElement} */ world;
  /** @type {HTMLDivElement} */ asked;

  /** @param {HTMLElement} root @param {Given} data @param {Tell} setTrigger */
  constructor(root, data, setTrigger) {
    this.setTrigger = setTrigger;
    this.data = data;
    this.path = `api/author/${encodeURIComponent(data.draft)}`;
    this.key = PREFIX + data.draft;
    this.fields = new TaskFields(() => this.state.open);
    this.part = 1;
    this.chosen = '';
    /** @type {Promise<any>} */
    this.chain = Promise.resolve();
    this.plan = new Floorplan({
      choose: (key) => this.choose(key), move: (key, x, y, done) => this.move(key, x, y, done),
      turn: (key, by) => (key === EYE ? this.put({ eye: { ...this.doc.eye, yaw_deg: this.doc.eye.yaw_deg + by } }) : this.edit(key,
        (thing) => ({ turn_deg: thing.turn_deg + by }))),
      remove: (key) => this.remove(key),
    });
    this.#build(root);
    this.leave = () => this.#leave();
    window.addEventListener('pagehide', this.leave);
    this.load();
  }

  // ---------------------------------------------------------------- the page

  /** @param {HTMLElement} root */
  #build(root) {
    this.saved = h('span', { class: 'saved', role: 'status' });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.faults = h('ul', { class: 'faults', 'aria-live': 'polite' });
    this.picture = h('img', { class: 'picture', alt: 'The start view', draggable: false });
    this.busy = h('span', { class: 'note', role: 'status' });
    this.port = h('div', { class: 'port', tabIndex: 0, role: 'application',
      'aria-label': 'The start view. W A S D move, Q and E go up and down, arrows turn.', onkeydown: keyed((key, event) => {
      const move = this.data.moves.find((one) => one.key === key);
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.fly(move.name);
    }) }, this.picture);
    this.pad = h('div', { class: 'pad' }, this.data.moves.map(({ name, label, key }) =>
      h('button', { type: 'button', class: 'small', onclick: () => this.fly(name) }, label, h('kbd', {}, ON_KEYS[key] ?? key.toUpperCase()))));
    this.partRow = h('div', { class: 'row', role: 'radiogroup', 'aria-label': 'Part of the task' });
    const models = uid('models');
    this.kind = h('input', { type: 'text', list: models, placeholder: 'A thing: mug, carton, mirror, robot…', 'aria-label': 'Which thing to add',
      autocomplete: 'off', maxlength: '100', onkeydown: keyed((key, event) => { if (key === 'Enter') { event.preventDefault(); this.add(); } }) });
    this.things = h('ul', { class: 'things' });
    this.detail = h('div', { class: 'detail' });
    this.world = h('div', { class: 'fields' });
    this.asked = h('div', { class: 'asked' });
    this.missing = h('ul', { class: 'missing' });
    this.relations = h('p', { class: 'note' });
    const { about } = this.data;
    this.shell = h('div', { class: 'vantage maker' },
      h('details', { class: 'about', open: true }, h('summary', {}, about.name), h('p', {}, about.definition), h('dl', {},
        h('dt', {}, 'Allowed actions'), h('dd', {}, about.actions), h('dt', {}, 'The generator’s rule'), h('dd', {}, about.rule))),
      h('div', { class: 'bar' }, this.saved, this.busy, this.partRow),
      this.trouble,
      h('div', { class: 'scene' },
        h('section', { 'aria-label': 'From above' }, this.plan.element, h('p', { class: 'note' }, 'Drag things, or use Tab, arrows (Shift: fine), ',
          h('kbd', {}, ','), ' and ', h('kbd', {}, '.'), ' to turn, ', h('kbd', {}, 'Del'), ' to remove.')),
        h('section', { 'aria-label': 'Start view' }, this.port, this.pad, this.faults, this.relations)),
      h('div', { class: 'below' },
        h('section', {}, h('h2', {}, 'Things'), h('div', { class: 'row' }, this.kind, h('button', { type: 'button', onclick: () => this.add() }, 'Add'),
          h('datalist', { id: models }, this.data.models.map((word) => h('option', { value: plain(word) })))), this.things, this.detail,
          h('details', {}, h('summary', {}, 'Room, light and picture'), this.world)),
        h('section', {}, h('h2', {}, 'Question'), this.asked, this.missing)));
    root.append(this.shell);
  }

  /** @param {string} words */
  say(words) { this.trouble.textContent = words || ''; this.trouble.hidden = !words; }

  // ---------------------------------------------------------------- to and from the server

  /** @param {() => Promise<any>} work */
  #turn(work) {
    this.chain = this.chain.then(work, work);
    return this.chain;
  }

  /** Ask the server; a refusal becomes a sentence. Null where it refused. @param {string} where @param {object} [body] */
  async #ask(where, body) {
    try {
      const reply = await (await send(this.path + where, body, { within: where ? LONG_MS : undefined, sign: (state) => {
        if (!this.gone) this.busy.textContent = state ? state.message : ''; } })).json();
      this.say('');
      return reply;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === 'draft_changed' && error.body.document) { this.#take(error.body); this.draw(); }
      this.say(error.message);
      return null;
    }
  }

  load() {
    return this.#turn(async () => {
      const state = await this.#ask('');
      if (!state || this.gone) return;
      this.#take(state);
      const kept = lasting.read(this.key);
      if (kept && state.open && kept.rev === state.rev) { this.doc = kept.document; this.dirty = true; await this.#save(); }
      else lasting.forget(this.key);
      this.draw();
      await this.#scene();
    });
  }

  /** @param {TaskState} state */
  #take(state) {
    this.rev = state.rev;
    this.state = state;
    this.doc = state.document;
    this.dirty = false;
    lasting.forget(this.key);
    this.saved.textContent = state.open ? `Kept at ${clock(state.saved_at)}` : 'Handed in: it stays as it is';
  }

  /** Change fields of the draft. They are kept at once, or when typing rests. @param {Partial<TaskDraft>} fields */
  put(fields, { typing = false } = {}) {
    if (!this.doc || !this.state.open) return;
    this.doc = { ...this.doc, ...fields };
    this.dirty = true;
    this.rebuild ||= WORLD.some((name) => name in fields);
    lasting.keep(this.key, { rev: this.rev, document: this.doc });
    this.saved.textContent = 'Keeping…';
    if (!typing) this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), typing ? REST_MS : 150);
  }

  flush() {
    clearTimeout(this.timer);
    return this.#turn(async () => {
      if (!await this.#save()) return;
      if (this.rebuild) { this.rebuild = false; await this.#scene(); }
    });
  }

  /** Whether the server has all of it. @returns {Promise<boolean>} */
  async #save() {
    if (!this.dirty) return true;
    const sent = this.doc;
    const state = await this.#ask('', { rev: this.rev, document: sent });
    if (!state || this.gone) { if (!this.gone) this.saved.textContent = 'Not kept'; return false; }
    if (this.doc !== sent) { // more was typed meanwhile
      this.rev = state.rev;
      lasting.keep(this.key, { rev: this.rev, document: this.doc });
      return this.#save();
    }
    this.#take(state);
    this.#derived();
    return true;
  }

  /** Have the server do something with the draft, after everything before it is kept. @param {string} where @param {object} [body] */
  act(where, body, { scene = true } = {}) {
    return this.#turn(async () => {
      if (!this.state.open || !await this.#save()) return;
      this.busy.textContent = 'In the simulator…';
      const state = await this.#ask(where, { rev: this.rev, ...body });
      if (this.gone) return;
      this.busy.textContent = '';
      if (!state) return;
      this.#take(state);
      if (state.frame) this.#frame(state.frame);
      this.draw();
      if (scene) await this.#scene();
    });
  }

  /** @param {string} action */
  fly(action) {
    if (!this.doc) return;
    this.act('/fly', { action, part: this.part }, { scene: false });
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.#turn(() => this.#scene()), 1200);
  }

  async #scene() {
    this.busy.textContent = 'Building…';
    const shown = await this.#ask('/scene', { part: this.part });
    if (this.gone) return;
    this.busy.textContent = '';
    this.shown = shown;
    if (shown) this.#frame(shown.frame);
    this.shell.dataset.built = String(Number(this.shell.dataset.built || 0) + 1);
    this.draw();
  }

  /** @param {TaskFrame} taskFrame */
  #frame({ url, width, height }) {
    this.picture.src = url;
    this.picture.style.aspectRatio = `${width}/${height}`;
  }

  #leave() {
    if (!this.dirty) return;
    fetch(this.path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ rev: this.rev, document: this.doc }),
      credentials: 'same-origin', keepalive: true }).catch(() => {});
  }

  // ---------------------------------------------------------------- things

  /** @param {string} key */
  thing(key) { return this.doc.things.find((one) => one.key === key); }

  /**
   * Change a thing. Another place, size or turn takes back where it had settled.
   * @param {string} key
   * @param {(thing: PlacedThing) => Partial<PlacedThing>} change
   * @param {How} [how]
   */
  edit(key, change, how) {
    const places = ['x_m', 'y_m', 'z_m', 'turn_deg', 'scale', 'size_m', 'category', 'loose'];
    this.put({ things: this.doc.things.map((thing) => {
      if (thing.key !== key) return thing;
      const fields = change(thing);
      return { ...thing, ...fields, ...(places.some((name) => name in fields) ? { rest: null } : {}) };
    }) }, how);
  }

  /** @param {string} key @param {number} x @param {number} y @param {boolean} done */
  move(key, x, y, done) {
    if (key === EYE) {
      if (done) this.put({ eye: { ...this.doc.eye, x_m: x, y_m: y } });
      else { this.doc = { ...this.doc, eye: { ...this.doc.eye, x_m: x, y_m: y } }; this.#plan(); }
      return;
    }
    const fields = this.part === 2 ? { moved: [x, y] } : { x_m: x, y_m: y };
    if (done) { this.shown = this.#without(key); this.edit(key, () => fields); return; }
    this.shown = this.#without(key);
    this.doc = { ...this.doc, things: this.doc.things.map((thing) => (thing.key === key ? { ...thing, ...fields } : thing)) };
    this.#plan();
  }

  /** What was built, with the box of a thing moved along, until it is built again. @param {string} key */
  #without(key) {
    if (!this.shown) return null;
    return { ...this.shown, things: this.shown.things.map((one) => (one.key === key ? { ...one, stale: true } : one)) };
  }

  add() {
    const word = this.kind.value.trim().toLowerCase().replaceAll(' ', '_');
    if (!word || !this.doc || !this.state.open) return;
    const n = Math.max(0, ...this.doc.things.map(({ key }) => Number(key.slice(1)))) + 1;
    const { eye } = this.doc;
    const angle = (eye.yaw_deg * Math.PI) / 180;
    const aside = (this.doc.things.length % 3) - 1;
    const x = eye.x_m - 1.4 * Math.sin(angle) + 0.4 * aside * Math.cos(angle), y = eye.y_m + 1.4 * Math.cos(angle) + 0.4 * aside * Math.sin(angle);
    const blank = { z_m: null, turn_deg: 0, scale: 1, size_m: null, loose: false, rest: null, words: '', essential: false, vessel: false, absent: [],
      moved: null, params: {} };
    this.kind.value = '';
    this.chosen = `k${n}`;
    this.put({ things: [...this.doc.things, { key: `k${n}`, category: word, x_m: round(x, 2), y_m: round(y, 2), ...blank }] });
    this.plan.focus(this.chosen);
  }

  /** @param {string} key */
  remove(key) {
    this.chosen = '';
    this.put({ things: this.doc.things.filter((thing) => thing.key !== key), about: this.doc.about.filter((one) => one !== key),
      against: this.doc.against === key ? '' : this.doc.against });
  }

  /** @param {string} key */
  choose(key) {
    if (this.chosen === key) return;
    this.chosen = key;
    this.draw();
    this.plan.focus(key);
  }

  // ---------------------------------------------------------------- drawing

  draw() {
    if (!this.doc) return;
    this.#plan();
    this.#parts();
    this.#list();
    this.#detail();
    this.#world();
    this.#derived();
  }

  /** What follows from the draft on the server: what is missing, and what is wrong in the scene. */
  #derived() {
    this.#question();
    const { missing } = this.state;
    this.missing.replaceChildren(...missing.map((sentence) => h('li', {}, sentence)));
    this.faults.replaceChildren(...(this.shown?.faults ?? []).map((sentence) => h('li', {}, sentence)));
    this.relations.textContent = this.shown?.relations.length ? `${this.shown.relations.join('; ')}.` : '';
  }

  #plan() {
    const built = new Map((this.shown?.things ?? []).map((one) => [one.key, one]));
    const { eye } = this.doc;
    const house = this.state.rooms.length && this.doc.house_rooms ? this.state.rooms : [];
    const rects = house.flatMap((one) => one.rects);
    const bounds = rects.length ? [0, 1, 2, 3].map((i) => (i < 2 ? Math.min : Math.max)(...rects.map((rect) => rect[i]))) : this.doc.bounds_m;
    this.plan.show({
      bounds, rooms: house, clear: this.doc.clear_m, chosen: this.chosen, open: this.state.open,
      eye: { x: eye.x_m, y: eye.y_m, yaw: eye.yaw_deg, fov: this.doc.hfov_deg },
      things: this.doc.things.map((thing) => {
        const [x, y] = (this.part === 2 && thing.moved) || [thing.x_m, thing.y_m];
        const one = built.get(thing.key);
        const box = one ? [one.box_m[0], one.box_m[1], one.box_m[3], one.box_m[4]] : null;
        const [w, d] = box ? [(box[2] - box[0]) / 2, (box[3] - box[1]) / 2] : [0.1, 0.1];
        return { key: thing.key, name: called(thing), x, y, box: one?.stale ? [x - w, y - d, x + w, y + d] : box, wrong: Boolean(one?.faults.length),
          there: !thing.absent.includes(this.part) };
      }),
    });
  }

  #parts() {
    this.partRow.hidden = this.doc.parts < 2;
    const name = uid('part');
    this.partRow.replaceChildren(...[1, 2].map((part) => h('label', { class: 'row' },
      h('input', { type: 'radio', name, checked: part === this.part, onchange: () => { this.part = part; this.#turn(() => this.#scene()); } }),
      `Part ${part}`)));
  }

  #list() {
    const built = new Map((this.shown?.things ?? []).map((one) => [one.key, one]));
    this.things.replaceChildren(...this.doc.things.map((thing) => {
      const one = built.get(thing.key);
      const size = one ? [0, 1, 2].map((i) => (one.box_m[i + 3] - one.box_m[i]).toFixed(2)).join(' × ') : '';
      const facts = [plain(thing.category), one?.room && plain(one.room), size && `${size} m`, one && `${one.pixels} px`,
        ...(one?.states ?? [])].filter(Boolean).join(' · ');
      return h('li', {}, h('button', { type: 'button', class: 'link', 'aria-pressed': String(thing.key === this.chosen),
        onclick: () => this.choose(thing.key) }, called(thing)), h('span', { class: 'note' }, facts));
    }));
    if (!this.doc.things.length) this.things.append(h('li', { class: 'note' }, 'Nothing stands here yet. Add a thing by its name.'));
  }

  /**
   * Replace the fields of a place, but not under the hands of somebody who types there.
   * @param {HTMLElement} place
   * @param {() => (Node | string)[]} make
   */
  #fill(place, make) {
    const active = focusedBeside(place);
    if (active && place.contains(active) && active.matches('textarea, input[type=text]')) return;
    const index = active && place.contains(active) ? [...place.querySelectorAll('input, select, textarea, button')].indexOf(active) : -1;
    place.replaceChildren(...make());
    if (index >= 0) place.querySelectorAll('input, select, textarea, button')[index]?.focus({ preventScroll: true });
  }

  #detail() {
    const key = this.chosen;
    this.#fill(this.detail, () => {
      if (key === EYE) return this.#eyeFields();
      const thing = this.thing(key);
      if (!thing) return [];
      /** @type {(fields: Partial<PlacedThing>, how?: How) => void} */
      const set = (fields, how) => this.edit(key, () => fields, how);
      const size = (/** @type {number} */ i) => this.fields.number(`${['Width', 'Depth', 'Height'][i]}, m`, thing.size_m ? thing.size_m[i] : null,
        (value) => set({ size_m: value === null ? null : (thing.size_m ?? this.#sizes(key)).map((was, n) => (n === i ? value : was)) }),
        { min: '0.01', placeholder: 'as it is' });
      const others = this.doc.things.filter((other) => other.key !== key);
      const on = h('select', { 'aria-label': 'On or in what' }, others.map((other) => h('option', { value: other.key }, called(other))));
      const params = h('input', { type: 'text', value: JSON.stringify(thing.params), onchange: (event) => {
        try { const value = JSON.parse(event.currentTarget.value || '{}'); this.say(''); set({ params: value }); } catch {
          this.say('Further settings are JSON, such as {"color": "red"}. They were not kept.'); }
      } });
      return [h('h3', {}, called(thing)),
        h('div', { class: 'fields' },
          this.fields.text('Words of the question', thing.words, (words, how) => set({ words }, how), { maxlength: '300', placeholder: 'not named' }),
          this.fields.number('Right, m', thing.x_m, (x_m) => set({ x_m: x_m ?? 0 })),
          this.fields.number('Ahead, m', thing.y_m, (y_m) => set({ y_m: y_m ?? 0 })),
          this.fields.number('Height above floor, m', thing.z_m, (z_m) => set({ z_m }), { placeholder: 'on the floor' }),
          this.fields.number('Turned, °', thing.turn_deg, (turn_deg) => set({ turn_deg: turn_deg ?? 0 })),
          this.fields.number('Scale', thing.scale, (scale) => set({ scale: scale ?? 1 }), { min: '0.05', max: '20' }), size(0), size(1), size(2),
          this.fields.row('Further settings', params)),
        h('div', { class: 'row wrap' }, this.fields.check('The answer depends on it', thing.essential, (essential) => set({ essential })),
          this.fields.check('Something is or could be in it', thing.vessel, (vessel) => set({ vessel })),
          this.fields.check('Loose: it falls and settles', thing.loose, (loose) => set({ loose })),
          ...(this.doc.parts === 2 ? [1, 2].map((part) => this.fields.check(`There in part ${part}`, !thing.absent.includes(part),
            (there) => set({ absent: [1, 2].filter((n) => (n === part ? !there : thing.absent.includes(n))) }))) : [])),
        h('div', { class: 'row wrap' },
          ...(others.length ? [h('span', {}, 'Put it on or in'), on, h('button',
            { type: 'button', class: 'small', onclick: () => this.act('/put', { key, on: on.value }) }, 'Let it fall there')] : []),
          h('button', { type: 'button', class: 'small', onclick: () => this.act('/settle', {}) }, 'Settle what is loose'),
          ...(thing.moved ? [h('button', { type: 'button', class: 'small', onclick: () => set({ moved: null }) }, 'Leave it where it is in part 2')] : []),
          h('button', { type: 'button', class: 'small', onclick: () => this.remove(key) }, 'Remove'))];
    });
  }

  /** @param {string} key */
  #sizes(key) {
    const box = this.shown?.things.find((one) => one.key === key)?.box_m;
    return box ? [0, 1, 2].map((i) => round(box[i + 3] - box[i])) : [0.2, 0.2, 0.2];
  }

  #eyeFields() {
    const { eye } = this.doc;
    const set = (/** @type {Partial<TaskDraft['eye']>} */ fields) => this.put({ eye: { ...eye, ...fields } });
    return [h('h3', {}, 'Start view'), h('div', { class: 'fields' },
      this.fields.number('Right, m', eye.x_m, (x_m) => set({ x_m: x_m ?? 0 })), this.fields.number('Ahead, m', eye.y_m, (y_m) => set({ y_m: y_m ?? 0 })),
      this.fields.number('Height, m', eye.z_m, (z_m) => set({ z_m: z_m ?? 0.5 })),
      this.fields.number('Turned, °', eye.yaw_deg, (yaw_deg) => set({ yaw_deg: yaw_deg ?? 0 })),
      this.fields.number('Looking up, °', eye.pitch_deg, (pitch_deg) => set({ pitch_deg: pitch_deg ?? 0 })))];
  }

  #world() {
    const { doc } = this;
    const [x0, y0, x1, y1] = doc.bounds_m;
    /** @type {(i: number) => (value: number | null) => void} */
    const bounds = (i) => (value) => { const next = [...doc.bounds_m]; next[i] = value ?? next[i]; this.put({ bounds_m: next }); };
    this.#fill(this.world, () => [
      this.fields.select('Room or house', String(doc.house_rooms), [['0', 'one room'],
        ...[3, 4, 5, 6, 7, 8].map((n) => [String(n), `house of ${n} rooms`])], (n) => this.put({ house_rooms: Number(n) })),
      this.fields.select('Kind of room', doc.room_kind, this.data.rooms.map((kind) => [kind, plain(kind)]), (room_kind) => this.put({ room_kind })),
      this.fields.number('Number of its looks', doc.seed, (seed) => this.put({ seed: seed ?? 1 }), { min: '0', step: '1' }),
      this.fields.select('Light', doc.lighting, this.data.lighting.map((light) => [light, light]), (lighting) => this.put({ lighting })),
      this.fields.number('Left wall, m', x0, bounds(0)), this.fields.number('Near wall, m', y0, bounds(1)),
      this.fields.number('Right wall, m', x1, bounds(2)), this.fields.number('Far wall, m', y1, bounds(3)),
      this.fields.select('Parts', String(doc.parts), [['1', 'one'], ['2', 'two: before and after']],
        (parts) => { this.part = 1; this.put({ parts: Number(parts) }); }),
      this.fields.number('Settling, physics steps', doc.settle_steps, (settle_steps) => this.put({ settle_steps: settle_steps ?? 30 }),
        { min: '0', max: '2000', step: '1' }),
      this.fields.number('Picture width', doc.width, (width) => this.put({ width: width ?? 640 }), { step: '1' }),
      this.fields.number('Picture height', doc.height, (height) => this.put({ height: height ?? 480 }), { step: '1' }),
      this.fields.number('Field of view, °', doc.hfov_deg, (hfov_deg) => this.put({ hfov_deg: hfov_deg ?? 75 })),
      this.fields.check('Furniture along the walls', doc.furnished, (furnished) => this.put({ furnished }))]);
  }

  #question() {
    this.#fill(this.asked, () => question(this.fields, { doc: this.doc, state: this.state, forms: this.data.forms,
      put: (fields, how) => this.put(fields, how) }));
  }

  /** @param {Given} data */
  update(data) {
    this.data = data;
    if (data.rev > (this.rev ?? data.rev)) this.load();
  }

  destroy() {
    this.gone = true;
    clearTimeout(this.timer);
    clearTimeout(this.settling);
    window.removeEventListener('pagehide', this.leave);
    if (this.dirty) this.#turn(() => this.#save());
    this.shell.remove();
  }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Taskmaker(parentElement, data, setTriggerValue),
  renew: (maker, { data, setTriggerValue }) => { maker.setTrigger = setTriggerValue; maker.update(data); },
  same: (maker, data) => maker.data.draft === data.draft,
});
