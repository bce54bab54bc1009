// What reports of a design for queries say: the answer to each query, and the shares of those items that they tell.

import { amount, interval, h, put, seen, shareText, table, whole } from "../kit.js";

const MOST_ROWS = 500;

/** Build the view: {element, show({document})}; the document is what `local aggregate --json` says. */
export function queriesView() {
  const said = h("p");
  const queries = listOf("Answer to each query, as a share of the users", "Query");
  const items = listOf("Share of the users with each item that the reports tell", "Item");
  return {
    element: h("div.stack", said, queries, items),
    show({ document }) {
      const rows = document.queries.map((row) => ({ ...row, name: nameOf(row) }));
      const shown = rows.slice(0, MOST_ROWS);
      const more = rows.length > shown.length ? ` The table has the first ${MOST_ROWS}; the file has all.` : "";
      put(said, `${whole(document.users)} reports, designed for ${document.workload}: ${whole(rows.length)} answers, each with its standard error at the estimated shares.${more}`);
      queries.show(shown);
      seen(document.items.length !== 0, items);
      items.show(document.items.slice(0, MOST_ROWS).map((row) => ({ ...row, name: row.item, share: row.estimate })));
    },
  };
}

function listOf(caption, title) {
  return table({
    caption,
    columns: [
      { key: "name", title },
      amount("share", "Share", shareText),
      amount("standard_error", "Standard error", shareText),
      interval("Interval by itself"),
      interval("Interval for all", "_all"),
    ],
  });
}

/** What names a query, its texts: its first and last items, its number, or its cell. */
function nameOf(row) {
  if ("first" in row && "last" in row) return `${row.first} to ${row.last}`;
  return Object.values(row).filter((cell) => typeof cell === "string").join(", ");
}
