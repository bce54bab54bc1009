// The matrix of an answer, as the heat map and the column read it.

import { decimal, fraction, ratio, shortFraction } from "../parts/exact.js";

const WRITTEN_OUT = 160; // letters of a fraction that a sentence writes out; the column's table has every digit

/** Return {size, value(i, j), exact(i, j) (null where only decimals are known), text(i, j)}. */
export function readMatrix({ document, rows }) {
  return document ? exactMatrix(document) : decimalMatrix(rows);
}

function exactMatrix({ weights, denominator }) {
  const values = weights.map((row) => row.map((weight) => ratio(weight, denominator)));
  const exact = (i, j) => fraction(weights[i][j], denominator);
  const text = (i, j) => sentence(i, j, values[i][j], shortFraction(exact(i, j), WRITTEN_OUT));
  return { size: weights.length, value: (i, j) => values[i][j], exact, text };
}

function decimalMatrix(rows) {
  return { size: rows.length, value: (i, j) => rows[i][j], exact: () => null, text: (i, j) => sentence(i, j, rows[i][j], null) };
}

function sentence(i, j, value, exact) {
  const shown = decimal(value);
  return `Pr[output ${i} | input ${j}] = ${shown}${exact && exact !== shown ? ` = ${exact}` : ""}`;
}
