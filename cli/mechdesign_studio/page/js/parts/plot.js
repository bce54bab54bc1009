// The frame of every chart: scales, round ticks, axes with titles, a legend, and reading by pointer, touch or keys. It is as wide as
// there is room, so letters keep their size.

import { h, put, set, svg } from "../dom.js";

// Pixels around the drawing; at the left it depends on the ticks.
const [TOP, RIGHT, BOTTOM] = [26, 12, 32];
// Pixels that a letter takes, and of its height.
const [LETTER, LINE] = [7, 12];
const LEAST_WIDTH = 220;
// Letters of a label across.
const LONGEST = 12;
const MOST_TICKS = 5; // upwards
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

/**
 * Build a chart: {element, picture, show(chart), scale()}; `label` names it, `kind` is a class of its picture.
 *
 * A chart has `texts` (what each place is called), `at` (where they are: rising numbers, by default 0, 1, 2, ...), `rooms` (each
 * place is as wide as to the next one, as a bar is), `high` and `low` (the largest value, and the least, 0 by default), `tick(value)` (text of a tick),
 * `across` and `upwards` (titles of the axes, with their units), `draw(scale)` (what is drawn), `say(place)` (a place in words),
 * `first` (the place that is said first), `legend` ([{name, kind, line}]). It may have ticks of its own ([[number, text]]), ends of the
 * axis (`from`, `to`), room at its `right`, and at its left for so many `letters` at least. onPick(number) is called for a click. Whoever shows it gives the numbers as a table too.
 */
export function plot({ label, kind, height = 240, onPick = null }) {
  const picture = svg("svg", { class: `plot ${kind}`, height, "aria-hidden": "true" });
  const frame = h("div.plot-frame", { tabindex: "0", role: "slider", "aria-label": label, "aria-valuemin": 0, "aria-valuenow": 0 }, picture);
  const legend = h("ul.plot-legend", { "aria-label": "Legend" });
  const reading = h("p.plot-reading");
  let [chart, scale, place, cursor, width] = [null, null, null, null, 0];

  function draw() {
    scale = scaleOf(chart, Math.max(LEAST_WIDTH, width), height);
    cursor = svg("line.plot-cursor", { y1: TOP, y2: scale.floor });
    set(picture, { width: scale.width });
    put(picture, axes(chart, scale), chart.draw(scale), cursor);
    read(place);
  }

  function read(next) {
    if (chart.texts.length === 0) return;
    place = Math.max(0, Math.min(chart.texts.length - 1, next));
    const words = chart.say(place);
    set(cursor, { x1: scale.middle(place), x2: scale.middle(place) });
    set(frame, { "aria-valuenow": place, "aria-valuetext": words });
    put(reading, words);
  }

  frame.addEventListener("keydown", (event) => {
    if (chart && event.key in KEYS && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      read(place + KEYS[event.key]);
    }
  });
  for (const kindOf of ["pointermove", "pointerdown"]) {
    frame.addEventListener(kindOf, (event) => chart && read(scale.place(event.clientX - picture.getBoundingClientRect().left)));
  }
  if (onPick) frame.addEventListener("click", (event) => onPick(scale.number(event.clientX - picture.getBoundingClientRect().left)));
  new ResizeObserver(() => {
    if (frame.clientWidth === width) return;
    width = frame.clientWidth;
    if (chart) draw();
  }).observe(frame);
  return {
    element: h("div.plot-box", legend, frame, reading),
    picture,
    scale: () => scale,
    show(next) {
      if (chart?.texts.length !== next.texts.length || chart.first !== next.first) place = next.first ?? Math.floor((next.texts.length - 1) / 2);
      chart = next;
      set(frame, { "aria-label": chart.label ?? label, "aria-valuemax": Math.max(0, chart.texts.length - 1) });
      put(legend, (chart.legend ?? []).map(legendEntry));
      draw();
    },
  };
}

