// Small DOM helpers. Text always travels as text nodes, never as markup.

/**
 * Build an element: h('button', {class: 'x', onclick: f, 'aria-label': 'y'}, 'text', child, …).
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {ElementProps<HTMLElementTagNameMap[Tag]>} props properties, attributes, and listeners by `on…`; what is null, undefined or false is left out
 * @param {any[]} children nodes and texts, or lists of them
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name === 'dataset') Object.assign(element.dataset, value);
    else if (name in element && typeof value !== 'string') /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * The element that a selector finds within another, where there is always one.
 * @param {ParentNode} within
 * @param {string} selector
 */
export function the(within, selector) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`nothing here is ${selector}`);
  return found;
}

/**
 * What draws on a canvas, without transparency.
 * @param {HTMLCanvasElement} canvas
 */
export function brushOf(canvas) {
  const brush = canvas.getContext('2d', { alpha: false });
  if (!brush) throw new Error('no context of a canvas');
  return brush;
}

// The browser's own name for SVG, so that no address stands in our code.
const NS = the(new DOMParser().parseFromString('<svg></svg>', 'text/html'), 'svg').namespaceURI;

/**
 * Build an element of a drawing: s('path', {d: 'M0 0'}, child, …).
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes
 * @param {any[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function s(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElementTagNameMap[Tag]} */ (document.createElementNS(NS, tag));
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children.flat().filter(Boolean));
  return element;
}

/** "12:03:04" in the reader's own time zone, from an ISO time the server sent. @param {string} iso */
export function clock(iso) {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? '' : when.toLocaleTimeString([], { hour12: false });
}

/**
 * The element with the focus in the tree that this one is in: the page's, or that of the component's shadow.
 * @param {Node} element
 * @returns {HTMLElement | null}
 */
export const focusedBeside = (element) => /** @type {any} */ (element.getRootNode()).activeElement ?? null;

/**
 * The element whose shadow this one is in.
 * @param {Node} element
 * @returns {Element | undefined}
 */
export const hostOf = (element) => /** @type {any} */ (element.getRootNode()).host;

let counter = 0;
/** An id unique in the page, to tie labels to inputs. */
export const uid = (prefix = 'v') => `${prefix}-${++counter}`;

/** A random id, such as the server gives: who names a thing itself can ask again for it, and it is made once. @param {string} prefix */
export const newId = (prefix) => `${prefix}_${[...crypto.getRandomValues(new Uint8Array(10))].map((b) => b.toString(16).padStart(2, '0')).join('')}`;

/** @param {number} ms @returns {Promise<void>} */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
