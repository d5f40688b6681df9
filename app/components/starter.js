// Where an author begins: which subtask, and which kept moment. Nothing is made before the button is pressed.
import { h, uid } from './dom.js';
import { mounting } from './mounting.js';

/** Moments shown at once. */
const PAGE = 12;
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

class Starter {
  constructor(root, data, setTrigger) {
    this.setTrigger = setTrigger;
    this.shown = PAGE;
    this.kinds = h('div', { class: 'kinds', role: 'radiogroup', 'aria-label': 'Subtask' });
    this.find = h('input', { type: 'search', placeholder: 'Find a task in words', 'aria-label': 'Find moments by their task', oninput: () => { this.shown = PAGE; this.list(); } });
    this.count = h('span', { class: 'note', role: 'status' });
    this.grid = h('div', { class: 'moments', role: 'radiogroup', 'aria-label': 'Moment' });
    this.more = h('button', { type: 'button', onclick: () => { this.shown += PAGE; this.list(); this.grid.querySelectorAll('input')[this.shown - PAGE]?.focus(); } }, 'Show more');
    this.told = h('p', { class: 'note' });
    this.go = h('button', { type: 'button', class: 'primary', onclick: () => this.begin() }, 'Begin');
    this.shell = h('div', { class: 'vantage starter' },
      h('div', { class: 'what' }, h('h2', {}, '1. What is needed'), this.kinds),
      h('div', { class: 'which' }, h('div', { class: 'shead' }, h('h2', {}, '2. A moment'), this.count, this.find), this.grid, h('div', { class: 'row end' }, this.more)),
      h('div', { class: 'bar' }, this.told, this.go));
    root.append(this.shell);
    this.update(data);
  }

  update(data) {
    this.data = data;
    if (!data.subtasks.some(({ slug }) => slug === this.subtask)) this.subtask = (data.subtasks.find(({ left }) => left) || data.subtasks[0]).slug;
    const key = JSON.stringify(data.subtasks);
    if (this.built !== key) { this.built = key; this.#kinds(); }
    this.list();
  }

  #kinds() {
    const name = uid('kind');
    this.kinds.replaceChildren(...this.data.subtasks.map((one) => {
      const input = h('input', { type: 'radio', name, value: one.slug, checked: one.slug === this.subtask, onchange: () => { this.subtask = one.slug; this.shown = PAGE; this.list(); } });
      const share = one.target ? Math.min(100, (100 * (one.accepted + one.under_way)) / one.target) : 0;
      const done = one.target ? Math.min(100, (100 * one.accepted) / one.target) : 0;
      const words = one.target ? `${one.accepted} of ${one.target} accepted${one.under_way ? `, ${one.under_way} under way` : ''}` : 'No number is asked for';
      return h('label', { class: 'kind' }, input, h('span', { class: 'name' }, one.name), h('span', { class: 'need' }, one.target && !one.left ? 'full' : one.left ? `${one.left} to do` : ''),
        h('span', { class: 'track', 'aria-hidden': 'true' }, h('i', { class: 'way', style: `width:${share}%` }), h('i', { class: 'in', style: `width:${done}%` })), h('span', { class: 'words' }, words));
    }));
  }

  get kind() { return this.data.subtasks.find(({ slug }) => slug === this.subtask); }

  /** Moments that fit the subtask and the words; those that serve it best first. */
  get fitting() {
    const words = this.find.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const fits = this.data.moments.filter((moment) => this.kind.arms.includes(moment.arm) && words.every((word) => `${moment.task} ${moment.source} ${moment.episode}`.toLowerCase().includes(word)));
    const rank = (moment) => [moment.triage.includes(this.subtask) ? 0 : 1, moment.used];
    return fits.map((moment) => [rank(moment), moment]).sort(([a], [b]) => a[0] - b[0] || a[1] - b[1]).map(([, moment]) => moment);
  }

  list() {
    const { fitting } = this;
    if (!fitting.some(({ id }) => id === this.moment)) this.moment = null;
    const focused = this.grid.contains(this.shell.getRootNode().activeElement);
    const name = uid('moment');
    this.grid.replaceChildren(...fitting.slice(0, this.shown).map((moment) => {
      const input = h('input', { type: 'radio', name, value: moment.id, checked: moment.id === this.moment, onchange: () => { this.moment = moment.id; this.sync(); } });
      const used = moment.used ? plural(moment.used, 'item made', 'items made') : '';
      const fit = moment.triage.includes(this.subtask) ? 'may serve this subtask' : '';
      return h('label', { class: 'moment', ondblclick: () => this.begin() }, input,
        h('span', { class: 'views' }, moment.views.map((view) => h('img', { src: view.url, alt: view.words, loading: 'lazy', style: `aspect-ratio:${view.width}/${view.height}` }))),
        h('span', { class: 'task' }, moment.task || 'No task is told'),
        h('span', { class: 'words' }, [moment.source, moment.episode.split('/').slice(0, 2).join('/'), `frame ${moment.frame}`, used, fit].filter(Boolean).join(' · ')));
    }));
    if (focused) this.grid.querySelector('input:checked, input')?.focus();
    const empty = !this.data.moments.length ? this.data.empty
      : fitting.length ? '' : this.find.value.trim() ? 'No kept moment fits these words.' : `No kept moment is of a ${this.kind.arms.join(' or ')} arm, which this subtask needs. Keep some on the page Moments.`;
    if (empty) this.grid.append(h('p', { class: 'empty' }, empty));
    this.count.textContent = fitting.length ? plural(fitting.length, 'kept moment', 'kept moments') : '';
    this.more.hidden = fitting.length <= this.shown;
    this.find.hidden = this.data.moments.length < 2;
    this.sync();
  }

  sync() {
    const { kind } = this;
    const { blocked } = this.data;
    this.go.textContent = `Begin ${kind.name}`;
    this.go.disabled = Boolean(blocked) || !this.moment || (kind.target > 0 && !kind.left && !this.data.trial);
    this.told.textContent = blocked || (kind.target > 0 && !kind.left && !this.data.trial ? 'There are enough items of this subtask: choose another.' : !this.data.moments.length ? '' : this.moment ? kind.advice : 'Choose a moment: its pictures are what the question is about.');
  }

  begin() {
    this.sync();
    if (!this.go.disabled) this.setTrigger('begin', { subtask: this.subtask, moment: this.moment });
  }

  destroy() { this.shell.remove(); }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data, setTriggerValue }) => new Starter(parentElement, data, setTriggerValue),
  renew: (starter, { data, setTriggerValue }) => { starter.setTrigger = setTriggerValue; starter.update(data); },
});
