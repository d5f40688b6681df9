// One figure of the results: the drawing, and its pictures to take along.
import { draw, keep, picture } from './drawing.js';
import { h } from './dom.js';
import { mounting } from './mounting.js';

/**
 * A figure (`figure` of app/components).
 * @typedef {object} Given
 * @property {string} name of its files
 * @property {string} title
 * @property {{data: object[], layout: {height?: number}}} plot for Plotly
 * @property {string} script where Plotly is
 */
/** @typedef {{data: Given, show: () => Promise<void>, destroy: () => void}} Figure on the page */

/** @type {Promise<any> | null} */
let loading = null;

/** Plotly's script, asked for once by the first figure of the page. @param {string} address */
function library(address) {
  loading ??= new Promise((resolve, reject) => {
    const script = h('script', { src: new URL(address, document.baseURI).href });
    script.addEventListener('load', () => resolve(window.Plotly));
    script.addEventListener('error', () => { loading = null; script.remove(); reject(new Error('Plotly')); });
    document.head.append(script);
  });
  return loading;
}

/** @param {import('./mounting.js').Props} props */
function make({ parentElement, data }) {
  const root = h('div', { class: 'vantage figure' });
  const box = h('div', { class: 'plot', role: 'img' });
  const said = h('p', { class: 'said', role: 'status' }, 'Drawing…');
  const buttons = ['png', 'svg'].map((format) => h('button', { type: 'button', onclick: () => save(format) }, `Save as ${format.toUpperCase()}`));
  root.append(box, said, h('div', { class: 'saves' }, ...buttons));
  parentElement.append(root);
  /** @type {Figure} */
  const one = { data, show, destroy: () => { window.Plotly?.purge(box); root.remove(); } };
  async function show() {
    box.setAttribute('aria-label', `${one.data.title}. The table below has its numbers.`);
    box.style.minHeight = `${one.data.plot.layout.height ?? 450}px`;
    buttons.forEach((button) => button.setAttribute('aria-label', `${button.textContent}: ${one.data.title}`));
    try {
      await draw(await library(one.data.script), box, one.data.plot);
      said.textContent = '';
    } catch {
      said.textContent = 'The figure could not be drawn: reload the page. The table below has its numbers.';
    }
  }
  /** @param {string} format */
  async function save(format) {
    const { plot, title, name, script } = one.data;
    keep(await picture(await library(script), plot, title, format), `${name}.${format}`);
  }
  one.show();
  return one;
}

/** @param {Figure} one @param {import('./mounting.js').Props} props1 */
function renew(one, { data }) {
  one.data = data;
  one.show();
}

export const mount = mounting({ make, renew });
