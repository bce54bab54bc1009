// Some lines over one axis, small, named at their ends; a click may choose a place.

import { svg } from "../dom.js";
import { sixDigits } from "./exact.js";
import { plot } from "./plot.js";

const [LINE, LETTER] = [15, 7]; // pixels from one name to the next, and of a letter of them

/**
 * Build a chart: {element, show(chart)}. `chart` has `lines` ({name, title (its tip), kind: "main", "thin" or "true", points: [[x, y]]} with the same x,
 * joined by straight lines; where y is null there is a gap; a `curve` of a line is drawn in place of its points), `ticks` ([x, text]) whose
 * ends are those of the axis, `across` and `upwards`, its titles, `mark` ([x, y] or null), `title`, and perhaps `breaks` (x that are marked
 * on the axis), `also(x)`, what more is said of a place, `first`, the place that is said first, and `room`, how many letters ticks and names
 * take at least. onPick(x) is called for a click; `kind` is a class of the picture.
 */
export function smallChart({ onPick, kind = "small-chart", height = 120 } = {}) {
  const view = plot({ label: "Lines", kind: onPick ? `${kind} picked` : kind, height, onPick });
  return {
    element: view.element,
    show({ lines, ticks, across, upwards, mark, title, also, first, breaks = [], room = { left: 0, right: 0 } }) {
      const at = (lines[0]?.points ?? []).map(([x]) => x);
      const [from, to] = [ticks[0][0], ticks.at(-1)[0]];
      const textAt = (x) => ticks.find(([place]) => place === x)?.[1] || String(Number(x.toPrecision(4)));
      view.show({
        label: title, texts: at.map(textAt), at, ticks, across, upwards, from, to, first, letters: room.left, right: 14 + LETTER * Math.max(room.right, ...lines.map(({ name }) => name.length)),
        high: Math.max(...lines.flatMap(({ points, curve = points }) => curve.map(([, y]) => y ?? 0)), mark?.[1] ?? 0),
        say: (k) => `${across} ${textAt(at[k])}: ${lines.map(({ name, points }) => `${name} ${points[k][1] === null ? "none" : sixDigits(points[k][1])}`.trim()).join("; ")}${also ? `; ${also(at[k])}` : ""}`,
        draw: (scale) => [lines.map((line) => lineOf(line, scale)), names(lines, to, scale), breaks.map((x) => breakOf(x, scale)), mark && markOf(mark, scale)],
      });
    },
  };
}

function lineOf({ kind, points, curve = points }, { x, y }) {
  const d = curve.map(([at, value], k) => value === null ? "" : `${k && curve[k - 1][1] !== null ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return svg("path", { class: `chart-line ${kind}`, d });
}

// Each name at the end of its line, pushed down where two would meet, and up again from the floor; of lines that end in one place, in the order in which they come there.
function names(lines, to, { x, y, floor }) {
  const ends = lines.map(({ name, title, points }) => ({ name, title, values: points.map(([, value]) => value).filter((value) => value !== null).reverse() })).filter(({ name, values }) => name && values.length);
  ends.sort(({ values: a }, { values: b }) => {
    const k = a.findIndex((value, at) => value !== b[at]);
    return k < 0 ? 0 : b[k] - a[k];
  });
  const places = ends.map(({ values }) => y(values[0]) + 4);
  for (let k = 1; k < places.length; k += 1) places[k] = Math.max(places[k], places[k - 1] + LINE);
  for (let k = places.length - 1, most = floor + 4; k >= 0; k -= 1, most = places[k + 1] - LINE) places[k] = Math.min(places[k], most);
  return ends.map(({ name, title }, k) => svg("text.line-name", { x: x(to) + 5, y: places[k] }, title ? svg("title", title) : null, name));
}

function breakOf(at, { x, floor }) {
  return svg("line.plot-break", { x1: x(at), x2: x(at), y1: floor - 7, y2: floor });
}

function markOf(mark, { x, y, top, floor }) {
  return svg("g.chart-mark", svg("line", { x1: x(mark[0]), x2: x(mark[0]), y1: top, y2: floor }), svg("circle", { cx: x(mark[0]), cy: y(mark[1]), r: 4.5 }));
}
