// The answer: asked for once more, sent, and taken back while it can be; what ends the task otherwise; and what is said at its end.
import { codeOf, sentenceOf } from './api.js';
import { clock, h, sleep } from './dom.js';
import { inWords } from './forms.js';
import { keyed } from './pressed.js';
import { passing } from './shelf.js';
import { contactLine } from './stop.js';
import { say } from './words.js';

const LAST_LOOKS_MS = 1500; // an answer does not wait longer for the record of what was looked at and thought

/** What is said at the end of an episode, by its state: the keys of its words. @type {Record<string, [string, string | null]>} */
const ENDED = {
  completed: ['page.answer_saved', null],
  rejected: ['page.answer_saved', null],
  returned: ['play.ended', 'page.returned'],
  withdrawn: ['play.ended', 'page.withdrawn'],
  timed_out: ['play.ended', 'page.timed_out'],
  time_limit: ['play.time_up', null],
  time_limit_kept: ['play.time_up', 'play.time_up_kept'],
  session_time: ['play.session_up', 'play.session_up_kept'],
};

export class Answering {
  /** @param {import('./play.js').Play} play */
  constructor(play) {
    this.play = play;
    this.reviewing = false;
    /** @type {Answer | null} */
    this.takenBack = null; // an answer that was taken back, until the server says that it had not arrived
  }

  /** A press on the answer's button is done as soon as it can be: a step on its way ends first, and the server is asked what is still to do. */
  async review() {
    if (this.reviewing) return;
    this.reviewing = true;
    try {
      await this.play.opening;
      await this.play.presses.pumping;
      if (this.play.live && this.given() && this.play.todo?.left().length) await this.play.todo.look();
    } finally {
      this.reviewing = false;
    }
    if (this.play.live) this.confirmGiven(); // where it is not, the page says why in the picture's place
  }

  /** The answer and how sure, or null after saying what is missing. */
  given() {
    const answer = this.play.form.value();
    const sure = this.play.confidence.value();
    if (answer === null) { this.#lacks(this.play.form.missing()); this.play.form.focus(); return null; }
    if (sure === null && this.play.task.confidence_required) {
      this.#lacks(say('page.also_confidence'));
      this.play.confidence.focus();
      return null;
    }
    return { answer, sure };
  }

  /** Say what an answer lacks, where it can be seen. @param {string} words */
  #lacks(words) {
    this.play.problem.textContent = words;
    this.play.problem.scrollIntoView({ block: 'nearest' });
  }

  confirmGiven() {
    const given = this.given();
    if (!given) return;
    if (this.play.todo?.left().length) {
      this.#lacks(say('tutorial.first', { things: this.play.todo.left().join('; ') }));
      return;
    }
    if (this.play.paged && !this.play.task.early_answer && this.play.state.left) {
      this.#lacks(say('play.look_first', { number: this.play.seq + 1, pictures: this.play.task.budget }));
      return;
    }
    if (this.play.data.practice && !this.play.still && !this.play.paged && this.play.seq === 0) {
      this.#lacks(say('play.move_first'));
      return;
    }
    this.confirmAnswer(given.answer, given.sure);
  }

  /**
   * Ask once more, then send. Until an attempt leaves, and again while one has failed, it can be taken back; in between the page says that it cannot.
   * @param {Answer} answer
   * @param {number | null} sure
   */
  confirmAnswer(answer, sure) {
    const dialog = this.play.dialogs.confirm;
    const problem = h('p', { class: 'problem', role: 'alert' });
    const unseen = !this.play.still && !this.play.paged && Boolean(this.play.state.parts) && this.play.state.part < this.play.state.parts;
    const note = h('p', { class: 'note', role: 'status', 'aria-live': 'polite' }, say('play.cannot_change'));
    /** @type {AbortController | null} */
    let sending = null; // set from Submit until the server's word
    let leaving = false; // an attempt is on its way: it may be stored at any moment
    let failed = false; // an attempt has failed: the page tries again by itself
    let wished = false; // it is to be taken back as soon as the attempt on its way has failed
    const show = (/** @type {string} */ words) => {
      note.textContent = words;
      back.disabled = leaving && !failed;
      back.textContent = say(sending ? 'play.take_it_back' : 'play.not_yet');
      go.disabled = Boolean(sending);
    };
    const leave = () => {
      if (leaving) {
        wished = failed;
        if (wished) show(say('play.taking_back'));
        return;
      }
      const taken = sending;
      sending = null;
      taken?.abort();
      dialog.close();
      if (taken) this.tookBack(answer);
    };
    const back = h('button', { type: 'button', onclick: leave }, say('play.not_yet'));
    const go = h('button', { type: 'button', class: 'primary', onclick: async () => {
      const submitted = Date.now();
      const mine = new AbortController();
      sending = mine;
      failed = wished = false;
      clearTimeout(this.play.thoughts.timer);
      problem.textContent = '';
      const trouble = (/** @type {Trouble} */ state) => {
        this.play.trouble(state);
        if (sending !== mine || !state) return;
        leaving = false;
        failed = true;
        if (wished) { leave(); return; }
        show(say('play.not_saved', { problem: state.message }));
      };
      const sets = () => { leaving = true; if (!failed) show(say('play.sending')); };
      try {
        this.play.thoughts.unsent = false; // the answer says it
        await Promise.race([Promise.all([this.play.view.finish?.(), this.play.thoughts.noting]), sleep(LAST_LOOKS_MS)]);
        const body = { episode: this.play.episode, epoch: this.play.epoch, answer, confidence: sure, t: submitted };
        const reply = await (await this.play.post('api/answer', body, trouble, { signal: mine.signal, leaving: sets })).json();
        leaving = false;
        sending = null;
        dialog.close();
        this.finished(reply);
      } catch (error) {
        if (this.play.abort.signal.aborted || mine.signal.aborted) return;
        leaving = false;
        sending = null;
        show(say('play.cannot_change'));
        const code = codeOf(error);
        if (code === 'taken_over') { dialog.close(); this.play.takenOver(); } else if (code === 'episode_over') {
          dialog.close(); this.play.open(); } else problem.textContent = sentenceOf(error);
      }
    } }, say('play.submit'));
    // Escape is "Not yet", and as little possible while an attempt is on its way.
    dialog.onkeydown = keyed((key, event) => { if (key === 'Escape') { event.preventDefault(); event.stopPropagation(); leave(); } });
    dialog.oncancel = (event) => { event.preventDefault(); leave(); };
    dialog.replaceChildren(h('h2', {}, say('play.final')),
      h('p', { class: 'final' }, inWords(answer, this.play.task.question)),
      h('p', { class: 'unseen', hidden: !unseen }, unseen ? say('play.unseen', { part: this.play.state.part, parts: this.play.state.parts }) : ''),
      h('p', {}, sure === null ? say('play.no_confidence') : say('play.confidence', { n: sure })),
      note, problem,
      h('div', { class: 'row end' }, back, go));
    dialog.showModal();
    (unseen ? back : go).focus();
  }

