// A page that shows another part of itself begins at its top: Streamlit keeps what was scrolled.
/** @type {string | null} */
let last = null;

/** @param {import('./mounting.js').Props} props */
export function mount({ data }) {
  if (last !== data.part) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
  last = data.part;
}
