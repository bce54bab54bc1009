// The numbers of a column, exactly.

import { decimal } from "../parts/exact.js";
import { valueTable } from "../parts/value_table.js";

/** Build the table of the chosen column, or of the middle one: {element, choose(j), show(matrix)}. */
export function columnTable() {
  const table = valueTable({ heading: "output", summary: "The column as a table" });
  let [matrix, wished] = [null, null];

  function draw() {
    const j = Math.min(wished ?? Math.floor(matrix.size / 2), matrix.size - 1);
    const numbers = Array.from({ length: matrix.size }, (_, i) => decimal(matrix.value(i, j)));
    table.show({ numbers, texts: (i) => matrix.exact(i, j) ?? "", title: `Outputs when the true value is ${j}` });
  }

  return {
    element: table.element,
    choose(j) {
      wished = j;
      draw();
    },
    show(next) {
      matrix = next;
      draw();
    },
  };
}
