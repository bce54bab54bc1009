// Rows as an accessible table, sortable by its headers; facts as a list.

import { h, put, set } from "../dom.js";
import { intervalText } from "./number_text.js";

/**
 * Build a table: {element, show(rows)}.
 * `columns`: {key, title, number (right-aligned, sorted as numbers), text(row) or node(row), sort(row), help}.
 * `rowHeader` is the key of the column that names a row (the first, if not given). `onRow(row)` makes a row choosable by
 * a button in its header cell. `below(row)` makes what stands beneath that name. `sorted` is {key, down} to begin with; null keeps the order of the rows.
 * With `first`, so many rows are in sight, and a button brings all. A column that says nothing of any row is not shown.
 */
export function table({ caption, columns, rows = [], rowHeader = columns[0].key, sortable = true, sorted = null, onRow, below, first = Infinity }) {
  let order = sorted;
  let shown = rows;
  const body = h("tbody");
  const headers = columns.map((column) => headerCell(column));
  const whole = h("button.small", { "aria-expanded": "false", onclick: () => { isWhole = !isWhole; draw(); } });
  const scroll = h(
    "div.table-scroll", { role: "region", "aria-label": caption, tabindex: "0" },
    h("table", h("caption", caption), h("thead", h("tr", headers)), body),
  );
  const element = first < Infinity ? h("div.stack", scroll, h("div", whole)) : scroll;
  let isWhole = false;

  function headerCell(column) {
    const attributes = { scope: "col", class: column.number ? "number" : null, title: column.help };
    const button = sortable ? h("button.sort", { onclick: () => sortBy(column) }, column.title) : null;
    return h("th", attributes, button ?? column.title);
  }

  function sortBy(column) {
    order = { key: column.key, down: order?.key === column.key ? !order.down : false };
    draw();
  }

  function draw() {
    const column = order && columns.find((one) => one.key === order.key);
    const told = columns.filter((one) => one.node || !shown.length || shown.some((row) => textOf(one, row)));
    columns.forEach((one, at) => {
      set(headers[at], { hidden: !told.includes(one), "aria-sort": one === column ? (order.down ? "descending" : "ascending") : null });
    });
    const inOrder = column ? [...shown].sort((a, b) => compare(sortValue(column, a), sortValue(column, b)) * (order.down ? -1 : 1)) : shown;
    set(whole, { "aria-expanded": String(isWhole), hidden: shown.length <= first });
    put(whole, isWhole ? `The first ${first} rows` : `All ${shown.length} rows`);
    put(body, inOrder.slice(0, isWhole ? undefined : first).map((row) => h("tr", told.map((one) => cell(one, row)))));
  }

  function cell(column, row) {
    const content = column.node ? column.node(row) : textOf(column, row);
    const attributes = { class: column.number ? "number" : null };
    if (column.key !== rowHeader) {
      return h("td", attributes, content);
    }
    const held = onRow ? h("button.link", { onclick: () => onRow(row) }, content) : content;
    return h("th", { ...attributes, scope: "row" }, held, below?.(row));
  }

  draw();
  return { element, show(next) { shown = next; draw(); } };
}

function textOf(column, row) {
  return String((column.text ? column.text(row) : row[column.key]) ?? "");
}

function sortValue(column, row) {
  return column.sort ? column.sort(row) : row[column.key] ?? "";
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    return a - b;
  }
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** A column of numbers: those of `key`, written by write(number) where there is one. */
export const amount = (key, title, write, more) => ({ key, title, number: true, text: (row) => ((row[key] ?? null) === null ? "" : write(row[key])), ...more });

/** A column of intervals of shares: from `low` to `high`, with an ending of these names. */
export const interval = (title, end = "") => ({ key: `low${end}`, title, number: true, text: (row) => intervalText(row[`low${end}`], row[`high${end}`]) });

/** Build facts, [name, text] each. */
export function factsList(facts) {
  return h("dl.facts", facts.map(([name, text]) => h("div", h("dt", name), h("dd", text))));
}
