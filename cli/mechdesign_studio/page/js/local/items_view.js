// What reports say of items without an order: the share of each with its intervals, the largest first.

import { amount, bars, interval, h, intervalText, put, shareText, table, whole } from "../kit.js";

const MOST_ROWS = 500;
const MOST_NAMED = 20;

/** Build the view: {element, show({document})}; the document is what `local aggregate --json` says. */
export function itemsView() {
  const said = h("p");
  const list = table({
    caption: "Share of the users with each item", sorted: { key: "frequency", down: true },
    columns: [
      { key: "item", title: "Item" },
      amount("frequency", "Share", shareText),
      interval("Interval by itself"),
      interval("Interval for all items", "_all"),
    ],
  });
  const picture = bars({ caption: `The largest shares with their intervals, at most ${MOST_NAMED}`, heading: "Item", amount: "Share" });
  const element = h("div.stack", said, picture, list);
  return {
    element,
    show({ document }) {
      const { items, above_noise: above, users, confidence } = document;
      const largest = items.length > MOST_ROWS ? [...items].sort((a, b) => b.frequency - a.frequency).slice(0, MOST_ROWS) : items;
      put(
        said, `${whole(users)} reports about ${whole(items.length)} items. `,
        aboveText(above, confidence),
        largest === items ? "" : ` The table has the ${MOST_ROWS} largest; the file has all.`,
      );
      list.show(largest);
      const first = [...largest].sort((a, b) => b.frequency - a.frequency).slice(0, MOST_NAMED);
      picture.show(first.map(({ item, frequency, low, high }) => ({
        name: item, value: frequency, text: `${shareText(frequency)} (${intervalText(low, high)})`, ...(Number.isFinite(low) && Number.isFinite(high) ? { interval: [low, high] } : {}),
      })));
    },
  };
}

/** Which items are above noise; null where their standard errors are not known. */
function aboveText(above, confidence) {
  if (above === null) return "Single items have no standard errors where there are so many; prefixes and ranges have.";
  if (!above.length) return `No item can be told from 0 where all are looked at (${100 * confidence} %).`;
  const named = above.length > MOST_NAMED ? `${above.slice(0, MOST_NAMED).join(", ")} and ${above.length - MOST_NAMED} more` : above.join(", ");
  return `Above noise, looking at all items at once (${100 * confidence} %): ${named}.`;
}
