// A local design: its variance and what is proved of it, where the oracles stand, its reports, and its files.

import { bars, digits, downloads, factsList, h, isNumber, put, roundedDown, roundedUp, seen } from "../kit.js";
import { reportSaver } from "../design/saving.js";
import { rowsView } from "./rows_view.js";

const MOST_BARS = 12;

/**
 * Build the view: {element, show({steps, job, files})}.
 * onFurther(job) is to narrow a gap, onCollect(job) to use the design.
 */
export function resultView({ onFurther, onCollect }) {
  const verdict = h("p.verdict", { role: "status" });
  const further = h("button", { onclick: () => onFurther(held) }, "Go on from this design");
  const collect = h("button", { onclick: () => onCollect(held) }, "Collect with this design");
  const facts = h("div.card");
  const chart = bars({ caption: "Variance of each oracle, with its best linear estimate, over that of the design (means over the items)", heading: "Oracle", amount: "Times as much" });
  const others = h("p.hint");
  const rows = rowsView();
  const page = reportSaver();
  const links = downloads();
  let held = null; // the job that made what is shown
  return {
    element: h(
      "div.stack", verdict, h("div.row", further, collect), rows, chart, others, rows.tables, facts, page, links,
    ),
    show({ steps: [{ code, document: summary }], job, files }) {
      held = job;
      verdict.className = code === 0 ? "verdict" : "verdict message warn";
      further.hidden = code === 0;
      put(verdict, verdictOn(summary, code));
      put(facts, factsList(summary.facts));
      seen(summary.oracles.length !== 0, chart);
      chart.show([
        { name: "this design", value: 1, own: true, text: "1" },
        ...summary.oracles.slice(0, MOST_BARS).map((one) => ({ name: one.published ? one.oracle : `${one.oracle} (own)`, value: one.ratio, text: digits(one.ratio) })),
      ]);
      put(others, othersText(summary.oracles));
      links.show(job, files);
      page.show({ job, name: files.find((one) => one.name.endsWith(".json")).name });
      rows.show(summary);
    },
  };
}

function verdictOn({ problem, variance, gap, oracles }, code) {
  const frequencies = problem.aggregate === "worst" ? "for the worst item" : "at equally frequent items";
  const [upper, lower] = [roundedUp(variance.upper.value), roundedDown(variance.lower.value)];
  const [best] = oracles;
  const measured = variance.upper.interval;
  const parts = [measured ? "A variance of about " : "A variance of ", h("strong", upper), " for each user"];
  if (measured) {
    parts.push(`, which was measured and is not proved: none has less than ${lower} ${frequencies}, and that is proved.`);
  } else if (code !== 0) {
    parts.push(`; no local mechanism with unbiased linear answers has less than ${lower} ${frequencies}. The gap of ${gapText(gap)} is wider than asked. The files are below all the same.`);
  } else {
    parts.push(gap === 0 ? ", proved least to the last digit." : `, proved least to ${gapText(gap)} of it: none has less than ${lower} ${frequencies}, with any number of different reports.`);
  }
  if (!best) return parts;
  const published = oracles.find((one) => one.published);
  parts.push(` The best oracle of the list, ${best.oracle}, needs ${digits(best.ratio)} times as much`);
  parts.push(published && published !== best ? `; the best published one, ${published.oracle}, ${digits(published.ratio)}.` : ".");
  return parts;
}

function othersText(oracles) {
  const more = oracles.length - MOST_BARS;
  return more > 0 ? `And ${more} more, up to ${digits(oracles.at(-1).ratio)} times as much.` : null;
}

function gapText(gap) {
  return isNumber(gap) ? roundedUp(gap, 2) : "unknown size";
}
