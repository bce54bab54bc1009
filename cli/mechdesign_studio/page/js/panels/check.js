import { commandsAnd } from "../api.js";
import { findings } from "../counts/findings.js";
import { link, PLAIN } from "../design_state.js";
import { codeDisclosure, commandForm, downloads, fieldGroup, fileDrop, h, isLaw, isWorkloadDesign, jsonOf, messages, runner, sampleButton, selectField, set, switchField } from "../kit.js";

const name = "check";
export const lead = "Drop a matrix of any tool, the document of a design or of a law (one mechanism for groups of every size), or the record of a release. It is audited in exact arithmetic, every claim is tested, and a defective matrix can be repaired.";

// Documents whose mechanism is no square matrix.
const BY_RULE = ["workload", "levels", "law"];
// A geometric mechanism of alpha = 0.9, as a tool writes it that keeps four digits: it misses its own privacy.
const EXAMPLE = "0.5263,0.4737,0.4263\n0.0474,0.0526,0.0474\n0.4263,0.4737,0.5263\n";
const REPAIRED = "repaired.json";
const CONVERTED = ["repaired.csv", "repaired.npz", "repaired.html"];

export async function build(root) {
  const known = await commandsAnd(["check"], "properties", "losses", "models", "opened");
  const status = messages();
  const job = runner(name, status);
  const found = findings({ of: "the file", losses: known.losses, onTurn: (yes) => { claims.rows.set(yes); check(); claims.rows.input.focus(); } });
  const anew = h("a.onward", "Design it from nothing");
  const better = h("div.row", { hidden: true }, anew);
  const repaired = findings({ of: "the repaired mechanism", losses: known.losses, more: better });
  const saved = downloads("The repaired mechanism");
  const claims = claimFields(known, () => file && check());
  let file = null; // {upload} of what is checked

  const drop = fileDrop({
    label: "A matrix, a design, a law or a record",
    help: "CSV, JSON, NPZ or NPY. Column j is the distribution of outputs for input j.",
    accept: ".csv,.json,.npz,.npy",
    onFile: async (upload, from) => {
      const data = await jsonOf(from);
      if (drop.upload !== upload) return; // another file was given meanwhile
      file = null;
      counts.clear();
      file = { upload: upload.upload };
      shape(isWorkloadDesign(data) ? "workload" : isLaw(data) ? "law" : "matrix");
      check();
    },
    onClear: () => { file = null; job.stop(); clear(); },
  });
  const counts = fileDrop({
    label: "The released counts (optional)",
    help: "The CSV file that the record is of: whether it belongs to it is checked.",
    accept: ".csv",
    onChange: () => file && check(),
  });
  const ofRecord = h("div.stack", { hidden: true }, counts);
  const mend = h("button", { disabled: true, onclick: () => repair() }, "Repair");
  const repairLoss = selectField({ label: "Loss that the repair is scored by", options: known.losses, value: "L0" });
  const repairing = fieldGroup(
    "Repair", h("p.hint", "Makes of this matrix a mechanism with the privacy and the properties that are claimed above, and certifies how far it is from the best one."),
    repairLoss, h("div.row", mend),
  );
  const result = h("div.stack", { hidden: true }, h("h2", "What was found"), found);
  const after = h("h2", { tabindex: "-1" }, "After the repair");
  const outcome = h("div.stack", { hidden: true }, after, repaired, saved);

  function trial() {
    claims.alpha.set("0.9");
    drop.take(new File([EXAMPLE], "example.csv", { type: "text/csv" }));
  }

  function clear() {
    status.clear();
    result.hidden = true;
    outcome.hidden = true;
    mend.disabled = true;
    shape("matrix");
  }

  /** Offer what goes with a matrix, a release, a law, or a design for a workload: only of matrices more can be claimed. */
  function shape(kind) {
    ofRecord.hidden = kind !== "release";
    claims.element.hidden = repairing.hidden = kind === "release" || BY_RULE.includes(kind);
  }

  function check() {
    outcome.hidden = true;
    const options = claims.element.hidden ? {} : claims.options();
    const released = !ofRecord.hidden && counts.upload ? { upload: counts.upload.upload } : null;
    const step = released
      ? { command: "check", arguments: [released], options: { record: file } }
      : { command: "check", arguments: [file], options: { ...options } };
    job.run([step], {
      saying: "Checking in exact arithmetic", shows: result,
      onDone: (answer) => tell(answer.steps[0].document),
      onFailed: () => { result.hidden = true; mend.disabled = true; },
    });
  }

  function tell(document) {
    shape(document.kind);
    mend.disabled = repairing.hidden;
    claims.know(document);
    status.result(result); // a repair checks anew too
    found.show(document, { turned: claims.rows.value, typed: !claims.element.hidden && claims.typed() });
  }

  function repair() {
    const options = claims.options();
    if (!options.alpha && !options.epsilon) {
      status.failed("A repair must know the privacy to reach: give alpha or epsilon.");
      claims.alpha.input.focus();
      return;
    }
    const first = { ...options, loss: repairLoss.value, repair: REPAIRED };
    job.run([
      { command: "check", arguments: [file], options: first },
      { command: "check", arguments: [REPAIRED] },
      { command: "report", arguments: [REPAIRED], options: { output: CONVERTED } },
    ], {
      saying: "Repairing", shows: outcome,
      onDone: (answer) => {
        const { document } = answer.steps[0];
        tell(document);
        better.hidden = !document.repair.better || document.kind !== "matrix" || document.model !== "count";
        const { alpha = "", epsilon = "", props, loss } = first;
        set(anew, { href: link({ ...PLAIN, panel: "design", n: String(document.inputs - 1), ...(alpha ? { alpha } : { epsilon }), props: props ?? PLAIN.props, loss }) });
        repaired.show(answer.steps[1].document, { repair: document.repair });
        saved.show(answer.job, answer.files);
        if (window.document.activeElement === mend) after.focus({ preventScroll: true });
      },
    });
  }

  const asking = h("div.card", sampleButton(trial, "Try it with an example"), drop, ofRecord, claims, repairing, status, codeDisclosure(name));
  status.follow(asking, claims.form, drop);
  root.append(h("div.split", asking, h("div.stack", result, outcome)));
  if (known.opened) { // the studio was started with a file
    file = { upload: known.opened };
    check();
  }
}

