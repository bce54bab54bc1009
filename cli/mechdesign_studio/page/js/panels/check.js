import { choices } from "../api.js";
import { findings } from "../counts/findings.js";
import { codeDisclosure, downloads, fieldGroup, fileDrop, h, isLaw, isWorkloadDesign, jsonOf, messages, numberField, put, runner, sampleButton, seen, selectField, switchField, textField } from "../kit.js";

export const name = "check";
export const title = "Check";
export const lead = "Drop a matrix of any tool, the document of a design or of a law, or the record of a release: it is audited in exact arithmetic, every claim is tested, and a defective matrix can be repaired.";

// Documents whose mechanism is no square matrix.
const BY_RULE = ["workload", "levels", "law"];
// A geometric mechanism of alpha = 0.9, as a tool writes it that keeps four digits: it misses its own privacy.
const EXAMPLE = "0.5263,0.4737,0.4263\n0.0474,0.0526,0.0474\n0.4263,0.4737,0.5263\n";
const REPAIRED = "repaired.json";
const CONVERTED = ["repaired.csv", "repaired.npz", "repaired.html"];

export function build(root) {
  const status = messages();
  const job = runner(name, status);
  const found = findings({ of: "the file" });
  const repaired = findings({ of: "the repaired mechanism" });
  const saved = downloads("The repaired mechanism");
  const claims = claimFields(() => file && check());
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
  const repairLoss = selectField({ label: "Loss that the repair is scored by", options: ["L0"], value: "L0" });
  const repairing = fieldGroup(
    "Repair", h("p.hint", "Makes of this matrix a mechanism with the privacy and the properties that are claimed above, and certifies how far it is from the best one."),
    repairLoss, h("div.row", mend),
  );
  const result = h("div.stack", { hidden: true }, h("h2", "What was found"), found);
  const outcome = h("div.stack", { hidden: true }, h("h2", "After the repair"), repaired, saved);

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
      pythonOf: (answer) => auditText(answer.steps[0].document.kind, drop.upload?.name ?? "design.json") ?? answer.python,
      onDone: (answer) => tell(answer.steps[0].document),
      onFailed: () => { result.hidden = true; mend.disabled = true; },
    });
  }

  function tell(document) {
    shape(document.kind);
    mend.disabled = repairing.hidden;
    claims.know(document);
    result.classList.remove("stale");
    found.show(document);
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
        tell(answer.steps[0].document);
        repaired.show(answer.steps[1].document, answer.steps[0].document.repair);
        saved.show(answer.job, answer.files);
      },
    });
  }

  root.append(h(
    "div.split",
    h("div.card", sampleButton(trial, "Try it with an example"), drop, ofRecord, claims, repairing, status, codeDisclosure(name)),
    h("div.stack", result, outcome),
  ));
  choices("properties", "losses", "opened").then((known) => {
    claims.offer(known);
    repairLoss.offer(known.losses, "L0");
    if (known.opened && !file) { // the studio was started with a file
      file = { upload: known.opened };
      check();
    }
  }).catch(() => {}); // the first job says what is wrong
}

// The file alone says that it holds a law or a design for a workload, and steps are written as Python before it is read.
function auditText(kind, name) {
  if (!BY_RULE.includes(kind)) return null;
  return `from mechdesign import audit\n\nresult = audit(${JSON.stringify(name)})\nfor claim in result.claims:\n    print(claim.true, claim.claim)\n`;
}

// What is claimed of the matrix: privacy, properties, and what its inputs are.
function claimFields(onChange) {
  const alpha = textField({ label: "alpha", help: "0.9 or 9/10", onCommit: () => { if (alpha.value) epsilon.set(""); onChange(); } });
  const epsilon = textField({ label: "or epsilon", help: "instead of alpha", onCommit: () => { if (epsilon.value) alpha.set(""); onChange(); } });
  const model = selectField({
    label: "Inputs are", value: "count", onCommit: () => { radius.element.hidden = model.value !== "lldp"; onChange(); },
    options: [
      ["count", "counts: neighbours differ by 1"], ["ldp", "items: any two are neighbours (LDP)"],
      ["lldp", "items: those up to R apart are neighbours"],
    ],
  });
  const radius = numberField({ label: "R", value: 2, min: 1, onCommit: onChange });
  seen(false, radius);
  const rows = switchField({ label: "One row for each input", help: "Other tools write the transpose.", onCommit: onChange });
  const tolerance = textField({ label: "Tolerance (optional)", help: "1e-9: judge by what holds for some matrix with every entry so near.", onCommit: onChange });
  const boxes = h("div.property-switches");
  const plain = h("div.stack", rows, model, radius, tolerance);
  let properties = [];

  function offer(known) {
    properties = known.properties.map((one) => ({ one: one.name, field: switchField({ label: `${one.name}: ${one.title}`, onCommit: onChange }) }));
    put(boxes, properties.map(({ field }) => field.element));
  }

  return {
    element: h("div.stack", plain, fieldGroup("Claims to test (optional)", h("div.pair", alpha, epsilon), boxes)),
    alpha,
    offer,
    know: (document) => { plain.hidden = document.kind !== "matrix"; },
    options() {
      const props = properties.filter(({ field }) => field.value).map(({ one }) => one);
      const ofMatrix = plain.hidden ? {} : {
        ...(rows.value ? { "row-stochastic": true } : {}),
        ...(model.value === "count" ? {} : { model: model.value }),
        ...(model.value === "lldp" ? { radius: radius.value } : {}),
        ...(tolerance.value.trim() ? { tolerance: tolerance.value.trim() } : {}),
      };
      return {
        ...ofMatrix,
        ...(alpha.value.trim() ? { alpha: alpha.value.trim() } : {}), ...(epsilon.value.trim() ? { epsilon: epsilon.value.trim() } : {}),
        ...(props.length ? { props: props.join(",") } : {}),
      };
    },
  };
}
