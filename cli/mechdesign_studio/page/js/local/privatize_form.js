// Make real reports of a file of answers, and say what that spends, and what a second run would.

import { codeBlock, counted, downloadLink, epsilonText, factsList, fileDrop, h, put, runner, seen, whole } from "../kit.js";
import { questionFields } from "./question_fields.js";
import { taskView } from "./task_view.js";

const TASK = "task";

/** Build the form: {element}; onReports(file) gets the reports when they are to be estimated from, onBusy(yes) hears. */
export function privatizeForm(panel, status, known, { onReports, onBusy }) {
  const work = runner(panel, status);
  const runs = new Map(); // {runs, loss} in this window, by answers
  const file = fileDrop({
    label: "Answers: a CSV file with a header", help: "One row for each person.", header: true,
    onFile: (kept) => { question.form.columns(kept.columns); question.columns.set((kept.columns ?? []).join(",")); ready(); },
    onClear: () => { question.form.columns(null); ready(); },
  });
  const task = fileDrop({ label: "Task: a JSON document", accept: ".json", help: "As settled above, or by mechdesign local task new.", onFile: (kept) => look(kept), onClear: () => { asked = null; ready(); } });
  const question = questionFields(known, { more: [[TASK, "What a task document says"]], onChange: () => ready() });
  const { column } = question;
  const start = h("button.primary", { onclick: () => go() });
  const settle = h("button", { onclick: () => settleTask() }, "Save as a task");
  const settled = taskView();
  const warning = h("p.message.warn", { role: "status" });
  const result = reportsView(onReports);
  // The task that was given, as `local task show --json` prints it.
  let asked = null;

  const byTask = () => question.kind.value === TASK;
  const isOfAttributes = () => (byTask() ? Boolean(asked?.domain.columns.length) : question.kind.value === "attributes");
  const spends = () => (byTask() ? asked?.parameters.privacy.replace("=", " = ") ?? "what the task says" : `epsilon = ${question.loss()}`);

  /** Read a task before anything is made of it. */
  function look(kept) {
    asked = null;
    work.run([{ command: "local task show", arguments: [{ upload: kept.upload }] }], {
      saying: "Reading the task", keep: false, onDone: ({ steps }) => { asked = steps[0].document; ready(); },
    });
  }

  // The same file given twice is the same answers: by its name and size, which errs on the side of saying it.
  const identity = () => JSON.stringify([file.upload.name, file.upload.bytes, isOfAttributes() ? question.columns.value : column.value]);

  function ready() {
    seen(byTask(), task);
    seen(!isOfAttributes(), column);
    start.disabled = !file.upload || (byTask() ? !asked : question.lacks());
    settle.disabled = byTask() || question.lacks();
    const spent = file.upload ? runs.get(identity()) : undefined;
    warning.hidden = !spent;
    put(start, spent ? `Make reports again: spends ${spends()} more` : `Make reports: spends ${spends()} of each person`);
    if (spent) put(warning, `These answers were reported ${spent.runs === 1 ? "once" : `${spent.runs} times`} in this window, at a loss of epsilon = ${epsilonText(spent.loss)}. Each further run on the same answers spends as much again as its epsilon: whoever has all the files has the sum; reports on other columns of the same people add up too. If you need the same reports again, use the file that you have.`);
  }

  async function go() {
    status.clear();
    start.disabled = true;
    onBusy(true);
    const over = () => { onBusy(false); ready(); };
    try {
      const run = { identity: identity(), options: await options() };
      work.run([{ command: "local privatize", options: run.options }], {
        saying: "Randomising each answer", onDone: (answer) => { made(answer, run); over(); }, onFailed: over, onGone: over,
      });
    } catch (error) {
      status.failed(error.message);
      over();
    }
  }

  /** Write down what is asked, for clients in other languages; no answer is read. */
  function settleTask() {
    status.clear();
    return status.attempt(async () => {
      const options = { ...await question.options(known.commands["local task new"].options), output: "task.json" };
      work.run([{ command: "local task new", options }], {
        saying: "Settling the task", onDone: ({ job, files, steps }) => settled.show({ job, file: files.find((one) => one.name === "task.json"), task: steps[0].document }),
      });
    });
  }

  async function options() {
    const common = { input: { upload: file.upload.upload }, output: "reports.parquet" };
    if (byTask()) return { ...common, column: question.form.options().column, task: { upload: task.upload.upload } };
    return { ...await question.options(), ...common, ...(question.kind.value === "bins" ? { beyond: question.bins.beyond } : {}) };
  }

  function made({ job, files, steps }, run) {
    const found = steps[0].document;
    const before = runs.get(run.identity) ?? { runs: 0, loss: 0 };
    const spent = { runs: before.runs + 1, loss: before.loss + found.actual_epsilon };
    runs.set(run.identity, spent);
    result.show({ job, file: files.find((one) => one.name === found.file), found, spent });
  }

  question.changed();
  const form = h(
    "div.card", file, question.kind, task, column, question, question.pair, question.form.more, warning,
    h("div.row", start, settle), status,
  );
  status.follow(form, question.form);
  return { element: h("div.split", form, h("div.stack", result, settled)) };
}

function reportsView(onReports) {
  const said = h("div");
  const again = h("p.message.warn");
  const place = h("p");
  const use = h("button", "Estimate from these reports");
  const parameters = codeBlock("Parameters of the reports");
  const element = h("div.card", { hidden: true }, h("h3", "Reports"), said, again, h("div.row", place, use), parameters);
  let held = null;
  use.addEventListener("click", () => onReports(held));
  return {
    element,
    show({ job, file, found, spent }) {
      held = { job, name: file.name };
      element.hidden = false;
      const facts = [
        ["Reports", whole(found.reports)], ["Oracle", found.title], ["A report takes", counted(found.bits, "bit")],
        ["Each report loses", `epsilon = ${epsilonText(found.actual_epsilon)}${found.keeps_claim ? "" : ", MORE than asked for"}`],
      ];
      put(said, factsList(facts));
      put(again, spent.runs === 1
        ? `A second run on the same answers spends as much again: whoever has both files then knows up to epsilon = ${epsilonText(found.loss_of_two_runs)} about each person.`
        : `Run ${spent.runs} on these answers in this window: whoever has all ${spent.runs} files knows up to epsilon = ${epsilonText(spent.loss)} about each person.`);
      put(place, downloadLink(job, file));
      parameters.show(JSON.stringify(found.parameters, null, 1));
    },
  };
}
