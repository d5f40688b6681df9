import { learn } from './words.js';

/**
 * The entry of a component for the page: called on mount and again whenever the data change; each place on a page has one instance.
 * @param {object} how
 * @param {(props: object) => {destroy: () => void}} how.make
 * @param {(one: object, props: object) => void} how.renew - other data for an instance
 * @param {(one: object, data: object) => boolean} [how.same] - whether an instance can go on with these data; else another one is made
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
