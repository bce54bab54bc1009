// Mechanisms side by side, as `mechdesign compare --json` says it: exact expectations, and simulations beside them.

import { amount, h, table } from "../kit.js";

/** Build the comparison: {element, show(document, own)}; the mechanism called `own` is that of the page, `metrics` are [name, title] of errors, `mechanisms` titles by name. */
export function comparison(metrics, mechanisms) {
  const titles = Object.fromEntries(metrics);
  const best = h("p");
  const rows = table({
    caption: "Errors of each mechanism: exact, given the data, and in simulated releases",
    rowHeader: "mechanism",
    columns: [
      { key: "metric", title: "Error", node: (row) => h("span.no-wrap", titles[row.metric]), sort: (row) => row.metric },
      { key: "mechanism", title: "Mechanism", node: (row) => h("span.no-wrap", { title: mechanisms[row.title] }, row.title, row.isBest ? h("span.tag.good.least", "least") : null), sort: (row) => row.title },
      amount("expected", "Expected", decimal),
      { key: "bar", title: "Size", help: "beside the largest of the same error", node: (row) => bar(row), sort: (row) => row.expected },
      amount("mean", "Simulated", decimal),
      { key: "standard_error", title: "±", number: true, help: "standard error of the simulated mean", text: (row) => row.standard_error === null ? "" : decimal(row.standard_error) },
    ],
  });
  const note = h("p.hint");
  return {
    element: h("div.stack", best, rows, note),
    show(document, own) {
      const shown = withBest(document.rows.map((row) => ({ ...row, title: row.mechanism === own ? "this design" : row.mechanism })));
      rows.show(shown);
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
    const most = Math.max(...mine.map((row) => Math.abs(row.expected)));
    return mine.map((row) => ({ ...row, isBest: row.expected === mine[0].expected, share: most > 0 ? Math.abs(row.expected) / most : 0 }));
  });
}

function bestText(rows, mechanisms) {
  const of = rows.filter((row) => row.metric === rows[0].metric && row.isBest).map((row) => row.title);
  return `Least often wrong on these data: ${of.map((one) => (mechanisms[one] ? `${one}, the ${mechanisms[one].replace(/^the /, "")}` : one)).join("; ")} (${(100 * rows[0].expected).toFixed(2)} % of the counts).`;
}

function bar(row) {
  return h("span.bar-track", { "aria-hidden": "true" }, h("span.bar-fill", { style: { width: `${(100 * row.share).toFixed(1)}%` } }));
}

function decimal(value) {
  if (value !== 0 && Math.abs(value) < 5e-5) return value.toExponential(1);
  return Math.abs(value) < 1000 ? value.toFixed(4) : value.toPrecision(6);
}
