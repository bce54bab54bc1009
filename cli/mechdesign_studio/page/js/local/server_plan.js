// What a server needs for the reports of each oracle: a plan on paper, as the command makes it.

import { amount, h, isNumber, put, table, whole } from "../kit.js";

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Build the plan: {element, show(rows)}; rows of `local oracles --json`, whose surveys of workloads have no plan. */
export function serverPlan() {
  const by = h("p.hint");
  const list = table({
    caption: "To receive and add up all reports, by oracle", sorted: { key: "planned_seconds", down: false },
    columns: [
      { key: "name", title: "Oracle" },
      amount("planned_bytes", "Received", bytesText),
      amount("planned_seconds", "Time of one core", timeText),
      amount("planned_machines", "Machines", whole, { help: "How many of two cores are done in an hour" }),
    ],
  });
  const element = h("details", h("summary", "What a server needs"), by, list);
  return {
    element,
    show(rows) {
      const planned = rows.filter((row) => row.fits && isNumber(row.planned_seconds));
      element.hidden = planned.length === 0;
      put(by, planned.length ? `A plan ${planned[0].planned_by}. Machines have two cores and are done in an hour.` : null);
      list.show(planned);
    },
  };
}

function bytesText(bytes) {
  const place = Math.min(bytes >= 1 ? Math.floor(Math.log10(bytes) / 3) : 0, UNITS.length - 1);
  return `${Number((bytes / 1000 ** place).toPrecision(3))} ${UNITS[place]}`;
}

/** Seconds with two digits, which a plan has at most; from two minutes on as minutes, and from two hours on as hours. */
function timeText(seconds) {
  const rounded = (value) => whole(Number(value.toPrecision(2)));
  if (seconds < 1) return "below 1 s";
  if (seconds < 120) return `${rounded(seconds)} s`;
  return seconds < 7200 ? `${rounded(seconds / 60)} min` : `${rounded(seconds / 3600)} h`;
}
