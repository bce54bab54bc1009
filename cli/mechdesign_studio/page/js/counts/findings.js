// What an audit found, as `mechdesign check --json` says it: a verdict, the facts, the claims, the scores.

import { amount, decimal, h, heatmap, put, seen, shortFraction, sixDigits, table } from "../kit.js";

const FAULTS = {
  negative: "negative: no probability is", columns: "in a column that does not sum to 1", privacy: "breaks alpha",
};
const MOST_NAMED = 2; // claims that are false
const ELSEWHERE = ["scores", "from GM"]; // facts that have a place of their own

/** Build the findings: {element, show(document, repair)}; `of` names what was checked, `repair` is what one cost, or null. */
export function findings({ of }) {
  const verdict = h("p", { role: "status" });
  const facts = h("dl.findings-facts");
  const within = h("div.card.stack.findings-within", { hidden: true }); // of floats: what holds near them
  const claims = table({
    caption: `Claims of ${of}, each tested`,
    columns: [
      { key: "claim", title: "Claim" },
      { key: "true", title: "Verdict", node: (row) => h("span", { class: row.true ? "tag good" : "tag bad" }, row.true ? "true" : "FALSE"), sort: (row) => row.true ? 1 : 0 },
      { key: "detail", title: "What is wrong", text: (row) => row.detail ?? "" },
    ],
  });
  const scores = table({
    caption: `Scores of ${of} under the uniform prior`,
    sortable: false,
    columns: [
      { key: "loss", title: "Loss" }, amount("value", "Score", sixDigits),
      { key: "exact", title: "Exact", node: (row) => h("span.exact", shortFraction(row.exact, 40)) },
    ],
  });
  const picture = matrixView(of);
  return {
    element: h("div.stack", verdict, picture, within, h("div.card", facts), claims, scores),
    show(document, repair = null) {
      const { kind, text } = verdictOf(document);
      verdict.className = `message ${kind}`;
      put(verdict, repair ? `${text} ${capital(repair.text)}.` : text);
      within.hidden = !document.within;
      if (document.within) put(within, nearby(document.within));
      picture.show(document.cells ?? null);
      put(facts, grouped(document.facts), fromGeometric(document.derivable));
      seen(document.claims.length !== 0, claims);
      claims.show(document.claims);
      const rows = Object.entries(document.scores ?? {}).map(([loss, score]) => ({ loss, ...score }));
      seen(rows.length !== 0, scores);
      scores.show(rows);
    },
  };
}

/** The matrix as a heat map with the cells that make a claim false; rows of other lengths are not drawn. */
function matrixView(of) {
  const map = heatmap({ label: `Heat map of ${of}`, rows: "output", columns: "input" });
  const list = h("ul.words");
  const told = h("p");
  const element = h("div.card.stack", { hidden: true }, h("h3", "Probabilities"), told, list, map);
  return {
    element,
    show(cells) {
      const values = cells?.values;
      element.hidden = !values || values.length !== values[0].length || values.length < 2;
      if (element.hidden) return;
      const faults = cells.faults.map((fault) => ({ ...fault, has: new Set(fault.cells.map(String)) }));
      const namesAt = (i, j) => faults.filter((fault) => fault.has.has(`${i},${j}`)).map(({ name }) => FAULTS[name] ?? `makes ${name} false`);
      put(told, faults.length ? "Cells with a frame make a claim false, or epsilon infinite:" : "No cell is at fault.");
      put(list, faults.map(({ name, text, cells: [[output, input]], has }) => h("li", text ? `${text}.` : `${FAULTS[name] ?? `${name} is false`}: ${has.size === 1 ? "1 cell" : `${has.size} cells`}, such as output ${output} for input ${input}.`)));
      map.show({
        size: values.length, value: (i, j) => values[i][j], marked: (i, j) => namesAt(i, j).length > 0,
        text: (i, j) => [`Pr[output ${i} | input ${j}] = ${decimal(values[i][j])}`, ...namesAt(i, j)].join("; "),
      });
    },
  };
}

/** Whether the matrix comes from the geometric mechanism, where that was asked. */
function fromGeometric(derivable) {
  if (derivable === null || derivable === undefined) return null;
  const text = derivable ? "It can be made from the geometric mechanism, by a change of its outputs." : "It cannot be made from the geometric mechanism by a change of its outputs.";
  return [h("dt", "geometric mechanism"), h("dd", text)];
}

/** What holds for some matrix near one of floats; its claims decide only where a tolerance was given. */
function nearby(within) {
  return [
    h("h3", within.title.replace(/:$/, "").replaceAll("e-", "e\u2011")),
    h("dl.findings-facts", within.facts.map(([label, text]) => [h("dt", label), h("dd", text)])),
    within.claims.length ? h("ul", within.claims.map((claim) => h("li", `${claim.true ? "yes" : "no"}: ${claim.claim}`))) : null,
    h("p.hint", "Exactly as it is written:"),
  ];
}

function verdictOf(document) {
  if (document.within?.tolerance && document.within.claims.length) {
    const { passed, claims } = document.within;
    return { kind: passed ? "good" : "failed", text: `Within the tolerance: ${claimsText(claims)}` };
  }
  const { claims } = document;
  const text = claimsText(claims);
  if (document.simulation) return { kind: "warn", text: `This is the record of a SIMULATION, which protects nobody. ${text}` };
  if (claims.some((claim) => !claim.true)) return { kind: "failed", text };
  if (document.kind === "matrix" && !(document.column_sums_exact || claims.length)) {
    return { kind: "warn", text: "Nothing is claimed of this matrix, and its columns are no exact distributions." };
  }
  if (document.epsilon === "inf") {
    return { kind: "warn", text: `This matrix protects nobody: its epsilon is infinite.${claims.length ? ` ${text}` : ""}` };
  }
  return { kind: "good", text: claims.length ? text : "A matrix of exact distributions with a finite epsilon. Nothing is claimed of it; state a claim to test it." };
}

/** Say what is claimed: what is false by its name, what is true by its number. */
export function claimsText(claims) {
  const wrong = claims.filter((claim) => !claim.true);
  const right = claims.length - wrong.length;
  if (claims.length === 0) return "Nothing is claimed.";
  if (!wrong.length) return right === 1 ? "The claim is true." : `All ${right} claims are true.`;
  const named = wrong.slice(0, MOST_NAMED).map(({ claim }) => claim).join("; ");
  const more = wrong.length > MOST_NAMED ? `; and ${wrong.length - MOST_NAMED} more` : "";
  return `FALSE: ${named}${more}.${right ? ` ${right === 1 ? "One other claim is" : `${right} other claims are`} true.` : ""}`;
}

// A fact without a label goes on with the one above.
function grouped(facts) {
  return facts.filter(([label]) => !ELSEWHERE.includes(label)).map(([label, text]) => [label ? h("dt", label) : null, h("dd", text)]);
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
