// An episode as a researcher looks at it: one frame at its exact pixels, with a slider over the steps.
import { Refused, send } from './api.js';
import { h } from './dom.js';
import { mounting } from './mounting.js';

class Viewer {
  constructor(root, data) {
    this.data = data;
    this.cache = new Map();
    this.abort = new AbortController();
    this.canvas = h('canvas', { width: data.width, height: data.height, class: 'frame', role: 'img', 'aria-label': 'Frame' });
    this.canvas.style.width = `${data.width}px`;
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.slider = h('input', { type: 'range', min: '0', max: String(data.steps.length - 1), value: '0', 'aria-label': 'Step', oninput: () => this.show(Number(this.slider.value)) });
    this.caption = h('p', { class: 'caption', role: 'status', 'aria-live': 'polite' });
    this.list = h('ol', { class: 'steps' }, data.steps.map((step, index) => h('li', {},
      h('button', { type: 'button', class: step.ok ? '' : 'failed', onclick: () => this.show(index) },
        h('b', {}, String(step.seq)), h('span', {}, step.text), step.note ? h('em', {}, step.note) : null))));
    this.shell = h('div', { class: 'vantage viewer' },
      h('div', { class: 'left' }, this.canvas,
        h('div', { class: 'row' },
          h('button', { type: 'button', 'aria-label': 'Previous step', onclick: () => this.show(this.index - 1) }, '‹'), this.slider,
          h('button', { type: 'button', 'aria-label': 'Next step', onclick: () => this.show(this.index + 1) }, '›')), this.caption),
      this.list);
    root.append(this.shell);
    this.show(0);
  }

  async show(index) {
    const at = Math.max(0, Math.min(this.data.steps.length - 1, index));
    this.index = at;
    const step = this.data.steps[at];
    this.slider.value = String(at);
    this.caption.textContent = `Step ${step.seq} of ${this.data.steps.at(-1).seq}: ${step.text}`;
    [...this.list.children].forEach((item, number) => item.firstChild.toggleAttribute('aria-current', number === at));
    this.list.children[at].scrollIntoView({ block: 'nearest' });
    try {
      if (!this.cache.has(step.seq)) {
        this.cache.set(step.seq, send(`api/staff/frame/${encodeURIComponent(this.data.episode)}/${step.seq}`, undefined, { signal: this.abort.signal }).then((reply) => reply.blob()));
      }
      const bitmap = await createImageBitmap(await this.cache.get(step.seq));
      if (this.index === at) {
        this.context.drawImage(bitmap, 0, 0);
        this.canvas.dataset.seq = step.seq;
        delete this.canvas.dataset.damaged;
        this.canvas.setAttribute('aria-label', `Frame after step ${step.seq}: ${step.text}`);
      }
      bitmap.close();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.cache.delete(step.seq);
      if (!(error instanceof Refused)) console.error(error);
      this.list.children[at].firstChild.classList.add('damaged');
      if (this.index !== at) return;
      // The picture of another step under this one's words would be a lie: the place is marked instead.
      this.#mark();
      this.canvas.dataset.seq = step.seq;
      this.canvas.setAttribute('aria-label', `The frame after step ${step.seq} cannot be shown`);
      this.caption.textContent = `Step ${step.seq}: ${error instanceof Refused ? error.message : 'This frame cannot be shown.'}`;
    }
  }

  /** A cross in place of a frame. */
  #mark() {
    const { width, height } = this.canvas;
    this.canvas.dataset.damaged = '';
    this.context.fillStyle = '#16181d';
    this.context.fillRect(0, 0, width, height);
    this.context.strokeStyle = '#d97a72';
    this.context.lineWidth = 3;
    this.context.beginPath();
    for (const [from, to] of [[0, width], [width, 0]]) { this.context.moveTo(from, 0); this.context.lineTo(to, height); }
    this.context.stroke();
  }

  destroy() { this.abort.abort(); this.shell.remove(); }
}

/** Entry for the page. */
export const mount = mounting({
  make: ({ parentElement, data }) => new Viewer(parentElement, data),
  renew: () => {},
  same: (viewer, data) => viewer.data.episode === data.episode && viewer.data.steps.length === data.steps.length,
});
