// One column of a matrix as bars beside its heat map, each as high as the row of its cell.

import { h, put, set, svg } from "../dom.js";
import { EDGE, MARGIN } from "./heat_drawing.js";

const SMALLEST_LABELLED = 13; // pixels of a row that has its number
const [LABEL, LEAST_WIDTH] = [40, 130]; // pixels of such a number, and of a chart that has them
const [BETWEEN, INSET] = [6, 0.14]; // rows so high have a gap, of this share at either side

/**
 * Build the bars: {element, draw({matrix, column, row, pixels, title})}: the `pixels` of the heat map's side; `row` is looked at, or
 * null. Where `matrix.other` is a second mechanism, its values are lines.
 */
export function columnBars() {
  const heading = h("h2.minor");
  const chart = svg("svg.column-bars", { role: "img" });
  const element = h("div.heat-column", heading, chart);
  let [width, last] = [0, null];
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    if (last) draw(last);
  }).observe(element);

  function draw(what) {
    last = what;
    const { matrix, column, row, pixels, title } = what;
    width ||= element.clientWidth;
    const values = columnOf(matrix.value, matrix.size, column);
    const others = matrix.other ? columnOf(matrix.other, matrix.size, column) : [];
    put(heading, title);
    set(chart, { width, height: pixels, "aria-label": `${title}: the probability of each output, as bars` });
    put(chart, bars(values, others, { column, row, pixels, width }));
  }

  return { element, draw };
}

// A column as an array.
function columnOf(value, size, column) {
  return Array.from({ length: size }, (_, row) => value(row, column));
}

function bars(values, others, { column, row, pixels, width }) {
  const each = (pixels - EDGE - MARGIN) / values.length;
  const isLabelled = each >= SMALLEST_LABELLED && width >= LEAST_WIDTH;
  const top = Math.max(...values, ...others, Number.MIN_VALUE);
  const long = (value) => (value / top) * (width - (isLabelled ? LABEL : 4));
  const gap = each > BETWEEN ? Math.max(1, each * INSET) : 0;
  const y = (at) => EDGE + at * each;
  const path = (at) => `M0 ${(y(at) + gap).toFixed(2)}h${long(values[at]).toFixed(2)}v${(each - 2 * gap).toFixed(2)}H0z`;
  const rest = values.map((_, at) => at).filter((at) => at !== column);
  return [
    row === null ? null : svg("rect.row-light", { x: 0, y: y(row), width, height: each }),
    svg("path.column", { d: rest.map(path).join("") }),
    svg("path.column.marked", { d: path(column) }),
    others.length ? svg("path.expected", { d: others.map((value, at) => `M${long(value).toFixed(2)} ${y(at)}v${each - gap}`).join("") }) : null,
    svg("path.column-floor", { d: `M0.5 ${EDGE}V${pixels - MARGIN}` }),
    isLabelled ? values.map((value, at) => svg("text.tick", { x: long(value) + 5, y: y(at) + each / 2 + 4 }, shortChance(value))) : null,
  ];
}

function shortChance(value) {
  if (value === 0) return "0";
  return value < 0.0005 ? "<.001" : value.toFixed(3).replace(/^0/, "");
}
