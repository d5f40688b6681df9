// A page that shows another part of itself begins at its top: Streamlit keeps what was scrolled. And what it says while the server is away is said in
// the language of the page.

/** Go there. */
export function toTop() { document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 }); }

/** @type {string | null} */
let last = null;

/** What lies beside the page for the time when the server is away, and its own words (`app.first_paint`). */
const away = document.querySelector('body > .connection-lost');
const own = away?.textContent ?? '';

/** @param {import('./mounting.js').Props} props */
export function mount({ data }) {
  if (last !== data.part) toTop();
  last = data.part;
  if (!away) return undefined;
  away.textContent = data.lost;
  away.setAttribute('lang', data.language);
  return () => { away.textContent = own; away.removeAttribute('lang'); };
}
