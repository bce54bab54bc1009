// What reports say of several attributes: a table to choose, which pairs go together, and their tree.

import { amount, bars, interval, digits, h, put, selectField, shareText, table, whole } from "../kit.js";

/** Options of `local dependence` that make what the view shows beside the tables. */
export const DEPENDENCE = { association: ["pairs.csv", "pairs.svg"], tree: "tree.svg" };

/** The document of tables, with what the step after it, if there is one, says of dependence. */
export function withDependence([tables, dependence]) {
  return { ...tables.document, associations: dependence?.document.associations, tree: dependence?.document.tree };
}

/** Build the view: {element, show({document, truth})}; the truth is what `data --tables --json` says. */
export function tablesView() {
  const said = h("p");
  const choice = selectField({ label: "Table", onCommit: () => draw() });
  const cross = h("div");
  const cells = table({
    caption: "Each cell with its interval", sortable: true,
    columns: [
      { key: "name", title: "Cell" },
      amount("share", "Share", shareText),
      interval("Interval"),
      amount("true", "True", shareText),
    ],
  });
  const pairs = associations();
  const tree = treeOf();
  const element = h("div.stack", said, choice, cross, cells, pairs, tree);
  let now = null;

  function draw() {
    const shown = now.document.tables[Number(choice.value)];
    const truths = trueCells(now.truth, shown.attributes);
    const rows = shown.cells.map((cell) => ({ ...cell, name: cell.items.join(", "), true: truths ? truths.get(key(cell.items)) ?? 0 : undefined }));
    cells.show(rows);
    cross.hidden = shown.attributes.length !== 2;
    put(cross, cross.hidden ? null : crossTable(shown, rows));
  }

  return {
    element,
    show(next) {
      now = next;
      const { document } = now;
      put(said, `${whole(document.users)} reports about ${document.attributes.length} attributes. ${outside(now)}`);
      choice.offer(document.tables.map((one, at) => ({ value: String(at), title: one.attributes.join(" × ") })), "0");
      draw();
      pairs.show(document.associations);
      tree.show(document.tree);
    },
  };
}

/** How many of all true shares are outside of their intervals: what 95 % means, seen. */
function outside({ document, truth }) {
  if (!truth) return "";
  const all = document.tables.flatMap((one) => {
    const truths = trueCells(truth, one.attributes);
    return truths ? one.cells.map((cell) => ({ ...cell, true: truths.get(key(cell.items)) ?? 0 })) : [];
  });
  const missed = all.filter((cell) => cell.true < cell.low - 1e-12 || cell.true > cell.high + 1e-12).length;
  const level = 100 * document.confidence;
  return all.length === 0 ? "" : `Cells whose true share is outside of their own ${level} % interval: ${whole(missed)} of ${whole(all.length)}; about ${digits((all.length * (100 - level)) / 100, 2)} is usual.`;
}

function trueCells(truth, attributes) {
  const found = truth?.tables?.find((one) => one.attributes.length === attributes.length && attributes.every((name) => one.attributes.includes(name)));
  if (!found) return null;
  const order = attributes.map((name) => found.attributes.indexOf(name));
  return new Map(found.cells.map((cell) => [key(order.map((at) => cell.items[at])), cell.share]));
}

const key = (items) => JSON.stringify(items);

function crossTable(shown, rows) {
  const [down, across] = [0, 1].map((side) => [...new Set(rows.map((row) => row.items[side]))]);
  const byCell = new Map(rows.map((row) => [key(row.items), row]));
  const [first, second] = shown.attributes;
  return h(
    "div.table-scroll", { role: "region", tabindex: "0", "aria-label": `Shares of ${first} and ${second}` },
    h("table",
      h("caption", `Estimated share of ${first} (down) and ${second} (across); below it the half width of the interval`),
      h("thead", h("tr", h("th", { scope: "col" }, `${first} \\ ${second}`), across.map((item) => h("th", { scope: "col", class: "number" }, item)))),
      h("tbody", down.map((item) => h("tr", h("th", { scope: "row" }, item), across.map((other) => crossCell(byCell.get(key([item, other]))))))),
    ),
  );
}

function crossCell(row) {
  const half = (row.high - row.low) / 2;
  return h("td.number", shareText(row.share), h("span.hint.block", `± ${shareText(half)}`));
}

function associations() {
  const said = h("p.hint");
  const list = table({
    caption: "Which attributes go together, by a test that knows the noise", sorted: { key: "q_value", down: false },
    columns: [
      { key: "pair", title: "Pair" },
      { key: "associated", title: "Found", text: (row) => (row.associated ? "yes" : "no") },
      { key: "cramers_v", title: "Cramér's V", number: true, text: (row) => digits(row.cramers_v, 3) },
      { key: "p_value", title: "p-value", number: true, text: (row) => digits(row.p_value, 2) },
      { key: "q_value", title: "q-value", number: true, text: (row) => digits(row.q_value, 2) },
    ],
  });
  const picture = bars({ caption: "Cramér's V of each pair: 0 where the answers have nothing to do with each other, 1 where one decides the other", heading: "Pair", amount: "Cramér's V", whole: 0.1 });
  const element = h("div.stack", h("h2", "Association"), said, picture, list);
  return {
    element,
    show(found) {
      element.hidden = !found;
      if (!found) return;
      const rows = found.pairs.map((row) => ({ ...row, pair: `${row.attribute_1}, ${row.attribute_2}` }));
      const sure = rows.filter((row) => row.associated).length;
      put(said, `Pairs that are found: ${sure} of ${rows.length}, where ${100 * found.fdr} % of those found may be false ones on average.`);
      list.show(rows);
      const largest = [...rows].sort((a, b) => b.cramers_v - a.cramers_v);
      picture.show(largest.map((row) => ({ name: row.pair, value: row.cramers_v, own: row.associated, text: `${digits(row.cramers_v, 3)}${row.associated ? ", found" : ""}` })));
    },
  };
}

function treeOf() {
  const list = bars({ caption: "Mutual information of each pair of the tree, in nats", heading: "Pair", amount: "Nats" });
  const element = h(
    "div.stack", h("h2", "Tree of dependences"),
    h("p.hint", "The tree of pairs that tells most about all attributes together (Chow and Liu), with the mutual information of each pair."),
    list,
  );
  return {
    element,
    show(found) {
      element.hidden = !found;
      if (!found) return;
      list.show(found.edges.map((edge) => ({
        name: `${edge.attribute_1} – ${edge.attribute_2}`, value: edge.mutual_information,
        text: `${digits(edge.mutual_information, 3)}, ${digits(Math.max(0, edge.mutual_information - edge.noise), 3)} of them beyond noise`,
      })));
    },
  };
}
