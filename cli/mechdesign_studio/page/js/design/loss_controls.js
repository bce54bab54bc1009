// What an error costs, and whose: loss, expected or worst input, prior.

import { change, design } from "../design_state.js";
import { PARAMETERS } from "../facts.js";
import { selectField, textField } from "../parts/fields.js";
import { drags, entered, sizeOf, unlessTyping } from "./entering.js";
import { priorEditor } from "./prior_editor.js";
import { isDrawn, priorOf, weightsOf } from "./weights.js";

const [FILE, OTHER, WORST] = ["file", "other", "worst"];
const FIRST_OTHER = "L3";
const FIRST_CHANCE = "binomial:1/2";

/** Build the controls: {elements, more, fields, show(state)}; `more` stands below, where it is needed; `field` makes those of the command, `places` are {loss, prior}, where files of them are given. */
export function lossControls(field, losses, places) {
  const loss = lossControl(field, losses, places.loss);
  const prior = priorControl(places.prior);
  return {
    elements: [loss.element, prior.element],
    more: [...loss.more, ...prior.more],
    fields: { loss: loss.field, prior: prior.field },
    show(state) {
      loss.show(state);
      prior.show(state);
    },
  };
}

function lossControl(make, losses, place) {
  const choice = make("loss", { help: "What an error costs.", words: [...losses, [OTHER, "Other"], [FILE, "Matrix of a file"]], onCommit: choose });
  const field = make("loss", { label: "Loss by name", onCommit: (value) => entered(field, "loss", value) });
  let byFile = false;

  function choose(value) {
    byFile = value === FILE;
    if (!byFile) place.clear();
    if (!byFile) change({ loss: value === OTHER ? FIRST_OTHER : value });
    show(design());
  }

  function show(state) {
    const chosen = byFile ? FILE : losses.some(([name]) => name === state.loss) ? state.loss : OTHER;
    choice.set(chosen);
    field.element.hidden = chosen !== OTHER;
    place.element.hidden = !byFile;
    unlessTyping(field, state.loss);
  }

  return { element: choice.element, more: [field.element, place.element], field, show };
}

function priorControl(place) {
  const steady = drags();
  const draw = (weights) => steady.move({ prior: priorOf(weights) });
  const titles = {
    uniform: "Uniform prior", binomial: "Binomial prior", weights: "Drawn prior", [FILE]: "Prior of a file", [WORST]: "Worst input",
  };
  const choice = selectField({
    label: "Loss kept small", help: "On average, where true inputs are as likely as a prior says, or at the worst input.", onCommit: choose, options: Object.entries(titles),
  });
  const field = textField({
    label: "Chance of each person", help: "In [0, 1]: 0.3 or 3/10.", attributes: { inputmode: "decimal" },
    onCommit: (value) => entered(field, "prior", `binomial:${value.trim()}`),
  });
  const editor = priorEditor({ onDraw: draw, onCommit: (weights) => { draw(weights); steady.end(); } });
  let byFile = false;

  function choose(value) {
    byFile = value === FILE;
    if (!byFile) place.clear();
    const even = Array.from({ length: sizeOf(design()) }, () => 1);
    change({ prior: { binomial: FIRST_CHANCE, weights: priorOf(even) }[value] ?? PARAMETERS.prior.plain, aggregate: value === WORST ? value : PARAMETERS.aggregate.plain });
    show(design());
  }

  function show({ prior, aggregate }) {
    const chosen = aggregate === WORST ? WORST : byFile ? FILE : prior.split(":")[0];
    choice.set(chosen);
    field.element.hidden = chosen !== "binomial";
    editor.element.hidden = chosen !== "weights";
    place.element.hidden = !byFile;
    if (chosen === "binomial") unlessTyping(field, prior.split(":")[1]);
    if (chosen === "weights" && isDrawn(prior)) editor.show(weightsOf(prior));
  }

  return { element: choice.element, more: [field.element, editor.element, place.element], field, show };
}
