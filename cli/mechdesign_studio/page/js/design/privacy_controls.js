// alpha and epsilon: a slider, and a field each; and the error that somebody can live with, which fills them.

import { change, design, designOptions } from "../design_state.js";
import { PARAMETERS } from "../facts.js";
import { errorField, h, roundedDown, roundedUp, set, sliderField } from "../kit.js";
import { asNumber, drags, entered, errorsOf, unlessTyping } from "./entering.js";

// Letters of alpha that its field shows whole.
const ROOM = 9;

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
  // The epsilon that was filled in, the question that was asked last, and the loss that the field is for.
  let [least, of, loss] = ["", "", ""];
  const score = errorField({
    panel: "design", label: "",
    stepOf(most) {
      of = JSON.stringify(question());
      const wish = wishOf(most, question());
      return typeof wish === "string" ? wish : { command: "calibrate", options: wish };
    },
    onFound: ({ epsilon: { upper, lower }, properties }) => {
      const { aggregate, prior = PARAMETERS.prior.plain } = question();
      const whom = aggregate === "worst" ? "whatever the count" : `on average over the ${prior === PARAMETERS.prior.plain ? "counts" : "prior"}`;
      least = String(upper.value);
      change({ epsilon: least });
      return `With${properties.length ? " these" : "out"} rules epsilon = ${least} (alpha about ${Math.exp(-least).toPrecision(3)}) has it, ${whom}; ${lower.value} or less does not (proved).`;
    },
  });

  function question() {
    const { alpha: _, epsilon: __, ...rest } = { ...designOptions(), ...given() };
    return rest;
  }

  /** Follow the design: ask again where something else is asked; what was filled in goes with its epsilon, with its loss, and where there are no scores of counts. */
  function followScore({ model, epsilon }) {
    score.element.hidden = model !== "count";
    const { loss: asked = PARAMETERS.loss.plain } = question();
    const [now, before] = [asked.upload ?? asked, loss];
    if (loss !== now) {
      loss = now;
      const [{ label, what, kind }, last] = [errorUnder(now), errorUnder(before)];
      score.say(label, `${what} Fills in the least epsilon that has it, to 0.1 %. Choose “off by 2+” or a mean at Loss.`);
      // A share stays one, however far off is an error.
      if (before && (kind !== last.kind || last.within === undefined)) {
        score.clear(of && `${score.wish()} was ${last.kind}. Now: ${what[0].toLowerCase()}${what.slice(1)} Privacy stays as it is.`);
        [least, of] = ["", ""];
      }
    }
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
    element: h("div.strip-privacy", slider, alpha, epsilon, errorsOf(alpha, epsilon), score),
    fields: { alpha, epsilon },
    show(state) {
      followScore(state);
      if (state.alpha) {
        tellAlpha(state.alpha);
        const loss = -Math.log(asNumber(state.alpha));
        // At once; the answer says it again.
        if (loss > 0 && Number.isFinite(loss)) unlessTyping(epsilon, roundedUp(loss));
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

const [NUMBER, FRACTION] = [/^([0-9]*)[.]?([0-9]*)\s*(%?)$/, /^([0-9]+)[/]([0-9]+)$/];
const SHARE = "The share must be above 0 and below 1, such as 10 % or 0.1";

/** Return what somebody can live with under a loss, in words: {label, what, kind, within (how far off is no error, for a share of releases)}. */
function errorUnder(loss) {
  const errs = /^L0(?::([0-9]+))?$/i.exec(loss);
  if (errs) {
    const within = Number(errs[1] ?? 0);
    return { within, kind: "a share of releases", label: within ? `off by ${within + 1}+ in ≤` : "wrong in ≤", what: "The share of releases that you can live with, such as 10 % or 0.1." };
  }
  if (/^L1$/i.test(loss)) return { label: "off by, mean ≤", kind: "a mean distance", what: "The mean distance that you can live with." };
  if (/^L2$/i.test(loss)) return { label: "square ≤", kind: "a mean squared distance", what: "The mean squared distance that you can live with." };
  return { label: "score ≤", kind: "a score under another loss", what: "The score that you can live with." };
}

// The options that ask for an error at most; a share is that of a score, which is (n+1)/n times as large, without rounding. Where it is none, what it must be.
function wishOf(text, { loss = PARAMETERS.loss.plain, aggregate, prior = PARAMETERS.prior.plain, ...rest }) {
  const { within } = errorUnder(loss);
  const asked = aggregate ? { ...rest, aggregate } : { ...rest, prior };
  if (within === undefined) return { ...asked, loss, score: text };
  const right = othersOf(text);
  if (right === null) return `${SHARE}, got ${text}.`;
  // Without a prior the chance is that of every count.
  delete asked.aggregate;
  return { ...asked, within, in: right };
}

// What is left of a share, as a fraction: "9/10" of "10 %", ".1" and "1/10"; null where it is no share.
function othersOf(text) {
  const [, whole = "", part = "", percent = ""] = NUMBER.exec(text) ?? [];
  const [, above, below] = FRACTION.exec(text) ?? [];
  const [top, bottom] = above ? [BigInt(above), BigInt(below)] : [BigInt(whole + part || "0"), 10n ** BigInt(part.length + (percent ? 2 : 0))];
  return top > 0n && top < bottom ? `${bottom - top}/${bottom}` : null;
}
