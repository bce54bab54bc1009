// The controls of a design. They write the fragment and follow it; nothing here computes.

import { change, design } from "../design_state.js";
import { fileDrop, h } from "../kit.js";
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

/**
 * Build the controls: {element, files, isMetric(), show(state), tellPlan(plan), tellAnswer(report, isNewest), complain(message)}.
 *
 * `files` are {loss, prior, distances}: uploads that stand for what the fragment cannot say, or null; onFile() is called
 * when one comes or goes.
 */
export function controls(choices, { onFile }) {
  const files = { loss: null, prior: null, distances: null };
  const places = Object.fromEntries(Object.entries(PLACES).map(([name, texts]) => [name, fileDrop({
    ...texts, onFile: (file) => take(name, file), onClear: () => take(name, null),
  })]));
  let metric = false;
  const size = sizeControls(choices.models, { distances: places.distances, onModel: chooseModel });
  const privacy = privacyControls(files);
  const switches = propertySwitches({ known: choices.properties, families: choices.families, onCommit: (props) => change({ props }) });
  const loss = lossControls(choices.losses, places);
  const element = h(
    "form.card.strip", { onsubmit: (event) => event.preventDefault(), "aria-label": "The design" },
    h("div.strip-row", size, privacy, loss.elements, size.model),
    switches,
    h("div.strip-row.strip-more", size.more, loss.more),
  );
  const fields = { ...size.fields, ...privacy.fields, ...loss.fields };
  noteTyping(element);

  function take(name, file) {
    if (files[name] !== file) {
      files[name] = file;
      onFile();
    }
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
    Object.values(fields).forEach((field) => field.complain(""));
  }

  return {
    element,
    files,
    isMetric: () => metric,
    show,
    tellPlan: switches.tell,
    tellAnswer(report, isNewest) {
      privacy.tell(report, isNewest);
      if (isNewest) switches.relieve();
    },
    complain(message) {
      const named = Object.keys(fields).find((name) => message.startsWith(`${name} `) || message.startsWith(`--${name} `));
      if (named) fields[named].complain(message);
    },
  };
}
