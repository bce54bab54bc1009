// People who were never born, to try a panel with: the same 3,000 each time.

import { h } from "../dom.js";

const PEOPLE = 3000;
const IN_AN_AREA = 40;
/** What names of files, and of places of invented people, have in them: it says so wherever they are read. */
export const SIMULATION = "SIMULATION";

const COLUMNS = ["area", "age", "sex", "smokes", "exercises", "poor"];

/** Build the button that tries a panel with a file: `go` begins the work. */
export function sampleButton(go, text = `Try it with ${PEOPLE.toLocaleString("en")} invented people`) {
  return h("button", { onclick: go }, text);
}

/** Make the file of invented people. */
export function inventedPeople() {
  const random = generator();
  const rows = Array.from({ length: PEOPLE }, (_, number) => person(number, random).join(","));
  return new File([[COLUMNS.join(","), ...rows, ""].join("\n")], "invented-people.csv", { type: "text/csv" });
}

function person(number, random) {
  const age = Math.min(99, Math.floor(18 + 60 * random() * random() + 25 * random()));
  const smokes = random() < 0.25;
  const exercises = random() < (smokes ? 0.25 : 0.6);
  return [`area ${String(Math.floor(number / IN_AN_AREA) + 1).padStart(2, "0")} ${SIMULATION}`, age, random() < 0.5 ? "f" : "m", smokes ? "yes" : "no", exercises ? "yes" : "no", Number(random() < 0.2)];
}

// A generator of its own, so that everybody sees the same; it protects nobody.
function generator() {
  let state = 20240229;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
