// The best local mechanism for a set of queries, certified: how much less noise it has than any oracle of the list.

import { fileOf, upload } from "../api.js";
import { change } from "../design_state.js";
import { codeDisclosure, errorField, h, handed, messages, numberField, runner, seen, selectField, textField } from "../kit.js";
import { epsilonField, leastText } from "../local/local_fields.js";
import { SINGLE_ITEMS, workloadQuestion } from "../workloads/question.js";
import { resultView } from "../workloads/result_view.js";

export const name = "workloads";
export const title = "Best local design";
export const lead = "An oracle of the list is made for everybody's questions. If you know yours, the reports themselves can be designed for them: the least variance of any unbiased linear estimate, proved.";

const AIMS = [
  ["expected", "the mean over the items"],
  ["worst", "the worst item"],
];
const DOCUMENT = "design.json";
const BEGUN = "begun.json"; // a design to go on from, beside the one that is written

export function build(root) {
  const status = messages();
  const work = runner(name, status);
  const result = resultView({ onFurther: further, onCollect: collect });
  const question = workloadQuestion({
    label: "Queries", values: { kind: "prefixes", k: "8", length: "3", rows: "4", across: "4", attributes: "4", way: "2" },
    after: [["histogram", SINGLE_ITEMS], ["file", "Queries of my own, a CSV file of weights"]], onCommit: () => { error.ask(); ready(); },
  });
  const epsilon = epsilonField({ onCommit: () => { error.clear(); ready(); } });
  const people = numberField({ label: "Users, n", value: "10000", min: 2, onCommit: () => error.ask() });
  const error = errorField({
    panel: name, label: "Error you can live with", help: "A standard error, in the mean over all queries, as 0.01: fills in an epsilon for which so many users give it.",
    stepOf: (most) => ({ command: "local calibrate", options: { ...question.options(), users: people.value, error: most, mean: true } }),
    onFound: (found) => {
      epsilon.set(String(found.ends.upper.value));
      ready();
      return `${leastText(found)} The best design does as well, or better.`;
    },
  });
  const aim = selectField({ label: "Least variance for", options: AIMS, value: "expected", onCommit: () => ready() });
  const gap = textField({ label: "Stop at a gap of", help: "Such as 1e-4; without it as narrow as is usual for so many items.", onCommit: () => ready() });
  const outputs = numberField({ label: "Different reports at most", min: 2, help: "Without it, as many as serve.", onCommit: () => ready() });
  const seconds = numberField({ label: "Seconds at most", min: 1, help: "Then the best found is shown, with its gap.", onCommit: () => ready() });
  const start = h("button.primary", { onclick: () => go() }, "Design and prove");
  let shown = null; // what the design on screen was asked for

  function asked() {
    return {
      ...question.options(), epsilon: epsilon.value.trim(), aggregate: aim.value, gap: gap.value.trim() || null,
      outputs: outputs.value || null, "time-limit": seconds.value || null,
    };
  }

  const identity = () => (question.lacks() ? null : JSON.stringify(asked()));

  function ready() {
    start.disabled = question.lacks();
    result.element.classList.toggle("stale", shown !== identity());
  }

  function go(more = {}) {
    const of = identity();
    const options = { ...asked(), ...more, output: [DOCUMENT], plot: "design.svg", summary: true };
    work.run([{ command: "local design", options }], {
      saying: "Designing, then proving", shows: result.element,
      onDone: (answer) => {
        shown = of;
        result.show(answer);
        ready();
      },
    });
  }

  /** Search on from a design that the page has. */
  function further(job) {
    return status.attempt(async () => {
      const kept = await upload(new File([await fileOf(job, DOCUMENT)], BEGUN));
      go({ start: { upload: kept.upload } });
    });
  }

  function collect(job) {
    return status.attempt(async () => {
      handed.design.set(await fileOf(job, DOCUMENT));
      change({ panel: "collect" });
    });
  }

  const controls = h(
    "div.card", question, h("div.pair", epsilon, people), error, aim,
    h("details", h("summary", "How far to go"), h("div.stack", gap, outputs, seconds)),
    h("div.row", start), status,
    h("p.hint", "Seconds up to 24 items, half a minute at 32 and more; minutes for a narrow gap beyond. Ranges, arcs and prefixes of more than 64 items are designed by levels, in seconds. Their levels are never nested, as those of the oracle warped-blocks are: for prefixes from epsilon 1.4 on, that oracle has less noise in Ranges and Collect."),
  );
  root.append(h("div.split", controls, h("div.stack", result, codeDisclosure(name))));
  seen(false, result);
  question.start();
  handed.queries.on(({ values, epsilon: loss }) => {
    question.take(values);
    epsilon.set(loss);
    ready();
  });
}