  /**
   * A submission was taken back after an attempt had failed. Its request may have arrived with only the reply lost, so the server is asked.
   * @param {Answer} answer
   */
  tookBack(answer) {
    this.takenBack = answer;
    this.play.trouble(null);
    this.play.announce(say('play.took_back'));
    this.play.open();
  }

  /** The time is up by this page's clock: whether it is, the server's says; what stands here goes with the question. */
  async timeUp() {
    if (!this.play.live) return;
    clearTimeout(this.play.thoughts.timer);
    this.play.announce(say('play.time_asking'));
    try {
      await Promise.race([Promise.all([this.play.happened.line, this.play.thoughts.noting]), sleep(LAST_LOOKS_MS)]);
      const draft = { answer: (this.play.form.partial || this.play.form.value)(), confidence: this.play.confidence.value() };
      const { left } = await (await this.play.post('api/time', { episode: this.play.episode, epoch: this.play.epoch, ...draft })).json();
      if (this.play.shell.dataset.state === 'finished') return; // the answer was on its way
      this.play.announce('');
      if (left !== null) { this.play.timeLeft.begin(left, this.play.task.clock.limit); return; }
      await this.play.presses.pumping;
      for (const dialog of Object.values(this.play.dialogs)) if (dialog.open) dialog.close();
      await this.play.open();
    } catch (error) {
      if (this.play.abort.signal.aborted) return;
      if (codeOf(error) === 'taken_over') this.play.takenOver(); else this.play.fatal(error);
    }
  }

  /** @param {Ended} reply */
  finished(reply) {
    this.play.live = false;
    this.play.timeLeft?.stop();
    this.play.happened.over();
    this.play.presses.queue = [];
    this.play.shell.dataset.state = 'finished';
    passing.forget(this.play.thoughts.draftKey());
    const feedback = reply.feedback ? h('p', { class: 'final' }, reply.feedback.correct
      ? say('page.right') : say('play.was_wrong', { answer: inWords(reply.answer, this.play.task.question),
      right: inWords(reply.feedback.right_answer, this.play.task.question) })) : null;
    const next = h('button', { type: 'button', class: 'primary', onclick: () => { next.disabled = true; this.play.leave(this.play.data.following); } },
      this.play.data.next || say('page.continue'));
    const [title, how] = ENDED[reply.ended_by === 'time_limit' && reply.answered ? 'time_limit_kept' : reply.ended_by || reply.state] || ['play.over', null];
    const why = this.takenBack ? say('play.had_arrived', { answer: inWords(this.takenBack, this.play.task.question) }) : how && say(how);
    const box = h('section', { class: 'done' }, h('h1', {}, say(title)), why ? h('p', {}, why) : null,
      h('p', { class: 'note' }, say('page.saved', { time: clock(reply.saved_at) })), feedback, this.play.data.pause ? h('p', {}, this.play.data.pause) : null,
      reply.comes_again ? h('p', {}, say('tutorial.comes_again')) : null, next, contactLine(this.play.data.stop?.contact));
    const leave = this.play.data.following || this.play.data.example ? [h('p', { class: 'leave' }, this.play.stop.button)] : [];
    this.play.shell.replaceChildren(box, ...leave, this.play.stop.dialog);
    next.focus();
  }
}
