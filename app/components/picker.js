// Actions with objects: which one, with which things.
import { h } from './dom.js';

/**
 * One line: what to do, with which objects, and a button that does it.
 * @param {{actions: object[], relations: string[], state: () => object, say: (text: string, failed?: boolean) => void,
 *   act: (action: string, pressed: number) => void}} page the actions that take objects, and what the play page gives
 */
export function objectPicker({ actions, relations, state, say, act }) {
  const pickers = h('span', { class: 'row wrap' });
  const verb = h('select', { 'aria-label': 'What to do', onchange: () => fill() }, actions.map((action, index) => h('option', { value: String(index) }, action.label)));
  let parts = [];
  const fill = () => {
    const action = actions[Number(verb.value)];
    const asks = [...action.asks];
    parts = action.form.map((kind) => {
      if (kind === 'obj') return h('select', { 'aria-label': `${action.label}: ${asks.shift()}`, dataset: { pick: '1' } });
      if (kind === 'rel') return h('select', { 'aria-label': `${action.label}: where` }, relations.map((word) => h('option', { value: word }, word)));
      return h('span', { dataset: { word: kind } }, kind.replaceAll('_', ' '));
    });
    pickers.replaceChildren(...parts);
    offer(state()?.objects || []);
  };
  const offer = (objects) => {
    for (const select of parts.filter((part) => part.dataset.pick)) {
      const kept = select.value;
      select.replaceChildren(h('option', { value: '' }, 'object…'), ...objects.map((object) => h('option', { value: object.handle }, object.name)));
      if (objects.some((object) => object.handle === kept)) select.value = kept;
    }
    hold(state()?.held);
  };
  // What is in the hand is what an action that frees it acts on; others are likely to take it, where nothing is chosen.
  const hold = (held) => {
    const action = actions[Number(verb.value)];
    const picks = parts.filter((part) => part.dataset.pick);
    inHand.hidden = !actions.some((other) => other.hand === 'takes');
    inHand.textContent = `In your hand: ${held ? held.name : 'nothing'}`;
    if (held && action.hand === 'frees') picks[0].value = held.handle;
    if (held) for (const index of action.likely_held) if (!picks[index].value) picks[index].value = held.handle;
  };
  const inHand = h('span', { class: 'inhand', role: 'status', 'aria-live': 'off' });
  const button = h('button', { type: 'button', onclick: (event) => {
    const values = parts.map((part) => part.dataset.word || part.value);
    if (values.some((value) => !value)) {
      say(state().objects.length ? 'Choose the object first.' : 'No object has been seen yet: look around first.', true);
      parts.find((part) => part.tagName === 'SELECT' && !part.value)?.focus();
      return;
    }
    act(`${actions[Number(verb.value)].name}(${values.join(', ')})`, event.timeStamp);
  } }, 'Do it');
  fill();
  const jump = h('kbd', { class: 'jump', title: 'Key that leads here' });
  return { element: h('div', { class: 'objects', role: 'group', 'aria-label': 'With an object' },
    h('div', { class: 'row spread' }, h('span', { class: 'cluster-title', 'aria-hidden': 'true' }, 'With an object'), h('span', { class: 'row' }, inHand, jump)),
    h('div', { class: 'row wrap' }, verb, pickers, button)), button, offer, hold, verb, jump };
}
