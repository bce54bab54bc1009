// Tables of several attributes under local privacy, tried on a file of one's own: a simulated collection beside the truth.

import { commandsAnd } from "../api.js";
import { codeDisclosure, commandForm, downloads, fieldGroup, fileDrop, h, handed, inventedPeople, messages, put, radioField, runner, sampleButton, seen, selectField, SIMULATING, switchField } from "../kit.js";
import { EPSILON, freshSeed, SEED } from "../local/local_fields.js";
import { DEPENDENCE, tablesView, withDependence } from "../local/tables_view.js";

const name = "marginals";
export const lead = "Each person answers ten questions and sends one small report: what do tables of two or three answers look like, and which answers go together? Try it on a file: reports are simulated, and the truth is shown beside.";

const FROM_FILE = "file";
const MOST_TAKEN = 6; // columns that are taken at first where there are no more

export async function build(root) {
  const { commands, suggestions, posts, notes, whole_tuples: whole } = await commandsAnd(["local privatize", "local marginals"], "suggestions", "posts", "notes", "whole_tuples");
  const status = messages();
  const work = runner(name, status);
  const view = tablesView();
  const links = downloads();
  const columns = columnSwitches(() => ready());
  const file = fileDrop({
    label: "A CSV file with a header", help: "One row for each person, one column for each attribute.", header: true,
    onFile: (kept) => { columns.offer(kept.columns); ready(); },
    onClear: () => { columns.offer(null); ready(); },
  });
  const domain = fileDrop({
    label: "Public list of the items", help: "A CSV file with columns column,item: a row for each item of each attribute.",
    onChange: () => ready(),
  });
  const warning = h("p.message.warn", "In a trial the items may come from the file. In a real collection they must come from a public list: which answers occur would itself tell something.");
  const source = radioField({
    label: "Items of each attribute", value: FROM_FILE, onCommit: () => ready(),
    options: [[FROM_FILE, "Those in the file"], ["list", "A public list"]],
  });
  const way = selectField({ label: "Attributes in a table, k", options: ["1", "2", "3"], value: "2" });
  const making = commandForm(commands["local privatize"], {
    shown: {
      oracle: { value: suggestions.tables[0], suggestions: suggestions.tables, help: notes.marginals },
      epsilon: EPSILON, seed: SEED,
    },
    without: ["column", "task", "beyond", "alpha", "ordered", "bins", "columns", "maximum", "workload", "users", "user", "round", "unit"],
  });
  const asking = commandForm(commands["local marginals"], {
    shown: { post: { label: "Estimates", words: [["", "as usual"], ...posts.tables] } }, without: ["users", "source", "drop-invalid", "seal", "marginal"],
  });
  const { oracle, epsilon, seed } = making.fields;
  const { post } = asking.fields;
  const start = h("button.primary", { onclick: () => go() }, "Simulate a collection");
  const again = h("button", { disabled: true, onclick: () => { seed.set(freshSeed()); go(); } }, "Once more, with another seed");
  const results = h("div.stack", { hidden: true }, view, links);
  handed.oracle.on(({ kind, ...chosen }) => {
    if (kind === "tables") {
      oracle.set(chosen.oracle.replace(/:k=[0-9]+/, ""));
      epsilon.set(chosen.epsilon);
    }
  });

  function ready() {
    const listed = source.value !== FROM_FILE;
    warning.hidden = listed;
    seen(listed, domain);
    start.disabled = !file.upload || columns.taken().length < 1 || (listed && !domain.upload);
  }

  function steps() {
    const taken = columns.taken();
    const several = taken.length > 1 && way.value !== "1";
    const input = { input: { upload: file.upload.upload }, columns: taken.join(",") };
    const tables = Math.min(Number(way.value), taken.length);
    const found = source.value === FROM_FILE ? { "domain-output": "attributes.csv" } : {};
    const items = source.value === FROM_FILE ? "attributes.csv" : { upload: domain.upload.upload };
    const made = { ...input, domain: items, ...making.options(), oracle: withWay(oracle.value, tables, whole), output: "reports.parquet" };
    return [
      { command: "data", options: { ...input, tables: String(tables), ...found } },
      { command: "local privatize", options: made },
      { command: "local marginals", arguments: ["reports.parquet"], options: { output: "tables.csv", ...asking.options() } },
      ...(several ? [{ command: "local dependence", arguments: ["reports.parquet"], options: { ...DEPENDENCE, post: post.value || null } }] : []),
    ];
  }

  async function trial() {
    await file.take(inventedPeople());
    if (!file.upload) return;
    source.set(FROM_FILE);
    columns.take(["sex", "smokes", "exercises"]);
    ready();
    go();
  }

  function go() {
    status.clear();
    work.run(steps(), { saying: "Simulating the reports of all people", silent: SIMULATING, shows: results, onDone: show });
  }

  function show({ job, files, steps: done, seconds }) {
    again.disabled = false;
    view.show({ document: withDependence(done.slice(2)), truth: done[0].document, job, files });
    links.show(job, files);
    return `Simulated in ${seconds.toFixed(1)} s.`;
  }

  const controls = h(
    "div.card", sampleButton(trial), file, columns, source, warning, domain,
    h("div.pair", way, epsilon), oracle, post, seed, making.more, asking.more,
    h("div.row", start, again), status,
    h("p.hint", "To collect for real, without a seed, go to Collect."),
  );
  columns.offer(null);
  ready();
  status.follow(controls, making, asking);
  root.append(h("div.split", controls, h("div.stack", results, codeDisclosure(name))));
}

/** Add the number of attributes in a table to the oracle's text, where it names none, inpht:k=2; those of `whole` tuples have none. */
function withWay(text, way, whole) {
  const oracle = text.trim();
  return oracle.includes(":k=") || whole.includes(oracle.split(":")[0].toUpperCase()) ? oracle : `${oracle}:k=${way}`;
}

/** Switches for the columns of a file: {element, offer(columns), take(names), taken()}. */
function columnSwitches(onChange) {
  const list = h("div.column-switches");
  const element = fieldGroup("Columns to take", list);
  let switches = [];
  return {
    element,
    offer(columns) {
      element.hidden = !columns?.length;
      switches = (columns ?? []).map((label) => switchField({ label, checked: columns.length <= MOST_TAKEN, onCommit: onChange }));
      put(list, switches.map((one) => one.element));
      switches.forEach((one, at) => { one.column = columns[at]; });
    },
    take: (names) => switches.forEach((one) => one.set(names.includes(one.column))),
    taken: () => switches.filter((one) => one.value).map((one) => one.column),
  };
}
