// What is said of a design: its facts in a line, sentences in people's words, the seal with its proof, and where its score stands.

import { asNumber } from "./entering.js";
import { bars, h, put, roundedDown, roundedUp, sentences, set, shortFraction, sixDigits } from "../kit.js";

const SCALE = "The score is this share times this factor, by which a blind guess has the score 1 under L0.";
const IGNORES = "It ignores the data: every input gives the same distribution of outputs, so a release says nothing of them.";
const [LONGEST_SCORE, LONGEST_BESIDE, LONGEST_ALPHA] = [160, 30, 9]; // letters of a fraction: in the tip, beside its decimal, and of alpha in a heading

/** Write an alpha with many digits as a decimal, in a heading. */
export function aboutAlpha(heading) {
  return heading.replace(/alpha = ([0-9]+[/][0-9]+)/, (whole, alpha) => (alpha.length > LONGEST_ALPHA ? `alpha about ${roundedDown(asNumber(alpha))}` : whole));
}

/** Build the facts: {element, show(report), look(text, back)}: what was asked, and a line; the exact score is the tip of the score. */
export function factsLine(...beside) {
  const heading = h("h2");
  const line = h("div.fact-line");
  return {
    element: h("div.design-facts", heading, line, beside),
    show(report, matrix) {
      const { score, meaning, optimality, properties, problem } = report;
      put(heading, aboutAlpha(report.asked));
      set(heading, { title: [`alpha = ${problem.alpha}.`, ...report.words.problem].join(" ") });
      put(
        line,
        fact("score", h("b.exact-score", { title: `score = ${shortFraction(score.exact, LONGEST_SCORE)}` }, sixDigits(score.value)), meaning && `: ${meaning}`, meaning && /^L0/.test(problem.loss) && h("span", { title: SCALE }, ` (share × ${matrix.size}/${matrix.size - 1})`)),
        report.is_exact_for_alpha ? null : fact("gap", optimality),
        fact("has", properties.filter((one) => one.holds).map((one) => one.name).join(", ") || "none of the properties"),
      );
    },
    look(text, back) {
      put(heading, aboutAlpha(text));
      set(heading, { title: text });
      put(line, back);
    },
  };
}

/** Build the sentences in people's words: {element, show(report, matrix)}. */
export function wordsView() {
  const list = h("ul.people-words");
  const hint = h("p.message.warn", { hidden: true }, IGNORES);
  return {
    element: h("div.stack", list, hint),
    show(report, matrix) {
      put(list, sentences(matrix, report.problem.model === "count").map((sentence) => h("li", sentence)));
      hint.hidden = !report.ignores_input;
    },
  };
}

/** Build the seal, in which the proof is folded: {element, show(report)}. */
export function sealView() {
  const seal = h("summary.seal");
  const [proof, asked] = [h("ul.words"), h("ul.words")];
  const [exact, reached] = [h("p.hint.mono.exact-privacy"), h("p.hint")];
  const list = (texts) => texts.map((text) => h("li", text));
  return {
    element: h("details.seal-box", seal, h("div.stack", exact, proof, reached, h("p.hint", "What was asked:"), asked)),
    show(report) {
      const { how, method, seconds: { solve, certify, verify }, problem: { alpha, epsilon } } = report;
      put(reached, `Reached by ${how.startsWith("closed form") ? how : `${how} (${method})`} in ${solve.toFixed(3)} s; the proof took ${(certify + verify).toFixed(3)} s.`);
      put(seal, standing(report));
      set(seal, { class: report.is_exact_for_alpha ? "seal" : "seal open-gap" });
      put(exact, `alpha = ${alpha}, epsilon = ${roundedUp(epsilon)} (rounded up); ${report.optimality}`);
      put(proof, list(report.words.certificate));
      put(asked, list(report.words.problem));
    },
  };
}

/** Say how good a design is: no alpha is e^-epsilon itself, so asked by epsilon it is optimal for its alpha. */
function standing(report) {
  if (report.status === "exact") return "Proved optimal, in whole numbers";
  return report.is_exact_for_alpha ? "Proved optimal for this alpha" : `Proved within bounds: ${report.status}`;
}

/** Build the bars of the landmarks and of the design among them: {element, show(report)}. */
export function landmarksView() {
  const view = bars({
    caption: "Score beside mechanisms with a formula; lower is better. A bar to the right is what this design gains, one to the left what it loses.", heading: "mechanism", amount: "score",
  });
  return {
    element: view.element,
    show({ landmarks, score, meaning }) {
      const rows = landmarks.map((one) => ({ name: one.name, title: [one.title, one.remark].filter(Boolean).join("; "), at: one.score.value, value: one.score.value - score.value, text: comparison(one, score) }));
      const own = { name: "This design", at: score.value, value: 0, text: `${sixDigits(score.value)}${meaning ? `, ${meaning}` : ""}`, own: true };
      view.show([...rows, own].sort((a, b) => a.at - b.at));
    },
  };
}

function fact(name, ...content) {
  return h("span", h("span.fact-name", name), " ", content);
}

function comparison({ score, meaning }, own) {
  const [top, bottom] = score.exact.split("/");
  const exact = bottom && score.exact.length <= LONGEST_BESIDE ? [` = ${top}/`, h("wbr"), bottom] : []; // a line ends between the two, not within a number
  return [sixDigits(score.value), exact, `${meaning ? `, ${meaning}` : ""}: ${difference(score, own)}`];
}

function difference(score, own) {
  if (score.exact === own.exact) return "the same score";
  const side = own.value < score.value ? "better" : "worse";
  if (own.value === score.value) return "the same score in its first 16 digits";
  if (score.value === 0) return `this design is ${side}`;
  const percent = Number((100 * Math.abs((own.value - score.value) / score.value)).toPrecision(2));
  return `this design is ${percent} % ${side}`;
}
