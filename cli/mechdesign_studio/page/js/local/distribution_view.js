// What reports say of items in order: the distribution function with its band, quantiles, ranges; beside the truth where
// it is known, as in a trial.

import { amount, digits, interval, h, intervalText, lineChart, put, seen, shareText, table, whole } from "../kit.js";

// In the label of a bin, between its first and its last unit.
const BETWEEN = "..";

/** Build the view: {element, show(document, truth)}; the truth is what `data --bins --json` says, or null. */
export function distributionView() {
  const said = h("p.distribution-words");
  const chart = lineChart({ label: "Estimated distribution function with its band; the table below has its numbers" });
  const quantiles = table({
    caption: "Quantiles", sortable: false,
    columns: [
      { key: "quantile", title: "Quantile", text: ({ quantile }) => (quantile === 0.5 ? "median (50 %)" : `${Number((100 * quantile).toPrecision(6))} %`) },
      { key: "item", title: "Estimate" },
      { key: "interval", title: "Interval" },
      { key: "true", title: "True" },
    ],
  });
  const moments = table({
    caption: "Mean and variance", sortable: false,
    columns: [
      { key: "moment", title: "Of all users" },
      amount("estimate", "Estimate", digits),
      amount("standard_error", "Standard error", digits),
      { key: "low", title: "Interval", text: ({ low, high }) => `${digits(low)} to ${digits(high)}` },
    ],
  });
  const width = h("p.hint");
  const ranges = table({
    caption: "Shares of the ranges", sortable: false,
    columns: [
      { key: "name", title: "Range" },
      amount("share", "Share", shareText),
      interval("Interval"),
      amount("true", "True", shareText),
    ],
  });
  const places = table({
    caption: "The distribution function", sortable: false,
    columns: [
      { key: "edge", title: "Below, or up to" },
      amount("rising", "Share", shareText),
      interval("Interval by itself"),
      interval("Band of all", "_all"),
    ],
  });
  const numbers = h("details", h("summary", "The numbers of the picture"), places);
  const element = h("div.stack", said, chart, quantiles, moments, width, ranges, numbers);
  return {
    element,
    show(document, truth = null) {
      const function_ = document.distribution.places;
      const below = truth?.counts ? trueShares(document.distribution, truth) : null;
      const { kind } = document.distribution;
      const told = (document.quantiles ?? []).map((row) => quantileRow(row, truth, kind, document.untold_quantiles));
      put(said, medianWords(told, document), binWords(document, truth), words(document, below));
      chart.show(chartOf(document, below));
      quantiles.show(told);
      seen(document.moments, moments);
      moments.show(document.moments ?? []);
      put(width, document.moment_statement ? `${document.moment_statement}.` : null);
      seen(document.ranges, ranges);
      ranges.show((document.ranges ?? []).map((row) => rangeRow(row, truth, kind)));
      places.show(function_);
    },
  };
}

function chartOf(document, below) {
  const { kind, places } = document.distribution;
  const level = `${100 * document.confidence} %`;
  const column = (name) => places.map((place) => place[name]);
  const lines = [
    { name: "estimate (rising)", values: column("rising"), kind: "main" },
    { name: "unbiased estimate", values: column("unbiased"), kind: "thin" },
  ];
  if (below) lines.push({ name: "true", values: below, kind: "true" });
  return {
    at: column("at"), texts: column("edge"), steps: kind === "items", lines,
    across: { numbers: "value", dates: "date", items: "item" }[kind],
    upwards: kind === "items" ? "share of the users up to it" : "share of the users below it",
    bands: [
      { name: `${level} band of the whole function`, low: column("low_all"), high: column("high_all"), kind: "pale" },
      { name: `${level} interval of each place`, low: column("low"), high: column("high"), kind: "dark" },
    ],
    say: (at) => placeWords(places[at], kind, below?.[at]),
  };
}

function placeWords(place, kind, truth) {
  const where = kind === "items" ? `up to ${place.edge}` : `below ${place.edge}`;
  const known = truth === undefined ? "" : `; truly ${shareText(truth)}`;
  return `${where}: ${shareText(place.rising)} (${intervalText(place.low, place.high)} by itself, ${intervalText(place.low_all, place.high_all)} for all places at once)${known}`;
}

