// The best local mechanism for a set of queries, certified: how much less noise it has than any oracle of the list.

import { commandsAnd, fileOf, upload } from "../api.js";
import { change } from "../design_state.js";
import { codeDisclosure, commandForm, errorField, h, handed, messages, numberField, runner, seen } from "../kit.js";
import { EPSILON, leastText } from "../local/local_fields.js";
import { workloadQuestion } from "../workloads/question.js";
import { resultView } from "../workloads/result_view.js";

const name = "workloads";
export const lead = "An oracle of the list is made for everybody's questions. If you know yours, the reports themselves can be designed for them: the least variance of any unbiased linear estimate, proved.";

const DOCUMENT = "design.json";
const BEGUN = "begun.json"; // a design to go on from, beside the one that is written

export async function build(root) {
  const { commands, notes, ...known } = await commandsAnd(["local design"], "notes", "workloads", "sides");
  const status = messages();
  const work = runner(name, status);
  const result = resultView({ onFurther: further, onCollect: collect });
  const question = workloadQuestion(known, {
    label: "Queries", values: { kind: "prefixes", k: "8", length: "3", rows: "4", across: "4", attributes: "4", way: "2" },
    after: [["file", "Queries of my own, a CSV file of weights"]], onCommit: () => { error.ask(); ready(); },
  });
  const form = commandForm(commands["local design"], {
    shown: {
      epsilon: { ...EPSILON, onCommit: () => { error.clear(); ready(); } }, aggregate: { label: "Least variance for" },
      gap: { label: "Stop at a gap of" }, outputs: { label: "Different reports at most" }, "time-limit": { label: "Seconds at most" },
    },
    without: ["k", "attributes", "workload", "alpha"], onCommit: () => ready(),
  });
  const { epsilon, aggregate: aim, gap, outputs, "time-limit": seconds } = form.fields;
  const people = numberField({ label: "Users, n", value: "10000", min: 2, onCommit: () => error.ask() });
  people.element.classList.add("aside"); // the design is one for any number of them
  const error = errorField({
    panel: name, label: "Error you can live with", help: "A standard error, in the mean over all queries, as 0.01: fills in an epsilon for which so many users give it.",
    stepOf: (most) => ({ command: "local calibrate", options: { ...question.options(), users: people.value, error: most, mean: true } }),
    onFound: (found) => {
      epsilon.set(String(found.ends.upper.value));
      ready();
      return `${leastText(found)} The best design does as well, or better.`;
    },
  });
  const start = h("button.primary", { onclick: () => go() }, "Design and prove");

  function ready() {
    start.disabled = question.lacks();
  }

  function go(more = {}) {
    const options = { ...question.options(), ...form.options(), ...more, output: [DOCUMENT], plot: "design.svg", summary: true };
    work.run([{ command: "local design", options }], {
      saying: "Designing, then proving", shows: result.element,
      onDone: result.show,
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
    h("details", h("summary", "How far to go"), h("div.stack", gap, outputs, seconds)), form.more,
    h("div.row", start), status,
    h("p.hint", notes.design),
  );
  status.follow(controls, form);
  root.append(h("div.split", controls, h("div.stack", result, codeDisclosure(name))));
  seen(false, result);
  question.start();
  handed.queries.on(({ values, epsilon: loss }) => {
    question.take(values);
    epsilon.set(loss);
    ready();
  });
}
