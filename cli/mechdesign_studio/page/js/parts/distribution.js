// A probability distribution over 0..n as columns of a chart, with the same numbers as a table beside it.

import { h, svg } from "../dom.js";
import { plot } from "./plot.js";
import { valueTable } from "./value_table.js";

/**
 * Build a distribution: {element, show({values, numbers, texts, marked, expected, title, axis, upwards, lines, least})}.
 *
 * `values` are shares, `numbers` and `texts` what the table says of each (the latter an exact fraction), `marked` the true
 * value, which has a mark of its own below its column, or null. `expected` are other shares, drawn as lines, which `lines` names; `least` is what the chart holds at least.
 */
export function distribution({ heading }) {
  const chart = plot({ label: heading, kind: "distribution", height: 220 });
  const table = valueTable({ heading });
  return {
    element: h("div.distribution-box", chart, table),
    show({ values, numbers, texts, marked = null, expected = [], title, axis, upwards = "probability", lines = "expected", least = 0 }) {
      chart.show({
        label: title, texts: values.map((_, k) => String(k)), rooms: true, high: Math.max(least, ...values, ...expected), across: axis, upwards, first: marked,
        say: (k) => `${axis} ${k}: ${upwards} ${Number(values[k].toPrecision(3))}${expected.length ? `, ${lines} ${Number(expected[k].toPrecision(3))}` : ""}`,
        draw: (scale) => [
          values.map((value, k) => svg("rect", { class: k === marked ? "column marked" : "column", ...scale.bar(k, value) })),
          expected.map((value, k) => {
            const { x, width, y } = scale.bar(k, value);
            return svg("line.expected", { x1: x, x2: x + width, y1: y, y2: y });
          }),
          marked === null ? null : svg("path.true-mark", { d: `M${scale.middle(marked)} ${scale.floor + 1}l4 4h-8z` }),
        ],
      });
      table.show({ numbers, texts, title });
    },
  };
}
