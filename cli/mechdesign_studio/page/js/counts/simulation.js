// One simulated release beside the truth, and what is estimated from it. It always says that it is none.

import { factsList, h, put, table } from "../kit.js";
import { histogram } from "./histogram.js";

const LARGEST_DRAWN = 64;

/** Build the simulation: {element, show(document, estimate)}, the documents of simulate and of estimate. */
export function simulation() {
  const banner = h("p.message.warn.simulation-banner");
  const facts = h("div");
  const counts = histogram({ caption: "Groups by count (simulated)", axis: "count" });
  const errors = histogram({ caption: "Groups by error, simulated - true (simulated)", axis: "error" });
  const rows = table({
    caption: "SIMULATION: groups by count, and what is estimated from the simulated counts alone",
    columns: [
      { key: "count", title: "Count", number: true },
      { key: "true", title: "True", number: true },
      { key: "simulated", title: "Simulated", number: true },
      { key: "expected", title: "Expected", number: true, help: "the exact expectation of the simulated number", text: (row) => row.expected.toFixed(1) },
      { key: "likelihood", title: "Likeliest", number: true, help: "maximum likelihood", text: (row) => row.likelihood.toFixed(1) },
      { key: "inversion", title: "Unbiased", number: true, help: "unbiased inversion", text: (row) => row.inversion === null ? "" : row.inversion.toFixed(1) },
      { key: "error", title: "±", number: true, help: "standard error of the unbiased estimate", text: (row) => row.error === null ? "" : row.error.toFixed(1) },
    ],
  });
  return {
    element: h("div.stack", banner, facts, counts, errors, rows),
    show(document, estimate) {
      const { n } = document;
      put(banner, h("strong", `SIMULATION, seed ${document.seed}.`), ` Nothing was released and no privacy was spent. It is ${document.warning}.`);
      put(facts, factsList(factsOf(document, estimate)));
      counts.element.hidden = errors.element.hidden = n > LARGEST_DRAWN;
      counts.show({
        labels: document.true.map((_, count) => count),
        bars: [{ title: "true", values: document.true }, { title: "simulated", values: document.simulated, outlined: true }],
        marks: { title: "expected, exactly", values: document.expected },
      });
      errors.show({
        labels: document.errors.map((_, at) => at - n),
        bars: [{ title: "simulated", values: document.errors, outlined: true }], marks: { title: "expected, exactly", values: document.expected_errors },
      });
      rows.show(document.true.map((groups, count) => ({
        count, true: groups, simulated: document.simulated[count], expected: document.expected[count], ...estimated(document, estimate, count),
      })));
    },
  };
}

function factsOf(document, estimate) {
  const { n, groups, errors, expected_errors: expected, mean } = document;
  const right = [
    ["Simulated counts that are right", `${errors[n].toLocaleString("en")} of ${groups.toLocaleString("en")}`], ["Expected to be right", expected[n].toFixed(1)],
    ["True mean", mean.true.toFixed(4)], ["Mean of the simulated counts", mean.simulated.toFixed(4)],
  ];
  if (!estimate.mean) return right;
  const { value, noise, confidence } = estimate.mean;
  const inside = noise === null ? "" : `, ${100 * confidence} %: ${noise.low.toFixed(3)} to ${noise.high.toFixed(3)}`;
  const holds = noise === null ? [] : [["The interval holds the true mean", noise.low <= mean.true && mean.true <= noise.high ? "yes" : "no"]];
  return [...right, ["Unbiased estimate of the mean", `${value.toFixed(4)}${inside}`], ...holds];
}

function estimated(document, estimate, count) {
  const { groups } = document;
  const { likelihood, inversion } = estimate;
  const errors = inversion?.standard_errors ?? null;
  return {
    likelihood: likelihood.distribution[count] * groups,
    inversion: inversion === null ? null : inversion.distribution[count] * groups,
    error: errors === null ? null : errors[count] * groups,
  };
}
