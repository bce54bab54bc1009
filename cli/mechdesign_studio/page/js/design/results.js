// What is shown of a design: facts, the picture with its column, what stands beside it and what below.

import { link } from "../design_state.js";
import { h, put, set } from "../dom.js";
import { codeDisclosure } from "../parts/code.js";
import { downloads } from "../parts/downloads.js";
import { heatmap } from "../parts/heatmap.js";
import { columnTable } from "./column_table.js";
import { factsLine, landmarksView, sealView, wordsView } from "./facts.js";
import { lawView } from "./law_view.js";
import { readMatrix } from "./matrix.js";
import { pageSaver } from "./saving.js";

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
  const page = pageSaver();
  const body = h(
    "div", { class: "design-results", hidden: true },
    facts.element,
    h(
      "div", { class: "hero" },
      h("div", { class: "picture" }, map.element),
      h("div", { class: "beside" }, words.element, decimals, seal.element),
    ),
    h("div", { class: "card" }, h("h2", {}, "Where it stands"), landmarks.element, column.element),
    h("div", { class: "card" }, page.element, saved.element, h("p", {}, more), codeDisclosure("design")),
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
      page.show(answer.matrix.document);
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
