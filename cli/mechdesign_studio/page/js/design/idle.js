// What is designed while nobody drags: one small job after another, by the worker that the design on screen leaves free.

import { run } from "../api.js";

const REST = 400; // milliseconds after an answer

/**
 * Build a queue: {rest(tasks), stop()}. A task is {step, onDone(document), onFailed()}; onFailed may return tasks in its place. rest() replaces what waits, and begins after a moment;
 * stop() drops what waits. What runs is left to end: to end a worker costs more than a small design.
 */
export function idleWork(panel) {
  let [waiting, timer, isBusy] = [[], null, false];

  function next() {
    if (isBusy || waiting.length === 0) return;
    const { step, onDone, onFailed } = waiting.shift();
    isBusy = true;
    const over = (f) => (answer) => {
      isBusy = false;
      waiting.unshift(...(f?.(answer) || []));
      next();
    };
    run(panel, [step], { onDone: over(({ steps }) => { onDone(steps[0].document); }), onFailed: over(onFailed), onGone: over() });
  }

  function stop() {
    clearTimeout(timer);
    waiting = [];
  }

  return {
    stop,
    rest(tasks) {
      stop();
      timer = setTimeout(() => {
        waiting = tasks();
        next();
      }, REST);
    },
  };
}
