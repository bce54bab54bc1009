// What an audit found, as `mechdesign check --json` says it: a verdict, the facts, the claims, the scores.

import { h, put } from "../dom.js";
import { shortFraction, sixDigits } from "../parts/exact.js";
import { table } from "../parts/table.js";

/** Build the findings: {element, show(document, repair)}; `of` names what was checked, `repair` is what one cost, or null. */
export function findings({ of }) {
  const verdict = h("p", { role: "status" });
  const facts = h("dl", { class: "findings-facts" });
  const within = h("div", { class: "card stack findings-within", hidden: true }); // of floats: what holds near them
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
      { key: "loss", title: "Loss" }, { key: "value", title: "Score", number: true, text: (row) => sixDigits(row.value) },
      { key: "exact", title: "Exact", node: (row) => h("span", { class: "exact" }, shortFraction(row.exact, 40)) },
    ],
  });
  return {
    element: h("div", { class: "stack" }, verdict, within, h("div", { class: "card" }, facts), claims.element, scores.element),
    show(document, repair = null) {
      const { kind, text } = verdictOf(document);
      verdict.className = `message ${kind}`;
      put(verdict, repair ? `${text} ${capital(repair.text)}.` : text);
      within.hidden = !document.within;
      if (document.within) put(within, nearby(document.within));
      put(facts, grouped(document.facts));
      claims.element.hidden = document.claims.length === 0;
      claims.show(document.claims);
      const rows = Object.entries(document.scores ?? {}).map(([loss, score]) => ({ loss, ...score }));
      scores.element.hidden = rows.length === 0;
      scores.show(rows);
    },
  };
}

/** What holds for some matrix near one of floats; its claims decide only where a tolerance was given. */
function nearby(within) {
  return [
    h("h3", {}, within.title.replace(/:$/, "")),
    h("dl", { class: "findings-facts" }, within.facts.map(([label, text]) => [h("dt", {}, label), h("dd", {}, text)])),
    within.claims.length ? h("ul", {}, within.claims.map((claim) => h("li", {}, `${claim.true ? "yes" : "no"}: ${claim.claim}`))) : null,
    h("p", { class: "hint" }, "Exactly as it is written:"),
  ];
}

function verdictOf(document) {
  if (document.within?.tolerance && document.within.claims.length) {
    const wrong = document.within.claims.filter((claim) => !claim.true).length;
    return { kind: wrong ? "failed" : "good", text: `Within the tolerance: ${claimsText(document.within.claims.length, wrong)}` };
  }
  const all = document.claims.length;
  const wrong = document.claims.filter((claim) => !claim.true).length;
  if (document.simulation) {
    return { kind: "warn", text: `This is the record of a SIMULATION, which protects nobody. ${claimsText(all, wrong)}` };
  }
  if (wrong) {
    return { kind: "failed", text: claimsText(all, wrong) };
  }
  if (document.kind === "matrix" && !(document.column_sums_exact || document.claims.length)) {
    return { kind: "warn", text: "Nothing is claimed of this matrix, and its columns are no exact distributions." };
  }
  if (document.epsilon === "inf") {
    return { kind: "warn", text: `This matrix protects nobody: its epsilon is infinite.${all ? ` ${claimsText(all, wrong)}` : ""}` };
  }
  return all ? { kind: "good", text: claimsText(all, wrong) } : { kind: "good", text: "A matrix of exact distributions with a finite epsilon. Nothing is claimed of it; state a claim to test it." };
}

function claimsText(all, wrong) {
  if (all === 0) return "Nothing is claimed.";
  if (wrong === 0) return all === 1 ? "The claim is true." : `All ${all} claims are true.`;
  return `${wrong} of ${all} ${all === 1 ? "claim is" : "claims are"} FALSE.`.replace("1 of 1 claim is", "The claim is");
}

// A fact without a label goes on with the one above; scores have a table.
function grouped(facts) {
  return facts.filter(([label]) => label !== "scores").map(([label, text]) => [label ? h("dt", {}, label) : null, h("dd", {}, text)]);
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
