// A matrix of probabilities as a heat map: arrow keys walk its cells, a pointer shows them, a choice picks a column.

import { h, newId, put, set } from "../dom.js";
import { onTheme } from "./colours.js";
import { columnBars } from "./column_bars.js";
import { radioField } from "./fields.js";
import { EDGE, MARGIN, drawKey, drawMatrix, spanOf } from "./heat_drawing.js";
import { morphing } from "./morph.js";

const [SMALLEST, LARGEST] = [120, 860]; // pixels of a side
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const KEYS = "Arrow keys walk the cells. Home and End go to the ends of a row, Page Up and Page Down to those of a column.";
const FIRST = "Point at a cell, tap it, or use the arrow keys: its exact probability stands here.";

/**
 * Build a heat map: {element, show(matrix, {moves})}. It reads nothing but what it is given.
 *
 * A matrix is {size, value(row, column), text(row, column) (what is said of a cell)}, and `other(row, column)` of a second mechanism, from which the
 * difference is drawn; rows go down. `rows` and `columns`
 * name the axes; onCell(row, column) is called when a cell is chosen by click, tap, arrow key or Enter. With
 * `bars(column)`, the title of a column, the column that is pointed at, or chosen, stands beside it as bars, a bar for each row;
 * first it is the middle one. With `moves` the matrix comes by small steps.
 */
export function heatmap({ label, rows, columns, onCell, bars: titleOf = null }) {
  const readout = h("p.heat-readout", { id: newId("readout"), role: "status" });
  const keys = h("p.hint", { id: newId("keys") }, KEYS);
  const bars = titleOf && columnBars();
  const board = cellBoard({ label, titles: { rows, columns }, describedBy: `${keys.id} ${readout.id}`, onPoint, onChoose, onDraw: drawBars });
  const key = colourKey((log) => board.draw(log));
  let [matrix, pointed, chosen, column] = [null, null, null, 0];

  function onPoint(cell) {
    pointed = cell;
    const shown = cell ?? chosen;
    if (shown) put(readout, matrix.text(...shown));
    drawBars();
  }

  function onChoose(cell) {
    chosen = cell;
    onPoint(cell);
    onCell?.(...cell);
  }

  function drawBars() {
    if (!bars || !matrix) return;
    column = Math.min((pointed ?? chosen)?.[1] ?? Math.floor(matrix.size / 2), matrix.size - 1);
    board.markColumn(column);
    bars.draw({ matrix, column, row: (pointed ?? chosen)?.[0] ?? null, pixels: board.side(), title: titleOf(column) });
  }

  const move = morphing((next) => {
    matrix = next;
    const span = spanOf(next);
    chosen = board.show(next, span);
    key.show(span);
  });
  bars?.element.addEventListener("pointermove", (event) => board.pointAtRow(event, column));
  bars?.element.addEventListener("pointerleave", () => board.pointAtRow(null));
  onTheme(() => board.draw());
  return {
    element: h(
      "div", { class: bars ? "heat with-bars" : "heat" }, h("div.heat-frame", board, bars),
      readout, h("div.heat-foot", key, keys),
    ),
    show(next, { moves = false } = {}) {
      move(next, moves);
      put(readout, chosen ? next.text(...chosen) : FIRST);
    },
  };
}

// The scale of the colours, and what they stand for.
function colourKey(onScale) {
  const canvas = h("canvas.heat-legend", { width: 240, height: 10, "aria-hidden": "true" });
  const [least, most] = [h("span"), h("span")];
  let span = [0, 1];
  const scale = radioField({
    label: "Scale", value: "linear", onCommit: () => show(),
    options: [["linear", "Linear"], ["log", "Logarithmic"]],
  });

  function show(next = span) {
    span = next;
    const log = scale.value === "log";
    const isDifference = span[0] < 0;
    drawKey(canvas, isDifference);
    put(least, isDifference || log ? shortNumber(span[0]) : "0");
    put(most, `${isDifference ? "+" : ""}${shortNumber(span[1])}`);
    onScale(log);
  }

  onTheme(() => drawKey(canvas, span[0] < 0));
  const element = h("div.row", scale, h("p.heat-key", least, canvas, most));
  return { element, show };
}

