// Sentences in people's words about a mechanism, from its matrix alone: {size, value(output, input)}.

import { roundedUp } from "../parts/exact.js";

/** Return the chance that a true count is published as one of these. */
export function chance(matrix, truth, outputs) {
  return outputs.reduce((sum, output) => sum + matrix.value(output, truth), 0);
}

/** Return the share of wrong releases, and how far they are off on average, where each count is equally likely. */
export function errors({ size, value }) {
  let [wrong, off] = [0, 0];
  for (let input = 0; input < size; input += 1) {
    for (let output = 0; output < size; output += 1) {
      const share = value(output, input) / size;
      wrong += output === input ? 0 : share;
      off += Math.abs(output - input) * share;
    }
  }
  return { wrong, off };
}

/** Write a share as releases of a hundred: "about 86 of 100 releases". */
export function ofHundred(share) {
  return `about ${Math.round(100 * share)} of 100 releases`;
}

/** Write 1/alpha with three digits, never below it; alpha is a decimal text. */
export function factorText(alpha) {
  return roundedUp(1 / Number(alpha), 3);
}

/** Write a share in per cent with one decimal. */
export function perCent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
