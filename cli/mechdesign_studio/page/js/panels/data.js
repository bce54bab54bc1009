import { commandsAnd } from "../api.js";
import { comparison } from "../counts/comparison.js";
import { SOURCE, dataSource } from "../counts/data_source.js";
import { designFields } from "../counts/design_fields.js";
import { histogram } from "../counts/histogram.js";
import { simulation } from "../counts/simulation.js";
import { design, designOptions, onChange, panel, solveStep } from "../design_state.js";
import { codeDisclosure, commandForm, downloads, factsList, fieldGroup, h, messages, put, runner, SIMULATING, switchField } from "../kit.js";

const name = "data";
export const lead = "What a mechanism does to real counts: exact expected errors beside other mechanisms, one simulated release, and what can be estimated from it.";

const DESIGN = "design.json";
const NUMBER = new Intl.NumberFormat("en");

let view = null;

export async function build(root) {
  const { commands, mechanisms: all, compared: usual, losses, metrics, laws } = await commandsAnd(["compare", "solve"], "mechanisms", "compared", "losses", "metrics", "laws");
  const status = messages();
  const job = runner(name, status);
  const reading = messages();
  const counting = runner("data-counts", reading);
  const form = commandForm(commands.compare, {
    shown: {
      ...SOURCE, seed: { label: "Seed of the simulations", value: "1", help: "Another seed, another simulation. A seed is for simulation alone: it protects nobody." },
      repetitions: { label: "Simulated releases" },
    },
    without: ["mechanisms", "n", "alpha", "epsilon", "loss", "prior", "metric", "data", "group-size"], onCommit: () => count(),
  });
  const { seed, repetitions } = form.fields;
  const source = dataSource(form, { laws, onChange: () => count() });
  const fields = designFields(commands.solve, losses);
  const note = h("p.hint", { hidden: true });
  const mechanisms = all.map(([one, help]) => ({ one, field: switchField({ label: one, help, checked: usual.includes(one) }) }));
  const named = h("div.property-switches", mechanisms.map(({ field }) => field));
  const buttons = [
    h("button.primary", { disabled: true, onclick: () => whenKnown(compare) }, "Compare mechanisms"),
    h("button", { disabled: true, onclick: () => whenKnown(simulate) }, "Simulate one release"),
  ];
  const facts = h("div");
  const trueCounts = histogram({ caption: "Groups by true count", axis: "true count" });
  const about = h("section.card", { hidden: true }, h("h2", "True counts"), facts, trueCounts);
  const compared = comparison(metrics, Object.fromEntries(all));
  const comparedFiles = downloads("Downloads: the comparison");
  const comparedCard = h("section.card", { hidden: true }, h("h2", "Mechanisms side by side"), compared, comparedFiles);
  const simulated = simulation();
  const simulatedFiles = downloads("Downloads: the simulation (no release)");
  const simulatedCard = h("section.card.simulated", { hidden: true }, h("h2", "A simulation, no release"), simulated, simulatedFiles);
  let known = null; // what `data --json` says of the counts that are chosen
  let afterwards = null; // what was clicked while they were counted

  function enable(yes) {
    for (const button of buttons) button.disabled = !yes;
  }

  function count() {
    const options = source.options();
    known = null;
    afterwards = null;
    for (const card of [comparedCard, simulatedCard]) card.classList.add("stale");
    if (!options) {
      counting.stop();
      about.hidden = true;
      enable(false);
      return;
    }
    const { data, ...others } = options;
    const asked = { ...others, ...seeded() };
    const own = source.ownN() !== null || source.isGrouped();
    const step = { command: "data", arguments: data ? [data] : [], options: own ? asked : { ...asked, n: Number(design().n) } };
    counting.run([step], {
      saying: "Counting", keep: false, fills: about,
      onDone: (answer) => tell(answer.steps[0].document),
      onFailed: () => { about.hidden = true; enable(false); },
    });
  }

  // A field that is left by a click on a button counts anew first: the click is kept.
  function whenKnown(work) {
    if (known) work();
    else afterwards = work;
  }

  function tell(document) {
    known = document;
    put(facts, factsList([
      ["Groups", `${NUMBER.format(document.groups)} of n = ${document.n}`],
      ["People", NUMBER.format(document.people) + (document.dropped ? `, and ${document.dropped} left out` : "")],
      ["Mean count", document.mean.toFixed(4)],
      ["Share of people", `${(100 * document.share).toFixed(2)} %`],
    ]));
    trueCounts.show({ labels: document.histogram.map((_, at) => at), bars: [{ title: "groups", values: document.histogram }] });
    trueCounts.element.hidden = document.n > 64;
    const isOther = design().model === "count" && Number(design().n) !== document.n;
    fields.n.enable(!isOther, isOther ? `These data have groups of ${document.n}.` : undefined);
    if (isOther) fields.n.set(String(document.n));
    note.hidden = !isOther;
    put(note, isOther ? `These groups have n = ${document.n}, so the design is made for ${document.n} here.` : null);
    const isForCounts = design().model === "count";
    enable(isForCounts);
    if (!isForCounts) {
      status.failed("These are counts of groups: choose the model count in the Design panel.");
      return;
    }
    status.clear();
    afterwards?.();
    afterwards = null;
  }

  function seeded() {
    return source.isDrawn() ? { seed: seed.value } : {};
  }

  function ours() {
    return solveStep({ n: known.n, output: [DESIGN] });
  }

  function compare() {
    const { alpha, epsilon, loss, prior } = designOptions();
    const chosen = mechanisms.filter(({ field }) => field.value).map(({ one }) => one);
    const options = {
      ...source.options(), mechanisms: [DESIGN, ...chosen].join(";"), n: known.n, alpha, epsilon, loss, prior,
      metric: metrics.map(([metric]) => metric).join(","), repetitions: repetitions.value || null, seed: seed.value,
      output: ["comparison.csv", "comparison.json"],
    };
    job.run([ours(), { command: "compare", options }], {
      saying: "Comparing", silent: SIMULATING, shows: comparedCard,
      onDone: (answer) => {
        compared.show(answer.steps[1].document, DESIGN);
        comparedFiles.show(answer.job, answer.files);
      },
    });
  }

  function simulate() {
    const options = { ...source.options(), mechanism: DESIGN, seed: seed.value, output: "simulated.csv" };
    job.run([
      ours(),
      { command: "simulate", options },
      { command: "estimate", arguments: ["simulated.csv"], options: { mechanism: DESIGN, column: "simulated", output: "estimates.csv" } },
    ], {
      saying: "Simulating", silent: SIMULATING, shows: simulatedCard,
      onDone: (answer) => {
        simulated.show(answer.steps[1].document, answer.steps[2].document);
        simulatedFiles.show(answer.job, answer.files);
      },
    });
  }

  const asking = h(
    "div.card", source, reading, fields, note,
    fieldGroup("Compare with", named), seed, repetitions, form.more,
    h("div.row", buttons), status, codeDisclosure(name),
  );
  status.follow(asking, form);
  root.append(h("div.split", asking, h("div.stack", about, comparedCard, simulatedCard)));
  view = { refresh: () => source.refresh().catch((error) => reading.failed(error.message)) };
  onChange(({ changed }) => {
    if (panel() === name && [...changed].some((one) => one !== "panel")) count();
  });
}

export function shown() {
  view.refresh();
}
