// Make real reports of a file of answers, and say what that spends, and what a second run would.

import { upload } from "../api.js";
import { h, put } from "../dom.js";
import { codeBlock } from "../parts/code.js";
import { downloadLink } from "../parts/downloads.js";
import { areaField, selectField, switchField, textField } from "../parts/fields.js";
import { fileDrop } from "../parts/file_drop.js";
import { runner } from "../parts/runner.js";
import { onOracle } from "./chosen_oracle.js";
import { binFields, columnField, epsilonField, linesOf, suggestField, textFile } from "./local_fields.js";
import { counted, epsilonText, whole } from "./number_text.js";

const KINDS = [
  { value: "items", title: "One of a list of items" },
  { value: "bins", title: "A number or date, in bins" },
  { value: "attributes", title: "Several attributes" },
  { value: "mean", title: "A number, for its mean" },
];
const ORACLES = {
  items: ["olh", "grr", "oue", "ss", "hrr", "sue", "blh", "hcms"],
  bins: ["hh:b=4", "hh:b=2:levels=ranges", "haar", "oue", "olh"],
  attributes: ["inpht:k=2", "margps:k=2", "margrr:k=2", "calm:k=2", "inprr:oue:k=2"],
  mean: ["onebitmean"],
};

/** Build the form: {element}; onReports(file) gets the reports when they are to be estimated from, onBusy(yes) hears. */
export function privatizeForm(panel, status, { onReports, onBusy }) {
  const work = runner(panel, status);
  const runs = new Map(); // {runs, loss} in this window, by answers
  const column = columnField({ help: "The answer of each person.", onCommit: () => ready() });
  const columns = textField({ label: "Columns", value: "", help: "Names with commas between them, as in the public list.", onInput: () => ready() });
  const file = fileDrop({
    label: "Answers: a CSV file with a header", accept: ".csv,text/csv", help: "One row for each person.",
    onFile: (kept) => { column.offerColumns(kept.columns); columns.set((kept.columns ?? []).join(",")); ready(); },
    onClear: () => { column.offerColumns(null); ready(); },
  });
  const kind = selectField({ label: "What an answer is", options: KINDS, value: "items", onCommit: () => changed() });
  const items = areaField({ label: "Public list of all items, one a line", rows: 5, help: "In the code it is the file items.txt.", onInput: () => ready() });
  const ordered = switchField({ label: "The items are in their order, so ranges and quantiles make sense" });
  const list = fileDrop({ label: "Public list of the items of each attribute", accept: ".csv,text/csv", help: "A CSV file with columns column,item.", onFile: () => ready(), onClear: () => ready() });
  const bins = binFields();
  const maximum = textField({ label: "Largest number", value: "24", help: "Numbers are from 0 to this." });
  const epsilon = epsilonField({ onInput: () => ready() });
  const oracles = Object.fromEntries(KINDS.map(({ value }) => [value, suggestField({ label: "Oracle", value: ORACLES[value][0], suggestions: ORACLES[value] })]));
  const start = h("button", { type: "button", class: "primary", onclick: () => go() });
  const warning = h("p", { class: "message warn", role: "status" });
  const result = reportsView(onReports);
  const only = { items: [items.element, ordered.element], bins: [bins.element], attributes: [list.element, columns.element], mean: [maximum.element] };
  onOracle((chosen) => {
    const at = { items: "items", ranges: "bins", tables: "attributes" }[chosen.kind];
    if (chosen.kind === "items") { kind.set(at); changed(); }
    oracles[at].set(chosen.oracle);
    epsilon.set(chosen.epsilon);
    ready();
  });

  // The same file given twice is the same answers: by its name and size, which errs on the side of saying it.
  const identity = () => JSON.stringify([file.upload.name, file.upload.bytes, kind.value === "attributes" ? columns.value : column.value]);

  function changed() {
    for (const [of, elements] of Object.entries(only)) elements.forEach((one) => { one.hidden = of !== kind.value; });
    for (const [of, field] of Object.entries(oracles)) field.element.hidden = of !== kind.value;
    column.element.hidden = kind.value === "attributes";
    ready();
  }

  function ready() {
    const lacks = (kind.value === "items" && linesOf(items.value).length < 2) || (kind.value === "attributes" && !list.upload);
    start.disabled = !file.upload || lacks;
    const spent = file.upload ? runs.get(identity()) : undefined;
    warning.hidden = !spent;
    put(start, spent ? `Make reports again: spends epsilon = ${epsilon.value.trim()} more` : `Make reports: spends epsilon = ${epsilon.value.trim()} of each person`);
    if (spent) put(warning, `These answers were reported ${spent.runs === 1 ? "once" : `${spent.runs} times`} in this window, at a loss of epsilon = ${epsilonText(spent.loss)}. Each further run on the same answers spends as much again as its epsilon: whoever has all the files has the sum; reports on other columns of the same people add up too. If you need the same reports again, use the file that you have.`);
  }

  async function go() {
    status.clear();
    start.disabled = true;
    onBusy(true);
    const over = () => { onBusy(false); ready(); };
    try {
      const run = { identity: identity(), options: await options() };
      work.run([{ command: "privatize", arguments: [], options: run.options }], {
        saying: "Randomising each answer", onDone: (answer) => { made(answer, run); over(); }, onFailed: over, onGone: over,
      });
    } catch (error) {
      status.failed(error.message);
      over();
    }
  }

  async function options() {
    const own = {
      items: async () => ({ column: column.value, ordered: ordered.value, domain: { upload: (await upload(textFile("items.txt", linesOf(items.value)))).upload } }),
      bins: async () => ({ column: column.value, bins: [bins.text], beyond: bins.beyond }),
      attributes: async () => ({ columns: columns.value.replaceAll(", ", ","), domain: { upload: list.upload.upload } }),
      mean: async () => ({ column: column.value, maximum: maximum.value.trim() }),
    };
    const common = { oracle: oracles[kind.value].value.trim(), epsilon: epsilon.value.trim(), output: "reports.parquet", json: true };
    return { input: { upload: file.upload.upload }, ...await own[kind.value](), ...common };
  }

  function made({ job, files, steps }, run) {
    const found = steps[0].document;
    const before = runs.get(run.identity) ?? { runs: 0, loss: 0 };
    const spent = { runs: before.runs + 1, loss: before.loss + found.true_loss };
    runs.set(run.identity, spent);
    result.show({ job, file: files.find((one) => one.name === found.file), found, spent });
  }

  changed();
  column.offerColumns(null);
  const form = h(
    "div", { class: "card" }, file.element, kind.element, column.element, Object.values(only).flat(),
    h("div", { class: "pair" }, Object.values(oracles).map((one) => one.element), epsilon.element), warning,
    h("div", { class: "row" }, start), status.element,
  );
  return { element: h("div", { class: "split" }, form, result.element) };
}

