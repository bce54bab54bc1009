// The controls of a design. They write the fragment and follow it; nothing here computes.

import { change, design, PARAMETERS } from "../design_state.js";
import { commandForm, fieldsOf, fileDrop, h, isOf } from "../kit.js";
import { noteTyping } from "./entering.js";
import { lossControls } from "./loss_controls.js";
import { privacyControls } from "./privacy_controls.js";
import { propertySwitches } from "./properties.js";
import { changeModel, sizeControls } from "./size_controls.js";

const PLACES = {
  loss: { label: "Loss matrix", help: "A CSV with a row for each output and a column for each input." },
  prior: { label: "File of weights", accept: ".csv,.txt", help: "One weight for each input, with sum 1. It never stands in the link." },
  distances: { label: "Matrix of distances", help: "A CSV, symmetric, with a row for each item. It never stands in the link." },
};
const ELSEWHERE = [...PARAMETERS, "ties"]; // options with controls of their own, or that the page asks for by itself

/**
 * Build the controls: {element, isMetric(), hasDistances(), given(), more(), takeCanonical(), show(state), tellPlan(plan), tellAnswer(report, isNewest), complain(message)}.
 *
 * Options that the fragment cannot say are those of files, given(), and of all other fields of `solve`, more(); onGiven() is called when one of them changes.
 */
export function controls({ commands: { solve }, ...choices }, { onGiven }) {
  const files = { loss: null, prior: null, distances: null };
  const places = Object.fromEntries(Object.entries(PLACES).map(([name, texts]) => [name, fileDrop({
    ...texts, onFile: (file) => take(name, file), onClear: () => take(name, null),
  })]));
  let metric = false;
  const field = fieldsOf(solve);
  const others = commandForm(solve, { without: ELSEWHERE, onCommit: onGiven });
  const size = sizeControls(field, choices.models, { distances: places.distances, onModel: chooseModel });
  const privacy = privacyControls(field, given);
  const switches = propertySwitches({ known: choices.properties, families: choices.families, onCommit: (props) => change({ props }) });
  const loss = lossControls(field, choices.losses, places);
  const element = h(
    "form.card.strip", { onsubmit: (event) => event.preventDefault(), "aria-label": "The design" },
    h("div.strip-row", size, privacy, loss.elements, size.model),
    switches,
    h("div.strip-row.strip-more", size.more, loss.more), others.more,
  );
  const fields = { ...size.fields, ...privacy.fields, ...loss.fields };
  noteTyping(element);

  function take(name, file) {
    if (files[name] !== file) {
      files[name] = file;
      onGiven();
    }
  }

  function given() {
    const uploads = Object.entries(files).filter(([, file]) => file).map(([name, { upload }]) => [name, { upload }]);
    return { ...Object.fromEntries(uploads), ...(files.distances ? { model: "metric", n: null, k: null, radius: null } : {}) };
  }

  function chooseModel(name) {
    metric = name === "metric";
    if (!metric) {
      places.distances.clear();
      changeModel(name);
    }
    show(design());
  }

  function show(state) {
    size.show(state, metric);
    privacy.show(state);
    switches.show(state.props);
    loss.show(state);
    Object.values(fields).forEach((one) => one.complain(""));
    others.complain("");
  }

  return {
    element,
    given,
    more: () => others.options(),
    takeCanonical() {
      others.set({ then: "canonical" });
      onGiven();
    },
    isMetric: () => metric,
    hasDistances: () => files.distances !== null,
    show,
    tellPlan: switches.tell,
    tellAnswer(report, isNewest) {
      privacy.tell(report, isNewest);
      if (isNewest) switches.relieve();
    },
    complain(message) {
      const named = Object.keys(fields).find((name) => isOf(message, name));
      if (named) fields[named].complain(message);
      else others.complain(message);
    },
  };
}
