// A probability distribution over 0..n as columns of a chart, with the same numbers as a table beside it.

import { h, put, svg } from "../dom.js";
import { valueTable } from "./value_table.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [380, 220, 42, 40, 10];

/**
 * Build a distribution: {element, show({values, numbers, texts, marked, expected, title, axis})}.
 *
 * `values` are probabilities, `texts` what the table says of each (an exact fraction), `marked` the place of the true
 * value, which has a mark of its own below its column, or null. `expected` are other probabilities, drawn as lines.
 */
export function distribution({ heading }) {
  const chart = svg("svg", { class: "distribution", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, svg("title", {}, heading));
  const table = valueTable({ heading });
  return {
    element: h("div", { class: "distribution-box" }, chart, table.element),
    show({ values, numbers, texts, marked = null, expected = [], title, axis }) {
      put(chart, svg("title", {}, title), drawing(values, marked, expected, axis));
      table.show({ numbers, texts, title });
    },
  };
}

function drawing(values, marked, expected, axis) {
  const top = niceTop(Math.max(...values, ...expected));
  const each = (WIDTH - LEFT - 4) / values.length;
  const floor = HEIGHT - BOTTOM;
  const y = (value) => floor - ((floor - TOP) * value) / top;
  const ticks = [0, 0.5, 1].map((share) => share * top);
  const step = Math.max(1, Math.ceil(values.length / 12));
  return [
    ticks.map((tick) => [
      svg("line", { class: "grid-line", x1: LEFT, x2: WIDTH, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, String(Number(tick.toPrecision(3)))),
    ]),
    values.map((value, k) => svg("rect", {
      class: k === marked ? "column marked" : "column", x: LEFT + k * each + Math.min(1, each / 8), width: Math.max(0.4, each - Math.min(2, each / 4)),
      y: y(value), height: Math.max(0, floor - y(value)),
    })),
    expected.map((value, k) => svg("line", { class: "expected", x1: LEFT + k * each + 1, x2: LEFT + (k + 1) * each - 1, y1: y(value), y2: y(value) })),
    values.map((_, k) => k % step === 0 && svg("text", { class: "tick", x: LEFT + (k + 0.5) * each, y: floor + 20, "text-anchor": "middle" }, String(k))),
    marked === null ? null : svg("path", { class: "true-mark", d: triangle(LEFT + (marked + 0.5) * each, floor + 1) }),
    svg("text", { class: "tick axis", x: WIDTH, y: HEIGHT - 3, "text-anchor": "end" }, axis),
  ];
}

function triangle(x, y) {
  return `M${x} ${y} l5 7 h-10 z`;
}

/** Return a round number that is not below a value. */
export function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((k) => k * power).find((top) => top >= value * (1 - 1e-12));
}
