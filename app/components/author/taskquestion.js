// What a task asks and what is right: the fields that its form of answer needs, and no others.
import { h } from './dom.js';
import { called, lines, plain } from './taskfields.js';

/** @typedef {import('./taskfields.js').How} How */
/** @typedef {import('./taskfields.js').TaskFields} TaskFields */
/** @typedef {(fields: Partial<TaskDraft>, how?: How) => void} Put changes the draft */

const FILLED = ['blanks', 'pair'];
/** @type {Record<string, string>} */
const FORMS = { yes_no: 'yes or no', choice: 'one of some options', count: 'a count', number: 'a number', sequence: 'an order', blanks: 'blanks to fill in',
  pair: 'two blanks', assignment: 'what belongs where', free_text: 'words' };

/**
 * @param {TaskFields} fields
 * @param {{doc: TaskDraft, state: TaskState, forms: string[], put: Put}} task
 */
export function question(fields, { doc, state, forms, put }) {
  return [
    ...generators(fields, doc, state, put),
    fields.text('The question', doc.question, (text, how) => put({ question: text }, how), { lines: 3, maxlength: '2000' }),
    ...(state.worded && state.worded !== doc.question ? [fields.button(`Word it as the generator does: ${state.worded}`,
      () => put({ question: state.worded }))] : []),
    h('div', { class: 'fields' }, fields.select('Form of the answer', doc.form, forms.map((form) => [form, FORMS[form] ?? plain(form)]),
      (form) => put(begun(form, doc)))),
    ...answer(fields, doc, put),
    fields.text('Note that is shown beside it', doc.note, (note, how) => put({ note }, how), { maxlength: '500' }),
    fields.text('Why one view does not suffice (where it has no twin)', doc.argument, (argument, how) => put({ argument }, how),
      { lines: 2, maxlength: '500' }),
    fields.text('Why it is sound although a condition of the generator does not hold', doc.reason, (reason, how) => put({ reason }, how),
      { maxlength: '500', placeholder: 'only where a check says so' }),
  ];
}

/** Blanks that a form cannot do without. @type {Record<string, number>} */
const LEAST = { blanks: 1, pair: 2 };

/** Another form, with what it cannot do without. @param {string} form @param {TaskDraft} doc */
function begun(form, doc) {
  if (form === 'yes_no') return { form, options: ['yes', 'no'] };
  const least = LEAST[form] ?? 0;
  return { form, ...(doc.blanks.length < least ? { blanks: [...doc.blanks, ...Array.from({ length: least - doc.blanks.length }, empty)] } : {}) };
}

/** @returns {TaskBlank} */
const empty = () => ({ name: '', options: [], right: '' });

/**
 * What is asked in the terms of the subcategory's generator, so that its judge can derive the answer.
 * @param {TaskFields} fields
 * @param {TaskDraft} doc
 * @param {TaskState} state
 * @param {Put} put
 */
