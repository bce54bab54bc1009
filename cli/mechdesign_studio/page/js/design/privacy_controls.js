// alpha and epsilon: a slider, and a field each; and the score that somebody can live with, which fills them.

import { change, design, designOptions } from "../design_state.js";
import { PARAMETERS } from "../facts.js";
import { errorField, h, roundedDown, roundedUp, set, sliderField } from "../kit.js";
import { asNumber, drags, entered, unlessTyping } from "./entering.js";

const ROOM = 9; // letters of alpha that its field shows whole

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
  let [least, of] = ["", ""]; // the epsilon that was filled in, and the question that was asked last
  const score = errorField({
    panel: "design", label: "score ≤", help: "The score that you can live with: fills in the least epsilon that has it.",
    stepOf(most) {
      of = JSON.stringify(question());
      return { command: "calibrate", options: { ...question(), score: most } };
    },
    onFound: ({ epsilon: { upper } }) => {
      least = String(upper.value);
      change({ epsilon: least });
    },
  });

  function question() {
    const { alpha: _, epsilon: __, ...rest } = { ...designOptions(), ...given() };
    return rest;
  }

  /** Follow the design: ask again where something else is asked; what was filled in goes with its epsilon, and where there are no scores of counts. */
  function followScore({ model, epsilon }) {
    score.element.hidden = model !== "count";
    if (of && (model !== "count" || (least && epsilon !== least))) {
      [least, of] = ["", ""];
      score.clear();
    } else if (of && of !== JSON.stringify(question())) {
      score.ask();
    }
  }

  // A text that is longer than its field is shown as a decimal, never above it; the whole of it is the tip.
  function tellAlpha(text) {
    const isLong = text.length > ROOM;
    unlessTyping(alpha, isLong ? roundedDown(asNumber(text)) : text);
    set(alpha.input, { title: isLong ? `alpha = ${text}` : null });
  }

  return {
    element: h("div.strip-privacy", slider, alpha, epsilon, score),
    fields: { alpha, epsilon },
    show(state) {
      followScore(state);
      if (state.alpha) {
        tellAlpha(state.alpha);
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
        tellAlpha(fraction);
        slider.set(String(asNumber(fraction)));
      }
    },
  };
}
