// A page that shows another part of itself begins at its top: Streamlit keeps what was scrolled.

/** Go there. */
export function toTop() { document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 }); }

/** @type {string | null} */
let last = null;

/** @param {import('./mounting.js').Props} props */
export function mount({ data }) {
  if (last !== data.part) toTop();
  last = data.part;
}
