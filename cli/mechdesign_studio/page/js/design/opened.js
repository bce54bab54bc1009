// The document with which the studio was started, as parameters of the page.

import { run } from "../api.js";
import { change, isFresh } from "../design_state.js";
import { LIMITS } from "../facts.js";

/** Show the design of an upload where the page came without one; onFailed(message) where that cannot be. */
export function openDocument(upload, onFailed) {
  if (upload && isFresh()) {
    run("design-opened", [{ command: "report", arguments: [{ upload }] }], {
      onDone: ({ steps }) => {
        const patch = patchOf(steps[0].document.problem);
        if (typeof patch === "string") onFailed(patch);
        else change(patch, { commit: false });
      },
      onFailed: ({ message }) => onFailed(message),
    });
  }
}

/** Return the parameters of a problem as documents state it, or a sentence why the page has none for it. */
function patchOf(problem) {
  const { model, n, k, radius, alpha, properties, loss, aggregate, prior } = problem;
  if (model === "metric") return "The document's model is a metric, for which the page has no controls; Check shows it.";
  if (loss === "matrix") return "The document's loss is a matrix, which no link holds; choose its file as the loss, or see Check.";
  const weights = prior === "weights" ? wholeWeights(problem.prior_weights) : null;
  if (prior === "weights" && weights === null) return "The document's prior has longer weights than a link holds; choose its file as the prior, or see Check.";
  return {
    model, n: text(n), k: text(k), radius: text(radius), alpha, props: properties.join(",") || "none", loss, aggregate,
    prior: weights ? `weights:${weights.join(",")}` : prior ?? "uniform",
  };
}

// Rationals that sum to 1, over their common denominator.
function wholeWeights(rationals) {
  const pairs = rationals.map((one) => one.split("/").map(BigInt)).map(([top, bottom = 1n]) => [top, bottom]);
  const common = pairs.reduce((all, [, bottom]) => (all * bottom) / gcd(all, bottom), 1n);
  const whole = pairs.map(([top, bottom]) => (top * common) / bottom);
  return whole.every((weight) => weight <= BigInt(LIMITS.weight)) ? whole : null;
}

function gcd(a, b) {
  return b ? gcd(b, a % b) : a;
}

function text(value) {
  return value === undefined ? "" : String(value);
}
