// The oracle that was chosen in the list of oracles, for the panels that collect with one.

let chosen = { oracle: "", epsilon: "" };
let listeners = [];

/** Choose an oracle, and the epsilon that it was rated at, for a kind of question: "items", "ranges" or "tables". */
export function chooseOracle(kind, oracle, epsilon) {
  chosen = { kind, oracle, epsilon };
  for (const f of listeners) f(chosen);
}

/** Call f({kind, oracle, epsilon}) now if an oracle was chosen, and whenever one is. */
export function onOracle(f) {
  listeners.push(f);
  if (chosen.oracle) f(chosen);
}
