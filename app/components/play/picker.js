// Actions with objects: which one, with which things. The list and the picture name them by the same numbers.
import { focusedBeside, h } from './dom.js';
import { Numbers } from './numbers.js';
import { keyed } from './pressed.js';
import { say } from './words.js';

const TYPED_MS = 1000; // what is typed within this time belongs together: "1", "2" is 12

/** @typedef {HTMLSelectElement} List of the things that may stand in one place of the sentence */
/** @typedef {Partial<Pick<Step, 'objects' | 'choices' | 'reach' | 'held'>>} Seen what the step says */
/** @typedef {string | number | {rel: true}} Part of a sentence: words, the place of an object, or that of a relation */

/**
 * "2 · box", "2 (see the picture)" where the question has no name for it, "box (not seen well yet)", or its name alone where it carries no number.
 * @param {SceneObject} sceneObject
 */
const called = ({ number, name, unseen }) => {
  if (!number) return unseen ? say('picker.unseen', { thing: name }) : name;
  return name === `object ${number}` ? say('picker.unnamed', { number }) : `${number} · ${name}`;
};

/** Words and places of a sentence: "from {1} into {2}" → ['from', 1, 'into', 2]; a relation is 'rel'. @param {string} sentence @returns {Part[]} */
const partsOf = (sentence) => sentence.split(/\{(\w+)\}/).map((part, index) => (
  index % 2 ? (part === 'rel' ? { rel: /** @type {true} */ (true) } : Number(part)) : part.trim())).filter((part) => part !== '');

/**
 * One line: what to do, with which objects, and a button that does it.
 * @param {{actions: OfferedAction[], relations: {name: string, label: string}[], view: {element: HTMLElement, canvas: HTMLCanvasElement},
 *   state: () => Seen | undefined,
 *   stacked: boolean, tell: (text: string, failed?: boolean) => void,
 *   act: (action: string, pressed: number, words: string) => void}} page the actions that take objects, the camera view, and what the play page
 *   gives; `stacked`: the task asks for a stack
 */
