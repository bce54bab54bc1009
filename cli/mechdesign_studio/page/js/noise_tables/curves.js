// Privacy curves of a noise table and of one beside it: exact deltas at some epsilons, on a logarithmic scale.

import { asNumber } from "../design/entering.js";
import { h, plot, put, roundedUp, svg } from "../kit.js";

const LAST = 3; // the last epsilon
const STEPS = 30;
const DECADES = 3; // at least
const WORDS = { 0: "all counts", 1: "counts >= 1", large: "large counts" };

/** The epsilons of a curve, as the command takes them. */
export const EPSILONS = Array.from({ length: STEPS }, (_, k) => ((k + 1) * LAST) / STEPS).join(",");

/** Say which counts a guarantee is for. */
export const countsOf = (start) => WORDS[start] ?? `counts >= ${start}`;

export const deltaText = (value) => roundedUp(value, 4);

/** Build the curves: {element, show(tables, marks)}; a table is {name, curve (of `check --json`), kind (of its line)}, `marks` are a document's deltas. */
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
      const starts = [marks.some(({ start }) => start === 0) ? 0 : 1, "large"];
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
  const low = Math.min(-DECADES, ...lines.flatMap(({ values }) => values.map((value) => Math.floor(Math.log10(value)))));
  return {
    label: `Delta against epsilon, ${countsOf(start)}`, texts, at: texts.map(Number), from: 0, to: LAST, high: -low, first: 9,
    ticks: [0, 1, 2, LAST].map((at) => [at, String(at)]), tick: (value) => String(Number((10 ** (value + low)).toPrecision(1))),
    across: "epsilon", upwards: `delta, ${countsOf(start)}`,
    legend: lines.map(({ name, kind }) => ({ name, kind: `chart-line ${kind}`, line: true })),
    say: (k) => `epsilon ${texts[k]}: ${lines.map(({ name, values }) => `${deltaText(values[k])} ${name}`).join("; ")}`,
    draw: ({ x, y }) => {
      const height = (delta) => y(Math.log10(delta) - low).toFixed(1);
      return [
        lines.map(({ kind, values }) => svg("path", { class: `chart-line ${kind}`, d: `M${values.map((value, k) => `${x(texts[k]).toFixed(1)} ${height(value)}`).join("L")}` })),
        svg("g.chart-mark", marks.map(({ epsilon, value }) => [asNumber(epsilon), value]).filter(([epsilon]) => epsilon <= LAST).map(([epsilon, value]) => svg("circle", { cx: x(epsilon), cy: height(value), r: 5 }))),
      ];
    },
  };
}