// What is claimed of the matrix: privacy, properties, and what its inputs are.
function claimFields({ commands, properties, models }, onCommit) {
  const instead = (other) => (value) => { if (value) form.fields[other].set(""); onCommit(); };
  const form = commandForm(commands.check, {
    shown: {
      "row-stochastic": { label: "One row for each input", help: "Other tools write the transpose." },
      model: { label: "Inputs are", value: "count", words: models.filter(([one]) => one !== "metric"), onCommit: () => { arrange(); onCommit(); } },
      radius: { label: "R", value: "2" }, tolerance: { label: "Tolerance (optional)" },
      alpha: { label: "alpha", onCommit: instead("epsilon") }, epsilon: { label: "or epsilon", onCommit: instead("alpha") },
    },
    without: ["props", "loss", "curve", "delta", "start", "hide", "unit"], onCommit,
  });
  const { "row-stochastic": rows, model, radius, tolerance, alpha, epsilon } = form.fields;
  const boxes = properties.map((one) => ({ name: one.name, field: switchField({ label: `${one.name}: ${one.title}`, onCommit }) }));
  const plain = [rows, model, radius, tolerance];

  function arrange(isMatrix = true) {
    for (const { element } of plain) element.hidden = !isMatrix;
    if (model.value !== "lldp") radius.element.hidden = true;
  }

  arrange();
  return {
    element: h("div.stack", rows, fieldGroup("Claims to test (optional)", h("div.pair", alpha, epsilon), h("div.property-switches", boxes.map(({ field }) => field))), model, radius, tolerance, form.more),
    alpha,
    rows,
    form,
    typed: () => Boolean(alpha.value || epsilon.value || boxes.some(({ field }) => field.value)),
    know: (document) => arrange(document.kind === "matrix"),
    options() {
      const { model: name, ...given } = form.options();
      const props = boxes.filter(({ field }) => field.value).map((one) => one.name);
      return { ...given, model: name === "count" ? null : name, props: props.join(",") || null };
    },
  };
}