function reportsView(onReports) {
  const said = h("dl", { class: "facts" });
  const again = h("p", { class: "message warn" });
  const place = h("p");
  const use = h("button", { type: "button" }, "Estimate from these reports");
  const parameters = codeBlock("Parameters of the reports");
  const element = h("div", { class: "card", hidden: true }, h("h3", {}, "Reports"), said, again, h("div", { class: "row" }, place, use), parameters.element);
  let held = null;
  use.addEventListener("click", () => onReports(held));
  return {
    element,
    show({ job, file, found, spent }) {
      held = { job, name: file.name };
      element.hidden = false;
      const facts = [
        ["Reports", whole(found.reports)], ["Oracle", found.title], ["A report takes", counted(found.bits, "bit")],
        ["Each report loses", `epsilon = ${epsilonText(found.true_loss)}${found.keeps_claim ? "" : ", MORE than asked for"}`],
      ];
      put(said, facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
      put(again, spent.runs === 1
        ? `A second run on the same answers spends as much again: whoever has both files then knows up to epsilon = ${epsilonText(found.loss_of_two_runs)} about each person.`
        : `Run ${spent.runs} on these answers in this window: whoever has all ${spent.runs} files knows up to epsilon = ${epsilonText(spent.loss)} about each person.`);
      put(place, downloadLink(job, file));
      parameters.show(JSON.stringify(found.parameters, null, 1));
    },
  };
}
