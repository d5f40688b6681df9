// What a page says: each component gets its words from the server with its data, in the language of the study. No other words stand in these
// modules; what the people who make a study write comes with its tasks.
/** @type {Record<string, string>} */
let texts = {};

/** Take over the words that came with a component's data. @param {Record<string, string>} words */
export const learn = (words) => { texts = { ...texts, ...words }; };

/**
 * The words of a key with its values in their places: say('play.left', { left: 3, budget: 30 }).
 * @param {string} key - of the catalogue (`study/wordings`)
 * @param {Object<string, string|number>} values
 */
export function say(key, values = {}) {
  const text = texts[key];
  if (text === undefined) throw new Error(`No words for ${key}.`);
  return text.replace(/\{(\w+)\}/g, (/** @type {string} */ place, /** @type {string} */ name) => (name in values ? String(values[name]) : place));
}
