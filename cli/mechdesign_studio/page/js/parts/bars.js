// Numbers beside bars, as a table: every bar has its number, so nothing is told by length or colour alone.

import { h, put } from "../dom.js";

/**
 * Build bars: {element, show(rows)}.
 *
 * A row is {name, title, value (number), text (what stands beside it), own (drawn in the accent)}; bars begin at 0.
 * `heading` and `amount` head the two columns; the longest bar is that of `whole`, or of the largest number.
 */
export function bars({ caption, heading, amount, whole = Number.MIN_VALUE }) {
  const body = h("tbody");
  const element = h(
    "table", { class: "bars" }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, heading), h("th", { scope: "col" }, amount))), body,
  );
  return {
    element,
    show(rows) {
      const largest = Math.max(...rows.map((row) => Math.abs(row.value)), whole);
      put(body, rows.map((row) => barRow(row, largest)));
    },
  };
}

function barRow({ name, title, value, text, own }, largest) {
  const bar = h("span", { class: own ? "bar own" : "bar", "aria-hidden": "true", style: { width: `${Math.max(0.5, (100 * Math.abs(value)) / largest)}%` } });
  return h(
    "tr", { class: own ? "own" : null },
    h("th", { scope: "row" }, name, title ? h("span", { class: "hint" }, ` ${title}`) : null),
    h("td", {}, h("span", { class: "bar-room", "aria-hidden": "true" }, bar), h("span", { class: "bar-text" }, text)),
  );
}
