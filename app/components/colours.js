// The seven colours of marks and cubes, in the order of their keys 1 to 7.

/** Name → colour on screen. Each is told apart from its neighbours by lightness as well as by hue. */
export const COLOURS = {
  red: '#e3202b', yellow: '#ffd60a', green: '#14a44d', blue: '#1769ff', pink: '#ff6db8', purple: '#8a3fd6', orange: '#ff8c1a',
};

/** Names in key order. */
export const NAMES = Object.keys(COLOURS);

/** Black or white: what can be read on this colour (WCAG contrast at least 4.5). */
export const inkOn = (name) => (['red', 'blue', 'purple'].includes(name) ? '#fff' : '#14171c');
