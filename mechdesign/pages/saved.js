// The script of a saved page: the picture of the document that the page holds.

import { columnTable } from "./files/js/design/column_table.js";
import { readMatrix } from "./files/js/design/matrix.js";
import { h, put } from "./files/js/dom.js";
import { heatmap } from "./files/js/parts/heatmap.js";
import { sentences } from "./files/js/parts/words.js";

const text = document.getElementById("document").textContent;
const design = JSON.parse(text);
const matrix = readMatrix({ document: design });
const column = columnTable();
const map = heatmap({
  label: "Heat map of the mechanism", rows: "output", columns: "input (truth)", bars: (j) => `If the truth is ${j}`, onCell: (_, j) => column.choose(j),
});

function saveDocument() {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { href: address, download: "design.json" }).click();
  URL.revokeObjectURL(address);
}

put(
  document.getElementById("picture"),
  h("ul.plain.people-words", sentences(matrix, design.problem.model === "count").map((sentence) => h("li", sentence))),
  map, column,
);
put(document.getElementById("proof"), h("button", { onclick: saveDocument }, "Save the document, with its proof"));
map.show(matrix);
column.show(matrix);
