// A matrix of probabilities as a heat map: arrow keys walk its cells, a pointer shows them, a choice picks a column.

import { h, newId, put, set } from "../dom.js";
import { between, colours, css, isLight, onTheme } from "./colours.js";
import { radioField } from "./fields.js";

const MOST_NUMBERED = 14; // rows up to which a cell has its number in it
const SMALLEST_CELL = 5; // pixels; smaller ones are drawn as a picture
const EDGE = 34; // pixels for the labels of rows and columns
const MARGIN = 10; // and beyond the last row and column, for a label half as wide
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/**
 * Build a heat map: {element, show(matrix), choose(row, column), clear()}.
 *
 * A matrix is {size, value(row, column), text(row, column) (what a reader hears and sees of a cell)}; rows go down.
 * `rows` and `columns` are the names of the axes; onCell(row, column) is called when a cell is chosen by click, tap,
 * arrow key or Enter.
 */
export function heatmap({ label, rows, columns, onCell }) {
  const readout = h("p", { class: "heat-readout", id: newId("readout"), role: "status" });
  const canvas = h("canvas", { class: "heat-canvas", "aria-hidden": "true" });
  const mark = h("div", { class: "heat-mark", hidden: true });
  const hover = h("div", { class: "heat-mark light", hidden: true });
  const keys = h("p", { class: "hint", id: newId("keys") }, "Arrow keys walk the cells, Home and End go to the ends of a row, Page Up and Page Down to those of a column.");
  const board = h(
    "div", {
      class: "heat-board", tabindex: "0", role: "application", "aria-roledescription": "heat map", "aria-label": label,
      "aria-describedby": `${keys.id} ${readout.id}`,
    },
    canvas, hover, mark,
  );
  const legend = h("canvas", { class: "heat-legend", width: 240, height: 10, "aria-hidden": "true" });
  const [least, most] = [h("span"), h("span")];
  const scale = radioField({
    label: "Scale", value: "linear", onCommit: () => draw(),
    options: [{ value: "linear", title: "Linear" }, { value: "log", title: "Logarithmic" }],
  });
  const element = h(
    "div", { class: "heat" },
    h("p", { class: "heat-axis" }, `${columns} →`), h("div", { class: "heat-frame" }, h("p", { class: "heat-axis down" }, `${rows} →`), board),
    readout, h("div", { class: "row" }, scale.element, h("p", { class: "heat-key" }, least, legend, most)), keys,
  );
  let matrix = null;
  let span = [0, 1]; // the least positive entry and the largest
  let cell = [0, 0];
  let chosen = false;

  function side() {
    return Math.max(120, Math.min(board.clientWidth || 320, 560));
  }

  function cellSide() {
    return (side() - EDGE - MARGIN) / (matrix?.size ?? 1);
  }

  function draw() {
    if (matrix === null) {
      return;
    }
    const pixels = side();
    const density = Math.min(3, window.devicePixelRatio || 1);
    set(canvas, { width: Math.round(pixels * density), height: Math.round(pixels * density), style: { width: `${pixels}px`, height: `${pixels}px` } });
    const context = canvas.getContext("2d");
    context.scale(density, density);
    paint(context, pixels);
    paintLegend();
    place();
  }

  function paint(context, pixels) {
    const { size } = matrix;
    const stops = colours("--heat-low", "--heat-middle", "--heat-high");
    const [dark, light, ink] = colours("--heat-dark-ink", "--heat-light-ink", "--ink-soft");
    const each = cellSide();
    const numbered = size <= MOST_NUMBERED && each >= 26;
    context.clearRect(0, 0, pixels, pixels);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `${Math.min(13, each / 3.2)}px ui-sans-serif, system-ui, sans-serif`;
    if (each < SMALLEST_CELL) {
      context.imageSmoothingEnabled = false;
      context.drawImage(picture(stops), EDGE, EDGE, each * size, each * size);
    } else {
      eachCell(size, (row, column) => {
        const colour = between(stops, share(matrix.value(row, column)));
        const [left, top] = [EDGE + column * each, EDGE + row * each];
        context.fillStyle = css(colour);
        context.fillRect(left, top, each - 1, each - 1);
        if (numbered) {
          context.fillStyle = css(isLight(colour) ? dark : light);
          context.fillText(cellNumber(matrix.value(row, column)), left + each / 2, top + each / 2);
        }
      });
    }
    labelAxes(context, each, css(ink));
  }

  // One pixel for each cell, for matrices with too many cells to draw one by one.
  function picture(stops) {
    const { size } = matrix;
    const small = h("canvas", { width: size, height: size });
    const context = small.getContext("2d");
    const image = context.createImageData(size, size);
    eachCell(size, (row, column) => {
      image.data.set([...between(stops, share(matrix.value(row, column))), 255], 4 * (row * size + column));
    });
    context.putImageData(image, 0, 0);
    return small;
  }

  function labelAxes(context, each, ink) {
    context.fillStyle = ink;
    context.font = "12px ui-sans-serif, system-ui, sans-serif";
    const step = niceStep(matrix.size, each);
    for (let k = 0; k < matrix.size; k += step) {
      context.textAlign = "center";
      context.fillText(String(k), EDGE + (k + 0.5) * each, EDGE - 12);
      context.textAlign = "right";
      context.fillText(String(k), EDGE - 7, EDGE + (k + 0.5) * each);
    }
  }

  function paintLegend() {
    const context = legend.getContext("2d");
    const stops = colours("--heat-low", "--heat-middle", "--heat-high");
    for (let x = 0; x < legend.width; x += 1) {
      context.fillStyle = css(between(stops, x / (legend.width - 1)));
      context.fillRect(x, 0, 1, legend.height);
    }
    put(least, scale.value === "log" ? shortNumber(span[0]) : "0");
    put(most, shortNumber(span[1]));
  }

  function share(value) {
    const [low, high] = span;
    if (scale.value === "linear" || low === high) {
      return high ? value / high : 0;
    }
    return value > 0 ? (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low)) : 0;
  }

  function place() {
    frame(mark, chosen ? cell : null);
  }

  function frame(box, at) {
    box.hidden = at === null || matrix === null;
    if (!box.hidden) {
      const each = cellSide();
      set(box, { style: { left: `${EDGE + at[1] * each}px`, top: `${EDGE + at[0] * each}px`, width: `${each}px`, height: `${each}px` } });
    }
  }

  function cellAt(event) {
    const box = canvas.getBoundingClientRect();
    const each = cellSide();
    const [row, column] = [event.clientY - box.top, event.clientX - box.left].map((x) => Math.floor((x - EDGE) / each));
    return matrix && row >= 0 && column >= 0 && row < matrix.size && column < matrix.size ? [row, column] : null;
  }

  function say([row, column]) {
    put(readout, matrix.text(row, column));
  }

  function choose(row, column, tell = true) {
    cell = [row, column];
    chosen = true;
    say(cell);
    place();
    if (tell) onCell?.(row, column);
  }

  function walk(event) {
    const last = (matrix?.size ?? 1) - 1;
    const ends = { Home: [cell[0], 0], End: [cell[0], last], PageUp: [0, cell[1]], PageDown: [last, cell[1]], Enter: cell, " ": cell };
    const step = STEPS[event.key];
    const next = step ? [cell[0] + step[0], cell[1] + step[1]] : ends[event.key];
    if (matrix && next && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      choose(...(chosen || ends[event.key] ? next : cell).map((k) => Math.min(last, Math.max(0, k))));
    }
  }

  board.addEventListener("keydown", walk);
  board.addEventListener("pointermove", (event) => {
    const at = cellAt(event);
    frame(hover, at);
    if (at) say(at);
  });
  board.addEventListener("pointerleave", () => {
    frame(hover, null);
    if (chosen) say(cell);
  });
  board.addEventListener("click", (event) => {
    const at = cellAt(event);
    if (at) choose(...at);
  });
  onTheme(draw);
  let width = 0;
  new ResizeObserver(() => {
    if (board.clientWidth !== width) {
      width = board.clientWidth;
      draw();
    }
  }).observe(board);

  return {
    element,
    show(next) {
      matrix = next;
      span = spanOf(next);
      cell = cell.map((k) => Math.min(k, next.size - 1));
      draw();
      if (chosen) say(cell);
      else put(readout, "Point at a cell, tap it, or walk there with the arrow keys to read its exact probability.");
    },
    choose: (row, column) => choose(row, column, false),
    clear() {
      matrix = null;
      canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
      put(readout);
      place();
    },
  };
}

function eachCell(size, f) {
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      f(row, column);
    }
  }
}

function spanOf(matrix) {
  let [low, high] = [Infinity, 0];
  eachCell(matrix.size, (row, column) => {
    const value = matrix.value(row, column);
    high = Math.max(high, value);
    if (value > 0) low = Math.min(low, value);
  });
  return [Math.min(low, high), high];
}

function cellNumber(value) {
  if (value === 0) return "0";
  return value < 0.005 ? "<.01" : value.toFixed(2).replace(/^0/, "");
}

function shortNumber(value) {
  return value >= 0.001 || value === 0 ? String(Number(value.toPrecision(3))) : value.toExponential(1);
}

function niceStep(size, each) {
  const least = Math.ceil(22 / each);
  return [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128].find((step) => step >= least) ?? Math.max(1, least);
}
