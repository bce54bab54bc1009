// Model, number of inputs and radius.

import { change, design } from "../design_state.js";
import { h, numberField, seen, selectField, sliderField } from "../kit.js";
import { LARGEST_MATRIX, MOST_PEOPLE, drags, sizeOf, unlessTyping, wholeWithin } from "./entering.js";
import { isDrawn, refitted } from "./weights.js";

const MODELS = {
  count: "Counts", ldp: "Items (LDP)", lldp: "Items (LLDP)", metric: "Metric of a file",
};

// Places of the slider: each n up to LINEAR has one, and by the last it has grown to LARGEST_SLID, by a factor each.
const [LINEAR, PLACES, LARGEST_SLID] = [32, 100, 1e6];

/** Build the controls: {model, element, more, fields, show(state)}; `distances` is the place for the file of a metric. */
export function sizeControls(models, { distances, onModel }) {
  const steady = drags();
  const model = selectField({
    label: "Model", help: "A count in a group, or one item of each person: any two are made alike (LDP), near ones (LLDP), or by distances of a file.", options: models.map((value) => ({ value, title: MODELS[value] ?? value })), onCommit: onModel,
  });
  const n = sized("n", "People in the group, n", `Counts are 0 to n. Beyond ${LARGEST_MATRIX} a law is shown.`, 1, MOST_PEOPLE);
  const slider = sliderField({
    label: "People, by a slider", min: 1, max: PLACES, step: 1, value: "8", says: (place) => `${peopleAt(Number(place)).toLocaleString("en")} people`,
    onInput: (place) => moveTo("n", peopleAt(Number(place))), onCommit: steady.end,
  });
  const k = sized("k", "Items, k", "Items are 0 to k - 1.", 2, LARGEST_MATRIX);
  const radius = numberField({
    label: "Radius", min: 1, help: "Items up to so far apart are made alike.",
    onInput: (value) => wholeWithin(value, 1, LARGEST_MATRIX) && steady.move({ radius: value.trim() }), onCommit: steady.end,
  });

  function moveTo(name, value) {
    steady.move({ [name]: String(value), ...fitted(name, value) });
  }

  function sized(name, label, help, min, max) {
    const isWhole = (value) => wholeWithin(value, min, max);
    const onInput = (value) => {
      if (!isWhole(value)) return;
      field.complain("");
      moveTo(name, Number(value));
    };
    const onCommit = (value) => {
      field.complain(isWhole(value) ? "" : `${name} must be a whole number from ${min} to ${max}. The last answer is for ${name} = ${design()[name]}.`);
      steady.end();
    };
    const field = numberField({ label, help, min, max, onInput, onCommit });
    return field;
  }

  return {
    model: model.element,
    element: h("div.strip-size", n, slider, k, radius),
    more: [distances.element],
    fields: { n, k, radius },
    show(state, isMetric) {
      const isCount = state.model === "count";
      model.set(isMetric ? "metric" : state.model);
      n.element.hidden = slider.element.hidden = isMetric || !isCount;
      if (isCount) slider.set(String(placeOf(Number(state.n))));
      k.element.hidden = isMetric || isCount;
      radius.element.hidden = isMetric || state.model !== "lldp";
      seen(isMetric, distances);
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

function peopleAt(place) {
  if (place <= LINEAR) return place;
  return Number((LINEAR * (LARGEST_SLID / LINEAR) ** ((place - LINEAR) / (PLACES - LINEAR))).toPrecision(2));
}

function placeOf(n) {
  return n <= LINEAR ? n : Math.round(LINEAR + ((PLACES - LINEAR) * Math.log(n / LINEAR)) / Math.log(LARGEST_SLID / LINEAR));
}
