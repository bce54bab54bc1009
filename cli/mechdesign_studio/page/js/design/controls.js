// The controls of a design. They write the fragment and follow it; nothing here computes.

import { change, design } from "../design_state.js";
import { h, put } from "../dom.js";
import { roundedUp, sixDigits } from "../parts/exact.js";
import { fileDrop } from "../parts/file_drop.js";
import { fieldGroup, numberField, radioField, selectField, sliderField, textField } from "../parts/fields.js";
import { priorEditor, refit } from "./prior_editor.js";
import { propertySwitches } from "./properties.js";

const MODELS = { count: "Count in a group", ldp: "One item each (LDP)", lldp: "One item each, near ones alike (LLDP)" };
const FILE = "file";
const LARGEST = 512;

/**
 * Build the controls: {element, files, show(design), tellPlan(plan), tellPrivacy(report), complain(message)}.
 *
 * `files` are {loss, prior}: uploads in the place of what the fragment says; onFile() is called when one comes or goes.
 */
export function controls(choices, onFile) {
  const files = { loss: null, prior: null };
  const steady = drags();
  const model = selectField({
    label: "Model", options: choices.models.filter((name) => MODELS[name]).map((value) => ({ value, title: MODELS[value] })), onCommit: (value) => change({ model: value }),
    help: "A metric of your own goes by the command line: solve --model metric --distances FILE.",
  });
  const n = sized("n", "People in the group, n", "Counts are 0 to n.", 1);
  const k = sized("k", "Items, k", "Items are 0 to k - 1.", 2);
  const radius = numberField({ label: "Radius", min: 1, help: "Items up to so far apart are made alike.", onInput: (value) => whole(value) && change({ radius: value }) });
  const slider = sliderField({
    label: "Privacy, alpha", min: 0.01, max: 0.99, step: 0.01, value: "0.9", says: (value) => `alpha ${value}`,
    onInput: (value) => steady.move({ alpha: value }), onCommit: steady.end, help: "Drag: to the right is more private.",
  });
  const alpha = textField({ label: "alpha", help: "0.9 or 9/10", onCommit: (value) => change({ alpha: value.trim() }), attributes: { inputmode: "decimal" } });
  const epsilon = textField({ label: "epsilon", help: "-ln(alpha)", onCommit: (value) => change({ epsilon: value.trim() }), attributes: { inputmode: "decimal" } });
  const exact = h("p", { class: "hint mono exact-privacy" });
  const live = h("p", { class: "live-score" });
  const switches = propertySwitches({ known: choices.properties, families: choices.families, onCommit: (props) => change({ props }) });
  const loss = selectField({ label: "Loss", onCommit: (value) => chooseLoss(value), options: [...choices.losses.map((value) => ({ value, title: LOSSES[value] ?? value })), { value: "other", title: "Other" }, { value: FILE, title: "A matrix from a file" }] });
  const otherLoss = textField({ label: "Loss by name", help: "Lp, Lp:d (errors up to d are free) or PB:TAU.", onCommit: (value) => change({ loss: value.trim() }) });
  const lossFile = fileDrop({ label: "Loss matrix", help: "A CSV with a row for each output, a column for each input.", accept: ".csv", onFile: (file) => setFile("loss", file), onClear: () => setFile("loss", null) });
  const aggregate = radioField({ label: "What is kept small", options: [{ value: "expected", title: "Expected loss" }, { value: "worst", title: "Worst input" }], onCommit: (value) => change(value === "worst" ? { aggregate: value, prior: "uniform" } : { aggregate: value }) });
  const prior = selectField({ label: "Prior: how likely each true value is", onCommit: (value) => choosePrior(value), options: [{ value: "uniform", title: "Uniform" }, { value: "binomial", title: "Binomial" }, { value: "weights", title: "Drawn, or whole weights" }, { value: FILE, title: "From a file of weights" }] });
  const chance = textField({ label: "Chance of each person", help: "In [0, 1]: 0.3 or 3/10.", onCommit: (value) => change({ prior: `binomial:${value.trim()}` }), attributes: { inputmode: "decimal" } });
  const editor = priorEditor({ onDraw: (weights) => steady.move({ prior: weightsText(weights) }), onCommit: (weights) => { steady.move({ prior: weightsText(weights) }); steady.end(); } });
  const priorFile = fileDrop({ label: "File of weights", help: "One weight for each input, with sum 1. It never stands in the link.", accept: ".csv,.txt", onFile: (file) => setFile("prior", file), onClear: () => setFile("prior", null) });
  const priorBox = h("div", { class: "stack" }, prior.element, chance.element, editor.element, priorFile.element);
  let fileWanted = { loss: false, prior: false };

  const element = h(
    "form", { class: "card design-controls", onsubmit: (event) => event.preventDefault(), "aria-label": "The design" },
    model.element, n.element, k.element, radius.element,
    fieldGroup("Privacy", slider.element, h("div", { class: "pair" }, alpha.element, epsilon.element), exact, live),
    switches.element,
    fieldGroup("Loss", loss.element, otherLoss.element, lossFile.element, aggregate.element, priorBox),
  );

  noteTyping(element);

  function sized(name, label, help, min) {
    const field = numberField({ label, help, min, max: LARGEST, onInput: (value) => steady.move(sizePatch(name, value)), onCommit: steady.end });
    return field;
  }

  function sizePatch(name, value) {
    if (!whole(value) || Number(value) < 1 || Number(value) > LARGEST) return null;
    const { prior: text } = design();
    const size = Number(value) + (name === "n" ? 1 : 0);
    return { [name]: String(Number(value)), ...(text.startsWith("weights:") ? { prior: weightsText(refit(weightsOf(text), size)) } : {}) };
  }

  function chooseLoss(value) {
    fileWanted = { ...fileWanted, loss: value === FILE };
    if (value !== FILE && files.loss) lossFile.clear();
    if (value === "other") change({ loss: "L3" });
    else if (value !== FILE) change({ loss: value });
    show(design());
  }

  function choosePrior(value) {
    fileWanted = { ...fileWanted, prior: value === FILE };
    if (value !== FILE && files.prior) priorFile.clear();
    const patch = { uniform: "uniform", binomial: "binomial:1/2", weights: weightsText(Array.from({ length: sizeOf(design()) }, () => 1)) }[value];
    change({ prior: patch ?? "uniform" });
    show(design());
  }

  function setFile(name, file) {
    files[name] = file;
    onFile(name);
  }

  function show(state) {
    const count = state.model === "count";
    model.set(state.model);
    n.element.hidden = !count;
    k.element.hidden = count;
    radius.element.hidden = state.model !== "lldp";
    for (const [field, value] of [[n, state.n], [k, state.k], [radius, state.radius]]) unlessTyping(field, value);
    if (state.alpha) {
      unlessTyping(alpha, state.alpha);
      slider.set(String(asNumber(state.alpha)));
    } else {
      unlessTyping(epsilon, state.epsilon);
    }
    switches.show(state.props);
    showLoss(state);
    showPrior(state);
    for (const field of [n, k, alpha, epsilon, otherLoss, chance]) field.complain("");
  }

  function showLoss(state) {
    const word = fileWanted.loss ? FILE : choices.losses.includes(state.loss) ? state.loss : "other";
    loss.set(word);
    otherLoss.element.hidden = word !== "other";
    unlessTyping(otherLoss, state.loss);
    lossFile.element.hidden = word !== FILE;
    aggregate.set(state.aggregate);
  }

  function showPrior(state) {
    const word = fileWanted.prior ? FILE : state.prior.split(":")[0];
    priorBox.hidden = state.aggregate === "worst";
    prior.set(word);
    chance.element.hidden = word !== "binomial";
    if (word === "binomial") unlessTyping(chance, state.prior.split(":")[1]);
    editor.element.hidden = word !== "weights";
    if (word === "weights") editor.show(weightsOf(state.prior));
    priorFile.element.hidden = word !== FILE;
  }

  return {
    element,
    files,
    show,
    tellPlan: switches.tell,
    tellPrivacy({ problem, score, status }) {
      const { alpha: fractionText, epsilon: privacyLoss } = problem;
      put(exact, `alpha = ${fractionText}, epsilon = ${roundedUp(privacyLoss)} (rounded up)`);
      put(live, `Score ${sixDigits(score.value)}, ${status === "exact" ? "proved optimal" : status}`);
      const state = design();
      if (!state.alpha) {
        unlessTyping(alpha, fractionText);
        slider.set(String(asNumber(fractionText)));
      } else {
        unlessTyping(epsilon, roundedUp(privacyLoss));
      }
    },
    complain(message) {
      const fields = { alpha, epsilon, n, k, radius, loss: otherLoss, prior: chance };
      const named = Object.keys(fields).find((name) => message.startsWith(`${name} `) || message.startsWith(`--${name} `));
      if (named) fields[named].complain(message);
    },
  };
}

