// Talking to the server: one place that knows errors and retries.
// Addresses are relative to the page, without a slash before them: pages stand directly below the app, at the root or at a sub-path.
import { sleep } from './dom.js';
import { say } from './words.js';

/** What the server refused, with the sentence it gave. `code` is stable, `message` is for people. */
export class Refused extends Error {
  /**
   * @param {number} status of the reply
   * @param {any} body of it: `error`, `message`, and what else belongs to that error
   */
  constructor(status, body) {
    super(body.message || say('page.refused'));
    this.status = status;
    this.code = body.error || 'refused';
    this.body = body;
  }
}

/** What to tell people of a failure: the server's own sentence; else that something went wrong, and what it was stands in the console. */
export function sentenceOf(/** @type {unknown} */ error) {
  if (error instanceof Refused) return error.message;
  console.error(error);
  return say('page.error_again');
}

/** It was not sent again: whoever sent it does not want it any more. Whether it arrived is not known. */
export class NoMore extends Error {}

/** The server's code of what it refused; empty where something else went wrong. */
export const codeOf = (/** @type {unknown} */ error) => (error instanceof Refused ? error.code : '');

// Worth trying again with the same sequence number: the server does each one once.
const AGAIN = new Set(['bridge_down', 'no_room', 'storage_full', 'store_busy', 'too_fast', 'internal']);
const BACKOFF_MS = [250, 500, 1000, 2000, 4000];

/** A request that has had no answer for so long has met a broken connection, and is sent again (ms). */
const SILENT_MS = 20_000;
/** The same where the server says "not yet" after five seconds at most: steps, and opening a task. */
export const PROMPT_MS = 12_000;
/** The same where a simulator is brought up and does much before there is an answer, or many things are done at once. */
export const LONG_MS = 150_000;
/** So long may the rest of an answer take that has begun: pictures over a thin line (ms). */
const REST_MS = 120_000;
/** A step, whose reply is taken apart as it comes: when its first and its last byte are here is measured. */
const STEP_TYPE = 'application/vnd.vantage.step';

/**
 * @param {string} path
 * @param {any} body none: a GET
 * @param {AbortSignal} [signal]
 * @param {boolean} [keepalive]
 * @param {number} [within] so long is it waited for (ms)
 */
async function once(path, body, signal, keepalive, within = SILENT_MS) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), within);
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: 'same-origin',
    cache: 'no-store',
    signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    keepalive, // what is told when the page is left arrives all the same
  }).finally(() => clearTimeout(timer));
  timer = setTimeout(() => silence.abort(), REST_MS); // once all of it is here this ends nothing any more
  if (response.ok && (response.status === 204 || response.headers.get('content-type') === STEP_TYPE)) return response;
  const whole = await response.arrayBuffer(); // where its rest does not come it is asked for again
  clearTimeout(timer);
  if (response.ok) return new Response(whole, response);
  /** @type {{error?: string, message?: string}} */
  let reply = {};
  try {
    reply = JSON.parse(new TextDecoder().decode(whole));
  } catch {
    // A proxy's own error page: no sentence of ours in it.
  }
  if (!reply.error && response.status >= 500) reply = { error: 'internal', message: say('page.no_answer') };
  throw new Refused(response.status, reply);
}

/** @typedef {{kind: string, message: string, place?: number}} Sign of trouble */

/**
 * Send and keep trying until the server has answered: network failures and passing troubles are retried with the
 * same body, so the sequence number stays the same and nothing happens twice.
 *
 * @param {string} path
 * @param {any} [body] none: a GET
 * @param {object} [how]
 * @param {(state: null | Sign) => void} [how.sign] told about trouble, and null when it is over
 * @param {AbortSignal} [how.signal] ends the trying
 * @param {() => void} [how.leaving] told each time an attempt leaves: until `sign` tells of trouble it may arrive at any moment
 * @param {boolean} [how.keepalive] it arrives although the page is left
 * @param {number} [how.within] an attempt without an answer counts as failed after so long (ms)
 * @param {() => boolean} [how.late] whether it is too late to send it again where no answer came; then `NoMore` is thrown, and the sign of
 *   trouble stands
 */
export async function send(path, body, { sign = () => {}, signal, leaving = () => {}, keepalive = false, within, late = () => false } = {}) {
  let troubled = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      leaving();
      const response = await once(path, body, signal, keepalive, within);
      if (response.status === 202) {
        const { place } = await response.json();
        // below 0: the simulator of this task is not there, so there is no line to stand in
        const message = place > 0 ? say('page.in_line', { place }) : say(place < 0 ? 'page.simulator_away' : 'page.getting_ready');
        sign({ kind: place < 0 ? 'away' : 'waiting', place, message });
        troubled = true;
        attempt = -1;
        await sleep(400);
        continue;
      }
      if (troubled) sign(null);
      return response;
    } catch (error) {
      if (signal?.aborted) throw error;
      if (error instanceof Refused && !AGAIN.has(error.code)) {
        if (troubled) sign(null);
        throw error;
      }
      troubled = true;
      if (error instanceof Refused) sign({ kind: error.code, message: say('page.trying_again', { problem: error.message }), place: error.body.place });
      else sign({ kind: 'offline', message: say('page.offline') });
      await sleep(BACKOFF_MS[Math.min(attempt < 0 ? 0 : attempt, BACKOFF_MS.length - 1)]);
      if (late() && (!(error instanceof Refused) || error.code === 'internal')) throw new NoMore();
    }
  }
}

const LENGTH_BYTES = 4;

/**
 * A step's reply taken apart: its JSON, and its frames one after the other. The body is the JSON's length (big-endian), the JSON, the frames.
 * @param {Response} response
 */
export async function stepOf(response) {
  const body = await response.arrayBuffer();
  const frames = LENGTH_BYTES + new DataView(body).getUint32(0);
  const step = JSON.parse(new TextDecoder().decode(body.slice(LENGTH_BYTES, frames)));
  return { step, frames: new Blob([body.slice(frames)], { type: 'image/webp' }) };
}
