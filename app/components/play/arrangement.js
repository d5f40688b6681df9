// How large the picture is shown, and where what belongs to it stands, for a window of a given size.

/** Edges and gaps of the page (CSS px): columns for the strip of earlier views, for the actions and for the answer. */
export const GAP_PX = 14;
const STRIP_PX = [112, 208];
const COLUMN_PX = [254, 380];
export const SIDE_PX = 272;
/** Below this share of the room, whole pixels waste too much of it: the picture is then shrunk smoothly to what fits. */
const WHOLE_SHARE = 0.8;
/** A window that is lower has no line to spare for a head that stays. */
const LOW_PX = 560;
/** Of a stacked page's height, the picture takes at most this share: some of what acts on it can be seen beside. */
const STACKED_SHARE = 0.74;

/**
 * The width (CSS px) at which a picture of `width` pixels fits into `room` CSS pixels: a whole number of screen pixels for each of its own
 * where that uses the room well; else as large as fits, but never larger than one CSS pixel each.
 * @type {(width: number, room: number, ratio: number) => number}
 */
export function pictureWidth(width, room, ratio) {
  const whole = Math.floor((room * ratio) / width) * (width / ratio);
  const smooth = Math.min(width, Math.floor(room));
  return whole >= WHOLE_SHARE * smooth ? whole : smooth;
}

/**
 * @param {object} page
 * @param {number} page.width - of the picture, in its own pixels
 * @param {number} page.height
 * @param {number} page.room - width of the page, CSS px
 * @param {number} page.tall - height of the window, CSS px
 * @param {number} page.head - height of the question's head, CSS px
 * @param {number} page.ratio - screen pixels per CSS pixel
 * @param {boolean} page.strip - whether earlier views are shown
 * @param {boolean} page.still - whether nothing can be done but answering
 * @returns {{form: string, picture: number, strip: number, stays: boolean}} `columns`: earlier views, picture, actions and answer side by
 *   side; `three`: earlier views below the picture; `beside`: actions and answer in one column; `stacked`: all below the picture. `picture`
 *   and `strip` are widths in CSS px.
 */
export function arrange({ width, height, room, tall, head, ratio, strip, still }) {
  const stays = tall >= LOW_PX;
  const across = (/** @type {number} */ pixels) => (pixels * width) / height;
  const seen = across(tall - (stays ? head : 0) - 2 * GAP_PX); // so wide, the whole picture is in the window
  const count = still ? 1 : 2;
  const three = room - count * (COLUMN_PX[0] + GAP_PX);
  const columns = three - (strip ? STRIP_PX[0] + GAP_PX : 0);
  if (columns >= width) {
    const picture = pictureWidth(width, Math.min(columns, Math.max(seen, width / 2)), ratio);
    const spare = columns - picture - count * (COLUMN_PX[1] - COLUMN_PX[0]);
    return { form: 'columns', picture, strip: Math.min(STRIP_PX[1], STRIP_PX[0] + Math.max(0, spare)), stays };
  }
  const [small] = STRIP_PX;
  if (three >= width) return { form: 'three', picture: pictureWidth(width, Math.min(three, Math.max(seen, width / 2)), ratio), strip: small, stays };
  const one = room - SIDE_PX - GAP_PX;
  if (one >= width * WHOLE_SHARE) return { form: 'beside', picture: pictureWidth(width, Math.min(one, Math.max(seen, width / 2)), ratio), strip: small, stays };
  const low = seen >= width ? seen : Math.max(seen * STACKED_SHARE, Math.min(width / 2, room));
  return { form: 'stacked', picture: pictureWidth(width, Math.min(room, low), ratio), strip: small, stays };
}
