// What is shown of a design: facts, the picture with its column, what stands beside it and what below.

import { link } from "../design_state.js";
import { h, put, set } from "../dom.js";
import { codeDisclosure } from "../parts/code.js";
import { downloads } from "../parts/downloads.js";
import { decimal } from "../parts/exact.js";
import { heatmap } from "../parts/heatmap.js";
import { valueTable } from "../parts/value_table.js";
import { factsLine, landmarksView, sealView, wordsView } from "./facts.js";
import { lawView } from "./law_view.js";
import { readMatrix } from "./matrix.js";

const STALE_AFTER = 150; // milliseconds; an answer that comes sooner greys nothing out
const DECIMALS = "For so many inputs the page shows decimals. The fractions are in the document: the Code panel has the command; "
  + "add --output design.json.";

/** Build the results: {elements, show(answer, {isNewest, moves}), showLaw(answer), wait(), stale()}. */
export function results() {
  const facts = factsLine();
  const map = heatmap({
    label: "Heat map of the mechanism", rows: "output", columns: "input (truth)", bars: (j) => `If the truth is ${j}`, onCell: (_, j) => column.choose(j),
  });
  const column = columnTable();
  const [words, seal, landmarks] = [wordsView(), sealView(), landmarksView()];
  const saved = downloads("Files of this design");
  const more = h("a", {}, "HTML report, CSV, NPZ, VIPR and pictures of this design, to download");
  const decimals = h("p", { class: "hint", hidden: true }, DECIMALS);
  const body = h(
    "div", { class: "design-results", hidden: true },
    facts.element,
    h(
      "div", { class: "hero" },
      h("div", { class: "picture" }, map.element),
      h("div", { class: "beside" }, words.element, decimals, seal.element),
    ),
    h("div", { class: "card" }, h("h2", {}, "Where it stands"), landmarks.element, column.element),
    h("div", { class: "card" }, saved.element, h("p", {}, more), codeDisclosure("design")),
  );
  const law = lawView();
  const ageing = staleness(body, law.element);
  return {
    elements: [body, law.element],
    show(answer, { isNewest, moves }) {
      const matrix = readMatrix(answer.matrix);
      body.hidden = false;
      law.hide();
      decimals.hidden = Boolean(answer.matrix.document);
      map.show(matrix, { moves });
      for (const part of [facts, words, seal, landmarks]) part.show(answer.report, matrix);
      column.show(matrix);
      saved.show(answer.job, answer.files);
      set(more, { href: link({ panel: "code" }) });
      set(body, { "data-asked": answer.asked });
      if (isNewest) ageing.fresh();
    },
    showLaw(answer) {
      body.hidden = true;
      law.show(answer);
      ageing.fresh();
    },
    wait: ageing.wait,
    stale: ageing.stale,
  };
}

// The chosen column, or the middle one, with its exact fractions.
function columnTable() {
  const table = valueTable({ heading: "output", summary: "The column as a table" });
  let [matrix, wished] = [null, null];

  function draw() {
    const j = Math.min(wished ?? Math.floor(matrix.size / 2), matrix.size - 1);
    const numbers = Array.from({ length: matrix.size }, (_, i) => decimal(matrix.value(i, j)));
    table.show({ numbers, texts: (i) => matrix.exact(i, j) ?? "", title: `Outputs when the true value is ${j}` });
  }

  return {
    element: table.element,
    choose(j) {
      wished = j;
      draw();
    },
    show(next) {
      matrix = next;
      draw();
    },
  };
}

// Grey out what is no answer to what is asked now, unless the answer comes at once.
function staleness(...parts) {
  let timer = null;
  const mark = (is) => {
    clearTimeout(timer);
    timer = null;
    parts.forEach((part) => part.classList.toggle("stale", is));
  };
  return {
    wait() {
      timer ??= setTimeout(mark, STALE_AFTER, true);
    },
    stale: () => mark(true),
    fresh: () => mark(false),
  };
}
