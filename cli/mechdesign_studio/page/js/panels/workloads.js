// The best local mechanism for a set of queries, certified: how much less noise it has than any oracle of the list.

import { fileAddress } from "../api.js";
import { epsilonField } from "../local/local_fields.js";
import { digits } from "../local/number_text.js";
import { rowsView } from "../local/rows_view.js";
import { workloadQuestion } from "../local/workload_question.js";
import { h, put } from "../dom.js";
import { bars } from "../parts/bars.js";
import { codeDisclosure } from "../parts/code.js";
import { downloads } from "../parts/downloads.js";
import { selectField, textField } from "../parts/fields.js";
import { messages } from "../parts/messages.js";
import { runner } from "../parts/runner.js";

export const name = "workloads";
export const title = "Best local design";
export const lead = "An oracle of the list is made for everybody's questions. If you know yours, the reports themselves can be designed for them: the least variance of any unbiased linear estimate, proved.";

const AIMS = [
  { value: "expected", title: "the mean over the items" },
  { value: "worst", title: "the worst item" },
];

export function build(root) {
  const status = messages();
  const work = runner(name, status);
  const result = resultView();
  const question = workloadQuestion({ onCommit: () => ready() });
  const epsilon = epsilonField({ onCommit: () => ready() });
  const aim = selectField({ label: "Least variance for", options: AIMS, value: "expected", onCommit: () => ready() });
  const gap = textField({ label: "Stop at a gap of", value: "", help: "Such as 1e-4; without it as narrow as is usual for so many items." });
  const start = h("button", { type: "button", class: "primary", onclick: () => go() }, "Design and prove");

  function ready() {
    start.disabled = question.lacks();
    result.element.classList.add("stale");
  }

  function go() {
    const options = {
      model: "ldp", ...question.options(), epsilon: epsilon.value.trim(), aggregate: aim.value, gap: gap.value.trim() || null,
      output: ["design.json"], plot: "design.svg", json: true, summary: true,
    };
    work.run([{ command: "solve", arguments: [], options }], {
      saying: "Designing, then proving",
      onDone: async ({ job, files, steps }) => {
        result.element.hidden = false;
        result.element.classList.remove("stale");
        await result.show(steps[0].document, job, files);
      },
    });
  }

  const controls = h(
    "div", { class: "card" }, question.element, h("div", { class: "pair" }, epsilon.element, aim.element), gap.element,
    h("div", { class: "row" }, start), status.element,
    h("p", { class: "hint" }, "Seconds up to 24 items, a minute at 32, minutes beyond. To collect with a design: mechdesign privatize --oracle design.json."),
  );
  root.append(h("div", { class: "split" }, controls, h("div", { class: "stack" }, result.element, codeDisclosure(name))));
  result.element.hidden = true;
  question.start();
}

function resultView() {
  const verdict = h("p", { class: "verdict", role: "status" });
  const facts = h("dl", { class: "facts" });
  const chart = bars({ caption: "Variance of each oracle, with its best linear estimate, over that of the design", heading: "Oracle", amount: "Times as much" });
  const rows = rowsView();
  const links = downloads();
  return {
    element: h("div", { class: "stack" }, verdict, h("div", { class: "card" }, facts), chart.element, rows.element, links.element),
    async show(summary, job, files) {
      put(verdict, verdictOn(summary));
      put(facts, summary.facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
      chart.show([
        { name: "this design", value: 1, own: true, text: "1" },
        ...summary.oracles.map((one) => ({ name: one.oracle, value: one.ratio, text: digits(one.ratio) })),
      ]);
      links.show(job, files);
      const answer = await fetch(fileAddress(job, "design.json"));
      rows.show(await answer.json());
    },
  };
}

function verdictOn({ variance, gap, oracles }) {
  const best = oracles[0];
  const parts = ["A variance of ", h("strong", {}, digits(variance.upper.value)), ` for each user, proved least to ${gap === 0 ? "the last digit" : `${gap.toExponential(1)} of it`}.`];
  return best ? [...parts, ` The best oracle of the list, ${best.oracle}, needs ${digits(best.ratio)} times as much.`] : parts;
}
