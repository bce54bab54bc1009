// What an error costs, and whose: loss, expected or worst input, prior.

import { change, design } from "../design_state.js";
import { h } from "../dom.js";
import { fieldGroup, radioField, selectField, textField } from "../parts/fields.js";
import { drags, sizeOf, unlessTyping } from "./entering.js";
import { priorEditor } from "./prior_editor.js";
import { isDrawn, priorOf, weightsOf } from "./weights.js";

const FILE = "file";
const OTHER = "other";
const LOSSES = { L0: "L0: wrong or right", L1: "L1: distance", L2: "L2: squared distance", "L0:1": "L0:1: wrong by more than 1" };
const FIRST_OTHER = "L3";
const FIRST_CHANCE = "binomial:1/2";

/** Build the controls: {element, fields, show(state)}; `places` are {loss, prior}, where files of them are given. */
export function lossControls(losses, places) {
  const loss = lossControl(losses, places.loss);
  const prior = priorControl(places.prior);
  const aggregate = radioField({
    label: "What is kept small", options: [{ value: "expected", title: "Expected loss" }, { value: "worst", title: "Worst input" }],
    onCommit: (value) => change(value === "worst" ? { aggregate: value, prior: "uniform" } : { aggregate: value }),
  });
  return {
    element: fieldGroup("Loss", loss.element, aggregate.element, prior.element),
    fields: { loss: loss.field, prior: prior.field },
    show(state) {
      loss.show(state);
      aggregate.set(state.aggregate);
      prior.element.hidden = state.aggregate === "worst";
      prior.show(state);
    },
  };
}

function lossControl(losses, place) {
  const titles = [...losses.map((value) => ({ value, title: LOSSES[value] ?? value })), { value: OTHER, title: "Other" }, { value: FILE, title: "A matrix from a file" }];
  const choice = selectField({ label: "Loss", options: titles, onCommit: choose });
  const field = textField({
    label: "Loss by name", help: "Lp, Lp:d (errors up to d are free) or PB:TAU.", onCommit: (value) => change({ loss: value.trim() }),
  });
  let byFile = false;

  function choose(value) {
    byFile = value === FILE;
    if (!byFile) place.clear();
    if (!byFile) change({ loss: value === OTHER ? FIRST_OTHER : value });
    show(design());
  }

  function show(state) {
    const chosen = byFile ? FILE : losses.includes(state.loss) ? state.loss : OTHER;
    choice.set(chosen);
    field.element.hidden = chosen !== OTHER;
    place.element.hidden = !byFile;
    unlessTyping(field, state.loss);
  }

  return { element: h("div", { class: "stack" }, choice.element, field.element, place.element), field, show };
}

function priorControl(place) {
  const steady = drags();
  const draw = (weights) => steady.move({ prior: priorOf(weights) });
  const titles = { uniform: "Uniform", binomial: "Binomial", weights: "Drawn, or whole weights", [FILE]: "From a file of weights" };
  const choice = selectField({
    label: "Prior: how likely each true value is", onCommit: choose, options: Object.entries(titles).map(([value, title]) => ({ value, title })),
  });
  const field = textField({
    label: "Chance of each person", help: "In [0, 1]: 0.3 or 3/10.", attributes: { inputmode: "decimal" },
    onCommit: (value) => change({ prior: `binomial:${value.trim()}` }),
  });
  const editor = priorEditor({ onDraw: draw, onCommit: (weights) => { draw(weights); steady.end(); } });
  let byFile = false;

  function choose(value) {
    byFile = value === FILE;
    if (!byFile) place.clear();
    const even = Array.from({ length: sizeOf(design()) }, () => 1);
    change({ prior: { binomial: FIRST_CHANCE, weights: priorOf(even) }[value] ?? "uniform" });
    show(design());
  }

  function show({ prior }) {
    const chosen = byFile ? FILE : prior.split(":")[0];
    choice.set(chosen);
    field.element.hidden = chosen !== "binomial";
    editor.element.hidden = chosen !== "weights";
    place.element.hidden = !byFile;
    if (chosen === "binomial") unlessTyping(field, prior.split(":")[1]);
    if (chosen === "weights" && isDrawn(prior)) editor.show(weightsOf(prior));
  }

  return { element: h("div", { class: "stack" }, choice.element, field.element, editor.element, place.element), field, show };
}
