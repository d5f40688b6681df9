// A page that shows another part of itself begins at its top: Streamlit keeps what was scrolled.
let last = null;

export function mount({ data }) {
  if (last !== data.part) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
  last = data.part;
}
