// What is shown of a design: facts, heat map, a column as a distribution, landmarks, the certificate in words.

import { h, put, set } from "../dom.js";
import { bars } from "../parts/bars.js";
import { codeDisclosure } from "../parts/code.js";
import { distribution } from "../parts/distribution.js";
import { downloads } from "../parts/downloads.js";
import { decimal, fraction, ratio, shortFraction, sixDigits } from "../parts/exact.js";
import { numberField } from "../parts/fields.js";
import { heatmap } from "../parts/heatmap.js";

const SHOWN_FRACTION = 160; // letters of a fraction that are written out; the column's table has every digit
const STALE_AFTER = 150; // milliseconds; an answer that comes sooner greys nothing out

/** Build the results: {element, show(answer, isNewest), wait(), stale()}; `above` are elements that stand before them. */
export function results(...above) {
  const heading = h("h2");
  const facts = h("dl", { class: "facts" });
  const hint = h("p", { class: "message warn", hidden: true });
  const map = heatmap({ label: "Heat map of the mechanism", rows: "output", columns: "input", onCell: (_, column) => chooseColumn(column) });
  const column = distribution({ heading: "output" });
  const columnTitle = h("h2", {}, "One column");
  const chooser = numberField({ label: "Input", value: "0", min: 0, onInput: typed });
  const landmarks = bars({ caption: "Score beside mechanisms with a formula; lower is better.", heading: "mechanism", amount: "score" });
  const proof = h("ul", { class: "words" });
  const asked = h("ul", { class: "words" });
  const exactScore = h("p", { class: "exact-score mono" });
  const saved = downloads("Files of this design");
  const large = h("p", { class: "hint", hidden: true }, "For so many inputs the page shows decimals. The fractions are in the document: the Code panel has the command; add --output design.json.");
  const body = h(
    "div", { class: "stack design-results", hidden: true },
    card(heading, facts, hint, exactScore),
    h(
      "div", { class: "design-columns" },
      h("div", { class: "stack" }, card(h("h2", {}, "Probabilities"), large, map.element), card(h("h2", {}, "Where it stands"), landmarks.element)),
      h(
        "div", { class: "stack" },
        card(columnTitle, h("div", { class: "column-chooser" }, chooser.element), column.element),
        card(h("h2", {}, "Why it is proved"), proof, h("details", {}, h("summary", {}, "What was asked, in words"), asked)),
      ),
    ),
    card(saved.element, codeDisclosure("design")),
  );
  let matrix = null;
  let chosen = 0;
  let timer = null;
  let wished = null; // a column that was chosen by hand

  function typed(text) {
    if (/^[0-9]+$/.test(text) && matrix && Number(text) < matrix.size) {
      wished = Number(text);
      showColumn(wished);
    }
  }

  function chooseColumn(j) {
    wished = j;
    chooser.set(String(j));
    showColumn(j);
  }

  function showColumn(j) {
    chosen = j;
    const values = Array.from({ length: matrix.size }, (_, i) => matrix.value(i, j));
    put(columnTitle, `Outputs when the true value is ${j}`);
    column.show({
      values, numbers: values.map(decimal), texts: (i) => matrix.exact(i, j) ?? "", marked: j,
      title: `Probability of each output when the true value is ${j}: the most likely is ${values.indexOf(Math.max(...values))}, the truth has ${decimal(values[j])}`,
      axis: "output",
    });
  }

  function showFacts({ report }) {
    const gap = report.gap.value;
    put(heading, report.asked);
    put(
      facts,
      fact("score", sixDigits(report.score.value)),
      fact("gap to the best", h("span", { class: gap === 0 ? "tag good" : "tag" }, gap === 0 ? "0: optimal, proved" : `at most ${gap.toExponential(1)}: certified`)),
      fact("reached by", report.how.startsWith("closed form") ? report.how : `${report.how} (${report.method})`),
      fact("seconds", secondsOf(report.seconds)),
      fact("holds", report.properties.filter((one) => one.holds).map((one) => one.name).join(", ") || "none of the properties"),
    );
    put(exactScore, `score = ${shortFraction(report.score.exact, 160)}`);
    hint.hidden = !report.ignores_input;
    put(hint, "It ignores the data: every input gives the same distribution of outputs, so a release says nothing of them.");
  }

  return {
    element: h("div", { class: "stack" }, above, body),
    show(answer, isNewest) {
      const { report } = answer;
      matrix = answer.document ? exactMatrix(answer.document) : floatMatrix(answer.floats);
      body.hidden = false;
      set(body, { "data-asked": answer.asked });
      showFacts(answer);
      map.show(matrix);
      chooser.input.max = String(matrix.size - 1);
      chosen = Math.min(wished ?? Math.floor(matrix.size / 2), matrix.size - 1);
      if (document.activeElement !== chooser.input) chooser.set(String(chosen));
      showColumn(chosen);
      landmarks.show([
        ...report.landmarks.map((one) => ({ name: one.name, title: one.title, value: one.score.value, text: landmarkText(one.score, report.score) })),
        { name: "This design", value: report.score.value, text: sixDigits(report.score.value), own: true },
      ].sort((a, b) => a.value - b.value));
      put(proof, report.words.certificate.map((sentence) => h("li", {}, sentence)));
      put(asked, report.words.problem.map((sentence) => h("li", {}, sentence)));
      saved.show(answer.job, answer.files);
      large.hidden = Boolean(answer.document);
      if (isNewest) fresh();
    },
    wait() {
      timer ??= setTimeout(stale, STALE_AFTER);
    },
    stale,
  };

  function stale() {
    clearTimeout(timer);
    timer = null;
    body.classList.add("stale");
  }

  function fresh() {
    clearTimeout(timer);
    timer = null;
    body.classList.remove("stale");
  }
}

function card(...children) {
  return h("div", { class: "card" }, children);
}

function fact(name, ...content) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, ...content));
}

function landmarkText(score, own) {
  const exact = score.exact.includes("/") ? ` = ${shortFraction(score.exact, 30)}` : "";
  if (score.exact === own.exact) return `${sixDigits(score.value)}${exact}: the same score`;
  const share = Math.abs(own.value - score.value) / Math.abs(score.value);
  const percent = `${Number((100 * share).toPrecision(2))} %`;
  return `${sixDigits(score.value)}${exact}: this design is ${percent} ${own.value < score.value ? "better" : "worse"}`;
}

function secondsOf({ solve, certify, verify }) {
  return `${(solve + certify + verify).toFixed(3)}, of which ${(certify + verify).toFixed(3)} for the proof`;
}

function exactMatrix({ weights, denominator }) {
  const values = weights.map((row) => row.map((weight) => ratio(weight, denominator)));
  const exact = (i, j) => fraction(weights[i][j], denominator);
  return { size: weights.length, value: (i, j) => values[i][j], exact, text: (i, j) => sentence(i, j, values[i][j], shortFraction(exact(i, j), SHOWN_FRACTION)) };
}

function floatMatrix(rows) {
  return { size: rows.length, value: (i, j) => rows[i][j], exact: () => null, text: (i, j) => sentence(i, j, rows[i][j], null) };
}

function sentence(i, j, value, exact) {
  return `Pr[output ${i} | input ${j}] = ${decimal(value)}${exact && exact !== decimal(value) ? ` = ${exact}` : ""}`;
}
