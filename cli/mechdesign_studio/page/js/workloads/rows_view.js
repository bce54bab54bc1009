// The reports of a local design, or its levels: bands along the items, drawn as high as each is likely, and as a table.

import { amount, colours, css, h, onTheme, put, seen, set, shareText, table } from "../kit.js";

const [WIDTH, HEIGHT, MOST_LISTED, FIRST] = [560, 360, 40, 12];
const ROWS = "Each band is a report, as high as it is likely. Items in the strong colour make it likely, by a factor exp(epsilon); the table lists the likeliest.";
const LEVELS = "Each band is a level, as high as it is often drawn, at the first of its shifts. A report of it holds some of its blocks, which change colour from one to the next; of cells it holds the strong ones.";

/** Build the view: {element, tables, show(summary)} of a design for a workload; `tables` stands further down. */
export function rowsView() {
  const canvas = h("canvas.rows-canvas", { "aria-hidden": "true" });
  const told = h("p.hint");
  const list = table({
    caption: "The likeliest reports", sortable: false, first: FIRST,
    columns: [
      { key: "bits", title: "Items that make it likely, from item 0 on", node: (row) => h("code.bits", row.bits) },
      amount("share", "Sent by", shareText),
    ],
  });
  const levels = table({
    caption: "The levels", sortable: false, first: FIRST,
    columns: [
      { key: "name", title: "Level", node: (row) => h("span.bits", row.name) },
      amount("share", "Drawn in", shareText),
    ],
  });
  let rows = [];

  function draw() {
    const density = Math.min(3, window.devicePixelRatio || 1);
    set(canvas, { width: WIDTH * density, height: HEIGHT * density });
    const context = canvas.getContext("2d");
    const [dark, light] = colours("--heat-high", "--heat-low").map(css);
    let top = 0;
    for (const { bits, share } of rows) {
      const bottom = top + share * canvas.height;
      const [first, last] = [Math.round(top), Math.round(bottom)];
      for (let item = 0; item < bits.length; item += 1) {
        context.fillStyle = bits[item] === "1" ? dark : light;
        const [left, right] = [item, item + 1].map((edge) => Math.round((edge * canvas.width) / bits.length));
        context.fillRect(left, first, right - left, last - first);
      }
      top = bottom;
    }
  }

  onTheme(draw);
  return {
    element: h("div.stack", h("div", canvas), told),
    tables: h("div.stack", list, levels),
    show({ bands, levels: count }) {
      const isRows = count === undefined;
      rows = bands;
      put(told, isRows ? ROWS : LEVELS);
      draw();
      seen(isRows, list);
      seen(!isRows, levels);
      (isRows ? list : levels).show(rows.slice(0, MOST_LISTED));
    },
  };
}
