// Whether the pictures of one step show anything that moves.

/** At this size pictures are compared: what is smaller than a pixel of it is not noticed in a short film. */
const SMALL = { width: 160, height: 120 };
/** A pixel counts as another where a channel differs by more than this, of 255; and so many pixels make a difference that is seen. */
const APART = 48;
const SEEN = 8;

/** @param {Blob} blob */
async function pixelsOf(blob) {
  const bitmap = await createImageBitmap(blob, { resizeWidth: SMALL.width, resizeHeight: SMALL.height, resizeQuality: 'medium' });
  const canvas = Object.assign(document.createElement('canvas'), SMALL);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false, willReadFrequently: true }));
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return context.getImageData(0, 0, SMALL.width, SMALL.height).data;
}

/**
 * Whether nobody could tell the pictures of a step apart.
 * @param {Blob[]} pictures
 */
export async function alike(pictures) {
  const [first, ...rest] = await Promise.all(pictures.map(pixelsOf));
  return rest.every((other) => {
    let apart = 0;
    for (let at = 0; at < first.length; at += 4) {
      apart += Number([0, 1, 2].some((channel) => Math.abs(first[at + channel] - other[at + channel]) > APART));
      if (apart >= SEEN) return false;
    }
    return true;
  });
}
