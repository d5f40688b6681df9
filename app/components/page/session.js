// How far somebody is in the whole session: a thin bar, and in words for those who do not see it.
import { h } from './dom.js';

/** @param {Progress | null | undefined} progress */
export function sessionBar(progress) {
  if (!progress || !progress.all) return null;
  return h('progress', { class: 'session', max: String(progress.all), value: String(progress.done), 'aria-label': progress.words, title: progress.words });
}
