// A function as a line with bands around it, read by pointer, touch or keyboard.

import { h, newId, put, set, svg } from "../dom.js";

const MARGIN = { left: 48, right: 12, top: 30, bottom: 40 };
const HEIGHT = 320;
const LEAST_WIDTH = 260;
const TICK_ROOM = 84; // pixels that a label of the axis across takes at most

/**
 * Build a chart: {element, show(chart)}. `label` names it for whoever does not see it.
 *
 * `chart` has `at` (rising numbers) and `texts` (what each of them is called), `steps` (the line stays until the next
 * place), `across` and `upwards` (titles of the axes), `lines` ({name, values, kind: "main", "thin" or "true"}), `bands`
 * ({name, low, high, kind: "pale" or "dark"}), and `say(place)`: a place in words. Values are in 0..1. Whoever shows it
 * gives the numbers as a table too.
 */
export function lineChart({ label }) {
  const picture = svg("svg", { class: "line-chart", role: "img", "aria-label": label, height: HEIGHT });
  const frame = h("div", { class: "chart-frame" }, picture);
  const legend = h("ul", { class: "chart-legend", "aria-label": "Legend" });
  const id = newId("reading");
  const slider = h("input", { type: "range", id, min: 0, max: 0, step: 1, value: 0 });
  const reading = h("output", { for: id, class: "chart-reading" });
  const element = h(
    "figure", { class: "chart" }, legend, frame,
    h("figcaption", {}, h("label", { for: id }, "Read at"), slider, reading),
  );
  let chart = null;
  let scale = null;
  let cursor = null;

  function draw() {
    if (!chart) return;
    const width = Math.max(LEAST_WIDTH, frame.clientWidth || 640);
    scale = scaleOf(chart, width);
    cursor = svg("line", { class: "chart-cursor", y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom });
    set(picture, { width, viewBox: `0 0 ${width} ${HEIGHT}` });
    put(picture, axes(chart, scale, width), chart.bands.map((band) => bandPath(band, chart, scale)),
      chart.lines.map((line) => linePath(line, chart, scale)), cursor);
    point();
  }

  function point() {
    const place = Number(slider.value);
    const x = scale.x(chart.at[place]);
    set(cursor, { x1: x, x2: x });
    put(reading, chart.say(place));
    set(slider, { "aria-valuetext": `${chart.texts[place]}: ${chart.say(place)}` });
  }

  function aim(event) {
    if (!chart) return;
    const left = picture.getBoundingClientRect().left;
    slider.value = nearest(chart.at, scale.back(event.clientX - left));
    point();
  }

  slider.addEventListener("input", () => chart && point());
  picture.addEventListener("pointermove", aim);
  picture.addEventListener("pointerdown", aim);
  new ResizeObserver(() => draw()).observe(frame);
  return {
    element,
    show(next) {
      chart = next;
      slider.max = chart.at.length - 1;
      slider.value = nearest(chart.texts.map((_, place) => place), (chart.at.length - 1) / 2);
      put(legend, [...chart.lines, ...chart.bands].map(legendEntry));
      draw();
    },
  };
}

function scaleOf(chart, width) {
  const first = chart.at[0];
  const last = chart.at.at(-1) + (chart.steps ? 1 : 0);
  const room = width - MARGIN.left - MARGIN.right;
  const high = HEIGHT - MARGIN.top - MARGIN.bottom;
  return {
    last,
    x: (value) => MARGIN.left + (room * (value - first)) / (last - first || 1),
    y: (share) => MARGIN.top + high * (1 - share),
    back: (pixel) => first + ((pixel - MARGIN.left) * (last - first)) / room,
  };
}

function axes(chart, scale, width) {
  const most = Math.max(2, Math.floor((width - MARGIN.left) / TICK_ROOM));
  const every = roundStep(chart.at.length / most);
  const bottom = HEIGHT - MARGIN.bottom;
  const ticks = chart.at.map((_, place) => place).filter((place) => place % every === 0);
  return svg(
    "g", { class: "chart-axes", "aria-hidden": "true" },
    [0, 0.25, 0.5, 0.75, 1].map((share) => [
      svg("line", { class: "chart-grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: scale.y(share), y2: scale.y(share) }),
      svg("text", { x: MARGIN.left - 6, y: scale.y(share) + 4, "text-anchor": "end" }, `${100 * share} %`),
    ]),
    ticks.map((place, number) => {
      const x = scale.x(chart.at[place]);
      const anchor = number === 0 ? "start" : "middle";
      return [
        svg("line", { class: "chart-tick", x1: x, x2: x, y1: bottom, y2: bottom + 4 }),
        svg("text", { x, y: bottom + 17, "text-anchor": x > width - 30 ? "end" : anchor }, cut(chart.texts[place])),
      ];
    }),
    svg("text", { class: "chart-title across", x: (MARGIN.left + width - MARGIN.right) / 2, y: HEIGHT - 5, "text-anchor": "middle" }, chart.across),
    svg("text", { class: "chart-title upwards", x: 6, y: 16 }, `↑ ${chart.upwards}`),
  );
}

/** 1, 2 or 5 times a power of ten: the least of them that is not below a number. */
function roundStep(least) {
  let power = 1;
  while (power * 10 < least) power *= 10;
  return [1, 2, 5, 10].map((one) => one * power).find((step) => step >= least);
}

/** The corners of a line: in steps a value stays until the next place. */
function corners(values, chart, scale) {
  const found = [];
  values.forEach((value, place) => {
    const x = scale.x(chart.at[place]);
    found.push([x, scale.y(value)]);
    if (chart.steps) found.push([scale.x(chart.at[place + 1] ?? scale.last), scale.y(value)]);
  });
  return found;
}

function path(points) {
  return points.map(([x, y], number) => `${number ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

function bandPath({ low, high, kind }, chart, scale) {
  return svg("path", { class: `chart-band ${kind}`, d: `${path([...corners(high, chart, scale), ...corners(low, chart, scale).reverse()])}Z` });
}

function linePath({ values, kind }, chart, scale) {
  return svg("path", { class: `chart-line ${kind}`, d: path(corners(values, chart, scale)) });
}

function legendEntry({ name, kind }) {
  const sample = kind === "pale" || kind === "dark"
    ? svg("rect", { class: `chart-band ${kind}`, x: 1, y: 2, width: 24, height: 8 })
    : svg("path", { class: `chart-line ${kind}`, d: "M1 6L25 6" });
  return h("li", {}, svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, sample), h("span", {}, name));
}

function nearest(values, wanted) {
  let best = 0;
  values.forEach((value, place) => {
    if (Math.abs(value - wanted) < Math.abs(values[best] - wanted)) best = place;
  });
  return best;
}

function cut(text) {
  return text.length > 12 ? `${text.slice(0, 11)}…` : text;
}
