// One column of the matrix as a distribution: the outputs for one true value.

import { h, put } from "../dom.js";
import { distribution } from "../parts/distribution.js";
import { decimal } from "../parts/exact.js";
import { numberField } from "../parts/fields.js";

/** Build the column: {title, element, choose(j), show(matrix)}. */
export function columnView() {
  const title = h("h2", {}, "One column");
  const chart = distribution({ heading: "output" });
  const chooser = numberField({
    label: "Input", value: "0", min: 0, onInput: (text) => isInput(text) && draw(Number(text)), onCommit: () => chooser.set(String(shown)),
  });
  let matrix = null;
  let shown = 0;
  let wished = null; // what was chosen by hand; else the middle

  function isInput(text) {
    return /^[0-9]{1,4}$/.test(text) && matrix !== null && Number(text) < matrix.size;
  }

  function draw(j) {
    wished = j;
    drawColumn(j);
  }

  function drawColumn(j) {
    shown = j;
    const values = Array.from({ length: matrix.size }, (_, i) => matrix.value(i, j));
    const likeliest = values.indexOf(Math.max(...values));
    put(title, `Outputs when the true value is ${j}`);
    chart.show({
      values, numbers: values.map(decimal), texts: (i) => matrix.exact(i, j) ?? "", marked: j, axis: "output",
      title: `Probability of each output when the true value is ${j}: the likeliest is ${likeliest}, the truth has ${decimal(values[j])}`,
    });
  }

  return {
    title,
    element: h("div", { class: "stack" }, h("div", { class: "column-chooser" }, chooser.element), chart.element),
    choose(j) {
      chooser.set(String(j));
      draw(j);
    },
    show(next) {
      matrix = next;
      chooser.input.max = String(matrix.size - 1);
      drawColumn(Math.min(wished ?? Math.floor(matrix.size / 2), matrix.size - 1));
      if (document.activeElement !== chooser.input) chooser.set(String(shown));
    },
  };
}
