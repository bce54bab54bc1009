// Mechanisms side by side, as `mechdesign compare --json` says it: exact expectations, and simulations beside them.

import { amount, h, plot, svg, table } from "../kit.js";

const ROOM = 0.2; // that a chart has above and below its dots, in parts of their span
const [OWN, SHORT] = ["this design", "yours"]; // in the table, and below a dot

/** Build the comparison: {element, show(document, own)}; the mechanism called `own` is that of the page, `metrics` are [name, title] of errors, `mechanisms` titles by name. */
export function comparison(metrics, mechanisms) {
  const titles = Object.fromEntries(metrics);
  const best = h("p");
  const charts = metrics.map(([, title]) => plot({ label: title, kind: "counts-chart", height: 150 }));
  const rows = table({
    caption: "Errors of each mechanism: exact, given the data, and in simulated releases",
    rowHeader: "mechanism",
    columns: [
      { key: "metric", title: "Error", node: (row) => h("span.no-wrap", titles[row.metric]), sort: (row) => row.metric },
      { key: "mechanism", title: "Mechanism", node: (row) => h("span.no-wrap", { title: mechanisms[row.title] }, row.title, row.isBest ? h("span.tag.good.least", "least") : null), sort: (row) => row.title },
      amount("expected", "Expected", decimal),
      amount("mean", "Simulated", decimal),
      { key: "standard_error", title: "±", number: true, help: "standard error of the simulated mean", text: (row) => row.standard_error === null ? "" : decimal(row.standard_error) },
    ],
  });
  const note = h("p.hint");
  return {
    element: h("div.stack", best, h("div.two-charts", charts), h("details", h("summary", "As a table"), rows), note),
    show(document, own) {
      const shown = withBest(document.rows.map((row) => ({ ...row, title: row.mechanism === own ? OWN : row.mechanism })));
      rows.show(shown);
      metrics.forEach(([metric, title], k) => dots(charts[k], title, shown.filter((row) => row.metric === metric)));
      best.textContent = bestText(shown, mechanisms);
      const [data] = document.data;
      note.textContent = `${data.source}: ${data.groups.toLocaleString("en")} groups of n = ${data.n}. Expected errors are exact. Simulations: ${shown[0].repetitions} seeded releases of all groups, seed ${document.seed}; nothing is released.`;
    },
  };
}

// Of each metric the rows by size of what is expected, the least first.
function withBest(rows) {
  return [...new Set(rows.map((row) => row.metric))].flatMap((metric) => {
    const mine = rows.filter((row) => row.metric === metric).sort((a, b) => Math.abs(a.expected) - Math.abs(b.expected));
    return mine.map((row) => ({ ...row, isBest: row.expected === mine[0].expected }));
  });
}

function bestText(rows, mechanisms) {
  const of = rows.filter((row) => row.metric === rows[0].metric && row.isBest).map((row) => row.title);
  return `Least often wrong on these data: ${of.map((one) => (mechanisms[one] ? `${one}, the ${mechanisms[one].replace(/^the /, "")}` : one)).join("; ")} (${(100 * rows[0].expected).toFixed(2)} % of the counts).`;
}

// A dot for each mechanism, the least error first, in a window around them: differences count, not sizes.
function dots(chart, title, rows) {
  const values = rows.map((row) => row.expected);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = ROOM * (high - low || Math.abs(high) || 1);
  const names = rows.map((row) => (row.title === OWN ? SHORT : row.title));
  chart.show({
    texts: names, rooms: true, first: 0, low: low - room, high: high + room, across: "", upwards: title,
    say: (k) => `${rows[k].title}: ${title} ${decimal(values[k])}, simulated ${decimal(rows[k].mean)}`,
    draw: ({ middle, y }) => values.map((value, k) => svg("circle", { class: rows[k].title === OWN ? "count-dot own" : "count-dot", cx: middle(k), cy: y(value), r: 5 })),
  });
}

function decimal(value) {
  if (value !== 0 && Math.abs(value) < 5e-5) return value.toExponential(1);
  return Math.abs(value) < 1000 ? value.toFixed(4) : value.toPrecision(6);
}
