// The five options of an item: text, drawn colour, motion or picture; which is right, which come close, how each wrong one was made.
import { COLOURS, NAMES } from './colours.js';
import { focusedBeside, h, uid } from './dom.js';
import { alike } from './fields.js';
import { keyed } from './pressed.js';

export const LETTERS = ['A', 'B', 'C', 'D', 'E'];
/** Directions in the order of their buttons, with the keys that add them. */
/** @type {[string, string, string][]} */
const MOVES = [['left', 'ArrowLeft', '←'], ['right', 'ArrowRight', '→'], ['forward', 'ArrowUp', '↗'], ['backward', 'ArrowDown', '↙'],
  ['upward', 'PageUp', '↑'], ['downward', 'PageDown', '↓']];
const SIGNS = Object.fromEntries(MOVES.map(([name, , sign]) => [name, sign]));
const GRIPPER = /\b(left|right) gripper\b/i;

/** @typedef {{before: string, after: string}} Phrases around the directions of a motion */
/** @typedef {import('./fields.js').How} How */

/**
 * A motion in words, as the server writes it: `annotation.qa.parts.directions.write`.
 * @param {string[]} steps
 * @param {string} before
 * @param {string} after
 */
export const motion = (steps, before, after) => (steps.length ? `${before} ${steps.join(', ')}${after ? `, ${after}` : ''}.` : '');

/**
 * The words before and after the directions of a text; null where the text is written in another way.
 * @param {string} text
 * @param {string[]} steps
 */
export function frame(text, steps) {
  const at = steps.length ? text.indexOf(steps.join(', ')) : -1;
  if (at < 0) return null;
  const tail = text.slice(at + steps.join(', ').length);
  if (!/^[,.]/.test(tail)) return null;
  return { before: text.slice(0, at).trim(), after: tail.replace(/^,\s*/, '').replace(/\.\s*$/, '') };
}

/**
 * The text with one more direction, or with the last one taken away; null where that cannot be told from the words.
 * @param {string} text
 * @param {string[]} steps
 * @param {string | null} move
 * @param {Phrases} phrases
 */
export function extended(text, steps, move, phrases) {
  const words = steps.length ? frame(text, steps) : { ...phrases };
  if (!words) return move ? `${text.replace(/\.\s*$/, '')}, ${move}.` : null;
  return motion(move ? [...steps, move] : steps.slice(0, -1), words.before, words.after);
}

/**
 * A list of things to do. The room that it has once taken stays its own while the page is open, so that what is done moves nothing below.
 * @param {HTMLUListElement} list
 * @param {string[]} sentences
 */
export function fill(list, sentences) {
  if (!alike([...list.children].map((entry) => entry.textContent), sentences)) list.replaceChildren(...sentences.map((sentence) => h('li', {}, sentence)));
  if (sentences.length) list.hidden = false;
  const high = list.offsetHeight;
  if (high > (parseFloat(list.style.minHeight) || 0)) list.style.minHeight = `${high}px`;
}

/** @param {string} text */
const colourOf = (text) => NAMES.find((name) => new RegExp(`\\b${name}\\b`, 'i').test(text));
/** @param {string} text */
const plainColour = (text) => NAMES.includes(text.toLowerCase()) || /^none of the/i.test(text);

class Row {
  /** What was added to the directions before the server read them. @type {{text: string, steps: string[]} | null} */ ahead = null;
  /** @type {HTMLDivElement} */ steps;
  /** @type {HTMLImageElement} */ image;
  /** @type {HTMLDivElement} */ picture;
  /** @type {HTMLDivElement} */ pad;

