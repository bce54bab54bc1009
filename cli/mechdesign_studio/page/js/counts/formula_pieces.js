// The formula of a design: the least score as a function of alpha, a rational function on each of a few ranges.

import { h } from "../kit.js";

/** Inputs up to which a formula is found within seconds. */
export const LARGEST_FORMULA = 17;

/** The line that stands where there are more. */
export const TOO_LARGE = `The score is a formula in alpha for up to ${LARGEST_FORMULA - 1} people or ${LARGEST_FORMULA} items here; beyond, mechdesign formula finds it.`;

const SECONDS = 30;
const EVERY = Array.from({ length: 49 }, (_, k) => (k + 1) / 50); // where it is read
const INSIDE = 20; // points of a curve within a piece
const NOWHERE = "no mechanism";

/** Titles of the columns of `pieceRows`. */
export const PIECE_HEADS = ["alpha = a", "least score"];

/** What a chart over alpha has for its axis. */
export const ALPHA_AXIS = { across: "alpha", ticks: [0, 0.25, 0.5, 0.75, 1].map((x) => [x, String(x)]) };

/** Return the step that finds the formula of a design, with scores where it is read. */
export function formulaStep({ alpha, epsilon, ...options }) {
  return { command: "formula", options: { ...options, at: EVERY.map(String), summary: true, "time-limit": SECONDS } };
}

/** Return the curve of a formula, [[alpha, score]] with null where there is none: at every end, and at some places inside each piece. */
export function curveOf(pieces) {
  return pieces.flatMap((piece) => placesOf(piece).map((alpha) => [alpha, piece.score && scoreAt(piece, alpha)]));
}

/** Return the curve of the difference of two formulas. */
export function curveBetween(pieces, others) {
  const places = [...new Set([...pieces, ...others].flatMap(placesOf))].sort((a, b) => a - b);
  const at = (all, alpha) => scoreAt(all.find((piece) => alpha <= piece.to.value), alpha);
  return places.map((alpha) => [alpha, Math.max(0, at(pieces, alpha) - at(others, alpha))]);
}

function placesOf({ from, to }) {
  return Array.from({ length: INSIDE + 2 }, (_, k) => from.value + ((to.value - from.value) * k) / (INSIDE + 1));
}

function scoreAt({ score: { numerator, denominator } }, alpha) {
  const [top, bottom] = [numerator, denominator].map((values) => values.reduceRight((sum, value) => sum * alpha + Number(value), 0));
  return top / bottom;
}

/** Return the alphas at which one piece ends and the next begins. */
export function breaksOf(pieces) {
  return pieces.slice(1).map((piece) => piece.from.value);
}

/** Return the score at an alpha as a text in a = alpha. */
export function textAt(pieces, alpha) {
  return textOf(pieces.find((piece) => alpha <= piece.to.value));
}

/** Return a row of a table for each piece; that of an alpha is marked. */
export function pieceRows(pieces, alpha) {
  const here = pieces.find((piece) => alpha <= piece.to.value);
  return pieces.map((piece) => h(
    "tr", { "aria-current": piece === here ? "true" : null }, h("th", { scope: "row" }, piece.range), h("td", textOf(piece)),
  ));
}

/** Say how many pieces a formula has. */
export function piecesText(pieces) {
  return `${pieces.length === 1 ? "one piece" : `${pieces.length} pieces`}, proved`;
}

/** Return the alpha that a click at a place of a chart chooses. */
export function pickedAlpha(x) {
  return String(Number(Math.min(0.99, Math.max(0.01, x)).toFixed(2)));
}

function textOf(piece) {
  return piece.score ? piece.text : NOWHERE;
}
