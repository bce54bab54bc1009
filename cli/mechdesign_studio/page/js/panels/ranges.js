// Ranges and quantiles under local privacy, tried on a file of one's own: a simulated collection beside the truth.

import { commandsAnd, upload } from "../api.js";
import { areaField, codeBlock, codeDisclosure, commandForm, downloads, fileDrop, h, handed, inventedPeople, messages, put, runner, sampleButton, seen, SIMULATING, whole, written } from "../kit.js";
import { distributionView } from "../local/distribution_view.js";
import { DOUBTS } from "../local/doubts.js";
import { binFields, EPSILON, freshSeed, linesOf, SEED, textFile } from "../local/local_fields.js";

const name = "ranges";
const FORMER = "This is of the former file.";
export const lead = "How many are between 30 and 45, and where is the median, if every person adds noise of their own? Try it on a file: reports are simulated, and the truth is shown beside what they say. This panel is for local reports; a noisy median made by a trusted holder of the file is not offered.";

export async function build(root) {
  const { commands, suggestions, notes, titles } = await commandsAnd(["local privatize", "local ranges"], "suggestions", "notes", "titles");
  const status = messages();
  const work = runner(name, status);
  const view = distributionView();
  const links = downloads();
  const code = codeDisclosure(name);
  const typed = codeBlock("ranges.csv, as typed");
  const making = commandForm(commands["local privatize"], {
    shown: {
      column: { help: "One number or one date for each person." },
      oracle: { value: suggestions.ranges[0], suggestions: suggestions.ranges, help: "" },
      // At 1 the rising line of 3,000 people stands still for up to 25 years of age, at 2 for 10 at most.
      epsilon: { ...EPSILON, value: "2" },
      seed: SEED,
    },
    without: ["task", "beyond", "alpha", "ordered", "bins", "columns", "maximum", "workload", "users", "user", "round", "unit"],
  });
  const asking = commandForm(commands["local ranges"], {
    shown: {
      quantiles: { value: "0.1:0.9:0.1" }, simultaneous: { label: "Intervals that hold for all quantiles at once", help: "" },
      mean: { label: "Mean and variance of numbers", none: "left out" },
    },
    without: ["users", "source", "drop-invalid", "seal"],
  });
  const { column, oracle, epsilon, seed } = making.fields;
  asking.more.lastChild.append(h("p.hint", `Oracles: ${notes.ranges}`));
  const file = fileDrop({
    label: "A CSV file with a header", help: "One row for each person.", header: true,
    onFile: ({ columns }) => { making.columns(columns); start.disabled = !columns; age(); },
    onClear: () => { making.columns(null); start.disabled = again.disabled = true; age(); },
  });
  const bins = binFields({ width: "5" });
  const ranges = areaField({ label: "Ranges", value: "", help: "One a line, as 18,64: first and last value, both in it. None is fine." });
  const start = h("button.primary", { disabled: true, onclick: () => go() }, "Simulate a collection");
  const again = h("button", { disabled: true, onclick: () => { seed.set(freshSeed()); go(); } }, "Once more, with another seed");
  const former = h("p.message.warn", { role: "status", hidden: true });
  const heading = h("h2");
  // The foot of the form is in sight always, so it is short.
  const results = h("div.stack", { hidden: true }, heading, view, status.remarks, links);
  const sampled = h("p.hint", { role: "status" });
  // The upload that the results are of.
  let shownOf = null;
  handed.oracle.on(({ kind, ...chosen }) => {
    if (kind === "ranges") { oracle.set(chosen.oracle); epsilon.set(chosen.epsilon); }
  });

  function titled() {
    const [word, inner] = oracle.value.trim().toLowerCase().split(":");
    oracle.enable(true, titles[word === "flat" ? inner : word] ?? "");
  }

  async function trial() {
    put(sampled, "Working on the invented people.");
    await file.take(inventedPeople());
    if (!file.upload) return idle();
    column.set("age");
    await go();
  }

  function idle() {
    put(sampled);
    age();
  }

  // The results are of the file before.
  function age() {
    former.hidden = results.hidden || file.upload?.upload === shownOf;
    put(former, `${FORMER}${start.disabled ? "" : " Press Simulate."}`);
  }

  function go() {
    const of = { upload: file.upload.upload, clipped: Boolean(bins.beyond), width: bins.width, epsilon: written(epsilon.value) };
    put(former, FORMER);
    status.clear();
    return status.attempt(async () => {
      const asked = linesOf(ranges.value);
      const lines = ["first,last", ...asked];
      const kept = asked.length ? await upload(textFile("ranges.csv", lines)).catch((failure) => { idle(); throw failure; }) : null;
      seen(kept, typed);
      typed.show(lines.join("\n"));
      work.run(steps(kept), { saying: "Simulating the reports of all people", silent: [...SIMULATING, ...DOUBTS], shows: results, onDone: (answer) => show(answer, of), onFailed: idle, onGone: idle });
    });
  }

  function steps(kept) {
    const source = { input: { upload: file.upload.upload }, column: column.value, bins: [bins.text], beyond: bins.beyond };
    const made = { ...source, ...making.options(), output: "reports.parquet" };
    const { quantiles, mean, ...asked } = asking.options();
    const files = { "quantiles-output": quantiles && "quantiles.csv", "mean-output": mean && "mean.csv" };
    const estimate = (options) => ({ command: "local ranges", arguments: ["reports.parquet"], options });
    return [
      { command: "local privatize", options: made },
      estimate({ output: kept ? "answers.csv" : "distribution.csv", plot: "distribution.svg", quantiles, mean, ...asked, ...files, ranges: kept && { upload: kept.upload } }),
      { command: "data", options: { ...source } },
      ...(kept ? [estimate({ output: "distribution.csv" })] : []),
    ];
  }

  function show({ job, files, steps: done, seconds }, of) {
    again.disabled = false;
    shownOf = of.upload;
    idle();
    put(heading, `The reports of ${whole(done[1].document.users)} people, epsilon = ${of.epsilon}`);
    view.show(done[1].document, { ...done[2].document, clipped: of.clipped, width: of.width });
    links.show(job, files);
    return `Simulated in ${seconds.toFixed(1)} s.`;
  }

  const controls = h(
    "div.card", sampleButton(trial), sampled, file, h("div.pair", column, epsilon), bins,
    oracle, asking.fields.quantiles, asking.fields.simultaneous, asking.fields.mean, ranges, seed, making.more, asking.more,
    h("p.hint", "Bins are public and never come from the values. To collect for real, without a seed, go to Collect."),
  );
  controls.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input:not([type=file], [type=checkbox])")) start.click();
  });
  status.follow(controls, making, asking, bins);
  oracle.input.addEventListener("input", titled);
  oracle.input.addEventListener("set", titled);
  titled();
  code.append(typed.element);
  root.append(h("div.split", h("div.footed", controls, h("div.foot", h("div.row", start, again), status)), h("div.stack", former, results, code)));
}
