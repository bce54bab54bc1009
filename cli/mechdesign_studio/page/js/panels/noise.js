// The best noise table for an office's demands, with its proof, beside ptable's own or a file.

import { commandsAnd, run } from "../api.js";
import { claimsText } from "../counts/findings.js";
import { ALL, codeDisclosure, downloads, fileDrop, h, messages, put, roundedDown, roundedUp, runner, sampleButton, seen } from "../kit.js";
import { EPSILONS, countsOf, curvesView, deltaText } from "../noise_tables/curves.js";
import { demands } from "../noise_tables/form.js";
import { rowsView } from "../noise_tables/rows.js";

const name = "noise";
export const lead = "Offices publish counts through a table of bounded, unbiased noise, as ptable makes it. Say what yours must keep and promise: the best one is designed and proved, and its privacy curve stands beside ptable's.";

const [DOCUMENT, EXPORT, THEIRS] = ["noise-table.json", "noise-table.csv", "ptable.json"];

export async function build(root) {
  const { commands } = await commandsAnd(["table design"]);
  const status = messages();
  const work = runner(name, status);
  const { element: fields, form, example } = demands(commands["table design"]);
  const drop = fileDrop({
    label: "Another table instead of ptable's (optional)", help: "A document, a file of ptable, or one of the ONS's package.",
    accept: ".json,.csv", onChange: () => besides(),
  });
  const [verdict, said] = [h("p.verdict", { role: "status" }), h("p.hint", { role: "status" })];
  const [seal, claims, facts] = [h("summary.seal"), h("ul.words"), h("div.fact-line")];
  const [curves, rows, links] = [curvesView(), rowsView(), downloads()];
  const remarked = h("div"); // what is said of the export
  const own = h("div.stack", { hidden: true }, verdict, h("details.seal-box", seal, claims), facts);
  const after = h("div.stack", { hidden: true }, rows, links, remarked, h("p.hint", "The .csv is for tau-Argus. On the command line, mechdesign table apply protects microdata by a table."));
  const result = h("div.stack.noise-results", own, curves, said, drop, after);
  let design = null; // {document, curve}
  let other = null; // {name, document (of ptable's), curve}
  let asked = null; // the steps of what stands beside, as text

  const check = (file) => ({ command: "check", arguments: [file], options: { curve: EPSILONS } });

  function go() {
    work.run([
      { command: "table design", options: { ...form.options(), output: [DOCUMENT] } },
      check(DOCUMENT),
      { command: "table export", arguments: [DOCUMENT], options: { for: "tau-argus", output: EXPORT } },
    ], {
      saying: "Designing, then proving", silent: ALL, shows: own, fills: result,
      onDone: ({ steps: [made, checked, { remarks }], job, files }) => {
        design = { document: made.document, curve: checked.document.curve };
        put(verdict, verdictOn(made.document));
        const { claims: tested, facts: found, passed } = checked.document;
        put(seal, claimsText(tested));
        seal.className = passed ? "seal" : "seal open-gap";
        put(claims, tested.map(({ claim }) => h("li", claim)));
        put(facts, found.map(([fact, text]) => h("span", h("span.fact-name", fact), " ", text)));
        links.show(job, files);
        put(remarked, remarks.filter((text) => !text.startsWith("wrote ")).map((text) => h("p.hint", text)));
        own.hidden = after.hidden = false;
        besides();
      },
    });
  }

  /** Read the dropped file, or have ptable's own table made for the same noise; draw what is known. */
  function besides() {
    const { noise, variance, block } = design?.document.problem ?? {};
    const theirs = { command: "table design", options: { noise, variance, block, shape: "left", output: [THEIRS] } };
    const dropped = drop.upload;
    const steps = dropped ? [check({ upload: dropped.upload })] : design ? [theirs, check(THEIRS)] : [];
    const text = JSON.stringify(steps);
    if (text !== asked) {
      [asked, other] = [text, null];
      tell(null);
      if (steps.length) beside(steps, dropped?.name ?? "ptable's table");
    }
    draw();
  }

  function beside(steps, of) {
    tell(`Reading the curve of ${of}`);
    run(`${name}-beside`, steps, {
      onDone: ({ steps: ended }) => {
        const { kind, curve } = ended.at(-1).document;
        if (kind !== "noise-table") return failed("it must be a noise table, got a matrix");
        other = { name: of, curve, document: ended[1] && ended[0].document };
        tell(ended[1] ? "ptable's table: most entropy for the same D, V and js, shape left; it promises nothing." : null);
        draw();
      },
      onFailed: ({ message }) => failed(message),
    });

    function failed(message) {
      asked = null;
      tell(`${of}: ${message}`, "message failed");
    }
  }

  function tell(text, kind = "hint") {
    said.className = kind;
    put(said, text);
  }

  function draw() {
    const tables = [design && { ...design, name: "this table", kind: "main" }, other && { ...other, kind: "true" }].filter(Boolean);
    seen(tables.length !== 0, curves);
    if (tables.length) curves.show(tables, design?.document.delta ?? []);
    if (design) rows.show(design.document, other?.document && other);
  }

  const asking = h("div.card", fields);
  status.follow(asking, form);
  const start = h("button.primary", { onclick: go }, "Design and prove");
  const trial = sampleButton(() => { example(); go(); }, "Try it with an example");
  asking.append(h("div.row", start, trial), status.element);
  root.append(h("div.stack", asking, result, codeDisclosure(name)));
  draw();
}

function verdictOn({ problem, delta, objective, lower_bound: bound, status }) {
  const promised = delta.map(({ epsilon, start, value }, at) => [at ? "; " : "", h("strong", deltaText(value)), ` at epsilon ${epsilon} for ${countsOf(start)}`]);
  const isEntropy = problem.objective === "entropy";
  const of = problem.objective === "delta" ? "weighted sum of deltas" : `mean ${problem.objective}`;
  const score = isEntropy ? `Its entropy is ${roundedDown(-objective.value)} bits` : `Its ${of} is ${deltaText(objective.value)}`;
  const gap = objective.value - bound.value;
  const by = status === "exact" || gap <= 0 ? "" : ` by more than ${roundedUp(gap, 2)}`;
  return [
    promised.length ? ["Delta is at most ", promised, ". "] : "No promise was asked for. ",
    `${score}; no table that meets these demands has ${isEntropy ? "more" : "less"}${by}, proved.`,
  ];
}
