// alpha and epsilon: a slider, and a field each.

import { change, design } from "../design_state.js";
import { h, roundedUp, sliderField, textField } from "../kit.js";
import { asNumber, drags, unlessTyping } from "./entering.js";

/**
 * Build the controls: {element, fields, show(state), tell(report, isNewest)}.
 * An answer that is not the newest moves the picture and what is said of it, and no field.
 */
export function privacyControls() {
  const steady = drags();
  const slider = sliderField({
    label: "More privacy →", min: 0.01, max: 0.99, step: 0.01, value: "0.75", says: (value) => `alpha ${value}`,
    onInput: (value) => steady.move({ alpha: value }), onCommit: steady.end,
  });
  const alpha = entered("alpha", "0.9 or 9/10");
  const epsilon = entered("epsilon", "-ln(alpha)");
  return {
    element: h("div.strip-privacy", slider, alpha, epsilon),
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
    tell({ problem: { alpha: fraction, epsilon: loss } }, isNewest) {
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
