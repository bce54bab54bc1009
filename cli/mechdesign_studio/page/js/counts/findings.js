// What an audit found, as `mechdesign check --json` says it: a verdict, the facts, the claims, the scores.

import { amount, decimal, h, heatmap, put, seen, set, shortFraction, sixDigits, table } from "../kit.js";

const FAULTS = {
  negative: "negative: no probability is", columns: "in a column that does not sum to 1", privacy: "breaks alpha",
};
const ROUNDED = " but for rounding, or the tolerance";
const MOST_NAMED = 2; // claims that are false
const MOST_SAID = 2; // parts of a verdict
const WIDE = "the status is 'feasible'"; // true, and no merit
const ELSEWHERE = ["scores", "from GM"]; // facts that have a place of their own

/**
 * Build the findings: {element, show(document, {repair, turned, typed})}; `of` names what was checked, `losses` are [name, title], `more` stands below the verdict, `repair` is what one cost, `turned` whether rows were
 * read as inputs, which onTurn(yes) asks for, and `typed` whether the reader claims something.
 */
export function findings({ of, losses, onTurn, more = null }) {
  const titles = Object.fromEntries(losses);
  const verdict = Array.from({ length: MOST_SAID }, (_, at) => h(at ? "p" : "p.headline", { role: "status" }));
  const turn = h("button");
  const turning = h("div.row", { hidden: true }, turn);
  const facts = h("dl.findings-facts");
  const exactly = h("h3", "Exactly as it is written");
  const within = h("div.card.stack.findings-within", { hidden: true }); // of floats: what holds near them
  const claims = table({
    caption: `Claims of ${of}, each tested`,
    columns: [
      { key: "claim", title: "Claim" },
      { key: "true", title: "Verdict", node: (row) => h("span", { class: `tag ${row.near ? "" : !row.true ? "bad" : row.claim.startsWith(WIDE) ? "" : "good"}` }, row.true ? "true" : row.near ? "but for rounding" : "FALSE"), sort: (row) => row.true ? 1 : 0 },
      { key: "detail", title: "What is wrong", text: (row) => row.detail ?? "" },
    ],
  });
  const scores = table({
    caption: `Scores of ${of} under the uniform prior`,
    sortable: false,
    columns: [
      { key: "loss", title: "Loss", text: (row) => titles[row.loss] ?? row.loss }, amount("value", "Score", sixDigits),
      { key: "exact", title: "Exact", node: (row) => h("span.exact", shortFraction(row.exact, 40)) },
    ],
  });
  const picture = matrixView(of);
  return {
    element: h("div.stack", verdict, more, turning, picture, within, h("div.card.stack", exactly, facts), claims, scores),
    show(document, { repair = null, turned = false, typed = false } = {}) {
      const isOther = document.kind === "matrix" && document.rows_instead;
      turning.hidden = !isOther;
      turn.onclick = () => onTurn(!turned);
      put(turn, `Read it with one ${turned ? "column" : "row"} for each input`);
      const whose = document.kind === "matrix" ? "Your claims" : `Claims of ${of}${typed ? " and yours" : ""}`;
      put(claims.element.querySelector("caption"), `${whose}, each tested`);
      set(claims.element, { "aria-label": `${whose}, each tested` });
      const said = repair ? ofRepair(document, repair) : verdictOf(document, turned);
      verdict.forEach((line, at) => {
        const { kind = "", text = "" } = said[at] ?? {};
        line.className = `message ${kind}${at ? "" : " headline"}`;
        line.hidden = !text;
        put(line, text);
      });
      within.hidden = exactly.hidden = !document.within;
      if (document.within) put(within, nearby(document.within));
      picture.show(document.cells ?? null, isOther);
      put(facts, grouped(document.facts), fromGeometric(document.derivable));
      seen(document.claims.length !== 0, claims);
      claims.show(document.claims.map((claim, at) => ({ ...claim, near: !claim.true && document.within?.claims[at].true })));
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
    show(cells, isOther) {
      const values = cells?.values;
      element.hidden = !values || values.length !== values[0].length || values.length < 2;
      if (element.hidden) return;
      const known = isOther ? [] : cells.faults; // of another reading
      const faults = known.map((fault) => ({ ...fault, has: new Set(fault.cells.map(String)), rounds: new Set(fault.rounded?.map(String)) }));
      const faultsAt = (i, j) => faults.filter((fault) => fault.has.has(`${i},${j}`));
      const isRounded = (i, j) => ({ rounds }) => rounds.has(`${i},${j}`);
      const said = (i, j) => (fault) => `${FAULTS[fault.name] ?? `makes ${fault.name} false`}${isRounded(i, j)(fault) ? ROUNDED : ""}`;
      const isFramed = (i, j) => !faultsAt(i, j).every(isRounded(i, j));
      const framed = values.some((row, i) => row.some((_, j) => isFramed(i, j)));
      put(told, isOther ? "No cell is framed while the rows sum to 1 and the columns do not." : framed ? "Cells with a frame make a claim false, or epsilon infinite." : faults.length ? "No cell has a frame: rounding, or the tolerance, explains each fault." : "No cell is at fault.");
      put(list, faults.map(({ name, text, rounding, cells, has, rounds }) => {
        const [output, input] = cells.find((cell) => !rounds.has(String(cell))) ?? cells[0];
        const within = rounds.size ? `, ${rounds.size} but for rounding` : "";
        return h("li", text ? `${text}.${rounding ? ` ${rounding}` : ""}` : `${FAULTS[name] ?? `${name} is false`}: ${has.size === 1 ? "1 cell" : `${has.size} cells`}${within}, such as output ${output} for input ${input}.`);
      }));
      map.show({
        size: values.length, value: (i, j) => values[i][j],
        marked: isFramed,
        text: (i, j) => [`Pr[output ${i} | input ${j}] = ${decimal(values[i][j])}`, ...faultsAt(i, j).map(said(i, j))].join("; "),
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
  ];
}

// Of a mechanism that was repaired: first what is better, where something is.
function ofRepair({ claims }, { text, better, status }) {
  const told = { kind: status === "feasible" ? "warn" : "good", text: `${claimsText(claims)} ${capital(text)}.` };
  return better ? [{ kind: "warn", text: better }, told] : [told];
}

function verdictOf(document, turned) {
  if (document.kind === "matrix" && document.rows_instead) {
    const sums = document.rows_sum_to_one ? "sum to 1" : "sum to 1 but for rounding";
    return [{ kind: "warn", text: turned ? `The columns ${sums}, the rows do not.` : `The rows ${sums}, the columns do not.` }];
  }
  const { claims } = document;
  const text = claimsText(claims);
  if (document.headline?.length) return document.headline;
  if (document.simulation) return [{ kind: "warn", text: `This is the record of a SIMULATION, which protects nobody. ${text}` }];
  return [{ kind: claims.every((claim) => claim.true) ? "good" : "failed", text }];
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
  return facts.filter(([label]) => !ELSEWHERE.includes(label)).map(([label, text]) => [label ? h("dt", label) : null, h("dd", text.replace("use --row-stochastic", "choose “One row for each input”"))]);
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
