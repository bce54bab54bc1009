// The least score of these properties as a function of alpha: the formula, proved, where it is found soon; of larger designs
// points, joined by straight lines.

import { ALPHA_AXIS, breaksOf, curveOf, formulaStep, LARGEST_FORMULA, PIECE_HEADS, pickedAlpha, piecesText, pieceRows, textAt } from "../counts/formula_pieces.js";
import { NO } from "../facts.js";
import { h, put, set, sixDigits, smallChart } from "../kit.js";
import { asNumber } from "./entering.js";

// Every 1/20 and a last one near 1, the widest gaps first.
const ALPHAS = [0.5, 0.25, 0.75, 0.1, 0.9, 0.4, 0.6, 0.15, 0.85, 0.3, 0.7, 0.05, 0.95, 0.2, 0.8, 0.35, 0.65, 0.45, 0.55, 0.99];
const FEWEST = 5; // points that are worth a curve
const BEST = "best";

/**
 * Build the curve: {element, tasks(options) (what is still to be found), show(report, options, {size, most})}; of `most` designs the widest gaps go first.
 * onPick(alpha) is called for a click.
 */
export function alphaCurve({ onPick }) {
  const chart = smallChart({ onPick: (x) => onPick(pickedAlpha(x)) });
  const rows = h("tbody");
  const head = h("thead");
  const words = h("summary");
  const names = h("p.hint");
  const table = h("details", words, h("div.table-scroll.tall", { role: "region", tabindex: "0", "aria-label": "Score against alpha" }, h("table", head, rows)), names);
  const element = h("section.curve", h("h2.minor", "What privacy costs"), chart, table);
  let [known, pieces, key, now, alphas, byFormula, titles] = [new Map(), null, "", null, [], false, {}]; // known: alpha -> {name: score}, null where no mechanism has the properties

  function take(alpha, scores) {
    known.set(alpha, scores);
    draw();
  }

  function takeFormula(report) {
    known = new Map(report.at.map(({ alpha, score, landmarks }) => [asNumber(alpha), { [BEST]: score?.value ?? null, ...valuesOf(landmarks) }]));
    pieces = report.pieces;
    draw();
  }

  function draw() {
    const lines = linesOf(known, pieces, titles);
    chart.show({
      ...ALPHA_AXIS, lines, title: "The least score of these properties against alpha. A click chooses alpha.", upwards: "score", mark: now,
      breaks: pieces ? breaksOf(pieces) : [], also: pieces && ((alpha) => `${BEST} = ${textAt(pieces, alpha)}`),
    });
    put(words, pieces ? `The formula: ${piecesText(pieces)}`
      : byFormula ? "The formula is being found" : known.size < alphas.length ? `${known.size} of ${alphas.length} designs, joined by straight lines` : `${known.size} designs, joined by straight lines`);
    set(chart.element, { style: { visibility: known.size ? "visible" : "hidden" } }); // it keeps its room until there is a line
    const heads = pieces ? PIECE_HEADS : ["alpha", ...lines.map((line) => line.name)];
    put(head, h("tr", heads.map((name) => h("th", { scope: "col" }, name))));
    put(rows, pieces ? pieceRows(pieces, now[0]) : sorted(known).map(([alpha], at) => h(
      "tr", h("th", { scope: "row" }, String(alpha)), lines.map(({ points }) => h("td.number", points[at][1] === null ? "none" : sixDigits(points[at][1]))),
    )));
  }

  function designTasks({ alpha, epsilon, ...options }) {
    return alphas.filter((x) => !known.has(x)).map((x) => ({
      step: { command: "solve", options: { ...options, alpha: String(x), summary: true } },
      onDone: (report) => keyOf(options) === key && take(x, scoresOf(report)),
      onFailed: ({ code }) => code === NO && keyOf(options) === key && take(x, null),
    }));
  }

  function formulaTask({ alpha, epsilon, ...options }) {
    return {
      step: formulaStep(options),
      onDone: (report) => keyOf(options) === key && takeFormula(report),
      onFailed: () => {
        if (keyOf(options) !== key) return [];
        byFormula = false;
        return designTasks(options);
      },
    };
  }

  return {
    element,
    tasks(options) {
      if (!byFormula) return designTasks(options);
      return pieces ? [] : [formulaTask(options)];
    },
    show(report, { alpha, epsilon, ...options }, { size, most }) {
      alphas = most < FEWEST ? [] : ALPHAS.slice(0, most);
      element.hidden = alphas.length === 0;
      const asked = keyOf(options);
      if (asked !== key) [known, pieces, key, byFormula] = [new Map(), null, asked, size <= LARGEST_FORMULA];
      titles = { [BEST]: "the best mechanism with these properties", ...Object.fromEntries((report.landmarks ?? []).map((one) => [one.name, one.title])) };
      put(names, Object.entries(titles).map(([name, title]) => `${name}: ${title}`).join("; "));
      now = [asNumber(report.problem.alpha), report.score.value];
      draw();
    },
  };
}

/** Return lines of {name, title, kind, points: [[alpha, score]]}, each straight between neighbours; with pieces the best one is their curve. */
function linesOf(known, pieces, titles) {
  const all = sorted(known);
  const names = [...new Set(all.flatMap(([, scores]) => Object.keys(scores ?? {})))];
  return names.map((name) => ({ name, title: titles[name], kind: name === BEST ? "main" : "thin", curve: name === BEST && pieces ? curveOf(pieces) : undefined, points: all.map(([alpha, scores]) => [alpha, scores?.[name] ?? null]) }));
}

function sorted(known) {
  return [...known].sort(([a], [b]) => a - b);
}

function scoresOf({ score, landmarks }) {
  return { [BEST]: score.value, ...valuesOf(landmarks) };
}

function valuesOf(landmarks = []) { // a law has none
  return Object.fromEntries(landmarks.map((one) => [one.name, one.score.value]));
}

function keyOf(options) {
  return JSON.stringify(options);
}
