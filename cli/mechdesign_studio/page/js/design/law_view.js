// What is shown of a law, one mechanism for groups of every size: the facts as the command tells them, and its picture.

import { rowsOf, run } from "../api.js";
import { codeDisclosure, downloads, h, heatmap, put, set, smallChart } from "../kit.js";
import { readMatrix } from "./matrix.js";
import { reportSaver } from "./saving.js";

const WHY = "A matrix of so many people would be too large. A law is one mechanism for groups of every size: the geometric mechanism, "
  + "but for a few rows at each end. It is proved from these rows alone.";
const [LEAST_DRAWN, MOST_DRAWN] = [12, 256]; // people of the picture
const TABLE = "law.csv";

export const [LAW, ANY] = ["law.json", "any.json"];

/** Build the view: {element, show({text, job, files, asked, report, options}), hide()}; `report` is that of the law for any n. */
export function lawView() {
  const facts = h("pre.law-facts");
  const map = heatmap({ label: "Heat map of the law", rows: "output", columns: "input (truth)", bars: (j) => `If the truth is ${j}` });
  const told = h("p.hint");
  const scores = smallChart();
  const saved = downloads("Files of this law");
  const page = reportSaver();
  const beside = h("div.beside", h("p", WHY), told, h("h3.minor", "Score against n"), scores);
  const element = h(
    "div.stack.law-results", { hidden: true }, h("h2", "A law for groups of every size"),
    h("div.hero", h("div.picture", map), beside),
    h("div.card", facts),
    h("div.card", page, saved, codeDisclosure("design")),
  );

  // All sizes share the rows of both ends; they are drawn at the least size for which the law is proved.
  function drawAt(n, options) {
    map.element.hidden = n > MOST_DRAWN;
    put(told, n > MOST_DRAWN ? `The law is proved from n = ${n} on, which is too large for a picture.` : `The picture is the law at n = ${n}. At larger n the rows at both ends stay, and the middle grows.`);
    if (n > MOST_DRAWN) return;
    run("design-law", [{ command: "solve", options: { ...options, n, output: [TABLE] } }], {
      onDone: async ({ job }) => map.show(readMatrix({ rows: await rowsOf(job, TABLE) })),
    });
  }

  return {
    element,
    show({ text, job, files, asked, report, options }) {
      put(facts, text.trimEnd());
      drawAt(Math.max(report.from, LEAST_DRAWN), options);
      const points = report.scores.map(({ n, value }) => [Math.log10(n), value]);
      const powers = Array.from({ length: Math.ceil(points.at(-1)[0]) + 1 }, (_, k) => [k, k % 3 ? "" : `10${["⁰", "", "", "³", "", "", "⁶", "", "", "⁹"][k]}`]);
      scores.show({ lines: [{ name: "", kind: "main", points }], ticks: powers, across: "n", upwards: "score", mark: null, title: "The least score against the size of the group" });
      saved.show(job, files);
      page.show({ job, name: files.find((one) => one.name === ANY)?.name ?? LAW });
      set(element, { "data-asked": asked });
      element.hidden = false;
    },
    hide() {
      element.hidden = true;
    },
  };
}
