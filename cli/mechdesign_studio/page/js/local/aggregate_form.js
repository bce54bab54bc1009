// Estimate from files of reports, states or sums: shares of items, a distribution function, tables of attributes, or a mean.

import { fileOf, upload } from "../api.js";
import { commandForm, digits, downloads, fileDrop, h, put, runner, seen, selectField, SIMULATION, whole } from "../kit.js";
import { queriesView } from "../workloads/queries_view.js";
import { distributionView } from "./distribution_view.js";
import { DOUBTS, doubts } from "./doubts.js";
import { itemsView } from "./items_view.js";
import { DEPENDENCE, tablesView, withDependence } from "./tables_view.js";

const GIVEN = [
  ["reports", "Files of reports, or states of them"],
  ["sums", "The sums of all users, as secure aggregation gives them"],
];

/** Build the form: {element, take({job, name}) estimates from the reports of a job, wait(yes) greys it out}. */
export function aggregateForm(panel, status, { commands, posts }) {
  const work = runner(panel, status);
  const files = reportFiles(() => ready());
  const given = selectField({ label: "What you have", options: GIVEN, value: "reports", onCommit: () => ready() });
  const form = commandForm(commands["local aggregate"], {
    shown: {
      sums: { label: "Sums: a CSV file", onChange: () => ready() }, users: { label: "Number of users", onInput: () => ready() },
      task: { label: "The task of these sums", accept: ".json", onChange: () => ready() }, "drop-invalid": { label: "Leave out reports that no client makes", help: "In place of refusing their file." },
      domain: { label: "Public list of items", accept: ".txt,.csv" },
      confidence: {}, post: { label: "Post-processing of shares", words: [["", "none: unbiased"], ...posts.items], help: "" },
    },
    without: ["source", "seal"],
  });
  const { sums, users, task, "drop-invalid": drop, domain, confidence, post } = form.fields;
  const start = h("button.primary", { onclick: () => go() }, "Estimate");
  const result = resultView();
  let waiting = false;

  const ofSums = () => given.value === "sums";

  function ready() {
    seen(!ofSums(), files, drop);
    seen(ofSums(), sums, users, task);
    start.disabled = waiting || (ofSums() ? !sums.upload || !task.upload || !users.value.trim() : files.isReading() || files.uploads().length === 0);
  }

  function step([command, options]) {
    const reports = ofSums() ? [] : files.uploads().map(({ upload: id }) => ({ upload: id }));
    return { command, arguments: reports, options: { ...form.options(commands[command].options), post: null, ...options } };
  }

  /** Reports say themselves what they are of: the first look tells which tables and pictures there can be. */
  function go() {
    const prefix = !ofSums() && files.names().some((name) => name.startsWith(SIMULATION)) ? `${SIMULATION}-` : "";
    status.clear();
    work.run([step(["local aggregate", {}])], {
      saying: "Reading the reports", keep: false, silent: DOUBTS,
      onDone: ({ steps }) => queueMicrotask(() => work.run(wanted(steps[0].document, post.value, prefix).map(step), { saying: "Estimating", silent: DOUBTS, shows: result.element, onDone: (answer) => show(answer, prefix) })),
    });
  }

  function show({ job, files: made, steps, seconds }, prefix) {
    result.show({ document: withDependence(steps), job, files: made, isSimulation: prefix !== "" });
    return `Estimated in ${seconds.toFixed(1)} s.`;
  }

  function take({ job, name }) {
    return status.attempt(async () => {
      given.set("reports");
      files.only(await upload(await fileOf(job, name)));
      ready();
      go();
    });
  }

  ready();
  const fields = h(
    "div.card", given, files, sums, users, task, drop, domain, confidence, post, form.more,
    h("div.row", start), status,
  );
  status.follow(fields, form);
  return { element: h("div.split", fields, result), take, wait: (yes) => { waiting = yes; ready(); } };
}

/** Which commands to ask, and with which options, by what the reports are of; the first keeps the sums. Names of files have the prefix. */
function wanted(document, post, prefix) {
  const own = (name) => prefix + name;
  const kept = { state: own("sums.state") };
  if ("mean" in document) return [["local aggregate", { ...kept, output: own("mean.csv") }]];
  if ("tables" in document) {
    const several = document.attributes.length > 1 && document.parameters.k !== 1;
    return [["local marginals", { ...kept, output: own("tables.csv") }], ...(several ? [["local dependence", DEPENDENCE]] : [])];
  }
  if ("queries" in document && !post) return [["local aggregate", { ...kept, output: own("answers.csv") }]];
  const common = { ...kept, output: own("estimate.csv"), plot: own("estimate.svg") };
  if (document.distribution && !post) return [["local ranges", { ...common, quantiles: "0.1:0.9:0.1", "quantiles-output": own("quantiles.csv") }]];
  return [["local aggregate", { ...common, post: post || null }]];
}

function resultView() {
  const views = { distribution: distributionView(), tables: tablesView(), queries: queriesView(), items: itemsView() };
  const mean = h("p");
  const simulated = h("p.message.warn", { hidden: true }, `${SIMULATION}: a seed made these reports, of people who do not exist. These are no estimates of anybody.`);
  const doubted = doubts();
  const links = downloads();
  const element = h("div.stack", { hidden: true }, simulated, doubted, mean, Object.values(views).map((view) => view.element), links);
  return {
    element,
    show({ document, job, files, isSimulation }) {
      const kind = ["mean", "tables", "queries", "distribution", "items"].find((name) => name in document);
      simulated.hidden = !isSimulation;
      element.classList.toggle("simulated", isSimulation);
      for (const [name, view] of Object.entries(views)) view.element.hidden = name !== kind;
      doubted.show(document);
      put(mean, kind === "mean" ? `${whole(document.users)} reports: the mean is ${digits(document.mean)} (${digits(document.low)} to ${digits(document.high)} at ${100 * document.confidence} %).` : null);
      if (kind === "distribution") views.distribution.show(document, null);
      else views[kind]?.show({ document, truth: null, job, files });
      links.show(job, files);
    },
  };
}

/** Places for files of reports: one more whenever the last is full. */
function reportFiles(onChange) {
  const list = h("div.stack");
  let places = [];
  const uploads = () => places.map((place) => place.held ?? place.drop.upload).filter(Boolean);

  function add() {
    const place = { held: null, drop: null };
    place.drop = fileDrop({
      label: places.length ? "One more file of reports" : "Reports: a Parquet file, or a .state file", help: "As made above, or by mechdesign local privatize; a state has the sums of a part.", accept: ".parquet,.state",
      onFile: () => { if (place === places.at(-1)) add(); onChange(); },
      onClear: onChange, onReading: onChange,
    });
    places.push(place);
    list.append(place.drop.element);
  }

  add();
  return {
    element: list,
    uploads,
    isReading: () => places.some((place) => place.drop.isReading),
    names: () => places.map((place) => (place.held ?? place.drop.upload)?.name ?? ""),
    only(kept) {
      places.forEach((place) => place.drop.clear());
      places = [];
      put(list, h("p.drop-state", `The reports that were just made (${kept.name}).`));
      places.push({ held: kept, drop: { upload: null, clear() {} } });
      add();
    },
  };
}
