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
 * "2 · box", "2 (see the picture)" where the question has no name for it, "box (not seen yet)", or its name alone where it carries no number.
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
 *   tell: (text: string, failed?: boolean) => void,
 *   act: (action: string, pressed: number) => void}} page the actions that take objects, the camera view, and what the play page gives
 */
export function objectPicker({ actions, relations, view, state, tell, act }) {
  const verb = h('select', { 'aria-label': say('picker.what'), onchange: () => { used = true; fill(); } },
    actions.map((action, index) => h('option', { value: String(index) }, action.label)));
  const places = h('span', { class: 'row wrap' });
  const inHand = h('span', { class: 'inhand', role: 'status', 'aria-live': 'off' });
  const reach = h('p', { class: 'reach' });
  const jump = h('kbd', { class: 'jump', title: say('page.jump') });
  /** @type {Map<number, List>} */
  let picks = new Map(); // object argument → its list
  /** @type {HTMLSelectElement | null} */
  let where = null; // the list of relations, where the action has one
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

  const fill = () => {
    const asks = action().asks;
    picks = new Map();
    where = null;
    const parts = partsOf(action().sentence).map((part) => {
      if (typeof part === 'string') return h('span', {}, part);
      if (typeof part === 'object') {
        where = h('select', { 'aria-label': say('picker.where', { action: action().label }), onchange: () => offer() },
          relations.map(({ name, label }) => h('option', { value: name }, label)));
        return where;
      }
      /** @type {List} */
      const pick = h('select', { 'aria-label': `${action().label}: ${asks[part]}`, dataset: { pick: '1' }, onchange: () => { used = true; offer(); },
        onkeydown: keyed((key, event) => type(key, event)) });
      picks.set(part, pick);
      return pick;
    });
    places.replaceChildren(...parts);
    const last = [...picks.keys()].at(-1) ?? 0;
    const list = /** @type {HTMLSelectElement | null} */ (where); // made above
    const offering = list && relations.find(({ name }) => possible(last, name).some(({ handle }) => handle !== state()?.held?.handle));
    if (list && offering) list.value = offering.name; // "inside", unless nothing that was seen has an inside
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

  /** Bring the lists up to what can be chosen now. What is chosen in one place is not offered in another. */
  const offer = () => {
    const { held } = state() || {};
    inHand.hidden = !actions.some((other) => other.hand === 'takes');
    inHand.textContent = held ? say('picker.held', { thing: held.name }) : say('picker.held_nothing');
    reach.textContent = state()?.reach || '';
    reach.hidden = !reach.textContent;
    for (const [index, pick] of picks) {
      const others = [...picks].filter(([other]) => other !== index).map(([, list]) => list.value);
      const offered = possible(index).filter(({ handle }) => !others.includes(handle) || handle === held?.handle);
      const kept = pick.value;
      pick.replaceChildren(h('option', { value: '' }, offered.length ? say('picker.object') : say('picker.nothing')),
        ...offered.map((object) => h('option', { value: object.handle }, called(object))));
      const has = (/** @type {string} */ handle) => offered.some((object) => object.handle === handle);
      if (has(kept)) pick.value = kept;
      // What is in the hand is what an action that frees it acts on, and likely what others take, where nothing is chosen.
      if (held && has(held.handle) && ((action().hand === 'frees' && index === 0)
        || (!pick.value && action().likely_held.includes(index)))) pick.value = held.handle;
    }
    mark();
  };

  // ---------------------------------------------------------------- numbers on the picture
  const open = () => used || element.contains(focusedBeside(element));
  const mark = () => {
    if (!numbers) return;
    // with every relation: a click on what has no inside says "on"
    const ways = where ? relations.map(({ name }) => name) : [undefined];
    const shown = new Set([...picks.keys()].flatMap((index) => ways.flatMap((way) => possible(index, way).map(({ handle }) => handle))));
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
    const listed = () => [...list.options].some(({ value }) => value === handle);
    const index = [...picks].find(([, pick]) => pick === list)?.[0] ?? 0;
    const other = where && !listed() && relations.find(({ name }) => possible(index, name).some((object) => object.handle === handle));
    if (where && other) {
      where.value = other.name;
      offer();
    }
    if (!listed()) {
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
  const button = h('button', { type: 'button', onclick: (event) => {
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
    act(`${action().name}(${values.join(', ')})`, event.timeStamp);
  } }, say('picker.do'));
  const element = h('div', { class: 'objects', role: 'group', 'aria-label': say('picker.title'), onfocusin: () => mark(),
    onfocusout: () => queueMicrotask(mark) },
    h('div', { class: 'row spread' }, h('span', { class: 'cluster-title', 'aria-hidden': 'true' }, say('picker.title')),
      h('span', { class: 'row' }, inHand, jump)),
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
