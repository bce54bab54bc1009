// Ask for the design on screen: small ones at once, larger ones after an estimate, and always the newest.

import { fileAddress, run } from "../api.js";
import { remember } from "../code_state.js";
import { designOptions, link, solveStep } from "../design_state.js";

const LIVE_SIZE = 25; // inputs up to which a design is asked for at once
const EXACT_SIZE = 129; // inputs up to which the page gets every fraction; beyond, decimals
const AT_ONCE = [4, 20]; // seconds, of the two estimates, up to which a larger design starts by itself
const DOCUMENT = "design.json";
const TABLE = "design.csv";

/**
 * Build the worker of the panel: {ask({changed}), begin(), stop()}.
 *
 * Handlers: onWait() when something newer was asked for; onDesign(answer) with {document, report, floats, job, files,
 * seconds, asked (the link of the design that it answers)}; onPlan(plan); onOffer(plan) when the estimate is so long that somebody must say yes (then `begin`);
 * onBusy(text, stop), onFailed(message), onGone().
 */
export function work(handlers) {
  let newest = 0;
  let current = null;
  let plans = 0;

  function ask({ size, files, changed }) {
    newest += 1;
    const mine = newest;
    handlers.onWait();
    if (size <= LIVE_SIZE) {
      solve(mine, size, files);
      if (["model", "n", "k", "radius", "props"].some((name) => changed.has(name))) plan(files, handlers.onPlan);
    } else {
      current?.stop();
      handlers.onBusy("Estimating", stop);
      plan(files, (found) => mine === newest && weigh(mine, size, files, found), (failure) => mine === newest && handlers.onFailed(failure.message));
    }
  }

  function weigh(mine, size, files, found) {
    handlers.onPlan(found);
    if (found.infeasible) {
      handlers.onFailed(found.infeasible);
    } else if (found.seconds.every((seconds, at) => seconds <= AT_ONCE[at])) {
      solve(mine, size, files, found);
    } else {
      handlers.onOffer(found, () => mine === newest && solve(mine, size, files, found));
    }
  }

  function plan(files, onPlan, onFailed) {
    plans += 1;
    const mine = plans;
    const step = { command: "solve", arguments: [], options: { ...designOptions(), ...given(files), plan: true, json: true } };
    run("design-plan", [step], {
      onDone: ({ steps }) => mine === plans && onPlan(steps[0].document),
      onFailed: (failure) => mine === plans && onFailed?.(failure),
    });
  }

  function solve(mine, size, files, found) {
    const exact = size <= EXACT_SIZE;
    const asked = link({ panel: "design" });
    const steps = exact
      ? [solveStep({ ...given(files), output: [DOCUMENT] }), { command: "report", arguments: [DOCUMENT], options: { json: true } }]
      : [solveStep({ ...given(files), summary: true, output: [TABLE] })];
    current = run("design", steps, {
      onDone: (answer) => finish(mine, steps, answer, exact, asked),
      onProgress: handlers.onProgress,
      onFailed: (failure) => {
        if (mine === newest) {
          handlers.onFailed(failure.message);
          if (failure.code === 1) plan(files, handlers.onPlan);
        }
      },
      onGone: (kind) => kind === "cancelled" && mine === newest && handlers.onGone(),
    });
    handlers.onBusy(found ? `Designing, estimated ${secondsText(found.seconds)}` : "Designing", stop);
  }

  // Answers come in the order of their questions; one that is not the newest is drawn too, so a drag moves the picture.
  async function finish(mine, steps, answer, exact, asked) {
    const { lines, python, job, files, seconds } = answer;
    const first = answer.steps[0].document;
    const report = exact ? answer.steps[1].document : first;
    const floats = exact ? null : await readTable(fileAddress(job, TABLE));
    if (exact || mine === newest) {
      remember("design", { lines, python, job, files, steps, document: first });
      handlers.onDesign({ document: exact ? first : null, report, floats, job, files, seconds, asked }, mine === newest);
    }
  }

  function stop() {
    newest += 1;
    current?.stop();
    handlers.onGone();
  }

  return { ask, stop };
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

function given(files) {
  return Object.fromEntries(Object.entries(files).filter(([, file]) => file).map(([name, file]) => [name, { upload: file.upload }]));
}

async function readTable(address) {
  const answer = await fetch(address);
  const text = await answer.text();
  return text.trim().split("\n").map((line) => line.split(",").map(Number));
}
