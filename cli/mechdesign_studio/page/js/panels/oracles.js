// Local oracles side by side: which one has the least error for a domain, an epsilon, a number of users, a question.

import { commandsAnd } from "../api.js";
import { change } from "../design_state.js";
import { amount, bars, codeDisclosure, commandForm, counted, digits, downloads, epsilonText, errorField, h, handed, isNumber, messages, put, roundedDown, runner, seen, shareText, table, whole } from "../kit.js";
import { EPSILON, leastText } from "../local/local_fields.js";
import { serverPlan } from "../local/server_plan.js";
import { SINGLE, workloadQuestion } from "../workloads/question.js";

const name = "oracles";
export const lead = "Where nobody may see the answers, each person sends one report that is private by itself. Which way of reporting has the least error for your question?";

const USUAL = 1e-6; // losses that differ by less are the claim itself

export async function build(root) {
  const { commands, ...known } = await commandsAnd(["local oracles"], "workloads", "sides");
  const status = messages();
  const work = runner(name, status);
  const result = resultView(() => asked(), () => designFor());
  const question = workloadQuestion(known, {
    label: "Question", values: { kind: SINGLE, k: "24", length: "8", rows: "8", across: "8", attributes: "2,2,7,6", way: "2" },
    isSingleFirst: true, onCommit: () => error.ask() || go(),
  });
  const form = commandForm(commands["local oracles"], {
    shown: {
      epsilon: { ...EPSILON, onCommit: () => { error.clear(); go(); } }, users: { label: "Users, n", onCommit: () => error.ask() || go() },
      liars: { label: "Fraction of liars" },
    },
    without: ["k", "attributes", "workload", "alpha"], onCommit: () => go(),
  });
  const { epsilon, users: people, liars } = form.fields;
  const error = errorField({
    panel: name, label: "Error you can live with", help: "A standard error, in the mean over all answers, as 0.01: fills in the least epsilon for which an oracle has it.",
    stepOf: (most) => ({ command: "local calibrate", options: { workload: "histogram", ...question.options(), users: people.value, error: most, mean: true } }),
    onFound: (found) => {
      epsilon.set(String(found.ends.upper.value));
      go();
      return leastText(found);
    },
  });
  const controls = h("div.card", question, h("div.pair", epsilon, people), error, liars, form.more, status);
  status.follow(controls, form);

  function asked() {
    return { kind: { [SINGLE]: "items", marginals: "tables" }[question.kind.value] ?? "ranges", epsilon: epsilon.value.trim() };
  }

  /** Have a design made for the same queries. */
  function designFor() {
    handed.queries.set({ values: question.values(), epsilon: epsilon.value.trim() });
    change({ panel: "workloads" });
  }

  function options() {
    return { ...question.options(), ...form.options(), output: ["oracles.csv"] };
  }

  function go() {
    work.run([{ command: "local oracles", options: options() }], {
      saying: "Rating the oracles", fills: result.element,
      onDone: ({ job, files, steps }) => result.show(steps[0].document, job, files),
    });
  }

  root.append(h("div.split", controls, h("div.stack", result, codeDisclosure(name))));
  seen(false, result);
  question.start();
}

function resultView(asked, onDesign) {
  const verdict = h("p.verdict", { role: "status" });
  const bound = h("p");
  const least = h("p");
  const design = h("button", { onclick: onDesign }, "Design for these queries");
  const better = h("div.row", least, design);
  const lies = h("p");
  const chart = bars({ caption: "Standard error of each oracle, best first", heading: "Oracle", amount: "Standard error" });
  const list = listOf(asked);
  const plan = serverPlan();
  const links = downloads();
  const element = h("div.stack", verdict, bound, better, lies, chart, list, plan, links);
  return {
    element,
    show(document, job, files) {
      const rows = document.oracles.map((row) => ({
        ...row, name: nameOf(row), users: row.standard_error * document.n, remark: remarkOn(row),
      }));
      put(verdict, verdictOn(document, rows));
      chart.show(rows.map((row) => ({
        name: row.name, tip: plain(row.about), value: row.standard_error, own: row.oracle === document.best, text: `${shareText(row.standard_error)}, ${counted(row.bits, "bit")}`,
      })));
      put(bound, document.bound ? `No local mechanism with one report a person, and unbiased answers linear in the counts of reports, has an average variance below ${roundedDown(document.bound)} at equal shares.` : null);
      better.hidden = !document.design;
      put(least, document.design ? `A design for these queries may cut the best one's variance to ${document.design.least_share} of it, and none to less at equal shares.` : null);
      put(lies, liesText(rows, document));
      list.show(rows);
      plan.show(rows);
      links.show(job, files);
    },
  };
}

