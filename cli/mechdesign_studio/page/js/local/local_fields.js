// Fields that the panels of local collection share.

import { h, selectField, textField } from "../kit.js";

/** Epsilon in words: what each person's report may lose. */
export const EPSILON = { label: "Epsilon", value: "1", help: "What the report of each person may lose; smaller is more private." };

/** The seed of simulated reports, in words. */
export const SEED = { value: "1", help: "The same seed gives the same simulated reports." };

/** Say from which epsilon on an error is had, and with which by nobody: of what `local calibrate` answers. */
export function leastText({ ends: { upper }, oracle, impossible }) {
  return `${oracle} has it from epsilon = ${upper.value} on.${impossible ? ` With ${impossible.value} or less no local mechanism has it.` : ""}`;
}

const BEYOND = "Values beyond the bins";

/** Bins FIRST:LAST:STEP as three fields: {element, text}. They are public, and never come from the values. named(text) calls options in a message as the fields do. */
export function binFields({ width = "1" } = {}) {
  const first = textField({ label: "First edge", value: "0" });
  const last = textField({ label: "Last edge", value: "120" });
  const step = textField({ label: "Width", value: width });
  const beyond = selectField({
    label: BEYOND, value: "",
    options: [["", "are refused, with their row"], ["clip", "move to the first or last bin"]],
  });
  const element = h(
    "div.stack", h("div.triple", first, last, step),
    h("p.hint", "Numbers such as 0, 120, 1, or dates such as 2020-01-01, 2021-01-01, 7d. Answers are as fine as the width. The last edge is beyond the last bin."),
    beyond,
  );
  return {
    element,
    get text() { return `${first.value.trim()}:${last.value.trim()}:${step.value.trim()}`; },
    named: (text) => text.replace("give --beyond=clip", `choose it under “${BEYOND}”`),
    complain: () => false,
    get width() { return step.value.trim(); },
    get beyond() { return beyond.value || null; },
  };
}

/** Make a file of text lines, to be sent as an upload. */
export function textFile(name, lines) {
  return new File([lines.map((line) => `${line}\n`).join("")], name, { type: "text/plain" });
}

/** Split what was typed into lines without blank ones. */
export function linesOf(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}

/** A seed below two thousand million, another one each time. */
export function freshSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0] % 2_000_000_000);
}
