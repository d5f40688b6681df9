// What our browser code finds around itself, for the checker of types alone (tools/browser_code.py): nothing of this is served.

interface ParentNode {
  querySelector<Tag extends keyof HTMLElementTagNameMap>(selectors: Tag): HTMLElementTagNameMap[Tag] | null;
  querySelector(selectors: string): HTMLElement | null;
  querySelectorAll<Tag extends keyof HTMLElementTagNameMap>(selectors: Tag): NodeListOf<HTMLElementTagNameMap[Tag]>;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}

interface Window {
  /** Plotly's library, once its script is loaded. */
  Plotly?: any;
  /** What the play page tells tests about its steps. */
  __vantage?: { steps: any[]; last?: any };
}

// study/analysis/report/page.py puts drawing.js before report.js, in one script.
declare const draw: typeof import('../../study/analysis/report/drawing.js').draw;
declare const keep: typeof import('../../study/analysis/report/drawing.js').keep;
declare const picture: typeof import('../../study/analysis/report/drawing.js').picture;

/** A listener of an element, or none. */
type Listener<Happened extends Event, Element> = ((event: Happened & { currentTarget: Element }) => void) | null | undefined | false;

/** What `h` (`dom.js`) makes an element with: properties, attributes, and listeners. */
interface ElementProps<Element> {
  [name: string]: any;
  onclick?: Listener<MouseEvent, Element>;
  onsubmit?: Listener<SubmitEvent, Element>;
  onchange?: Listener<Event, Element>;
  oninput?: Listener<Event, Element>;
  onclose?: Listener<Event, Element>;
  onfocus?: Listener<FocusEvent, Element>;
  onfocusin?: Listener<FocusEvent, Element>;
  onfocusout?: Listener<FocusEvent, Element>;
  onkeydown?: Listener<KeyboardEvent, Element>;
  onpointerdown?: Listener<PointerEvent, Element>;
  onpointermove?: Listener<PointerEvent, Element>;
  onpointerup?: Listener<PointerEvent, Element>;
}
