// What a release tells: its first counts with what the noise leaves open, a paragraph to copy, and totals.

import { codeBlock, h, plot, put, svg, table } from "../kit.js";
import { results } from "./server.js";

const FIRST = 12; // rows in sight

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
      put(body, resultsView(await results(release, { onJob() {}, onProgress() {} })));
    } catch (error) {
      isAsked = false;
      put(body, h("p.message.failed", { role: "alert" }, error.message));
    }
  });
  return element;
}

/** Build what is shown of a release's results, as the server says them. */
export function resultsView({ header, rows, number, totals, paragraph, notes, ...told }) {
  const [first] = totals;
  const left = first.number - first.regions.length;
  return [
    countsChart(rows, told),
    codeBlock("To copy", paragraph),
    h("p.hint", `Totals are sums of unbiased estimates, never of released counts. Their intervals hold the true total with a chance of about ${100 * first.confidence} %. ${notes.join(" ")}`),
    outputTable(header, rows, told),
    number > rows.length ? h("p.hint", `The first ${rows.length} of ${number.toLocaleString("en")} rows; the file has all.`) : null,
    first.why ? h("p.message.warn", first.why) : totalsTable(totals),
    left > 0 ? h("p.hint", `Estimates of ${left.toLocaleString("en")} more regions: mechdesign estimate --by-region.`) : null,
  ];
}

// A dot for each count, a thick line for its own interval, a thin one for that of all at once.
function countsChart(rows, { released_at: at, places, titles }) {
  const kinds = titles.map((name, k) => ({ name, kind: `chart-line ${["main", "thin"][k]}`, line: true }));
  const of = rows.map((row) => row.slice(at).map(Number));
  const view = plot({ label: "Released counts. The table below has the numbers.", kind: "counts-chart", height: 220 });
  view.show({
    texts: places, rooms: true, first: 0, high: Math.max(...of.flat()), across: "", upwards: "released count", legend: kinds,
    say: (k) => `${places[k]}: ${of[k][0]}${titles.map((title, kind) => `; ${title}: ${of[k][2 * kind + 1]} to ${of[k][2 * kind + 2]}`).join("")}`,
    draw({ middle, y, left, end }) {
      const thick = Math.min(6, (end - left) / of.length / 2);
      const line = (k, ends, { kind }, two) => svg("path", { class: kind, d: `M${middle(k)} ${y(ends[2 * two])}V${y(ends[2 * two + 1])}`, style: two ? {} : { "stroke-width": thick } });
      return of.map(([count, ...ends], k) => [
        kinds.map((one, two) => line(k, ends, one, two)).reverse(), svg("circle.count-dot", { cx: middle(k), cy: y(count), r: Math.min(4, thick) }),
      ]);
    },
  });
  return view;
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

// The released share, and the interval of one group over its public size, rounded outwards.
function shareOf(row, at, sized) {
  const size = Number(row[sized]);
  const tenths = (count, round) => (round((1000 * count) / size) / 10).toFixed(1);
  const [low, high] = row.slice(at + 1);
  return size ? `${tenths(row[at], Math.round)} %${high ? ` (${tenths(low, Math.floor)} to ${tenths(high, Math.ceil)})` : ""}` : "";
}

function outputTable(header, rows, { released_at: at, sized_at: sized, titles }) {
  const number = (k) => k === at || k === sized;
  const plain = header.slice(0, at + 1).map((title, k) => ({ key: String(k), title, number: number(k), text: (row) => row[k], sort: (row) => (number(k) ? Number(row[k]) : row[k]) }));
  const both = titles.map((title, k) => ({ key: title, title, number: true, text: (row) => `${row[at + 1 + 2 * k]} to ${row[at + 2 + 2 * k]}`, sort: (row) => Number(row[at + 1 + 2 * k]) }));
  return table({ caption: "Released counts", columns: [...plain, ...both, ...(sized === null ? [] : [{ key: "share", title: "Share of the size", number: true, text: (row) => shareOf(row, at, sized), sort: (row) => row[at] / row[sized] }])], rows, first: FIRST }).element;
}
