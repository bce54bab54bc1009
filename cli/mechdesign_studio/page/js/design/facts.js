// Facts of a design, and where its score stands.

import { h, put } from "../dom.js";
import { bars } from "../parts/bars.js";
import { shortFraction, sixDigits } from "../parts/exact.js";
import { sentences } from "../parts/words.js";

const IGNORES = "It ignores the data: every input gives the same distribution of outputs, so a release says nothing of them.";
const LONGEST_SCORE = 160; // letters

/** Build the facts: {element, show(report, matrix)}. */
export function factsView() {
  const heading = h("h2");
  const list = h("dl", { class: "facts" });
  const hint = h("p", { class: "message warn", hidden: true }, IGNORES);
  const holds = h("p");
  const exact = h("p", { class: "exact-score mono" });
  const words = h("ul", { class: "plain people-words" });
  return {
    element: h("div", { class: "card" }, heading, words, list, holds, exact, hint),
    show(report, matrix) {
      put(words, sentences(matrix, report.problem.model === "count").map((sentence) => h("li", {}, sentence)));
      const isOptimal = report.is_exact_for_alpha;
      const gap = report.status === "exact" ? "0: optimal, proved" : report.optimality;
      put(heading, report.asked);
      put(
        list,
        fact("score", sixDigits(report.score.value)),
        fact("gap to the best", h("span", { class: isOptimal ? "tag good" : "tag" }, gap)),
        fact("reached by", report.how.startsWith("closed form") ? report.how : `${report.how} (${report.method})`),
        fact("seconds", secondsOf(report.seconds)),
      );
      put(holds, `It has ${report.properties.filter((one) => one.holds).map((one) => one.name).join(", ") || "none of the properties"}.`);
      put(exact, `score = ${shortFraction(report.score.exact, LONGEST_SCORE)}`);
      hint.hidden = !report.ignores_input;
    },
  };
}

/** Build the bars of the landmarks and of the design among them: {element, show(report)}. */
export function landmarksView() {
  const view = bars({
    caption: "Score beside mechanisms with a formula; lower is better. A bar is the difference to this design.", heading: "mechanism", amount: "score",
  });
  return {
    element: view.element,
    show({ landmarks, score }) {
      const rows = landmarks.map((one) => ({ name: one.name, title: [one.title, one.remark].filter(Boolean).join("; "), at: one.score.value, value: one.score.value - score.value, text: comparison(one.score, score) }));
      const own = { name: "This design", at: score.value, value: 0, text: sixDigits(score.value), own: true };
      view.show([...rows, own].sort((a, b) => a.at - b.at));
    },
  };
}

function fact(name, content) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, content));
}

function secondsOf({ solve, certify, verify }) {
  return [(solve + certify + verify).toFixed(3), h("span", { class: "hint" }, ` proof ${(certify + verify).toFixed(3)}`)];
}

function comparison(score, own) {
  const exact = score.exact.includes("/") ? ` = ${shortFraction(score.exact, 30)}` : "";
  const shown = `${sixDigits(score.value)}${exact}`;
  if (score.exact === own.exact) return `${shown}: the same score`;
  const side = own.value < score.value ? "better" : "worse";
  if (own.value === score.value) return `${shown}: the same score in its first 16 digits`;
  if (score.value === 0) return `${shown}: this design is ${side}`;
  const percent = Number((100 * Math.abs((own.value - score.value) / score.value)).toPrecision(2));
  return `${shown}: this design is ${percent} % ${side}`;
}