function generators(fields, doc, state, put) {
  if (!state.asks.length) return [];
  /** @type {[string, string][]} */
  const names = doc.things.map((thing) => [thing.key, called(thing)]);
  const rooms = doc.house_rooms ? state.rooms.map((room) => room.name) : [];
  const kinds = [...new Set(doc.things.map((thing) => thing.category))];
  /** @type {(legend: string, all: [string, string][], named: string[], act: (chosen: string[]) => void) => HTMLElement[]} */
  const several = (legend, all, named, act) => {
    const list = named.filter((one) => all.some(([there]) => there === one)); // what is no longer there can only go
    /** @type {(one: string, on: boolean) => string[]} */
    const chosen = (one, on) => (on ? [...list, one] : list.filter((other) => other !== one));
    return all.length ? [h('fieldset', {}, h('legend', {}, legend), h('div', { class: 'row wrap' },
      all.map(([one, name]) => fields.check(list.includes(one) ? `${list.indexOf(one) + 1}. ${name}` : name, list.includes(one),
      (on) => act(chosen(one, on))))))] : [];
  };
  return [
    h('div', { class: 'fields' },
      fields.select('What it asks, in the generators’ terms', doc.asks, [['', 'something else'], ...state.asks.map((what) => [what, plain(what)])],
        (asks) => put({ asks })),
      fields.select('Compared with, behind, in or on', doc.against, [['', 'nothing'], ...names], (against) => put({ against })),
      ...(kinds.length ? [fields.select('Which kind is counted', doc.counted, [['', 'none'], ...kinds.map((kind) => [kind, plain(kind)])],
        (counted) => put({ counted }))] : []),
      ...(rooms.length ? [fields.text('What it states besides', doc.given, (given, how) => put({ given }, how),
        { maxlength: '100', placeholder: 'to your left' })] : [])),
    ...several('What it asks about, in this order', names, doc.about, (about) => put({ about })),
    ...several('Which rooms it is about, in this order', rooms.map((name) => [name, plain(name)]), doc.about_rooms, (about_rooms) => put({ about_rooms })),
  ];
}

/** @param {TaskFields} fields @param {TaskDraft} doc @param {Put} put */
function answer(fields, doc, put) {
  /** @type {(label: string, name: 'options' | 'targets') => HTMLElement} */
  const listed = (label, name) => fields.text(label, doc[name].join('\n'), (typed, how) => put({ [name]: lines(typed) }, how), { lines: 4 });
  if (FILLED.includes(doc.form)) return filled(fields, doc, put);
  if (doc.form === 'assignment') {
    return [listed('What is assigned, one a line', 'options'), listed('To what, one a line', 'targets'),
      ...(doc.options.length && doc.targets.length ? [h('fieldset', {}, h('legend', {}, 'Right answer'),
        h('div', { class: 'fields' }, doc.options.map((option) => fields.one(`Where “${option}” belongs`, doc.assigned[option], doc.targets,
        (target) => put({ assigned: { ...doc.assigned, [option]: target } })))))] : [])];
  }
  const ordered = doc.form === 'sequence';
  return [
    ...(doc.form === 'free_text' || doc.form === 'number' ? [] : [listed(ordered ? 'What is put in order, one a line' : 'Options, one a line', 'options')]),
    ['choice', 'yes_no'].includes(doc.form) && doc.options.length ? fields.one('Right answer', doc.gold, doc.options, (gold) => put({ gold }))
      : fields.text(ordered ? 'Right order, one a line' : 'Right answer', doc.gold, (gold, how) => put({ gold }, how), ordered ? { lines: 4 } : {}),
  ];
}

/** Blanks, each with its name, its options and what is right. @param {TaskFields} fields @param {TaskDraft} doc @param {Put} put */
function filled(fields, doc, put) {
  /** @type {(index: number, change: Partial<TaskBlank>, how?: How) => void} */
  const set = (index, change, how) => put({ blanks: doc.blanks.map((blank, n) => (n === index ? { ...blank, ...change } : blank)) }, how);
  const number = (/** @type {number} */ index) => `blank ${index + 1}`;
  return [
    ...doc.blanks.map((blank, index) => h('fieldset', { class: 'blank' }, h('legend', {}, `Blank ${index + 1}`),
      fields.text(`What ${number(index)} is called`, blank.name, (name, how) => set(index, { name }, how), { maxlength: '300', placeholder: 'First room' }),
      fields.text(`Options of ${number(index)}, one a line`, blank.options.join('\n'), (typed, how) => set(index, { options: lines(typed) }, how),
        { lines: 3 }),
      ...(blank.options.length ? [fields.one(`Right for ${number(index)}`, blank.right, blank.options, (right) => set(index, { right }))] : []),
      fields.button(`Take ${number(index)} away`, () => put({ blanks: doc.blanks.filter((_, n) => n !== index) })))),
    fields.button('Add a blank', () => put({ blanks: [...doc.blanks, empty()] })),
  ];
}
