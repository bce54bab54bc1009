// Sentences in people's words about a mechanism, from its matrix alone: {size, value(output, input)}.

import { roundedUp } from "./exact.js";

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

/** Write a share in per cent with one decimal; neither 0 nor 100 where it is not. */
export function perCent(share) {
  if (share > 0 && share < 0.0005) return "less than 0.1 %";
  if (share < 1 && share >= 0.9995) return "more than 99.9 %";
  return `${(100 * share).toFixed(1)} %`;
}

/** Say what a mechanism does to a count, or to an item, in sentences: how often it errs, how far, and what odds it leaves. */
export function sentences(matrix, isCount) {
  const { wrong, off } = errors(matrix);
  const what = isCount ? "count" : "item";
  const first = `A published ${what} is wrong in ${perCent(wrong)} of releases`;
  if (!isCount) return [`${first}, where each item is equally likely.`];
  const truth = Math.floor(matrix.size / 2);
  const near = [truth - 1, truth, truth + 1].filter((output) => output < matrix.size);
  const odds = oddsChange(matrix);
  return [
    `${first}, and off by ${off.toFixed(1)} on average, where each count is equally likely.`,
    `A true ${truth} is published as ${near[0]} to ${near.at(-1)} in ${perCent(chance(matrix, truth, near))} of releases.`,
    Number.isFinite(odds) ? `The odds between neighbouring counts change by at most a factor ${roundedUp(odds * (1 - 1e-12), 3)}.` : null,
  ].filter(Boolean);
}

/** Return the largest ratio between the chances of an output for two neighbouring counts. */
function oddsChange({ size, value }) {
  let most = 1;
  for (let output = 0; output < size; output += 1) {
    for (let input = 1; input < size; input += 1) {
      const [one, other] = [value(output, input - 1), value(output, input)];
      if (one !== other) most = Math.max(most, one / other, other / one);
    }
  }
  return most;
}
