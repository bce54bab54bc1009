// Model, number of inputs and radius.

import { change, design, refusal } from "../design_state.js";
import { LIMITS, PARAMETERS } from "../facts.js";
import { h, seen, sliderField } from "../kit.js";
import { drags, entered, errorsOf, sizeOf, unlessTyping } from "./entering.js";
import { isDrawn, refitted } from "./weights.js";

// Places of the slider: each n up to LINEAR has one, and by the last it has grown to LARGEST_SLID, by a factor each.
const [LINEAR, PLACES, LARGEST_SLID] = [32, 100, 1e6];

/** Build the controls: {model, element, more, fields, show(state)}; `field` makes those of the command, `distances` is the place for the file of a metric. */
export function sizeControls(field, models, { distances, onModel }) {
  const steady = drags();
  const model = field("model", { help: "What the true inputs are, and which of them are neighbours.", words: models, value: "count", onCommit: onModel });
  const n = sized("n", { label: "People in the group, n", help: `Counts are 0 to n. Beyond ${LIMITS.matrix} a law is shown: one mechanism for groups of every size.` });
  const slider = sliderField({
    label: "People, by a slider", min: 1, max: PLACES, step: 1, value: PARAMETERS.n.first, says: (place) => `${peopleAt(Number(place)).toLocaleString("en")} people`,
    onInput: (place) => moveTo("n", peopleAt(Number(place))), onCommit: steady.end,
  });
  const k = sized("k", { label: "Items, k" });
  const radius = sized("radius");

  function moveTo(name, value) {
    steady.move({ [name]: String(value), ...(name === "radius" ? {} : fitted(name, value)) });
  }

  // A good number is entered as it is typed, a bad one is told when the field is left.
  function sized(name, said) {
    const { least: min, most: max } = PARAMETERS[name];
    const take = () => entered(made, name, made.value, (text) => moveTo(name, Number(text)));
    const made = field(name, {
      ...said, value: "", min, max, onInput: (value) => refusal(name, value.trim()) === "" && take(), onCommit: () => { take(); steady.end(); },
    });
    return made;
  }

  return {
    model: model.element,
    element: h("div.strip-size", n, slider, k, radius, errorsOf(n, k, radius)),
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
  return isDrawn(prior) && value <= LIMITS.matrix ? { prior: refitted(prior, value + (name === "n" ? 1 : 0)) } : {};
}

function peopleAt(place) {
  if (place <= LINEAR) return place;
  return Number((LINEAR * (LARGEST_SLID / LINEAR) ** ((place - LINEAR) / (PLACES - LINEAR))).toPrecision(2));
}

function placeOf(n) {
  return n <= LINEAR ? n : Math.round(LINEAR + ((PLACES - LINEAR) * Math.log(n / LINEAR)) / Math.log(LARGEST_SLID / LINEAR));
}
