// alpha and epsilon: a slider, a field each, and the exact fraction.

import { change, design } from "../design_state.js";
import { h, put } from "../dom.js";
import { roundedUp, sixDigits } from "../parts/exact.js";
import { fieldGroup, sliderField, textField } from "../parts/fields.js";
import { asNumber, drags, unlessTyping } from "./entering.js";

/**
 * Build the controls: {element, fields, show(state), tell(report, isNewest)}; `beside` stands below, as a first look at the answer.
 * An answer that is not the newest moves the picture and what is said of it, and no field.
 */
export function privacyControls(beside) {
  const steady = drags();
  const slider = sliderField({
    label: "Privacy, alpha", min: 0.01, max: 0.99, step: 0.01, value: "0.75", says: (value) => `alpha ${value}`,
    help: "Drag: to the right is more private.", onInput: (value) => steady.move({ alpha: value }), onCommit: steady.end,
  });
  const alpha = entered("alpha", "0.9 or 9/10");
  const epsilon = entered("epsilon", "-ln(alpha)");
  const exact = h("p", { class: "hint mono exact-privacy" });
  const score = h("p", { class: "live-score" });
  return {
    element: fieldGroup(
      "Privacy", slider.element, h("div", { class: "pair" }, alpha.element, epsilon.element), exact,
      h("div", { class: "live" }, beside, score),
    ),
    fields: { alpha, epsilon },
    show(state) {
      if (state.alpha) {
        unlessTyping(alpha, state.alpha);
        const loss = -Math.log(asNumber(state.alpha));
        if (loss > 0 && Number.isFinite(loss)) unlessTyping(epsilon, roundedUp(loss)); // at once; the answer says it again
        slider.set(String(asNumber(state.alpha)));
      } else {
        unlessTyping(epsilon, state.epsilon);
      }
    },
    tell(report, isNewest) {
      const { alpha: fraction, epsilon: loss } = report.problem;
      put(exact, `alpha = ${fraction}, epsilon = ${roundedUp(loss)} (rounded up)`);
      put(score, `Score ${sixDigits(report.score.value)}, ${standing(report)}`);
      if (!isNewest) return;
      if (design().alpha) {
        unlessTyping(epsilon, roundedUp(loss));
      } else {
        unlessTyping(alpha, fraction);
        slider.set(String(asNumber(fraction)));
      }
    },
  };
}

function entered(name, help) {
  return textField({ label: name, help, onCommit: (value) => change({ [name]: value.trim() }), attributes: { inputmode: "decimal" } });
}

/** Say how good a design is: no alpha is e^-epsilon itself, so asked by epsilon it is optimal for its alpha. */
function standing(report) {
  if (report.status === "exact") return "proved optimal";
  return report.is_exact_for_alpha ? "proved optimal for this alpha" : report.status;
}
