import { commandsAnd, run } from "../api.js";
import { designFields } from "../counts/design_fields.js";
import { lattice } from "../counts/lattice.js";
import { priceCurves, priceText, shareOf, shortPrice } from "../counts/price_curves.js";
import { readMatrix } from "../design/matrix.js";
import { change, design, designOptions, link, onChange, panel, PARAMETERS } from "../design_state.js";
import { codeDisclosure, commandForm, downloads, h, messages, put, roundedDown, runner, shortFraction, sixDigits, table } from "../kit.js";

const name = "prices";
export const lead = "What does each property cost? Every set of properties is designed, and the lattice shows the least score that each one allows: the warmer its colour, the more it costs. Point at a set to see its mechanism, and below its price at every alpha; a click loads that design.";

const FILES = ["prices.csv", "prices.json"];
const PICTURES = ["prices.svg", "prices.png"];

let view = null;

export async function build(root) {
  const { commands, losses, limits } = await commandsAnd(["landscape"], "losses", "limits");
  const form = commandForm(commands.landscape, { without: [...PARAMETERS, "all-alpha", "distances"], onCommit: () => view.refresh() });
  const status = messages();
  const job = runner(name, status);
  const again = h("button.primary", { onclick: () => find() }, "Find the prices");
  const pictures = h("button", { onclick: () => find(PICTURES) }, "Draw a picture to keep");
  const saved = downloads();
  const summary = h("p.prices-summary", { role: "status" });
  const picture = lattice();
  const classes = classTable();
  const curves = priceCurves({ onPick: (alpha) => change({ alpha }) });
  const result = h("div.stack", { hidden: true }, h("h2", "What each set of properties costs"), summary, picture, curves, classes, h("div.row", pictures), saved);
  const seen = new Map(); // matrices of nodes
  let asked = null; // the design whose prices were asked for last, as text
  let found = null;

  function find(drawn = []) {
    const options = wanted();
    asked = JSON.stringify(options);
    const size = options.n ?? options.k;
    if (size > limits.lattice_n) {
      job.stop();
      status.failed(`${options.n ? "n" : "k"} must be at most ${limits.lattice_n} here, got ${size}; on the command line: mechdesign landscape`);
      result.classList.toggle("stale", found !== null);
      return;
    }
    result.classList.add("stale");
    const step = { command: "landscape", options: { ...options } };
    const steps = [{ ...step, options: { ...step.options, output: FILES } }, ...drawn.map((file) => ({ ...step, options: { ...step.options, plot: file } }))];
    job.run(steps, {
      saying: `Pricing the property sets for ${options.n ? `n = ${size}` : `k = ${size}`}`,
      onDone: (answer) => {
        found = answer.steps[0].document;
        saved.show(answer.job, answer.files);
        draw();
        return `${found.seconds.toFixed(2)} s of computing`;
      },
      onFailed: () => { result.hidden = found === null; },
    });
  }

  const wanted = () => ({ ...askedOptions(), ...form.options() });

  // The design of a node, which is made when somebody looks at it.
  function look(node, draw) {
    const { asked: properties } = node;
    curves.choose(node.number);
    const props = properties.join(",") || "none";
    const key = `${asked}${props}`;
    if (seen.has(key)) draw(seen.get(key));
    else {
      run("prices-look", [{ command: "solve", options: { ...askedOptions(), props } }], {
        onDone: ({ steps: [{ document }] }) => {
          seen.set(key, readMatrix({ document }));
          draw(seen.get(key));
        },
      });
    }
  }

  function draw() {
    result.hidden = false;
    result.classList.remove("stale");
    put(summary, summaryText(found));
    const nodes = found.lattice.map((entry, number) => ({ ...nodeOf(entry, found), number }));
    const here = hereIn(found, design().props);
    picture.show({ nodes, address: (node) => address(node.asked), here, look });
    const { alpha, k, n, size = k ?? n + 1 } = found.problem;
    curves.show({ options: askedOptions(), nodes, here, alpha, size });
    classes.show(found.classes.map((group, at) => ({ ...group, number: at + 1, free: found.classes[0].score.value })));
  }

  const asking = h("div.card", designFields(commands.landscape, losses, { without: ["props"] }), form.more, again, status, codeDisclosure(name));
  status.follow(asking, form);
  root.append(h("div.split", asking, result));

  view = {
    refresh() {
      if (JSON.stringify(wanted()) !== asked) {
        find();
      } else if (found && !result.classList.contains("stale")) {
        draw(); // the set that is designed now may be another one
      }
    },
  };
  onChange(() => panel() === name && view.refresh());
}