function medianWords(told, { confidence, untold_quantiles: untold = [] }) {
  const median = told.find(({ quantile }) => quantile === 0.5);
  const known = median?.true ? ` In the file it is ${median.true}.` : "";
  const level = `${100 * confidence} %`;
  const rest = "Telling takes more people or a larger epsilon.";
  if (median && untold.includes(0.5)) return [h("strong.block", `These reports do not tell the median: at ${level} it may be anywhere from ${median.interval}. ${rest}`), h("span.block", `They put it at ${median.item}.${known}`)];
  return [
    median && h("strong.block", `The reports put the median at ${median.item} (${level}: ${median.interval}).${known}`),
    untold.length ? h("span.block", `They do not tell ${untold.length} of ${told.length} quantiles: each interval holds half of the items or more. ${rest}`) : null,
  ];
}

function quantileRow(row, truth, kind, untold = []) {
  const known = trueQuantile(row.quantile, truth);
  return { ...row, item: `${spanText(row.item, row.item, kind)}${untold.includes(row.quantile) ? " (says little)" : ""}`, interval: spanText(row.low, row.high, kind), true: known && spanText(known, known, kind) };
}

// From the first unit of a bin to the last one of another; items have no units.
function spanText(low, high, kind) {
  const [first, last] = kind === "items" ? [low, high] : [low.split(BETWEEN)[0], high.split(BETWEEN).at(-1)];
  return first === last ? first : `${first} to ${last}`;
}

function words(document, below) {
  const people = `${whole(document.users)} reports.`;
  if (!below) return people;
  const out = document.distribution.places.filter((place, at) => below[at] < place.low_all - 1e-9 || below[at] > place.high_all + 1e-9);
  const level = 100 * document.confidence;
  return out.length === 0
    ? `${people} The true distribution function lies in the band everywhere, as it does in about ${level} of 100 collections or more.`
    : `${people} The true distribution function leaves the band at ${out.length} of ${below.length} places; that happens in at most about ${Number((100 - level).toPrecision(4))} of 100 collections.`;
}

// What a bin is, by one of the table that has more than one value; in a trial, how to have finer ones.
function binWords({ quantiles = [] }, truth) {
  const bin = quantiles.map(({ item }) => item).find((item) => item.includes(BETWEEN));
  if (!bin) return null;
  const finer = truth?.width && ` For finer answers set Width${Number(truth.width) > 1 ? " to 1" : ""}, beside Last edge.`;
  return h("span.block", `Answers come in bins${finer ? ` of ${truth.width}` : ""}, such as ${bin.replace(BETWEEN, " to ")}.${finer || ""}`);
}

/** The true share below each place (up to it, of items), by the counts of the items. */
function trueShares({ kind, places }, { items, counts, users }) {
  const sums = [0];
  for (const count of counts) sums.push(sums.at(-1) + count);
  const number = new Map(items.map((item, at) => [kind === "items" ? item : item.split(BETWEEN)[0], at]));
  return places.map(({ edge }) => sums[number.has(edge) ? number.get(edge) + (kind === "items" ? 1 : 0) : counts.length] / users);
}

function trueQuantile(quantile, truth) {
  if (!truth?.counts) return null;
  let sum = 0;
  const at = truth.counts.findIndex((count) => (sum += count) >= quantile * truth.users * (1 - 1e-12));
  // Who was moved there is elsewhere.
  return truth.clipped && (at === 0 || at === truth.items.length - 1) ? null : truth.items[at];
}

function rangeRow(row, truth, kind) {
  const name = "first" in row ? spanText(row.first, row.last, kind) : `${row.first_1} to ${row.last_1}, ${row.first_2} to ${row.last_2}`;
  return { ...row, name, true: "first" in row ? trueRange(row, truth) : null };
}

function trueRange({ first, last }, truth) {
  if (!truth?.items) return null;
  const from = truth.items.findIndex((item) => item === first || item.split(BETWEEN)[0] === first);
  const to = truth.items.findIndex((item) => item === last || item.split(BETWEEN).at(-1) === last);
  if (from < 0 || to < from) return null;
  return truth.counts.slice(from, to + 1).reduce((sum, count) => sum + count, 0) / truth.users;
}
