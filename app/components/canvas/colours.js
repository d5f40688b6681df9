// The seven colours of marks and cubes, in the order of their keys 1 to 7.
import { STYLE } from './marks_style.js';

/** Name → colour on screen. @type {Record<string, string>} */
export const COLOURS = STYLE.colours;

/** Names in key order. */
export const NAMES = Object.keys(COLOURS);