  /** @param {OptionRows} list @param {string} letter */
  constructor(list, letter) {
    this.list = list;
    this.letter = letter;
    const { editor } = list;
    const { kind, distractors } = list;
    this.right = h('input', { type: 'radio', name: list.name, value: letter, 'aria-label': `Option ${letter} is right`,
      onchange: () => editor.put('gold', letter) });
    this.text = h('input', {
      type: 'text', class: 'words', maxlength: '2000', 'aria-label': `Text of option ${letter}`, autocomplete: 'off',
      oninput: () => this.typed(true), onchange: () => this.typed(false),
    });
    this.plain = h('span', { class: 'words plain' });
    this.chip = h('i', { class: 'chip', 'aria-hidden': 'true' });
    this.swap = h('button', { type: 'button', class: 'small', hidden: true, onclick: () => this.exchange() });
    this.hard = h('input', { type: 'checkbox', onchange: () => this.mark() });
    this.made = h('select', { 'aria-label': `How option ${letter} was made`, onchange: () => this.origin() },
      h('option', { value: '' }, 'Say how it was made'), Object.entries(distractors).map(([value, words]) => h('option', { value }, words)));
    this.made.title = Object.values(distractors).map((words, i) => `${i + 1}  ${words}`).join('\n');
    this.note = h('input', { type: 'text', class: 'remark', maxlength: '500', placeholder: 'Note (optional)', 'aria-label': `Note on option ${letter}`,
      autocomplete: 'off', onchange: () => this.origin() });
    this.same = h('button', { type: 'button', class: 'small', hidden: true,
      title: 'The other wrong options that say nothing yet were made in this way, too (=)', onclick: () => this.spread() });
    this.wrong = h('div', { class: 'wrong' }, this.made, this.same, this.note, h('label', { class: 'tick' }, this.hard, 'Comes close'));
    this.rightly = h('p', { class: 'rightly' }, 'The right answer');
    this.todo = h('ul', { class: 'todo' });
    this.todo.id = uid('todo');
    this.text.setAttribute('aria-describedby', this.todo.id);
    const head = h('div', { class: 'ohead' }, h('label', { class: 'letter' }, this.right, letter), this.chip, this.text, this.plain, this.swap);
    this.element = h('div', { class: 'option', dataset: { letter } }, head);
    if (kind === 'directions') this.element.append(this.#motions());
    if (kind === 'images') {
      this.image = h('img', { alt: `Picture of option ${letter}`, loading: 'lazy' });
      this.replace = h('button', { type: 'button', class: 'small', onclick: () => this.other() }, 'Another picture');
      this.picture = h('div', { class: 'picture' }, this.image, h('p', { class: 'nothing' }, 'No picture yet'));
      this.element.append(this.picture);
      this.wrong.prepend(this.replace);
    }
    this.element.append(h('div', { class: 'ofoot' }, this.rightly, this.wrong), this.todo);
    this.element.addEventListener('focusin', () => list.activate(this));
    this.element.addEventListener('keydown', keyed((key, event) => this.#tell(key, event)));
  }

  /**
   * Keys of the row, while nobody writes in it: how it was made by its number, the same for all that are left.
   * @param {string} key
   * @param {KeyboardEvent & {target: any}} event
   */
  #tell(key, event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input[type=text]') || this.wrong.hidden || this.made.disabled) return;
    const kind = /^[1-9]$/.test(key) && Object.keys(this.list.distractors)[Number(key) - 1];
    if (kind && this.unfit[kind]) this.tell([{ field: 'key', sentence: `Option ${this.letter}: ${this.unfit[kind]}` }]);
    else if (kind) { this.made.value = kind; this.origin(); this.list.ask(this); }
    else if (key === '=') (this.made.value ? this : this.list.said)?.spread();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Kind → why this option cannot have been made so, as the server has it. */
  get unfit() { return this.list.editor.fields.state.unfit[this.letter] || {}; }

  /** Every wrong option of which nothing is said yet, and that can have been, was made as this one. */
  spread() {
    const { editor } = this.list;
    const own = { note: '', episode: '', moment: '', kind: this.made.value };
    /** @type {[string, Origin][]} */
    const open = this.list.unsaid(this).map(({ letter }) => [letter, own]);
    if (!this.made.value || !open.length) return;
    editor.put('provenance', { ...editor.fields.value('provenance'), ...Object.fromEntries(open) });
    editor.say(`Options ${open.map(([letter]) => letter).join(', ')} too.`);
    this.made.focus();
  }

  #motions() {
    this.steps = h('div', { class: 'steps', role: 'group', tabindex: 0, onkeydown: keyed((key, event) => this.key(key, event)) });
    this.pad = h('div', { class: 'pad', role: 'group', 'aria-label': `Add a direction to option ${this.letter}` },
      MOVES.map(([move, , sign]) => h('button', { type: 'button', class: 'small', tabindex: -1, onclick: () => this.step(move) }, `${sign} ${move}`)),
      h('button', { type: 'button', class: 'small', tabindex: -1, 'aria-label': 'Take the last direction away',
        title: 'Take the last direction away (Backspace)', onclick: () => this.step(null) }, '⌫'));
    return h('div', { class: 'motion' }, this.steps, this.pad);
  }

  get value() { return (this.list.editor.fields.value('options') || {})[this.letter] || ''; }

  /** The directions in the text: the server's reading, or what was added since. @returns {string[]} */
  get moves() {
    const known = this.list.editor.fields.state.directions[this.letter] || [];
    return this.ahead && this.ahead.text === this.value ? this.ahead.steps : known;
  }

  /** @param {boolean} typing */
  typed(typing) {
    this.ahead = null;
    this.list.set(this.letter, this.text.value, { typing });
  }

  /** @param {string | null} move */
  step(move) {
    if (this.list.editor.readonly) return;
    const { moves } = this;
    if (!move && !moves.length) return;
    const text = extended(this.value, moves, move, this.list.phrases());
    if (text === null) { this.list.editor.say('This option is written in words of your own: change it there.'); return; }
    this.ahead = { text, steps: move ? [...moves, move] : moves.slice(0, -1) };
    this.text.value = text;
    this.list.set(this.letter, text, { typing: true });
    this.#chips();
    this.list.editor.say(text || `Option ${this.letter} is empty.`);
  }

  /** @param {string} key @param {KeyboardEvent & {target: any}} event */
  key(key, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES.find(([, name]) => name === key);
    if (!move && key !== 'Backspace') return;
    event.preventDefault();
    event.stopPropagation();
    this.step(move ? move[0] : null);
  }

  #chips() {
    const { moves } = this;
    this.steps.setAttribute('aria-label',
      `Directions of option ${this.letter}: ${moves.join(', ') || 'none'}. Arrow keys add left, right, forward and backward, `
      + 'Page Up and Page Down add upward and downward, Backspace takes the last away.');
    this.steps.replaceChildren(...(moves.length ? moves.map((move) => h('span', { class: 'move' }, h('b', { 'aria-hidden': 'true' }, SIGNS[move]),
      move)) : [h('span', { class: 'note' }, 'Add directions with the buttons or keys')]));
  }

  exchange() {
    const text = this.value.replace(GRIPPER, (_, side) => `${side.toLowerCase() === 'left' ? 'right' : 'left'} gripper`);
    this.text.value = text;
    this.list.set(this.letter, text);
  }

  mark() {
    const { fields } = this.list.editor;
    const others = fields.value('hard').filter((letter) => letter !== this.letter);
    this.list.editor.put('hard', this.hard.checked ? [...others, this.letter].sort() : others);
  }

  origin() {
    const { fields } = this.list.editor;
    const before = fields.value('provenance');
    const { [this.letter]: own, ...others } = before;
    if (!this.made.value) { this.list.editor.put('provenance', others); return; }
    this.list.said = this;
    // The server gives the picture of another kind, and says the kind with it; without a picture the kind stays as it was.
    if (this.replace && own?.kind !== this.made.value) {
      this.other().then((given) => { if (!given) this.made.value = own?.kind || ''; });
      return;
    }
    this.list.editor.put('provenance', { ...others, [this.letter]: { episode: '', moment: '', ...own, kind: this.made.value, note: this.note.value.trim() } });
  }

  other() { return this.list.editor.act('/picture', { letter: this.letter, kind: this.made.value || Object.keys(this.list.distractors)[0] }); }

  /**
   * What is still to do here. That nothing is said of how it was made, the list itself says in place; what was said just now, nobody has read yet.
   * @param {Problem[]} problems
   */
  tell(problems) {
    const unread = !this.made.value || 'provenance' in this.list.editor.fields.pending;
    const said = problems.filter(({ field }) => !(field.startsWith('provenance.') && unread));
    fill(this.todo, said.map(({ sentence }) => sentence));
  }

  /** @param {boolean} force */
  sync(force) {
    const { editor, kind } = this.list;
    const { fields, readonly } = editor;
    const active = focusedBeside(this.element);
    const free = (/** @type {HTMLElement} */ input) => force || input !== active;
    const gold = fields.value('gold');
    const own = fields.value('provenance')[this.letter];
    const isRight = gold === this.letter;
    const text = this.value;
    this.right.checked = isRight;
    this.element.classList.toggle('gold', isRight);
    if (free(this.text)) this.text.value = text;
    const colour = kind === 'colour' && colourOf(text);
    this.chip.hidden = !colour;
    this.chip.style.background = colour ? COLOURS[colour] : '';
    const fixed = kind === 'images' || (kind === 'colour' && (!text || plainColour(text)));
    this.text.hidden = fixed;
    this.plain.hidden = !fixed;
    // Which gripper a picture shows: two of them can look alike.
    const shows = kind === 'images' && fields.value('option_images')[this.letter]?.view.replace('-', ' ');
    this.plain.textContent = kind === 'images' ? shows || '' : text || 'follows from what you draw';
    this.plain.classList.toggle('note', !text);
    const side = kind === 'colour' && text.match(GRIPPER);
    this.swap.hidden = !side || readonly;
    if (side) this.swap.textContent = `${side[1].toLowerCase() === 'left' ? 'Right' : 'Left'} gripper instead`;
    this.rightly.hidden = !isRight;
    this.wrong.hidden = isRight;
    this.hard.checked = fields.value('hard').includes(this.letter);
    for (const option of this.made.options) option.disabled = option.value in this.unfit;
    if (free(this.made)) this.made.value = own?.kind && own.kind in this.list.distractors ? own.kind : '';
    // How it was made is asked of a wrong one; which are wrong is not known before one is right.
    this.made.classList.toggle('open', Boolean(gold && text) && !this.made.value && !readonly);
    const rest = this.made.value && !readonly && kind !== 'images' && !/^none of the/i.test(text) ? this.list.unsaid(this).length : 0;
    this.same.hidden = !rest;
    this.same.replaceChildren(rest === 1 ? 'Same for the one left' : `Same for all ${rest} left`, h('kbd', { 'aria-hidden': 'true' }, '='));
    if (free(this.note)) this.note.value = own?.note || '';
    this.note.hidden = !own || (readonly && !own.note);
    // What does not exist yet can be neither right nor wrong.
    const absent = kind === 'colour' && !text;
    for (const input of [this.right, this.hard, this.made, this.note, this.text]) input.disabled = readonly || absent;
    if (this.replace) {
      const image = fields.value('option_images')[this.letter];
      const address = image ? `api/qa/option/${encodeURIComponent(editor.item)}/${this.letter}?v=${image.image.slice(0, 12)}` : '';
      if (this.image.dataset.from !== address) { this.image.dataset.from = address; if (address) this.image.src = address;
        else this.image.removeAttribute('src'); }
      this.picture.classList.toggle('empty', !image);
      if (image) this.image.style.aspectRatio = `${image.width} / ${image.height}`;
      this.replace.hidden = readonly;
    }
    if (this.steps) { this.#chips(); this.pad.hidden = readonly; this.steps.tabIndex = readonly ? -1 : 0; }
  }
}

export class OptionRows {
  /** The row of which was said last how it was made. @type {Row | undefined} */ said;
  /** @type {HTMLButtonElement | undefined} */ maker;
  /** @type {HTMLInputElement} */ begins;
  /** @type {HTMLInputElement} */ ends;
  /** @type {string[]} */ makerWords;

  /** @param {import('./author.js').Editor} editor the editor; `editor.declared` says what kind of options its subtask has */
  constructor(editor) {
    this.editor = editor;
    this.kind = editor.declared.option_kind;
    this.distractors = editor.declared.distractors;
    this.name = uid('gold');
    this.draw = 0;
    this.rows = LETTERS.map((letter) => new Row(this, letter));
    this.element = h('div', { class: `options ${this.kind}` }, this.rows.map((row) => row.element));
    const kinds = Object.values(this.distractors);
    this.hint = h('p', { class: 'kinds note' }, kinds.map((words, i) => h('span', {}, h('kbd', {}, String(i + 1)), words)));
    this.head = h('div', { class: 'otools' }, this.#tools(), this.hint);
  }

  #tools() {
    if (this.kind === 'directions') {
      const phrase = (/** @type {string} */ value) => h('input', { type: 'text', class: 'phrase', maxlength: '120', value, autocomplete: 'off' });
      this.begins = phrase(this.editor.declared.begins);
      this.ends = phrase('');
      return [h('label', { class: 'phrasebox' }, 'A new option begins with', this.begins), h('label', { class: 'phrasebox' }, 'and ends with', this.ends)];
    }
    if (this.kind === 'triplets' || this.kind === 'images') {
      const words = this.kind === 'triplets' ? ['Make candidate sets from the cubes', 'Other candidate sets'] : ['Propose pictures', 'Propose others'];
      this.maker = h('button', { type: 'button', onclick: () => this.make() });
      this.makerWords = words;
      return [this.maker];
    }
    return [];
  }

  phrases() { return { before: this.begins.value.trim() || 'Move', after: this.ends.value.trim().replace(/\.$/, '') }; }

  make() {
    const had = Object.keys(this.editor.fields.value('options')).length > 0;
    this.draw = had ? this.draw + 1 + Math.floor(Math.random() * 1000) : 0;
    this.editor.act('', { make: 'options', draw: this.draw });
  }

  /** @param {string} letter @param {string} text @param {How} [how] */
  set(letter, text, how) {
    const { [letter]: _, ...others } = this.editor.fields.value('options');
    const all = text.trim() ? { ...others, [letter]: text } : others;
    this.editor.put('options', Object.fromEntries(LETTERS.filter((l) => l in all).map((l) => [l, all[l]])), how);
  }

  /**
   * The other rows of wrong options of which is not said yet how they were made, and that can have been made as this one.
   * @param {Row} row
   */
  unsaid(row) {
    const said = this.editor.fields.value('provenance');
    const gold = this.editor.fields.value('gold');
    return this.rows.filter((other) => other !== row && other.value && other.letter !== gold && !said[other.letter]
      && !other.unfit[row.made.value]);
  }

  /** Go to the next row of which is not said yet how it was made; stays where there is none. @param {Row} row */
  ask(row) {
    const open = this.rows.filter((other) => this.#unsaid(other) && other !== row && !other.made.disabled && !other.unfit[row.made.value]);
    const next = open.find((other) => other.letter > row.letter) || open[0];
    next?.made.focus();
  }

  /** Whether an option may be a wrong one, and nothing is said of how it was made. @param {{letter: string}} row */
  #unsaid({ letter }) {
    const { fields } = this.editor;
    return letter !== fields.value('gold') && !fields.value('provenance')[letter];
  }

  /** What is to be done first: an empty option to fill, which is right, how one was made, which comes close. */
  open() {
    const { rows, kind, maker } = this;
    const { fields } = this.editor;
    if (maker && !rows.some(({ value }) => value)) return maker;
    const empty = kind !== 'colour' && rows.find(({ value }) => !value);
    if (empty) return empty.steps || (kind === 'images' ? empty.made : empty.text);
    if (!fields.value('gold')) return rows.find(({ right }) => !right.disabled)?.right;
    const wrong = rows.filter(({ letter, value }) => value && letter !== fields.value('gold'));
    return wrong.find((row) => this.#unsaid(row))?.made || (fields.value('hard').length ? rows[0].right : wrong[0]?.hard);
  }

  /** @param {Row} row */
  activate(row) {
    for (const other of this.rows) other.element.classList.toggle('active', other === row);
  }

  /** @param {boolean} force */
  sync(force) {
    for (const row of this.rows) row.sync(force);
    this.element.classList.toggle('long', this.rows.some((row) => !row.text.hidden));
    if (this.kind === 'directions' && !this.rows.some((row) => row.element.classList.contains('active'))) this.activate(this.rows.find((row) => !row.value)
      || this.rows[0]);
    if (this.maker) {
      this.maker.hidden = this.editor.readonly;
      this.maker.textContent = this.makerWords[Object.keys(this.editor.fields.value('options')).length ? 1 : 0];
    }
    this.head.hidden = this.editor.readonly || !this.head.childElementCount;
  }
}
