// Draw a prior: whole weights, one for each input, by mouse, pen or finger on a chart, or by a number field each.

import { LIMITS } from "../facts.js";
import { h, plot, put, set, svg } from "../kit.js";

const TOP = 100; // the largest weight that is drawn

/**
 * Build the editor: {element, show(weights)}; weights are whole numbers, one for each input.
 *
 * onDraw(weights) is called while a line is drawn, onCommit(weights) when it ends or a number is typed.
 */
export function priorEditor({ onDraw, onCommit }) {
  const view = plot({ label: "Weights of the inputs", kind: "prior-chart", height: 150 });
  const chart = view.picture;
  const fields = h("div.prior-fields");
  const sum = h("p.hint");
  const [flat, peak, mirror] = [button("All equal", () => weights.map(() => 1)), button("Peak in the middle", hill), button("Mirror", () => [...weights].reverse())];
  const element = h(
    "div.prior-editor",
    h("p.hint", "Draw over the columns, or type whole numbers; they are divided by their sum, exactly."),
    view, sum, h("div.row", flat, peak, mirror),
    h("details", { open: true }, h("summary", "Weights as numbers"), fields),
  );
  let weights = [];
  let inputs = [];
  let drawing = null; // the input at which the pointer was last

  function button(title, make) {
    return h("button.small", { onclick: () => finish(make()) }, title);
  }

  function hill() {
    const last = weights.length - 1;
    return weights.map((_, j) => 1 + Math.round((TOP - 1) * (1 - Math.abs((2 * j) / last - 1)) ** 2));
  }

  function finish(next) {
    if (next.some((weight) => weight > 0)) {
      weights = next;
      draw();
      onCommit([...weights]);
    } else {
      put(sum, "At least one weight must be above 0.");
      set(sum, { class: "field-error" });
    }
  }

  function at(event) {
    const [box, scale] = [chart.getBoundingClientRect(), view.scale()];
    const weight = Math.round(scale.value(event.clientY - box.top));
    return [scale.place(event.clientX - box.left), Math.min(Math.max(TOP, ...weights), Math.max(0, weight))];
  }

  function stroke(event) {
    const [place, weight] = at(event);
    const from = drawing ?? { place, weight };
    const next = [...weights];
    for (let j = Math.min(from.place, place); j <= Math.max(from.place, place); j += 1) {
      const share = from.place === place ? 1 : (j - from.place) / (place - from.place);
      next[j] = Math.round(from.weight + share * (weight - from.weight));
    }
    drawing = { place, weight };
    if (next.some((one) => one > 0)) {
      weights = next;
      draw();
      onDraw([...weights]);
    }
  }

  chart.addEventListener("pointerdown", (event) => {
    if (event.button === 0) {
      chart.setPointerCapture(event.pointerId);
      drawing = null;
      stroke(event);
      event.preventDefault();
    }
  });
  chart.addEventListener("pointermove", (event) => drawing && stroke(event));
  const end = () => {
    if (drawing) {
      drawing = null;
      onCommit([...weights]);
    }
  };
  chart.addEventListener("pointerup", end);
  chart.addEventListener("pointercancel", end);

  function typed(j, input) {
    const text = input.value.trim();
    const good = /^[0-9]+$/.test(text) && Number(text) <= LIMITS.weight;
    set(input, { "aria-invalid": good ? null : "true" });
    if (good) finish(weights.map((weight, k) => (k === j ? Number(text) : weight)));
    else {
      put(sum, `Weight of ${j}: a whole number from 0 to ${LIMITS.weight}.`);
      set(sum, { class: "field-error" });
    }
  }

  function draw() {
    view.show({
      texts: weights.map((_, j) => String(j)), rooms: true, high: Math.max(TOP, ...weights), across: "input", upwards: "weight",
      say: (j) => `input ${j}: weight ${weights[j]}`,
      draw: (scale) => weights.map((weight, j) => svg("rect.column", { ...scale.bar(j, weight) })),
    });
    set(sum, { class: "hint" });
    put(sum, `Sum ${weights.reduce((a, b) => a + b, 0)}: input j has probability weight / sum.`);
    fill();
  }

  function fill() {
    if (inputs.length !== weights.length) {
      inputs = weights.map((_, j) => {
        const input = h("input", { type: "text", inputmode: "numeric", "aria-label": `Weight of input ${j}`, autocomplete: "off" });
        input.addEventListener("change", () => typed(j, input));
        return input;
      });
      put(fields, inputs.map((input, j) => h("label.prior-field", h("span", { "aria-hidden": "true" }, String(j)), input)));
    }
    inputs.forEach((input, j) => {
      if (input !== document.activeElement || input.value === "" || Number(input.value) !== weights[j]) input.value = String(weights[j]);
      set(input, { "aria-invalid": null });
    });
  }

  return {
    element,
    show(next) {
      if (drawing === null && (next.length !== weights.length || next.some((weight, j) => weight !== weights[j]))) {
        weights = next;
        draw();
      }
    },
  };
}
