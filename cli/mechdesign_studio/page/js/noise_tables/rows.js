// Rows of a noise table as bars: how a true count is published.

import { decimal, distribution, fraction, h, put, ratio, sliderField } from "../kit.js";

const FIRST = 3; // the count whose row is shown first

/** Build the view: {element, show(document, other)}; `other` is null or {name, document}, whose chances are lines. */
export function rowsView() {
  let [table, other] = [null, null];
  const slider = sliderField({ label: "True count", min: 0, max: FIRST, step: 1, value: FIRST, shows: true, says: (count) => countText(count), onInput: draw });
  const chart = distribution({ heading: "Published" });
  const beside = h("p.hint");

  function countText(count) {
    return table && Number(count) === table.rows.length - 1 ? `${count} or more` : String(count);
  }

  function draw() {
    const count = Number(slider.value);
    const own = rowOf(table, count);
    const theirs = other && rowOf(other.document, count);
    const size = count + Math.max(...[own, ...(theirs ? [theirs] : [])].flatMap((row) => [...row.keys()])) + 1;
    const weights = (row) => Array.from({ length: size }, (_, published) => row.get(published - count) ?? "0");
    const values = (row, { denominator }) => weights(row).map((weight) => ratio(weight, denominator));
    const shares = values(own, table);
    chart.show({
      values: shares, numbers: shares.map(decimal), texts: (k) => fraction(weights(own)[k], table.denominator), marked: count,
      expected: theirs ? values(theirs, other.document) : [],
      title: `How a true ${countText(count)} is published`, axis: "published", upwards: "chance", lines: other?.name,
    });
    put(beside, other && `Lines: ${other.name}.`);
  }

  return {
    element: h("section.stack", h("h2", "Rows of the table"), slider, beside, chart),
    show(document, next) {
      [table, other] = [document, next];
      slider.input.max = table.rows.length - 1;
      slider.set(Math.min(slider.value, table.rows.length - 1));
      draw();
    },
  };
}

// A row as a map from noise to weight; the last one serves all larger counts.
function rowOf({ rows }, count) {
  return new Map(rows[Math.min(count, rows.length - 1)]);
}