/** The table of all oracles, with columns of the question beside those that all have. */
function listOf(asked) {
  return table({
    caption: "All oracles; choose one to collect with it", sortable: true, onRow: (row) => take(row, asked()),
    below: (row) => h(
      "span.prose.hint", plain(row.about), h("span.block", `Time: ${row.time_class}, for users N and items k.`),
      row.published ? null : h("span.block", "In no paper: a mechanism of this project."), row.remark ? h("strong.block", row.remark) : null,
    ),
    columns: [
      { key: "name", title: "Oracle" },
      amount("standard_error", "Standard error", shareText),
      amount("users", "In users", whole),
      { key: "worst_bias", title: "Worst bias", help: "How far the liars move a share or an answer", number: true, text: (row) => biasText(row) },
      amount("times_bound", "Times the bound", digits, { help: "The average variance over a bound that no local mechanism is below" }),
      amount("average_variance", "Average variance", digits),
      { key: "largest_variance", title: "Largest", number: true, text: (row) => largest(row) },
      amount("bits", "Bits", whole),
    ],
  });
}

/** What the liars can do, and which oracle they move least; nothing where no liars were asked about. */
function liesText(rows, { attributes, workload }) {
  const known = rows.filter((row) => isNumber(row.worst_bias));
  if (!known.length) return null;
  const least = known.reduce((one, other) => (other.worst_bias < one.worst_bias ? other : one));
  const what = attributes ? "a cell of a table" : workload ? "an answer" : "an item's share";
  const fraction = shareText(least.liars);
  return [
    `If ${fraction} of the users send reports of their choice, they move ${what} least with `, h("strong", least.name),
    `: by up to ${shareText(least.worst_bias)}.${workload ? "" : ` Users who only lie about their value move it by up to ${fraction}.`}`,
  ];
}

function biasText(row) {
  return isNumber(row.worst_bias) ? `${row.worst_bias_is_exact === false ? "≤ " : ""}${shareText(row.worst_bias)}` : "";
}

function plain(about) {
  return about.replaceAll("`", "");
}

function nameOf({ oracle, post }) {
  return post && post !== "norm" ? `${oracle} (${post})` : oracle;
}

function largest(row) {
  return isNumber(row.largest_variance) ? `${row.largest_is_exact ? "" : "≥ "}${digits(row.largest_variance)}` : "";
}

/** What must not be missed: a report that loses more, or less, than was asked for; what the memory cannot hold. */
function remarkOn({ epsilon, actual_epsilon: loss, fits, answer_chance: chance }) {
  const found = [];
  if (loss > epsilon * (1 + USUAL)) found.push(`loses epsilon = ${epsilonText(loss)}, more than asked for`);
  if (loss < epsilon * (1 - 1e-3)) found.push(`spends only epsilon = ${epsilonText(loss)}`);
  if (!fits) found.push("too large for this machine's memory");
  if (isNumber(chance) && chance < 0.999) found.push("too few users: a part of the tables may get no report");
  return found.join("; ");
}

function verdictOn({ best, best_published: published, lean, n }, rows) {
  const said = (oracle) => {
    const row = rows.find((one) => one.oracle === oracle);
    return [h("strong", { title: plain(row.about) }, oracle), `, standard error ${shareText(row.standard_error)} (${whole(row.standard_error * n)} of ${whole(n)} users), ${counted(row.bits, "bit")} a report.`];
  };
  if (best === null) return "None of them can be recommended: take fewer items or attributes, or more users.";
  const parts = ["Best: ", ...said(best)];
  if (published && published !== best) parts.push(" Best published: ", ...said(published));
  return lean === best ? parts : [...parts, " Nearly as good with the fewest bits: ", ...said(lean)];
}

function take(row, { kind, epsilon }) {
  handed.oracle.set({ kind, oracle: row.oracle.replace(/:sides=[0-9x]+/, ""), epsilon });
  change({ panel: { items: "collect", ranges: "ranges", tables: "marginals" }[kind] });
}
