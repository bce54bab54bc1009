// A prior as whole weights in a text: weights:1,2,3.

const PREFIX = "weights:";

/** Tell whether a prior is whole weights. */
export function isDrawn(prior) {
  return prior.startsWith(PREFIX);
}

/** Return the whole weights of a prior. */
export function weightsOf(prior) {
  return prior.slice(PREFIX.length).split(",").map(Number);
}

/** Return the prior of whole weights. */
export function priorOf(weights) {
  return PREFIX + weights.join(",");
}

/** Fit a prior of weights to another number of inputs, by straight lines between them, as whole numbers. */
export function refitted(prior, size) {
  const weights = weightsOf(prior);
  if (weights.length === size) return prior;
  const stretch = (weights.length - 1) / Math.max(1, size - 1);
  const fitted = Array.from({ length: size }, (_, j) => {
    const low = Math.floor(j * stretch);
    const high = Math.min(weights.length - 1, low + 1);
    return Math.round(weights[low] + (j * stretch - low) * (weights[high] - weights[low]));
  });
  return priorOf(fitted.some((weight) => weight > 0) ? fitted : fitted.map(() => 1));
}
