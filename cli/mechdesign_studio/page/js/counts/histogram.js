// Numbers of groups by count or by error: bars side by side, and marks for what is expected. A table beside has the numbers.

import { h, put, svg } from "../dom.js";

const HEIGHT = 180;
const LEFT = 44;
const BOTTOM = 34;
const TOP = 10;
const NARROWEST = 5; // pixels for a label; the drawing scrolls where there is less room

/**
 * Build a histogram: {element, show({labels, bars, marks})}.
 * `bars` are [{title, values, outlined}], filled or drawn as outlines; `marks` is
 * {title, values} or null, a short line above each place. `axis` names what the labels are.
 */
export function histogram({ caption, axis }) {
  const drawing = h("div", { class: "histogram-drawing", role: "region", "aria-label": `Drawing: ${caption}`, tabindex: "0" });
  const legend = h("ul", { class: "histogram-legend" });
  const element = h("figure", { class: "histogram" }, h("figcaption", {}, caption), legend, drawing);
  let shown = null;
  let room = 0; // pixels that there are

  function draw() {
    if (shown) put(drawing, picture({ ...shown, axis, room, words: `${caption}. The table below has the numbers.` }));
  }

  new ResizeObserver(() => {
    if (drawing.clientWidth !== room) {
      room = drawing.clientWidth;
      draw();
    }
  }).observe(drawing);
  return {
    element,
    show({ labels, bars, marks = null }) {
      put(legend, bars.map((series) => key(series.title, kindOf(series))), marks ? key(marks.title, "mark") : null);
      shown = { labels, bars, marks };
      draw();
    },
  };
}

function kindOf(series) {
  return series.outlined ? "bar-outlined" : "bar-filled";
}

function key(title, kind) {
  return h("li", {}, h("span", { class: `key ${kind}`, "aria-hidden": "true" }), title);
}

function picture({ labels, bars, marks, axis, room, words }) {
  const wide = Math.max(18, Math.min(56, 640 / labels.length));
  const step = Math.max(NARROWEST, Math.min(wide, (room - LEFT - 8) / labels.length));
  const width = LEFT + step * labels.length + 8;
  const top = Math.max(1e-9, ...bars.flatMap((series) => series.values), ...(marks?.values ?? []));
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const base = y(0);
  const slot = (step - 4) / bars.length;
  const every = Math.ceil((labels.length * 30) / (step * labels.length));
  const scale = [0, top / 2, top].map((value) => [
    svg("line", { x1: LEFT, x2: width - 4, y1: y(value), y2: y(value), class: "grid" }),
    svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, Intl.NumberFormat("en", { notation: top >= 1e5 ? "compact" : "standard", maximumSignificantDigits: 3 }).format(value)),
  ]);
  const columns = labels.map((label, at) => {
    const left = LEFT + at * step + 2;
    return [
      bars.map((series, number) => svg("rect", {
        x: left + number * slot, width: Math.max(1, slot - 1), y: y(series.values[at]), height: base - y(series.values[at]), class: kindOf(series),
      })),
      marks ? svg("line", { x1: left - 1, x2: left + step - 3, y1: y(marks.values[at]), y2: y(marks.values[at]), class: "mark" }) : null,
      at % every === 0 ? svg("text", { x: left + step / 2 - 2, y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" }, label) : null,
    ];
  });
  return svg(
    "svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": words },
    scale, columns, svg("text", { x: LEFT + (width - LEFT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, axis),
  );
}