export function shown() {
  view.refresh();
}

function askedOptions() {
  const { props, ...options } = designOptions();
  return options;
}

function address(properties) {
  return link({ panel: "design", props: properties.join(",") || "none" });
}

function nodeOf(entry, found) {
  const group = found.classes[entry.class - 1];
  const named = group.name ? ` (${group.name})` : "";
  const words = `${entry.asked.join(", ") || "no properties"}: score ${sixDigits(group.score.value)}${named}, ${priceOf(group, found)}`;
  const price = group.price.value / (found.classes.at(-1).price.value || 1);
  return { asked: entry.asked, closed: entry.closed, value: group.score.value, above: group.price.value, price, covers: entry.covers, score: sixDigits(group.score.value), words };
}

function summaryText(found) {
  const { classes } = found;
  const last = classes.at(-1);
  const proved = classes.every((group) => group.status === "exact");
  const least = `The least score is ${sixDigits(classes[0].score.value)}`;
  const most = classes.length > 1 ? `; all properties together cost ${priceOf(last, found)}` : "; every property is free";
  const symmetry = found.symmetry_is_free ? " Symmetry S is free here, and left out of the picture." : "";
  return `${found.lattice.length} different property sets have ${classes.length} ${classes.length === 1 ? "score" : "scores"}${proved ? ", all proved" : ", some within bounds only"}. ${least}${most}.${symmetry}`;
}

function priceOf({ price }, { classes }) {
  return priceText(price.exact === "0" ? 0 : price.value, classes[0].score.value);
}

function classTable() {
  return table({
    caption: "The scores, lowest first, and the sets of properties that reach them",
    columns: [
      { key: "number", title: "#", number: true },
      { key: "score", title: "Score", number: true, text: (row) => sixDigits(row.score.value), sort: (row) => row.score.value },
      { key: "price", title: "Price", number: true, text: (row) => row.price.exact === "0" ? "0" : shortPrice(row.price.value), sort: (row) => row.price.value },
      { key: "share", title: "More than least", number: true, text: (row) => row.free > 0 ? shareOf(row.price.value, row.free) : "", sort: (row) => row.price.value },
      { key: "weakest", title: "Asking for", node: (row) => setLinks(row.weakest), sort: (row) => row.weakest[0].length },
      { key: "subsets", title: "Sets", number: true, text: (row) => row.subsets.length, sort: (row) => row.subsets.length },
      { key: "name", title: "Named", text: (row) => row.name ?? "" },
      { key: "exact", title: "Exact score", node: (row) => h("span.exact", { title: row.score.exact }, exactText(row)), sort: (row) => row.score.value },
    ],
  });
}

function setLinks(sets) {
  return sets.flatMap((set, at) => [at ? "; " : null, h("a", { href: address(set) }, set.join(",") || "none")]);
}

function exactText(group) {
  if (group.status !== "exact") return `at least ${roundedDown(group.lower_bound.value, 12)}`;
  return shortFraction(group.score.exact, 32);
}

// The position of the smallest closed set that has all that is asked; -1 for a set of properties beyond the lattice.
function hereIn(found, props) {
  const every = found.lattice.flatMap((entry) => entry.closed);
  const asked = props === "none" ? [] : props === "all" ? [...new Set(every)] : props.split(",");
  const wanted = found.symmetry_is_free ? asked.filter((one) => one !== "S") : asked;
  return found.lattice.findIndex((entry) => wanted.every((one) => entry.closed.includes(one)));
}
