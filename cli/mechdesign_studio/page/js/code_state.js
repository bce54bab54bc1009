// What each panel did last, for the Code panel and for the short disclosure in each panel.

import { signal } from "./parts/signal.js";

const entries = new Map();
let last = null;

/** The name of the panel that did something. */
export const done = signal();

/**
 * Keep what a panel did: {lines, python, job, files, steps (as asked), document (the last JSON document, or null)}. What a panel
 * did by itself, and nobody asked for, is not the last thing that was done.
 */
export function remember(panel, entry, isLast = true) {
  entries.delete(panel);
  entries.set(panel, Object.freeze({ lines: [], python: null, job: null, files: [], steps: [], document: null, ...entry }));
  if (isLast) last = panel;
  done.set(panel);
}

/** Return what a panel did last, or null. */
export function remembered(panel) {
  return entries.get(panel) ?? null;
}

/** Return the names of the panels that did something, the newest first. */
export function panelsRemembered() {
  return [...entries.keys()].reverse();
}

/** Return the panel that did something last, or null. */
export function lastPanel() {
  return last;
}
