// Numbers of groups by count or by error: bars side by side, and marks for what is expected. A table beside has the numbers.

import { h, plot, svg } from "../kit.js";

/**
 * Build a histogram: {element, show({labels, bars, marks})}.
 * `bars` are [{title, values, outlined}], filled or drawn as outlines; `marks` is
 * {title, values} or null, a short line above each place. `axis` names what the labels are.
 */
export function histogram({ caption, axis }) {
  const chart = plot({ label: `${caption}. The table below has the numbers.`, kind: "histogram", height: 200 });
  return {
    element: h("figure.histogram-box", h("figcaption", caption), chart),
    show({ labels, bars, marks = null }) {
      const all = [...bars, ...(marks ? [marks] : [])];
      chart.show({
        texts: labels.map(String), rooms: true, high: Math.max(...all.flatMap(({ values }) => values)), across: axis, upwards: "groups",
        legend: [...bars.map((series) => ({ name: series.title, kind: kindOf(series) })), ...(marks ? [{ name: marks.title, kind: "mark", line: true }] : [])],
        say: (at) => `${axis} ${labels[at]}: ${all.map(({ title, values }) => `${Number(values[at].toFixed(1)).toLocaleString("en")} ${title}`).join("; ")}`,
        draw: (scale) => labels.map((_, at) => [
          bars.map((series, number) => svg("rect", { class: kindOf(series), ...scale.bar(at, series.values[at], number, bars.length) })),
          marks && markOf(scale.bar(at, marks.values[at])),
        ]),
      });
    },
  };
}

function markOf({ x, width, y }) {
  return svg("line.mark", { x1: x - 1, x2: x + width + 1, y1: y, y2: y });
}

function kindOf(series) {
  return series.outlined ? "bar-outlined" : "bar-filled";
}
