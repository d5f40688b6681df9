// Which key a press means, on any keyboard layout. Every listener to keys of ours is made here.

const NAMED = /^[A-Za-z][A-Za-z0-9]+$/;
const NO_WORD = new Set(['Dead', 'Unidentified']);
/** Keys beside letters and digits, as they are named on a US keyboard. @type {Record<string, string>} */
const SIGNS = { Comma: ',', Period: '.', Slash: '/', Semicolon: ';', Quote: "'", BracketLeft: '[', BracketRight: ']', Minus: '-', Equal: '=', Space: ' ' };

/** What is printed on the physical key on a US keyboard, or ''. */
const printed = (code = '') => /^Key([A-Z])$/.exec(code)?.[1].toLowerCase() ?? /^(?:Digit|Numpad)([0-9])$/.exec(code)?.[1] ?? SIGNS[code] ?? '';

/**
 * The key that a press means: a letter in lower case, a digit, a sign, or a name (`Enter`, `ArrowLeft`).
 *
 * A Latin letter is the one that was typed, wherever it lies. Where the layout has no Latin letters (Russian, Greek, Arabic, Hebrew, …) the
 * physical key decides, and so it does for the row of digits where those need Shift (French, Czech).
 */
export function pressed({ key = '', code = '', shiftKey = false }) {
  if (NAMED.test(key) && !NO_WORD.has(key)) return key;
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  const physical = printed(code);
  if (/^[0-9]$/.test(physical) && !shiftKey) return physical;
  if (/^[\x20-\x7e]$/.test(key)) return key;
  return physical || (key.length === 1 ? key.toLowerCase() : '');
}

/**
 * Whether an input method is at work: its keys (the Enter that takes a conversion) are its own. Some browsers say so by the number alone.
 * @param {KeyboardEvent} event
 */
const composing = (event) => event.isComposing || event.keyCode === 229;

/**
 * A listener for `keydown` or `keyup`.
 * @param {(key: string, event: KeyboardEvent & {currentTarget: any, target: any}) => void} act
 *   gets what was pressed; it is not called while an input method composes
 * @returns {(event: KeyboardEvent) => void}
 */
export const keyed = (act) => (event) => { if (!composing(event)) act(pressed(event), event); };
