// A function as a line with bands around it.

import { svg } from "../dom.js";
import { plot } from "./plot.js";

/**
 * Build a chart: {element, show(chart)}. `label` names it for whoever does not see it.
 *
 * `chart` is as `plot` takes it, with values in 0..1, and has `steps` (the line stays until the next place), `lines` ({name, values,
 * kind: "main", "thin" or "true"}) and `bands` ({name, low, high, kind: "pale" or "dark"}).
 */
export function lineChart({ label }) {
  const view = plot({ label, kind: "line-chart", height: 320 });
  return {
    element: view.element,
    show({ steps, lines, bands, ...chart }) {
      const corners = (scale, values) => values.flatMap((value, place) => {
        const [x, y] = [scale.x(chart.at[place]), scale.y(value)];
        return steps ? [[x, y], [scale.x(chart.at[place] + 1), y]] : [[x, y]];
      });
      view.show({
        ...chart, rooms: steps, high: 1, tick: (share) => `${Math.round(100 * share)} %`,
        legend: [...lines.map(({ name, kind }) => ({ name, kind: `chart-line ${kind}`, line: true })), ...bands.map(({ name, kind }) => ({ name, kind: `chart-band ${kind}` }))],
        draw: (scale) => [
          bands.map(({ low, high, kind }) => svg("path", { class: `chart-band ${kind}`, d: `${path([...corners(scale, high), ...corners(scale, low).reverse()])}Z` })),
          lines.map(({ values, kind }) => svg("path", { class: `chart-line ${kind}`, d: path(corners(scale, values)) })),
        ],
      });
    },
  };
}

function path(points) {
  return points.map(([x, y], number) => `${number ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
