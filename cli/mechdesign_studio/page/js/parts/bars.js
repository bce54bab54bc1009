// Numbers beside bars, as a table: every bar has its number, so nothing is told by length or colour alone.

import { h, put } from "../dom.js";

/**
 * Build bars: {element, show(rows)}.
 *
 * A row is {name, title, tip, value (number), text (what stands beside it), own (drawn in the accent), interval ([low, high], drawn as a line)}; bars begin at 0, to the
 * left of it where a value is negative. `heading` and `amount` head the two columns; `whole` is what the room holds at least.
 */
export function bars({ caption, heading, amount, whole = Number.MIN_VALUE }) {
  const body = h("tbody");
  const element = h(
    "table.bars", h("caption", caption),
    h("thead", h("tr", h("th", { scope: "col" }, heading), h("th", { scope: "col" }, amount))), body,
  );
  return {
    element,
    show(rows) {
      const values = rows.flatMap((row) => [row.value, ...(row.interval ?? [])]);
      const [low, high] = [Math.min(0, ...values), Math.max(whole, ...values)];
      put(body, rows.map((row) => barRow(row, (value) => (100 * (value - low)) / (high - low))));
    },
  };
}

function barRow({ name, title, tip, value, text, own, interval }, place) {
  const width = Math.max(0.5, Math.abs(place(value) - place(0)));
  const style = { width: `${width}%`, "margin-left": `${Math.min(place(value), place(0), 100 - width)}%` };
  const bar = h("span", { class: own ? "bar own" : "bar", "aria-hidden": "true", style });
  return h(
    "tr", { class: own ? "own" : null, title: tip },
    h("th", { scope: "row" }, name, title ? h("span.hint", ` ${title}`) : null),
    h("td", h("span.bar-room", { "aria-hidden": "true" }, bar, interval ? whisker(interval.map(place)) : null), h("span.bar-text", text)),
  );
}

function whisker([low, high]) {
  return h("span.whisker", { style: { left: `${low}%`, width: `${high - low}%` } });
}