// `x` and `y` turn numbers into pixels, `middle` a place, `number`, `value` and `place` go back; `bar` is a rectangle on the floor of a place's room.
function scaleOf({ texts, at = texts.map((_, k) => k), rooms = false, high, low = 0, tick = tickText, from = at[0], to = at.at(-1) + (rooms ? 1 : 0), right = RIGHT, letters = 0 }, width, height) {
  const top = high > low ? high : low + 1;
  const step = roundStep((top - low) / MOST_TICKS);
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(top / step - 1e-9)];
  const ticks = Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step);
  const left = LETTER * Math.max(letters, ...ticks.map((value) => tick(value).length)) + 12;
  const end = width - right;
  const floor = height - BOTTOM;
  const x = (value) => left + ((end - left) * (value - from)) / (to - from || 1);
  const y = (value) => floor - ((floor - TOP) * (value - ticks[0])) / (ticks.at(-1) - ticks[0]);
  const middle = (place) => x(at[place] + (rooms ? 0.5 : 0));
  return {
    width, left, end, top: TOP, floor, ticks, x, y, middle,
    number: (pixel) => Math.min(to, Math.max(from, from + ((pixel - left) * (to - from)) / (end - left))),
    value: (pixel) => ticks[0] + ((floor - pixel) * (ticks.at(-1) - ticks[0])) / (floor - TOP),
    place: (pixel) => at.reduce((best, _, k) => (Math.abs(middle(k) - pixel) < Math.abs(middle(best) - pixel) ? k : best), 0),
    bar(place, value, number = 0, all = 1) {
      const each = x(at[place] + 1) - x(at[place]);
      const slot = (each - Math.min(4, each / 4)) / all;
      return { x: middle(place) + (number - all / 2) * slot, width: Math.max(0.4, slot - Math.min(1, slot / 8)), y: y(value), height: Math.max(0, floor - y(value)) };
    },
  };
}

function axes({ texts, tick = tickText, ticks: own, across, upwards }, scale) {
  const { width, left, end, floor, ticks, y } = scale;
  const labels = own ? own.map(([value, text]) => [scale.x(value), text]) : texts.map((text, place) => [scale.middle(place), cut(text)]);
  const room = LETTER * Math.max(0, ...labels.map(([, text]) => text.length)) + 8;
  const every = own ? 1 : Math.ceil(roundStep(Math.max(1, (labels.length * room) / (width - left))));
  const half = (text) => (LETTER * text.length) / 2;
  return svg(
    "g.plot-axes",
    ticks.map((value) => [
      svg("line.plot-grid", { x1: left, x2: end, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, tick(value)),
    ]),
    labels.map(([x, text], place) => place % every === 0 && [
      svg("line.plot-tick", { x1: x, x2: x, y1: floor, y2: floor + 4 }),
      svg("text", { x: Math.max(half(text), Math.min(x, width - half(text))), y: floor + 4 + LINE, "text-anchor": "middle" }, text),
    ]),
    svg("text.plot-title.across", { x: (left + end) / 2, y: floor + BOTTOM - 3, "text-anchor": "middle" }, across),
    svg("text.plot-title.upwards", { x: 4, y: LINE }, `↑ ${upwards}`),
  );
}

function cut(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

// 1, 2 or 5 times a power of ten: the least of them that is not below a number.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((one) => one * power).find((step) => step >= least * (1 - 1e-9));
}

function tickText(value) {
  return Intl.NumberFormat("en", { notation: value >= 1e5 ? "compact" : "standard", maximumSignificantDigits: 3 }).format(value);
}

function legendEntry({ name, kind, line = false }) {
  const sample = line ? svg("path", { class: kind, d: "M1 6L25 6" }) : svg("rect", { class: kind, x: 1, y: 2, width: 24, height: 8 });
  return h("li", svg("svg", { width: 26, height: LINE, "aria-hidden": "true" }, sample), h("span", name));
}
