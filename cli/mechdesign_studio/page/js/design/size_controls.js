// Model, number of inputs and radius.

import { change, design } from "../design_state.js";
import { h } from "../dom.js";
import { numberField, selectField } from "../parts/fields.js";
import { LARGEST_MATRIX, MOST_PEOPLE, drags, sizeOf, unlessTyping, wholeWithin } from "./entering.js";
import { isDrawn, refitted } from "./weights.js";

const MODELS = {
  count: "Count in a group", ldp: "One item each (LDP)", lldp: "One item each, near ones alike (LLDP)",
  metric: "Items at distances from a file",
};

/** Build the controls: {element, fields, show(state)}; `distances` is the place for the file of a metric. */
export function sizeControls(models, { distances, onModel }) {
  const steady = drags();
  const model = selectField({
    label: "Model", options: models.map((value) => ({ value, title: MODELS[value] ?? value })), onCommit: onModel,
  });
  const n = sized("n", "People in the group, n", `Counts are 0 to n. Beyond ${LARGEST_MATRIX} a law is shown.`, 1, MOST_PEOPLE);
  const k = sized("k", "Items, k", "Items are 0 to k - 1.", 2, LARGEST_MATRIX);
  const radius = numberField({
    label: "Radius", min: 1, help: "Items up to so far apart are made alike.",
    onInput: (value) => wholeWithin(value, 1, LARGEST_MATRIX) && steady.move({ radius: value.trim() }), onCommit: steady.end,
  });

  function sized(name, label, help, min, max) {
    const isWhole = (value) => wholeWithin(value, min, max);
    const onInput = (value) => {
      if (!isWhole(value)) return;
      field.complain("");
      steady.move({ [name]: String(Number(value)), ...fitted(name, Number(value)) });
    };
    const onCommit = (value) => {
      field.complain(isWhole(value) ? "" : `${name} must be a whole number from ${min} to ${max}. The last answer is for ${name} = ${design()[name]}.`);
      steady.end();
    };
    const field = numberField({ label, help, min, max, onInput, onCommit });
    return field;
  }

  return {
    element: h("div", { class: "stack" }, model.element, n.element, k.element, radius.element, distances.element),
    fields: { n, k, radius },
    show(state, isMetric) {
      const isCount = state.model === "count";
      model.set(isMetric ? "metric" : state.model);
      n.element.hidden = isMetric || !isCount;
      k.element.hidden = isMetric || isCount;
      radius.element.hidden = isMetric || state.model !== "lldp";
      distances.element.hidden = !isMetric;
      [[n, state.n], [k, state.k], [radius, state.radius]].forEach(([field, value]) => unlessTyping(field, value));
    },
  };
}

/** Take another model; a drawn prior is fitted to its number of inputs. */
export function changeModel(name) {
  change({ model: name });
  const { prior } = design();
  if (isDrawn(prior)) change({ prior: refitted(prior, sizeOf(design())) }, { commit: false });
}

// What else changes with the number of inputs: a drawn prior keeps its line.
function fitted(name, value) {
  const { prior } = design();
  return isDrawn(prior) && value <= LARGEST_MATRIX ? { prior: refitted(prior, value + (name === "n" ? 1 : 0)) } : {};
}
