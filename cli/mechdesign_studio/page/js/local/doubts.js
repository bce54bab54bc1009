// What is doubtful about reports: those that were left out, and counts that honest users do not give.

import { amount, h, put, table, whole } from "../kit.js";

// Counts whose places are the items.
const OF_ITEMS = ["items", "outputs", "buckets"];

/** Codes of the remarks that say what this part shows. */
export const DOUBTS = ["doubt"];

/** Build the part: {element, show(document)}; the document is what `local aggregate --json` says. */
export function doubts() {
  const dropped = h("p.notice");
  const flagged = h("p.notice");
  const list = table({
    caption: "Counts that honest users do not give",
    columns: [
      { key: "what", title: "Count of" },
      amount("count", "Counted", whole),
      amount("trials", "Of", whole),
      { key: "expected", title: "Honest mean", help: "What honest users give on average, at the end that is nearest to the count", number: true, text: (row) => `${row.count > row.expected ? "at most" : "at least"} ${whole(row.expected)}` },
    ],
  });
  const element = h("div.stack", dropped, flagged, list);
  return {
    element,
    show({ dropped: left = 0, flagged_counts: count = 0, flagged_level: level, flagged: flags = [], items = [] }) {
      element.hidden = !left && !count;
      dropped.hidden = !left;
      flagged.hidden = list.element.hidden = !count;
      put(dropped, left ? `${whole(left)} ${left > 1 ? "reports were" : "report was"} left out, which no client can have made.` : null);
      put(flagged, count ? `${whole(count)} ${count > 1 ? "counts" : "count"} would come from honest users with a probability below ${level}. If users send false reports, or a client is broken, the intervals below do not hold.` : null);
      list.show(flags.map((flag) => ({ ...flag, what: described(flag, items) })));
    },
  };
}

function described({ name, place }, items) {
  const item = OF_ITEMS.includes(name) ? items[place]?.item : undefined;
  return item === undefined ? `${name}, place ${place}` : item;
}
