// Ask for the design on screen: small ones at once, larger ones after an estimate, and always the newest.

import { rowsOf, run } from "../api.js";
import { remember } from "../code_state.js";
import { designOptions, link } from "../design_state.js";
import { LIMITS, NO } from "../facts.js";
import { ANY, LAW } from "./law_view.js";

// Inputs up to which a design is asked for at once.
export const LIVE_SIZE = 25;
// Inputs up to which the page gets every fraction; beyond, decimals.
const EXACT_SIZE = 129;
// Seconds that a design took, and its inputs, with which the next of its size is asked for at once.
const [QUICK, LARGEST_QUICK] = [0.2, 65];
// Seconds, of the two estimates, up to which a larger design starts by itself.
const AT_ONCE = [20, 60];
const LAW_SECONDS = 120;
// Milliseconds that a larger n must rest, so that a drag over many asks once.
const REST = 200;
// What moves by drags; the picture steps to anything else.
const DRAGGED = new Set(["n", "k", "radius", "alpha", "epsilon"]);
// What decides which properties follow and clash.
const OF_PROPERTIES = ["model", "n", "k", "radius", "props"];
const DOCUMENT = "design.json";
const TABLE = "design.csv";

/**
 * Build what asks: {ask({size, given, more, changed})}; `size` is the number of inputs, null where only a file knows it, `given` are options of files, `more` those that change nothing in the problem.
 *
 * Handlers: onWait() when something newer was asked for; onDesign(answer, isNewest) with {matrix: {document} or {rows},
 * report, job, files, asked (the link of the design that it answers), moves, problem (its options)}; onLaw({text, job, files, asked}); onPlan(plan); onOffer(plan, begin) when the
 * estimate is so long that somebody must say yes; onBusy(text, stop), onProgress, onFailed(message), onGone().
 */
export function work(handlers) {
  let newest = 0;
  let plans = 0;
  // The last is {size, seconds} of the newest answer.
  let [current, resting, lately] = [null, null, null];

  function ask({ size, given, more, changed }) {
    newest += 1;
    const problem = { ...designOptions(), ...given };
    const request = {
      number: newest, problem, options: { ...problem, ...more }, asked: link({ panel: "design" }), moves: [...changed].some((name) => !DRAGGED.has(name)),
    };
    handlers.onWait();
    clearTimeout(resting);
    if (size !== null && !isLive(size)) {
      resting = setTimeout(() => isNewest(request) && begin(request, { size, changed }), REST);
    } else {
      begin(request, { size, changed });
    }
  }

  function begin(request, { size, changed }) {
    if (size !== null && size > LIMITS.matrix + 1) {
      solveLaw(request);
    } else if (size !== null && isLive(size)) {
      solve(request, size);
      if (OF_PROPERTIES.some((name) => changed.has(name))) plan(request, handlers.onPlan);
    } else {
      current?.stop();
      handlers.onBusy("Estimating", stop);
      plan(request, (found) => isNewest(request) && weigh(request, found), (failure) => isNewest(request) && handlers.onFailed(failure.message));
    }
  }

  const isNewest = (request) => request.number === newest;
  const isLive = (size) => size <= LIVE_SIZE || (size <= LARGEST_QUICK && size === lately?.size && lately.seconds < QUICK);

  function weigh(request, found) {
    const { n, k } = found.problem;
    const size = k ?? n + 1;
    handlers.onPlan(found);
    if (found.infeasible) {
      handlers.onFailed(found.infeasible);
    } else if (found.seconds.every((seconds, at) => seconds <= AT_ONCE[at])) {
      solve(request, size, found);
    } else {
      handlers.onOffer(found, () => isNewest(request) && solve(request, size, found));
    }
  }

  function plan({ options }, onPlan, onFailed) {
    plans += 1;
    const mine = plans;
    run("design-plan", [{ command: "solve", options: { ...options, plan: true } }], {
      onDone: ({ steps }) => mine === plans && onPlan(steps[0].document),
      onFailed: (failure) => mine === plans && onFailed?.(failure),
    });
  }

  function solve(request, size, found) {
    const steps = stepsOf(request.options, size);
    current = run("design", steps, {
      onDone: (answer) => finish(request, steps, answer),
      onProgress: handlers.onProgress,
      onFailed: (failure) => isNewest(request) && fail(request, failure),
      onGone: (kind) => kind === "cancelled" && isNewest(request) && handlers.onGone(),
    });
    handlers.onBusy(found ? `Designing, estimated ${secondsText(found.seconds)}` : "Designing", stop);
  }

  function solveLaw(request) {
    const options = { ...request.options, method: "layer", "time-limit": LAW_SECONDS, json: null };
    const solve = (more) => ({ command: "solve", options: { ...options, ...more } });
    const steps = [solve({ output: [LAW] }), solve({ n: "any", output: [ANY] }), { command: "report", arguments: [ANY] }];
    current?.stop();
    current = run("design", steps, {
      onDone: ({ lines, python, job, files, steps: [{ text }, , { document }] }) => {
        remember("design", { lines, python, job, files, steps });
        if (isNewest(request)) handlers.onLaw({ text, job, files, asked: request.asked, report: document, options });
      },
      onProgress: handlers.onProgress,
      onFailed: (failure) => isNewest(request) && handlers.onFailed(failure.message),
      onGone: (kind) => kind === "cancelled" && isNewest(request) && handlers.onGone(),
    });
    handlers.onBusy("Designing a law", stop);
  }

  function fail(request, failure) {
    handlers.onFailed(failure.message);
    // It knows what clashes.
    if (failure.code === NO) plan(request, handlers.onPlan);
  }

  // Answers come in the order of their questions. One that is not the newest is drawn too, so a drag moves the picture.
  async function finish(request, steps, { lines, python, job, files, seconds, steps: answers }) {
    const [first, second] = answers.map((one) => one.document);
    remember("design", { lines, python, job, files, steps, document: first });
    const answer = { job, files, seconds, asked: request.asked, moves: request.moves, problem: request.problem };
    if (second) {
      const { solve: made, certify, verify } = second.seconds;
      lately = { size: first.weights.length, seconds: made + certify + verify };
      handlers.onDesign({ ...answer, matrix: { document: first }, report: second }, isNewest(request));
    } else {
      const rows = await rowsOf(job, TABLE);
      if (isNewest(request)) handlers.onDesign({ ...answer, matrix: { rows }, report: first }, true);
    }
  }

  function stop() {
    newest += 1;
    current?.stop();
    handlers.onGone();
  }

  return { ask };
}

/** Say an estimate: "about 2 s", "2 s to 8 s". */
export function secondsText([low, high]) {
  const [from, to] = [low, high].map(timeText);
  if (from !== to) return `${from} to ${to}`;
  return low < 1 ? from : `about ${from}`;
}

function timeText(seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Number((seconds / 3600).toPrecision(2))} hours`;
}

// The whole document and a report on it, or, where the document is too long for a page, its summary and a table.
function stepsOf(options, size) {
  if (size > EXACT_SIZE) {
    return [{ command: "solve", options: { ...options, summary: true, output: [TABLE] } }];
  }
  return [
    { command: "solve", options: { ...options, output: [DOCUMENT] } },
    { command: "report", arguments: [DOCUMENT] },
  ];
}
