// Which queries are to be answered: a workload, as `--workload` takes it, with its number of items.

import { fileDrop, h, numberField, seen, selectField, textField } from "../kit.js";

export const SINGLE = "histogram";

/**
 * Build the fields for what the server knows, {workloads, sides}: {element, kind, start(), lacks(), options(), values(), take(values)}; onCommit() hears of every change. `values` are
 * texts by field: kind, k, length, rows, across, attributes, way, and say what stands in them at first. Other kinds stand `after`; with `isSingleFirst` single items stand first, and are what is meant without a word.
 */
export function workloadQuestion({ workloads, sides }, { label, values: plain, after = [], isSingleFirst = false, onCommit }) {
  const whole = (name, title, limits) => numberField({ label: title, value: plain[name], onCommit, min: 2, ...limits });
  const kind = selectField({ label, options: [...(isSingleFirst ? workloads.toSorted(([one], [other]) => (other === SINGLE) - (one === SINGLE)) : workloads), ...after], value: plain.kind, onCommit: () => changed() });
  const fields = {
    kind,
    k: whole("k", "Items, k"), length: whole("length", "Items in a range", { min: 1 }), rows: whole("rows", "Rows"), across: whole("across", "Columns"),
    ofRows: selectField({ label: "Queries of rows", options: sides, value: "", onCommit }),
    ofColumns: selectField({ label: "Queries of columns", options: sides, value: "", onCommit }),
    attributes: textField({ label: "Items of each attribute", value: plain.attributes, help: "With commas between them; or how many attributes of two items, as 8.", onCommit }),
    way: whole("way", "Attributes in a table", { min: 1, max: 6 }),
  };
  const { k, length, rows, across, ofRows, ofColumns, attributes, way } = fields;
  const file = fileDrop({ label: "Queries: a CSV file without header", help: "A row of k weights for each query.", onChange: onCommit });

  function changed() {
    const only = (name, ...parts) => seen(kind.value === name, ...parts);
    seen(!["grid", "marginals"].includes(kind.value), k);
    only("ranges:L", length);
    only("grid", rows, across, ofRows, ofColumns);
    only("marginals", attributes, way);
    only("file", file);
    onCommit();
  }

  function options() {
    switch (kind.value) {
      case "ranges:L": return { k: k.value, workload: `ranges:${length.value}` };
      case "grid": return {
        k: String(Number(rows.value) * Number(across.value)),
        workload: `grid:${ofRows.value}${rows.value},${ofColumns.value}${across.value}`,
      };
      case "marginals": return { attributes: attributes.value.replaceAll(" ", ""), workload: `marginals:${way.value}` };
      case "file": return { k: k.value, workload: { upload: file.upload.upload } };
      default: return { k: k.value, ...(isSingleFirst && kind.value === SINGLE ? {} : { workload: kind.value }) };
    }
  }

  return {
    element: h("div.stack", kind, file, h("div.pair", k, length, rows, across), h("div.pair", ofRows, ofColumns), attributes, way),
    kind, options, start: changed,
    lacks: () => kind.value === "file" && !file.upload,
    values: () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value])),
    take(values) {
      for (const [name, value] of Object.entries(values)) fields[name].set(value);
      changed();
    },
  };
}
