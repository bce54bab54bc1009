// Some lines over one axis, small, named at their ends; a click may choose a place.

import { h, put, set, svg } from "../dom.js";
import { niceTop } from "./distribution.js";

const [HEIGHT, LEFT, TOP, BOTTOM, LEAST] = [120, 40, 18, 30, 200];
const LINE = 12; // pixels between two names

/**
 * Build a chart: {element, show(chart)}. `chart` has `lines` ({name, kind: "main", "thin" or "true", points: [[x, y]], y null where there
 * is none: the line has a gap}), joined by straight lines, `ticks` ([x, text]) whose ends are those of the axis, `across` and
 * `upwards`, its titles, `mark` ([x, y] or null), `title`. onPick(x) is called for a click.
 */
export function smallChart({ onPick } = {}) {
  const picture = svg("svg", { class: onPick ? "small-chart picked" : "small-chart", role: "img", height: HEIGHT });
  const element = h("div", { class: "small-chart-frame" }, picture);
  let [chart, width, scale] = [null, 0, null];

  function draw() {
    if (!chart || !width) return;
    scale = scaleOf(chart, Math.max(LEAST, width));
    set(picture, { width: scale.width });
    put(picture, svg("title", {}, chart.title), axes(chart, scale), chart.lines.map((line) => lineOf(line, scale)), names(chart.lines, scale), markOf(chart.mark, scale));
  }

  if (onPick) picture.addEventListener("click", (event) => onPick(scale.back(event.clientX - picture.getBoundingClientRect().left)));
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    draw();
  }).observe(element);
  return {
    element,
    show(next) {
      chart = next;
      draw();
    },
  };
}

function scaleOf({ lines, ticks, mark }, width) {
  const top = niceTop(Math.max(...lines.flatMap((line) => line.points.map(([, y]) => y ?? 0)), mark?.[1] ?? 0));
  const right = 14 + 7 * Math.max(0, ...lines.map((line) => line.name.length));
  const [from, to] = [ticks[0][0], ticks.at(-1)[0]];
  const room = width - LEFT - right;
  return {
    width, top, to,
    x: (x) => LEFT + (room * (x - from)) / (to - from || 1),
    y: (y) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - y / top),
    back: (pixel) => Math.min(to, Math.max(from, from + ((pixel - LEFT) * (to - from)) / room)),
  };
}

function axes({ ticks, across, upwards }, { x, y, top, to }) {
  return svg(
    "g", { "aria-hidden": "true" },
    [0, top / 2, top].map((value) => [
      svg("line", { class: "grid-line", x1: LEFT, x2: x(to), y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: LEFT - 5, y: y(value) + 4, "text-anchor": "end" }, String(Number(value.toPrecision(3)))),
    ]),
    ticks.map(([place, text]) => svg("text", { class: "tick", x: x(place), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, text)),
    svg("text", { class: "tick", x: x(to), y: HEIGHT - 3, "text-anchor": "end" }, `${across} →`),
    svg("text", { class: "tick", x: 0, y: 10 }, `↑ ${upwards}`),
  );
}

function lineOf({ kind, points }, { x, y }) {
  const d = points.map(([at, value], k) => value === null ? "" : `${k && points[k - 1][1] !== null ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return svg("path", { class: `chart-line ${kind}`, d });
}

// Each name at the end of its line, pushed down where two would meet.
function names(lines, { x, y, to }) {
  const ends = lines.map(({ name, points }) => ({ name, y: points.findLast(([, value]) => value !== null)?.[1] })).filter((end) => end.y !== undefined);
  let last = -Infinity;
  return ends.map((end) => ({ ...end, y: y(end.y) + 4 })).sort((a, b) => a.y - b.y).map((end) => {
    last = Math.max(end.y, last + LINE);
    return svg("text", { class: "tick", x: x(to) + 5, y: last }, end.name);
  });
}

function markOf(mark, { x, y }) {
  return mark && svg("g", { class: "chart-mark" }, svg("line", { x1: x(mark[0]), x2: x(mark[0]), y1: TOP, y2: HEIGHT - BOTTOM }), svg("circle", { cx: x(mark[0]), cy: y(mark[1]), r: 4.5 }));
}
