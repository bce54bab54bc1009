// alpha and epsilon: a slider, and a field each; and the score that somebody can live with, which fills them.

import { change, design, designOptions } from "../design_state.js";
import { PARAMETERS } from "../facts.js";
import { errorField, h, roundedUp, sliderField } from "../kit.js";
import { asNumber, drags, entered, unlessTyping } from "./entering.js";

/**
 * Build the controls: {element, fields, show(state), tell(report, isNewest)}; `field` makes those of the command, given() are the options of files.
 * An answer that is not the newest moves the picture and what is said of it, and no field.
 */
export function privacyControls(field, given) {
  const steady = drags();
  const slider = sliderField({
    label: "More privacy →", min: 0.01, max: 0.99, step: 0.01, value: PARAMETERS.alpha.first, says: (value) => `alpha ${value}`,
    onInput: (value) => steady.move({ alpha: value }), onCommit: steady.end,
  });
  const [alpha, epsilon] = ["alpha", "epsilon"].map((name) => {
    const made = field(name, { label: name, attributes: { inputmode: "decimal" }, onCommit: (value) => entered(made, name, value) });
    return made;
  });
  let [least, of] = ["", ""]; // the epsilon that was filled in, and the question that it answers
  const score = errorField({
    panel: "design", label: "score ≤", help: "The score that you can live with: fills in the least epsilon that has it.",
    stepOf: (most) => ({ command: "calibrate", options: { ...question(), score: most } }),
    onFound: ({ epsilon: { upper } }) => {
      [least, of] = [String(upper.value), JSON.stringify(question())];
      change({ epsilon: least });
    },
  });

  function question() {
    const { alpha: _, epsilon: __, ...rest } = { ...designOptions(), ...given() };
    return rest;
  }

  return {
    element: h("div.strip-privacy", slider, alpha, epsilon, score),
    fields: { alpha, epsilon },
    show(state) {
      score.element.hidden = state.model !== "count";
      if (least && state.epsilon !== least) {
        least = "";
        score.clear();
      } else if (least && of !== JSON.stringify(question())) {
        score.ask();
      }
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