// The cells themselves: a canvas, a mark on the chosen cell and one on the cell under the pointer.
function cellBoard({ label, titles, describedBy, onPoint, onChoose, onDraw }) {
  const canvas = h("canvas.heat-canvas", { "aria-hidden": "true" });
  const [mark, hover, whole] = ["heat-mark", "heat-mark light", "heat-mark column-mark"].map((name) => h("div", { class: name, hidden: true }));
  const element = h(
    "div", {
      class: "heat-board", tabindex: "0", role: "application", "aria-roledescription": "heat map", "aria-label": label,
      "aria-describedby": describedBy,
    },
    canvas, whole, hover, mark,
  );
  let [matrix, span, log, chosen, width] = [null, null, false, null, 0];

  const side = () => Math.max(SMALLEST, Math.min(width || element.clientWidth || 320, LARGEST));
  const each = () => (side() - EDGE - MARGIN) / matrix.size;

  function draw(logarithmic = log) {
    log = logarithmic;
    if (matrix) {
      drawMatrix(canvas, matrix, span, { pixels: side(), log, titles });
      frame(mark, chosen);
      onDraw();
    }
  }

  function frame(box, cell, rows = 1) {
    box.hidden = !cell;
    if (cell) {
      const [top, left] = cell.map((place) => `${EDGE + place * each()}px`);
      set(box, { style: { top, left, width: `${each()}px`, height: `${rows * each()}px` } });
    }
  }

  function cellAt(event) {
    const box = canvas.getBoundingClientRect();
    const places = matrix && [event.clientY - box.top, event.clientX - box.left].map((x) => Math.floor((x - EDGE) / each()));
    return places?.every((place) => place >= 0 && place < matrix.size) ? places : null;
  }

  function choose(cell) {
    if (cell) {
      chosen = cell;
      frame(mark, cell);
      onChoose(cell);
    }
  }

  function point(cell) {
    frame(hover, cell);
    onPoint(cell);
  }

  element.addEventListener("keydown", (event) => {
    const cell = matrix && !event.ctrlKey && !event.metaKey && !event.altKey ? cellAfter(event.key, chosen, matrix.size - 1) : null;
    if (cell) {
      event.preventDefault();
      choose(cell);
    }
  });
  element.addEventListener("pointermove", (event) => point(cellAt(event)));
  element.addEventListener("pointerleave", () => point(null));
  element.addEventListener("click", (event) => choose(cellAt(event)));
  new ResizeObserver(() => {
    if (element.clientWidth !== width) {
      width = element.clientWidth;
      draw();
    }
  }).observe(element);

  return {
    element,
    draw,
    side,
    markColumn(column) {
      frame(whole, [0, column], matrix.size);
    },
    pointAtRow(event, column) {
      const row = event && Math.floor((event.clientY - canvas.getBoundingClientRect().top - EDGE) / each());
      point(event && row >= 0 && row < matrix.size ? [row, column] : null);
    },
    show(next, its) {
      [matrix, span] = [next, its];
      chosen = chosen?.map((place) => Math.min(place, matrix.size - 1)) ?? null;
      return chosen;
    },
  };
}

// The cell that a key goes to; the first key that walks chooses the first cell.
function cellAfter(key, chosen, last) {
  const [row, column] = chosen ?? [0, 0];
  const ends = { Home: [row, 0], End: [row, last], PageUp: [0, column], PageDown: [last, column], Enter: [row, column], " ": [row, column] };
  if (key in ends) return ends[key];
  const step = STEPS[key];
  if (!step) return null;
  return chosen ? [row + step[0], column + step[1]].map((place) => Math.min(last, Math.max(0, place))) : [0, 0];
}

function shortNumber(value) {
  return Math.abs(value) >= 0.001 || value === 0 ? String(Number(value.toPrecision(3))) : value.toExponential(1);
}
