// Which queries are to be answered: a workload, as `--workload` takes it, with its number of items.

import { h } from "../dom.js";
import { numberField, selectField, textField } from "../parts/fields.js";
import { fileDrop } from "../parts/file_drop.js";

/** Workloads that other forms offer as well. */
export const SHARED = [
  { value: "ranges", title: "Ranges of items in order" },
  { value: "ranges:L", title: "Ranges of one length" },
  { value: "circular", title: "Arcs of items on a circle" },
  { value: "prefixes", title: "Prefixes: the distribution function" },
  { value: "grid", title: "Rectangles of a grid" },
  { value: "marginals", title: "Tables of several attributes" },
];
export const SINGLE_ITEMS = "Shares of single items";
const WORKLOADS = [
  ...SHARED,
  { value: "histogram", title: SINGLE_ITEMS },
  { value: "file", title: "Queries of my own, a CSV file of weights" },
];

/**
 * Build the fields: {element, start(), lacks(), options(), take(values)}; onCommit() hears of every change. `values` are
 * texts by field: kind, k, length, rows, across, attributes, way.
 */
export function workloadQuestion({ onCommit }) {
  const kind = selectField({ label: "Queries", options: WORKLOADS, value: "prefixes", onCommit: () => changed() });
  const k = numberField({ label: "Items, k", value: "8", min: 2, onCommit });
  const length = numberField({ label: "Items in a range", value: "3", min: 1, onCommit });
  const rows = numberField({ label: "Rows", value: "4", min: 2, onCommit });
  const across = numberField({ label: "Columns", value: "4", min: 2, onCommit });
  const attributes = textField({ label: "Items of each attribute", value: "4", help: "With commas between them; or how many attributes of two items.", onCommit });
  const way = numberField({ label: "Attributes in a table", value: "2", min: 1, max: 6, onCommit });
  const file = fileDrop({ label: "Queries: a CSV file without header", accept: ".csv,text/csv", help: "A row of k weights for each query.", onFile: onCommit, onClear: onCommit });

  function changed() {
    const is = (...names) => names.includes(kind.value);
    k.element.hidden = is("grid", "marginals");
    length.element.hidden = !is("ranges:L");
    rows.element.hidden = across.element.hidden = !is("grid");
    attributes.element.hidden = way.element.hidden = !is("marginals");
    file.element.hidden = !is("file");
    onCommit();
  }

  function options() {
    switch (kind.value) {
      case "ranges:L": return { k: k.value, workload: `ranges:${length.value}` };
      case "grid": return { k: String(Number(rows.value) * Number(across.value)), workload: `grid:${rows.value},${across.value}` };
      case "marginals": return { attributes: attributes.value.replaceAll(" ", ""), workload: `marginals:${way.value}` };
      case "file": return { k: k.value, workload: { upload: file.upload.upload } };
      default: return { k: k.value, workload: kind.value };
    }
  }

  function take(values) {
    const fields = { kind, k, length, rows, across, attributes, way };
    for (const [name, value] of Object.entries(values)) fields[name].set(value);
    changed();
  }

  const element = h(
    "div", { class: "stack" }, kind.element, file.element,
    h("div", { class: "pair" }, k.element, length.element, rows.element, across.element), attributes.element, way.element,
  );
  return { element, start: changed, lacks: () => kind.value === "file" && !file.upload, options, take };
}
