// The way back to whoever sent a participant: a button, and where the study wants it the page goes there by itself.
import { h } from './dom.js';
import { mounting } from './mounting.js';

/** @typedef {{link: string, label: string, soon: string, stay: string, after_s: number}} Way as of `app.components.leaving` */

class Leaving {
  /** @type {Way | undefined} */ data;
  /** @type {number | undefined} */ going;

  /** @param {HTMLElement} root @param {Way} data */
  constructor(root, data) {
    this.link = h('a', { class: 'go', rel: 'noreferrer', target: '_self' });
    this.told = h('p', { class: 'note', role: 'status' });
    this.stay = h('button', { type: 'button', onclick: () => this.rest() }, '');
    this.shell = h('div', { class: 'vantage leaving' }, this.link, this.told, this.stay);
    root.append(this.shell);
    this.update(data);
  }

  /** @param {Way} data */
  update(data) {
    const fresh = !this.data || this.data.link !== data.link;
    this.data = data;
    this.link.href = data.link;
    this.link.textContent = data.label;
    this.stay.textContent = data.stay;
    if (fresh) {
      clearTimeout(this.going);
      this.told.textContent = data.after_s ? data.soon : '';
      this.stay.hidden = !data.after_s;
      if (data.after_s) this.going = setTimeout(() => { window.location.assign(data.link); }, data.after_s * 1000);
    }
  }

  rest() {
    clearTimeout(this.going);
    this.told.textContent = '';
    this.stay.hidden = true;
    this.link.focus();
  }

  destroy() { clearTimeout(this.going); this.shell.remove(); }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data }) => new Leaving(parentElement, data),
  renew: (leaving, { data }) => leaving.update(data),
});
