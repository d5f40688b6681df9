// How a figure of the results is drawn and saved: on the page of results and in the report, by one script.

const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, showTips: false };
const PAPER = '#ffffff';
const WIDTH = 1000;
const TITLE_PX = 46;
/** A picture stands alone: a font that the page loads is measured there and not found in it, and labels would be cut. */
const FAMILY = 'system-ui, sans-serif';

/**
 * Draw a figure; its text has the colour of the page around it (drawing.css).
 * @param {any} plotly the library
 * @param {HTMLElement} box what to draw in
 * @param {{data: object[], layout: any}} plot as Plotly's own Python library tells it
 */
export async function draw(plotly, box, plot) {
  const { data, layout } = structuredClone(plot); // the library writes into what it gets
  await plotly.react(box, data, { ...layout, dragmode: false, autosize: true }, CONFIG);
}

/**
 * A figure as a picture on white paper with its title: a data address.
 * @param {any} plotly the library
 * @param {{data: object[], layout: any}} plot as in draw
 * @param {string} title above it
 * @param {string} format png or svg; PNG has twice the pixels
 */
export async function picture(plotly, plot, title, format) {
  const { data, layout } = structuredClone(plot);
  const height = (layout.height ?? 450) + TITLE_PX;
  const margin = { ...layout.margin, t: (layout.margin?.t ?? 44) + TITLE_PX };
  const above = { text: title, x: 0, xref: 'container', xanchor: 'left', pad: { l: 12, t: 12 }, y: 1, yanchor: 'top', yref: 'container' };
  const font = { ...layout.font, family: FAMILY };
  const whole = { ...layout, font, margin, height, width: WIDTH, autosize: false, title: above, paper_bgcolor: PAPER, plot_bgcolor: PAPER };
  return plotly.toImage({ data, layout: whole }, { format, width: WIDTH, height, scale: format === 'png' ? 2 : 1 });
}

/** Give the browser a file to keep. @param {string} address @param {string} name */
export function keep(address, name) {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
