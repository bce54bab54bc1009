// Privacy curves of a noise table and of one beside it: exact deltas at some epsilons, on a logarithmic scale.

import { asNumber } from "../design/entering.js";
import { h, plot, put, roundedUp, svg } from "../kit.js";

const LAST = 3; // the last epsilon
const STEPS = 30; // epsilons from LAST / STEPS on
const DECADES = 3; // that are drawn at least
const WORDS = { 0: "all counts", 1: "counts >= 1", large: "large counts" };

/** The epsilons of a curve, as the command takes them. */
export const EPSILONS = Array.from({ length: STEPS }, (_, k) => String(Number((((k + 1) * LAST) / STEPS).toFixed(6)))).join(",");

/** Say which counts a guarantee is for. */
export const countsOf = (start) => WORDS[start] ?? `counts >= ${start}`;

/** Write a delta, never below it. */
export const deltaText = (value) => (value > 0 ? roundedUp(value, 4) : "0");

/**
 * Build the curves: {element, show(tables, marks)}; a table is {name, curve (points of `check --json`), kind: "main" or "true"}, and
 * `marks` are deltas of a design's document, which are drawn as points.
 */
export function curvesView() {
  const charts = [0, 1].map(() => plot({ label: "Delta", kind: "delta-curve", height: 260 }));
  const [head, rows] = [h("thead"), h("tbody")];
  const table = h(
    "details", h("summary", `${STEPS} exact points as a table; straight lines join them`),
    h("div.table-scroll.tall", { role: "region", tabindex: "0", "aria-label": "Delta at each epsilon" }, h("table", head, rows)),
  );
  return {
    element: h("section.stack", h("h2", "Privacy curve: delta at epsilon"), h("div.two-charts", charts), table),
    show(tables, marks) {
      const [{ curve: first }] = tables;
      const isOfAll = deltasOf(first, 0).join() === deltasOf(first, 1).join() || marks.some(({ start }) => start === 0);
      const starts = [isOfAll ? 0 : 1, "large"];
      charts.forEach((chart, at) => chart.show(chartOf(tables, starts[at], marks.filter(({ start }) => start === starts[at]))));
      const columns = [0, 1, "large"].flatMap((start) => tables.map(({ name, curve }) => ({ title: `${name}: ${countsOf(start)}`, deltas: deltasOf(curve, start) })));
      put(head, h("tr", ["epsilon", ...columns.map(({ title }) => title)].map((text) => h("th", { scope: "col" }, text))));
      put(rows, EPSILONS.split(",").map((epsilon, k) => h("tr", h("th", { scope: "row" }, epsilon), columns.map(({ deltas }) => h("td.number", deltaText(deltas[k]))))));
    },
  };
}

function deltasOf(curve, start) {
  return curve.filter((point) => point.start === start).map(({ delta }) => delta.value);
}

function chartOf(tables, start, marks) {
  const texts = EPSILONS.split(",");
  const lines = tables.map(({ curve, ...table }) => ({ ...table, values: deltasOf(curve, start) }));
  const least = Math.min(...lines.flatMap(({ values }) => values).filter((value) => value > 0));
  const low = Math.min(-DECADES, Math.floor(Math.log10(least)));
  const height = (delta) => Math.log10(delta) - low;
  return {
    label: `Delta against epsilon, ${countsOf(start)}`, texts, at: texts.map(Number), from: 0, to: LAST, high: -low, first: 9,
    ticks: Array.from({ length: LAST + 1 }, (_, at) => [at, String(at)]), tick: (value) => String(Number((10 ** (value + low)).toPrecision(1))),
    across: "epsilon", upwards: `delta, ${countsOf(start)}`,
    legend: lines.map(({ name, kind }) => ({ name, kind: `chart-line ${kind}`, line: true })),
    say: (k) => `epsilon ${texts[k]}: ${lines.map(({ name, values }) => `${deltaText(values[k])} ${name}`).join("; ")}`,
    draw: ({ x, y }) => [
      lines.map(({ kind, values }) => svg("path", { class: `chart-line ${kind}`, d: values.map((value, k) => value > 0 ? `${k && values[k - 1] > 0 ? "L" : "M"}${x(Number(texts[k])).toFixed(1)} ${y(height(value)).toFixed(1)}` : "").join("") })),
      marks.filter(({ epsilon, value }) => asNumber(epsilon) <= LAST && value > 0).map(({ epsilon, value }) => svg("g.chart-mark", svg("circle", { cx: x(asNumber(epsilon)), cy: y(height(value)), r: 5 }))),
    ],
  };
}