const LOSSES = {
  L0: "L0: wrong or right", L1: "L1: distance", L2: "L2: squared distance", "L0:1": "L0:1: wrong by more than 1",
};

// A drag makes one entry of the history, at its first movement, and replaces it afterwards.
function drags() {
  let moving = false;
  return {
    move(patch) {
      if (patch) {
        change(patch, { commit: !moving });
        moving = true;
      }
    },
    end() {
      moving = false;
    },
  };
}

/** Return the number of inputs of a design. */
export function sizeOf(state) {
  return state.model === "count" ? Number(state.n) + 1 : Number(state.k);
}

function weightsOf(text) {
  return text.split(":")[1].split(",").map(Number);
}

function weightsText(weights) {
  return `weights:${weights.join(",")}`;
}

function whole(text) {
  return /^[0-9]{1,4}$/.test(text.trim()) && Number(text) > 0;
}

function asNumber(text) {
  const [top, bottom = "1"] = text.split("/");
  return Number(top) / Number(bottom);
}

// A field with text that was typed and not yet entered keeps it.
function unlessTyping(field, value) {
  if (!unentered.has(field.input)) field.set(value);
}

const unentered = new WeakSet();

function noteTyping(form) {
  form.addEventListener("input", (event) => unentered.add(event.target), { capture: true });
  form.addEventListener("change", (event) => unentered.delete(event.target), { capture: true });
}
