// The least score of these properties as a function of alpha: points by designs, joined by straight lines.

import { h, put, sixDigits, smallChart } from "../kit.js";
import { asNumber } from "./entering.js";

// Every 1/20 and a last one near 1, the widest gaps first.
const ALPHAS = [0.5, 0.25, 0.75, 0.1, 0.9, 0.4, 0.6, 0.15, 0.85, 0.3, 0.7, 0.05, 0.95, 0.2, 0.8, 0.35, 0.65, 0.45, 0.55, 0.99];
const INFEASIBLE = 1; // the code of a command that finds no mechanism
const FEWEST = 5; // points that are worth a curve

/**
 * Build the curve: {element, tasks(options) (what is still to be designed), show(report, options, most)}; of `most` points the widest gaps go first.
 * onPick(alpha) is called for a click.
 */
export function alphaCurve({ onPick }) {
  const chart = smallChart({ onPick: (x) => onPick(String(Number(Math.min(0.99, Math.max(0.01, x)).toFixed(2)))) });
  const rows = h("tbody");
  const head = h("thead");
  const words = h("summary");
  const table = h("details", words, h("div.table-scroll.tall", { role: "region", tabindex: "0", "aria-label": "Score against alpha" }, h("table", head, rows)));
  const element = h("section.curve", h("h2.minor", "What privacy costs"), chart, table);
  let [known, key, now, alphas] = [new Map(), "", null, []]; // alpha -> {name: score}, null where no mechanism has the properties

  function take(alpha, scores) {
    known.set(alpha, scores);
    draw();
  }

  function draw() {
    const curve = curveOf(known);
    chart.show({
      ...curve, title: "The least score of these properties against alpha. A click chooses alpha.", across: "alpha", upwards: "score", mark: now,
      ticks: [0, 0.25, 0.5, 0.75, 1].map((x) => [x, String(x)]),
    });
    put(head, h("tr", ["alpha", ...curve.lines.map((line) => line.name)].map((name) => h("th", { scope: "col" }, name))));
    put(rows, sorted(known).map(([alpha], at) => h(
      "tr", h("th", { scope: "row" }, String(alpha)), curve.lines.map(({ points }) => h("td.number", points[at][1] === null ? "none" : sixDigits(points[at][1]))),
    )));
  }

  return {
    element,
    tasks({ alpha, epsilon, ...options }) {
      return alphas.filter((x) => !known.has(x)).map((x) => ({
        step: { command: "solve", options: { ...options, alpha: String(x), summary: true } },
        onDone: (report) => keyOf(options) === key && take(x, scoresOf(report)),
        onFailed: ({ code }) => code === INFEASIBLE && keyOf(options) === key && take(x, null),
      }));
    },
    show(report, { alpha, epsilon, ...options }, most) {
      alphas = most < FEWEST ? [] : ALPHAS.slice(0, most);
      element.hidden = alphas.length === 0;
      put(words, `${Math.min(most, ALPHAS.length)} designs, joined by straight lines`);
      const asked = keyOf(options);
      if (asked !== key) [known, key] = [new Map(), asked];
      now = [asNumber(report.problem.alpha), report.score.value];
      draw();
    },
  };
}

/** Return the function of alpha: lines of {name, kind, points: [[alpha, score]]}, each straight between neighbours. */
function curveOf(known) {
  const all = sorted(known);
  const names = [...new Set(all.flatMap(([, scores]) => Object.keys(scores ?? {})))];
  return { lines: names.map((name) => ({ name, kind: name === "best" ? "main" : "thin", points: all.map(([alpha, scores]) => [alpha, scores?.[name] ?? null]) })) };
}

function sorted(known) {
  return [...known].sort(([a], [b]) => a - b);
}

function scoresOf({ score, landmarks }) {
  return { best: score.value, ...Object.fromEntries(landmarks.map((one) => [one.name, one.score.value])) };
}

function keyOf(options) {
  return JSON.stringify(options);
}