export function objectPicker({ actions, relations, stacked, view, state, tell, act }) {
  const verb = h('select', { 'aria-label': say('picker.what'), onchange: () => { used = true; fill(); } },
    actions.map((action, index) => h('option', { value: String(index) }, action.label)));
  const places = h('span', { class: 'row wrap' });
  const inHand = h('span', { class: 'inhand', role: 'status', 'aria-live': 'off' });
  const title = h('span', { class: 'cluster-title', 'aria-hidden': 'true' }, say('picker.title'));
  const reach = h('p', { class: 'reach' });
  const jump = h('kbd', { class: 'jump', title: say('page.jump') });
  /** @type {Map<number, List>} */
  let picks = new Map(); // object argument → its list
  /** @type {HTMLSelectElement | null} */
  let where = null; // the list of relations, where the action has one
  /** @type {Map<number, string>} */
  let before = new Map(); // what stood in each place before it was changed
  let meant = stacked ? 'on' : ''; // the relation that people mean first: that of the task, then the one they chose last
  let used = false; // something was chosen since the last action: the numbers stay while the camera moves
  let moving = false; // the picture is of the step that is being done: its boxes are not known yet

  const action = () => actions[Number(verb.value)];
  const source = (/** @type {number} */ index) => action().same.find(([argument]) => argument === index)?.[1] ?? index;
  const objects = () => state()?.objects || [];
  /** What argument `index` may be now; without choices (as episodes had before) every object. */
  const possible = (/** @type {number} */ index, relation = where?.value) => {
    const form = relation ? `${action().name} ${relation}` : action().name;
    const handles = state()?.choices?.[form]?.[index];
    return handles ? objects().filter(({ handle }) => handles.includes(handle)) : objects();
  };
  /** The relations that the action has, in their order; without any, none at all. */
  const ways = () => (where ? relations.map(({ name }) => name) : [undefined]);
  /** What argument `index` may be with any relation: a place offers all that some choice of the others allows. */
  const offered = (/** @type {number} */ index) => {
    const handles = new Set(ways().flatMap((way) => possible(index, way).map(({ handle }) => handle)));
    return objects().filter(({ handle }) => handles.has(handle));
  };

  const fill = () => {
    const asks = action().asks;
    picks = new Map();
    before = new Map();
    where = null;
    const parts = partsOf(action().sentence).map((part) => {
      if (typeof part === 'string') return h('span', {}, part);
      if (typeof part === 'object') {
        where = h('select', { 'aria-label': say('picker.where', { action: action().label }), onchange: related },
          relations.map(({ name, label }) => h('option', { value: name }, label)));
        return where;
      }
      /** @type {List} */
      const pick = h('select', { 'aria-label': `${action().label}: ${asks[part]}`, dataset: { pick: '1' }, onchange: () => chose(part),
        onkeydown: keyed((key, event) => type(key, event)) });
      picks.set(part, pick);
      return pick;
    });
    places.replaceChildren(...phrases(parts));
    const last = [...picks.keys()].at(-1) ?? 0;
    const list = /** @type {HTMLSelectElement | null} */ (where); // made above
    const first = [...relations].sort((one, other) => Number(other.name === meant) - Number(one.name === meant));
    const offering = list && first.find(({ name }) => possible(last, name).some(({ handle }) => handle !== state()?.held?.handle));
    if (list && offering) list.value = offering.name; // what is meant, else "inside", unless nothing that was seen can be taken so
    offer();
  };
  /** What stands before a list goes with it: a sentence of two lists has two lines, however long the names. @param {HTMLElement[]} parts */
  const phrases = (parts) => {
    /** @type {HTMLElement[][]} */
    const lines = [[]];
    for (const part of parts) {
      lines.at(-1)?.push(part);
      if (part.dataset.pick) lines.push([]);
    }
    return lines.filter((line) => line.length).map((line) => h('span', { class: 'row phrase' }, line));
  };

  /** A relation was chosen: what cannot be so is chosen no longer. */
  const related = () => {
    meant = where?.value ?? '';
    for (const [index, pick] of picks) if (!possible(index).some(({ handle }) => handle === pick.value)) pick.value = '';
    offer();
  };
  /** A thing was chosen for a place: where another place has it, that one takes what stood here; the relation is one that it can have. */
  const chose = (/** @type {number} */ index) => {
    used = true;
    const { value } = picks.get(index) ?? { value: '' };
    const had = before.get(index) ?? '';
    for (const [other, pick] of picks) {
      if (value && other !== index && pick.value === value) pick.value = offered(other).some(({ handle }) => handle === had) ? had : '';
    }
    const way = where && value && !possible(index).some(({ handle }) => handle === value)
      && ways().find((name) => possible(index, name).some(({ handle }) => handle === value));
    if (where && way) where.value = way;
    offer();
  };

  /** A number, or the beginning of a name, chooses in a list that has the focus. */
  let typed = '';
  let typedAt = -Infinity;
  /** @type {(key: string, event: KeyboardEvent & {currentTarget: List}) => void} */
  const type = (key, event) => {
    if (key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || (key === ' ' && !typed)) return;
    const list = event.currentTarget;
    const listed = objects().filter(({ handle }) => [...list.options].some(({ value }) => value === handle));
    const found = (/** @type {string} */ text) => listed.find(({ number }) => String(number) === text)
      || listed.find((object) => called(object).toLowerCase().split(' · ').some((word) => word.startsWith(text)));
    const longer = event.timeStamp - typedAt < TYPED_MS && found(typed + key) ? typed + key : key; // what leads nowhere begins anew
    const exact = found(longer);
    typed = longer;
    typedAt = event.timeStamp;
    event.preventDefault();
    if (exact) choose(list, exact.handle);
  };

  /** @type {(list: List, handle: string) => void} */
  const choose = (list, handle) => {
    list.value = handle;
    list.dispatchEvent(new Event('change'));
  };

  /** Bring the lists up to what can be chosen now; what is chosen stays where it still can be. */
  const offer = () => {
    const { held } = state() || {};
    inHand.hidden = !actions.some((other) => other.hand === 'takes');
    title.hidden = !inHand.hidden; // one line for both would be too short for a long name
    inHand.textContent = inHand.title = held ? say('picker.held', { thing: held.name }) : say('picker.held_nothing');
    reach.textContent = state()?.reach || '';
    reach.hidden = !reach.textContent;
    for (const [index, pick] of picks) {
      const things = offered(index);
      const kept = pick.value;
      pick.replaceChildren(h('option', { value: '' }, things.length ? say('picker.object') : say('picker.nothing')),
        ...things.map((object) => h('option', { value: object.handle }, called(object))));
      const has = (/** @type {string} */ handle) => things.some((object) => object.handle === handle);
      if (has(kept)) pick.value = kept;
      // What is in the hand is what an action that frees it acts on, and likely what others take, where nothing is chosen.
      if (held && has(held.handle) && ((action().hand === 'frees' && index === 0)
        || (!pick.value && action().likely_held.includes(index)))) pick.value = held.handle;
      pick.title = pick.value ? pick.selectedOptions[0].text : '';
    }
    // One thing stands in one place.
    for (const [index, pick] of picks) for (const [other, list] of picks) if (other > index && pick.value && list.value === pick.value) list.value = '';
    before = new Map([...picks].map(([index, pick]) => [index, pick.value]));
    mark();
  };

  // ---------------------------------------------------------------- numbers on the picture
  const open = () => used || element.contains(focusedBeside(element));
  const mark = () => {
    if (!numbers) return;
    const shown = new Set([...picks.keys()].flatMap((index) => offered(index).map(({ handle }) => handle)));
    numbers.show(!moving && open() ? objects().flatMap(({ handle, number, box }) => (box && shown.has(handle) ? { handle, number, box } : [])) : []);
    const chosen = objects().filter(({ handle }) => [...picks.values()].some((pick) => pick.value === handle)).map(({ number }) => String(number));
    for (const badge of numbers.element.querySelectorAll('.badge')) badge.classList.toggle('chosen', chosen.includes(badge.dataset.number ?? ''));
  };
  /** A click on a thing fills the place that has the focus, or the first empty one, or the last; then the next place is asked for. */
  const clicked = (/** @type {string} */ handle) => {
    const lists = [...picks.values()];
    const focused = focusedBeside(element);
    const list = lists.find((pick) => pick === focused) || lists.find((pick) => !pick.value) || lists.at(-1);
    if (!list) return;
    if (![...list.options].some(({ value }) => value === handle)) {
      tell(say('picker.not_here', { thing: called(/** @type {SceneObject} */ (objects().find((object) => object.handle === handle))) }), true);
      return;
    }
    choose(list, handle);
    (lists.find((pick) => !pick.value) || button).focus({ preventScroll: true });
  };

  /** Why nothing can be chosen for an argument that is empty. */
  const lacking = (/** @type {number} */ index) => {
    const held = state()?.held;
    if (possible(index).length) return say('picker.choose_first');
    if (held && action().hand === 'takes') return say('picker.hand_full', { thing: held.name });
    if (!held && action().hand === 'frees' && index === 0 && objects().length) return say('picker.hand_empty');
    return say('picker.none_seen');
  };
  /** What is chosen, as it reads: "Pour from jug into glass". */
  const asRead = () => [action().label, ...[...places.querySelectorAll('.phrase > *')].map((part) => (
    part.matches('select') ? /** @type {HTMLSelectElement} */ (part).selectedOptions[0].text.replace(/^\d+ · /, '') : part.textContent))].join(' ');
  const button = h('button', { type: 'button', onkeydown: keyed((_, event) => {
    if (event.repeat) event.preventDefault(); // a key that is held down is one press
  }), onclick: (event) => {
    if (event.detail > 1) return; // the second of a double click: the same again is not meant, and would cost a view
    const empty = [...picks].find(([, pick]) => !pick.value);
    if (empty) {
      tell(lacking(empty[0]), true);
      empty[1].focus();
      return;
    }
    let index = -1;
    const values = action().form.map((kind) => {
      if (kind === 'rel') return where?.value;
      if (kind !== 'obj') return kind;
      index += 1;
      return picks.get(source(index))?.value;
    });
    used = false;
    act(`${action().name}(${values.join(', ')})`, event.timeStamp, asRead());
  } }, say('picker.do'));
  const element = h('div', { class: 'objects', role: 'group', 'aria-label': say('picker.title'), onfocusin: () => mark(),
    onfocusout: () => queueMicrotask(mark) },
    h('div', { class: 'row spread' }, title, inHand, jump, h('span', { class: 'back' }, h('kbd', {}, 'Esc'), ` ${say('picker.back')}`)),
    h('div', { class: `sentence${actions.some(({ sentence }) => partsOf(sentence).length > 1) ? ' long' : ''}` }, verb, places, button), reach);
  const numbers = new Numbers(view, clicked);
  fill();
  return {
    element, button, verb, jump, offer,
    /** A step is being done (its pictures play), or is done. */
    busy: (/** @type {boolean} */ on) => { moving = on; mark(); },
    /** Put the numbers away. */
    rest: () => { used = false; mark(); },
    close: () => numbers.close(),
  };
}
