// What is thought while the task goes on: kept in the browser as a draft, and noted by the server where the protocol asks for it.
import { codeOf, sentenceOf } from './api.js';
import { clock } from './dom.js';
import { passing } from './shelf.js';
import { say } from './words.js';

export class Thoughts {
  /** @param {import('./play.js').Play} play */
  constructor(play) {
    this.play = play;
    this.n = 0; // of the last that was noted
    this.probing = false; // whether what is thought is noted at this view
    this.unsent = false;
    this.thought = 0; // when it last changed, ms since 1970
    /** @type {Promise<void> | null} */
    this.noting = null;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  draftKey() { return `vantage.draft.${this.play.episode}`; }

  changed() {
    this.play.problem.textContent = '';
    this.thought = Date.now();
    const draft = { answer: (this.play.form.partial || this.play.form.value)(), confidence: this.play.confidence.value() };
    passing.keep(this.draftKey(), draft);
    if (!this.probing) return;
    this.play.beliefState.textContent = '…';
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), this.play.task.question.form === 'free_text' ? 900 : 250);
  }

  /** @param {Task} task */
  restore(task) {
    const draft = passing.read(this.draftKey()) || (task.belief ? { answer: task.belief.answer, confidence: task.belief.confidence } : null);
    this.n = task.belief?.n || 0;
    if (!draft) return;
    if (draft.answer !== null && draft.answer !== undefined) this.play.form.set(draft.answer);
    this.play.confidence.set(draft.confidence);
  }

  /** Note what is thought now; one request at a time, so that what is kept last is what was thought last. */
  send() {
    this.unsent = true;
    this.noting ??= this.notes().finally(() => { this.noting = null; });
    return this.noting;
  }

  async notes() {
    while (this.unsent && this.play.live) {
      this.unsent = false;
      await this.note();
    }
  }

  async note() {
    const answer = (this.play.form.partial || this.play.form.value)();
    const sure = this.play.confidence.value();
    if (!this.probing || (answer === null && sure === null)) { this.play.beliefState.textContent = ''; return; }
    this.n += 1;
    const { epoch } = this.play;
    try {
      const body = { episode: this.play.episode, epoch, n: this.n, answer, confidence: sure, t: this.thought };
      const reply = await (await this.play.post('api/belief', body)).json();
      if (!this.unsent) this.play.beliefState.textContent = say('play.noted', { time: clock(reply.saved_at) });
      this.play.saved(reply.saved_at);
      this.play.todo?.look();
    } catch (error) {
      if (this.play.abort.signal.aborted) return;
      const code = codeOf(error);
      if (code === 'taken_over' && await this.play.byOurselves(epoch)) this.unsent = true;
      else if (code === 'taken_over') this.play.takenOver();
      else if (code === 'episode_over') this.play.open();
      else this.play.beliefState.textContent = sentenceOf(error);
    }
  }
}
