// Draw a matrix of probabilities on a canvas: colours, numbers in cells, labels of rows and columns, the colour key.

import { h, set } from "../dom.js";
import { between, colours, css, isLight } from "./colours.js";

const MOST_NUMBERED = 14; // rows up to which a cell has its number in it
const SMALLEST_NUMBERED = 26; // pixels of such a cell
const SMALLEST_CELL = 5; // pixels; smaller cells are drawn as a picture of one pixel each
const [DIGIT, GAP] = [7, 8]; // pixels that a digit of a label takes, and that are between labels
const STOPS = ["--heat-low", "--heat-middle", "--heat-high"];
const APART = ["--less", "--surface", "--more"]; // of a difference
const LETTERS = "ui-sans-serif, system-ui, sans-serif";
const STEPS = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128];

export const EDGE = 38; // pixels before the first row and column, for labels
export const MARGIN = 10; // and beyond the last ones, for a label half as wide

/** Return the least positive and the largest entry of a matrix {size, value(row, column)}; of a difference (`other`), minus and plus the largest. */
export function spanOf(matrix) {
  const { value } = drawnOf(matrix);
  let [low, high] = [Infinity, 0];
  eachCell(matrix.size, (row, column) => {
    const one = Math.abs(value(row, column));
    high = Math.max(high, one);
    if (one > 0) low = Math.min(low, one);
  });
  return matrix.other ? [-high, high] : [Math.min(low, high), high];
}

// Where there is another mechanism, what is drawn is the difference.
function drawnOf(matrix) {
  return matrix.other ? { ...matrix, value: (i, j) => matrix.value(i, j) - matrix.other(i, j) } : matrix;
}

/** Draw a matrix with labels on a square canvas of so many pixels; `span` as `spanOf` returns it, `titles` of rows and columns; cells with matrix.marked(row, column) have a frame. */
export function drawMatrix(canvas, given, span, { pixels, log, titles }) {
  const matrix = drawnOf(given);
  const context = prepared(canvas, pixels);
  const each = (pixels - EDGE - MARGIN) / matrix.size;
  const shade = shading(span, log);
  if (each < SMALLEST_CELL) {
    context.imageSmoothingEnabled = false;
    context.drawImage(picture(matrix, shade), EDGE, EDGE, each * matrix.size, each * matrix.size);
  } else {
    drawCells(context, matrix, shade, each);
  }
  if (matrix.marked) drawMarks(context, matrix, each);
  drawLabels(context, matrix.size, each, titles);
}

// A frame and a corner, so that a mark is seen without its colour.
function drawMarks(context, matrix, each) {
  const [bad, paper] = colours("--bad", "--surface").map(css);
  const width = Math.max(1, Math.min(3, each / 8));
  const corner = Math.min(14, each / 3);
  eachCell(matrix.size, (row, column) => {
    if (!matrix.marked(row, column)) return;
    const [left, top] = [EDGE + column * each, EDGE + row * each];
    for (const [colour, inset] of [[paper, width * 1.5], [bad, width / 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.strokeRect(left + inset, top + inset, each - 1 - 2 * inset, each - 1 - 2 * inset);
    }
    context.fillStyle = bad;
    context.beginPath();
    context.moveTo(left, top);
    context.lineTo(left + corner, top);
    context.lineTo(left, top + corner);
    context.fill();
  });
}

/** Draw a matrix alone, small; `top` has the darkest colour. */
export function drawMiniature(canvas, matrix, pixels, top = spanOf(matrix)[1]) {
  const context = prepared(canvas, pixels);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture(matrix, shading([0, top], false)), 0, 0, pixels, pixels);
}

/** Draw the key of the colours, from the lowest to the highest. */
export function drawKey(canvas, isDifference) {
  const context = canvas.getContext("2d");
  const stops = colours(...(isDifference ? APART : STOPS));
  for (let x = 0; x < canvas.width; x += 1) {
    context.fillStyle = css(between(stops, x / (canvas.width - 1)));
    context.fillRect(x, 0, 1, canvas.height);
  }
}

function prepared(canvas, pixels) {
  const density = Math.min(3, window.devicePixelRatio || 1);
  const side = Math.round(pixels * density);
  set(canvas, { width: side, height: side, style: { width: `${pixels}px`, height: `${pixels}px` } });
  const context = canvas.getContext("2d");
  context.scale(density, density);
  context.textBaseline = "middle";
  return context;
}

// A function from a probability to its colour.
function shading([low, high], log) {
  if (low < 0) {
    const apart = colours(...APART);
    return (value) => between(apart, (value / high + 1) / 2);
  }
  const stops = colours(...STOPS);
  if (!log || low === high) return (value) => between(stops, high ? value / high : 0);
  const [from, to] = [Math.log(low), Math.log(high)];
  return (value) => between(stops, value > 0 ? (Math.log(value) - from) / (to - from) : 0);
}

function drawCells(context, matrix, shade, each) {
  const [dark, light] = colours("--heat-dark-ink", "--heat-light-ink").map(css);
  const numbered = matrix.size <= MOST_NUMBERED && each >= SMALLEST_NUMBERED;
  context.textAlign = "center";
  context.font = `${Math.min(13, each / 3.2)}px ${LETTERS}`;
  eachCell(matrix.size, (row, column) => {
    const value = matrix.value(row, column);
    const colour = shade(value);
    const [left, top] = [EDGE + column * each, EDGE + row * each];
    context.fillStyle = css(colour);
    context.fillRect(left, top, each - 1, each - 1);
    if (numbered) {
      context.fillStyle = isLight(colour) ? dark : light;
      context.fillText(matrix.other ? difference(value) : cellNumber(value), left + each / 2, top + each / 2);
    }
  });
}

// One pixel for each cell.
function picture(matrix, shade) {
  const small = h("canvas", { width: matrix.size, height: matrix.size });
  const context = small.getContext("2d");
  const image = context.createImageData(matrix.size, matrix.size);
  eachCell(matrix.size, (row, column) => {
    image.data.set([...shade(matrix.value(row, column)), 255], 4 * (row * matrix.size + column));
  });
  context.putImageData(image, 0, 0);
  return small;
}

function drawLabels(context, size, each, titles) {
  const least = Math.ceil((DIGIT * String(size - 1).length + GAP) / each);
  const step = STEPS.find((one) => one >= least) ?? least;
  context.fillStyle = css(colours("--ink-soft")[0]);
  context.font = `12px ${LETTERS}`;
  for (let k = 0; k < size; k += step) {
    const middle = EDGE + (k + 0.5) * each;
    context.textAlign = "center";
    context.fillText(String(k), middle, EDGE - 11);
    context.textAlign = "right";
    context.fillText(String(k), EDGE - 7, middle);
  }
  context.textAlign = "left";
  context.fillText(`${titles.columns} →`, EDGE, 8);
  context.rotate(Math.PI / 2);
  context.fillText(`${titles.rows} →`, EDGE, -7);
}

function eachCell(size, f) {
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      f(row, column);
    }
  }
}

function cellNumber(value) {
  if (value === 0) return "0";
  return value < 0.005 ? "<.01" : value.toFixed(2).replace(/^0/, "");
}

function difference(value) {
  const text = cellNumber(Math.abs(value));
  return text === "0" || text.startsWith("<") ? text : `${value < 0 ? "−" : "+"}${text}`;
}
