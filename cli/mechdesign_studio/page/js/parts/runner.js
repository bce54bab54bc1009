// Run steps for a panel: status line, cancel button, remarks and the Code panel are all seen to.

import { run } from "../api.js";
import { remember } from "../code_state.js";
import { still } from "./morph.js";

const SHARE = 0.6; // of the window's height: what begins higher up is in view

/** The codes of all remarks, whatever they are. */
export const ALL = { includes: () => true };

/** Codes of remarks that a simulation leaves out: nothing is spent in it, and the panel says that it is one. */
export const SIMULATING = ["spent", "simulated"];

/**
 * Build a runner: {run(steps, {saying, onDone, onFailed, onGone, keep, silent, fills, shows}), stop()}.
 * `status` is what `messages()` returned. Only the newest run is heard. `saying` is what the status line says meanwhile;
 * onDone gets {job, lines, python, steps, files, seconds} and may return the text for the status line; `keep: false`
 * leaves the Code panel as it is, `keep: "here"` shows the code below this panel alone;
 * `fills` is the element of the results, grey until they are there, `shows` one that comes into view then, which is said; remarks whose codes are in `silent` are left out, and those for the terminal always.
 */
export function runner(panel, status) {
  let current = null;

  function go(steps, { saying = "Working", onDone, onFailed, onGone, keep = true, silent = [], shows = null, fills = shows } = {}) {
    const mine = {};
    const said = new Set(); // steps on the same files say the same things
    current = mine;
    const only = (f) => (value) => current === mine && f(value);
    mine.request = run(panel, steps, {
      onProgress: only(status.progress),
      onRemark: only(({ text, code, audience }) => {
        if (!said.has(text) && audience === "everybody" && !silent.includes(code)) status.remark(text);
        said.add(text);
      }),
      onDone: only((answer) => {
        if (fills) status.result(fills);
        if (fills) fills.hidden = false;
        const text = onDone?.(answer);
        status.done(typeof text === "string" ? text : shows ? "Done. The results are shown." : "");
        if (shows) requestAnimationFrame(() => reveal(shows));
        if (keep) {
          remember(panel, {
            lines: answer.lines, python: answer.python, job: answer.job, files: answer.files, steps,
            document: answer.steps.map((step) => step.document).findLast((document) => document !== null) ?? null,
          }, keep !== "here");
        }
      }),
      onFailed: only((failure) => {
        status.failed(failure.message);
        onFailed?.(failure);
      }),
      onGone: only((kind) => {
        status.done(kind === "cancelled" ? "Cancelled." : "");
        onGone?.(kind);
      }),
    });
    fills?.classList.add("stale");
    status.busy(saying, () => mine.request.stop());
    return mine.request;
  }

  return { run: go, stop: () => current?.request.stop() };
}

// Scroll to an element, unless its beginning is in view.
function reveal(element) {
  const { top } = element.getBoundingClientRect();
  if (top >= 0 && top < SHARE * window.innerHeight) return;
  element.scrollIntoView({ block: "start", behavior: still() ? "auto" : "smooth" });
}
