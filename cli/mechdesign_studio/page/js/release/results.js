// What a release tells: totals with what the noise leaves open, and the first rows of its output.

import { h, put, table } from "../kit.js";
import { results } from "./server.js";

/** Build the disclosure of a release's results, which are asked for when it is first opened. */
export function resultsOf(release) {
  const body = h("div.stack");
  const element = h("details", h("summary", "Results"), body);
  let isAsked = false;
  element.addEventListener("toggle", async () => {
    if (!element.open || isAsked) return;
    isAsked = true;
    put(body, h("p.hint", { role: "status" }, "Proving the record again"));
    try {
      put(body, view(await results(release, { onJob() {}, onProgress() {} })));
    } catch (error) {
      isAsked = false;
      put(body, h("p.message.failed", { role: "alert" }, error.message));
    }
  });
  return element;
}

function view({ header, rows, number, totals }) {
  const [first] = totals;
  const left = first.number - first.regions.length;
  return [
    h("p.hint", `Totals are sums of unbiased estimates, never of released counts. Their intervals hold the true total with a chance of about ${100 * first.confidence} %.`),
    first.why ? h("p.message.warn", first.why) : totalsTable(totals),
    left > 0 ? h("p.hint", `Estimates of ${left.toLocaleString("en")} more regions: mechdesign estimate --by-region.`) : null,
    outputTable(header, rows),
    number > rows.length ? h("p.hint", `The first ${rows.length} of ${number.toLocaleString("en")} rows; the file has all.`) : null,
  ];
}

function totalsTable(totals) {
  const lines = totals.flatMap(({ value, groups, units, total, regions }) => [
    { value, name: "all", groups, units, ...figure(total) },
    ...regions.map((one) => ({ value, name: one.name, groups: one.groups, units: one.units, ...figure(one.total) })),
  ]);
  const number = (key, title) => ({ key, title, number: true, text: (row) => row[key]?.toLocaleString("en", { maximumFractionDigits: 2 }) });
  return table({
    caption: "Estimated totals",
    columns: [
      { key: "name", title: "Region" },
      ...(totals[0].value === null ? [] : [{ key: "value", title: "Value" }]),
      number("groups", "Groups"), number("units", "Units"), number("total", "Total"), number("error", "Standard error"),
      number("low", "Low"), number("high", "High"),
    ],
    rows: lines,
  }).element;
}

function figure(found) {
  return found === null ? {} : { total: found.value, error: found.standard_error, low: found.low, high: found.high };
}

function outputTable(header, rows) {
  const columns = header.map((title, at) => ({ key: String(at), title, text: (row) => row[at], sort: (row) => row[at] }));
  return table({ caption: "Released counts", columns, rows }).element;
}
