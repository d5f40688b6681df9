import { learn } from './words.js';

/**
 * What Streamlit gives a component.
 * @typedef {object} Props
 * @property {HTMLElement} parentElement where it is drawn
 * @property {any} data what its Python side tells it
 * @property {(name: string, value: any) => void} setTriggerValue something has happened: the page runs
 * @property {(name: string, value: any) => void} setStateValue something is so from now on
 */

/**
 * The entry of a component for the page: called on mount and again whenever the data change; each place on a page has one instance.
 * @template {{destroy: () => void}} One
 * @param {{make: (props: Props) => One, renew: (one: NoInfer<One>, props: Props) => void, same?: (one: NoInfer<One>, data: any) => boolean}} how `renew`:
 *   other data for an instance; `same`: whether an instance can go on with these data; else another one is made
 * @returns {(props: Props) => () => void} gives the way to end it
 */
export function mounting({ make, renew, same = () => true }) {
  const instances = new WeakMap();
  return (props) => {
    const { parentElement, data } = props;
    learn(data.words);
    let one = instances.get(parentElement);
    if (one && !same(one, data)) { one.destroy(); one = null; }
    if (one) renew(one, props);
    else {
      one = make(props);
      instances.set(parentElement, one);
    }
    return () => { one.destroy(); instances.delete(parentElement); };
  };
}
