// What is shown of a design: facts, heat map, a column as a distribution, landmarks, the certificate in words.

import { link } from "../design_state.js";
import { h, put, set } from "../dom.js";
import { codeDisclosure } from "../parts/code.js";
import { onTheme } from "../parts/colours.js";
import { downloads } from "../parts/downloads.js";
import { drawMiniature, spanOf } from "../parts/heat_drawing.js";
import { heatmap } from "../parts/heatmap.js";
import { columnView } from "./column.js";
import { factsView, landmarksView } from "./facts.js";
import { lawView } from "./law_view.js";
import { readMatrix } from "./matrix.js";
import { pageSaver } from "./saving.js";

const STALE_AFTER = 150; // milliseconds; an answer that comes sooner greys nothing out
const MINIATURE = 96; // pixels
const NARROW = "(max-width: 64rem)"; // where the miniature is shown
const DECIMALS = "For so many inputs the page shows decimals. The fractions are in the document: the Code panel has the command; "
  + "add --output design.json.";

/** Build the results: {element, miniature, show(answer, isNewest), showLaw(answer), wait(), stale()}; `above` stands before them. */
export function results(...above) {
  const facts = factsView();
  const column = columnView();
  const map = heatmap({ label: "Heat map of the mechanism", rows: "output", columns: "input", onCell: (_, j) => column.choose(j) });
  const landmarks = landmarksView();
  const words = wordsView();
  const saved = downloads("Files of this design");
  const more = h("a", {}, "HTML report, CSV, NPZ, VIPR and pictures of this design, to download");
  const decimals = h("p", { class: "hint", hidden: true }, DECIMALS);
  const page = pageSaver();
  const small = miniatureView();
  const body = h(
    "div", { class: "stack design-results", hidden: true },
    facts.element,
    h(
      "div", { class: "design-columns" },
      h("div", { class: "stack" }, card("Probabilities", decimals, map.element), card("Where it stands", landmarks.element)),
      h("div", { class: "stack" }, card(column.title, column.element), card("Why it is proved", words.element)),
    ),
    h("div", { class: "card" }, page.element, saved.element, h("p", {}, more), codeDisclosure("design")),
  );
  const law = lawView();
  const ageing = staleness(body, law.element);
  return {
    element: h("div", { class: "stack" }, above, body, law.element),
    miniature: small.element,
    show(answer, isNewest) {
      const matrix = readMatrix(answer.matrix);
      body.hidden = false;
      law.hide();
      decimals.hidden = Boolean(answer.matrix.document);
      small.show(matrix);
      map.show(matrix);
      column.show(matrix);
      for (const part of [facts, landmarks, words]) part.show(answer.report, matrix);
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

function card(title, ...children) {
  return h("div", { class: "card" }, typeof title === "string" ? h("h2", {}, title) : title, children);
}

// A small picture without numbers, beside the controls where the heat map is far below them.
function miniatureView() {
  const element = h("canvas", { class: "miniature", width: 0, height: 0, "aria-hidden": "true" });
  let matrix = null;
  const draw = () => matrix && element.offsetParent && drawMiniature(element, matrix, spanOf(matrix), MINIATURE);
  onTheme(draw);
  matchMedia(NARROW).addEventListener("change", draw);
  return {
    element,
    show(next) {
      matrix = next;
      draw();
    },
  };
}

function wordsView() {
  const proof = h("ul", { class: "words" });
  const asked = h("ul", { class: "words" });
  const list = (sentences) => sentences.map((sentence) => h("li", {}, sentence));
  return {
    element: h("div", { class: "stack" }, proof, h("details", {}, h("summary", {}, "What was asked, in words"), asked)),
    show({ words }) {
      put(proof, list(words.certificate));
      put(asked, list(words.problem));
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
