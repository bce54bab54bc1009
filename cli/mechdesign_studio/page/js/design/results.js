// What is shown of a design: facts, the picture with its column, what stands beside it and what below.

import { change, design, link } from "../design_state.js";
import { codeDisclosure, downloads, h, heatmap, put, set } from "../kit.js";
import { columnTable } from "./column_table.js";
import { alphaCurve } from "./curve.js";
import { enter } from "./entering.js";
import { factsLine, landmarksView, sealView, wordsView } from "./facts.js";
import { gallery } from "./gallery.js";
import { idleWork } from "./idle.js";
import { lawView } from "./law_view.js";
import { readMatrix } from "./matrix.js";
import { pinning } from "./pin.js";
import { pageSaver } from "./saving.js";
import { tiesView } from "./ties.js";
import { LIVE_SIZE, secondsText } from "./work.js";

const STALE_AFTER = 150; // milliseconds; an answer that comes sooner greys nothing out
const IDLE_SECONDS = 20; // of designs that are made while nobody drags
const LARGEST_SMALL = 65; // inputs up to which other mechanisms are drawn small: each document comes to the page
const DECIMALS = "For so many inputs the page shows decimals. The fractions are in the document: the Code panel has the command; "
  + "add --output design.json.";

/** Build the results: {elements, show(answer, {isNewest, moves}), showLaw(answer), wait(), stale()}. onCanonical() asks for the canonical design. */
export function results({ onCanonical }) {
  const pin = pinning(() => map.show(pin.beside(shown.read), { moves: true }));
  const facts = factsLine(pin.button, pin.words);
  const map = heatmap({
    label: "Heat map of the mechanism", rows: "output", columns: "input (truth)", bars: (j) => `If the truth is ${j}`, onCell: (_, j) => column.choose(j),
  });
  const column = columnTable();
  const curve = alphaCurve({ onPick: (alpha) => change({ alpha }) });
  const places = gallery({ onPick: change, onLook: look });
  const idle = idleWork("design-idle");
  let shown = null;
  const [words, ties, seal, landmarks] = [wordsView(), tiesView({ onCanonical }), sealView(), landmarksView()];
  const saved = downloads("Files of this design");
  const more = h("a", "HTML report, CSV, NPZ, VIPR and pictures of this design, to download");
  const decimals = h("p.hint", { hidden: true }, DECIMALS);
  const absent = h("p.hint");
  const page = pageSaver();
  const body = h(
    "div.design-results", { hidden: true },
    facts,
    h(
      "div.hero",
      h("div.picture", map),
      h("div.beside", words, decimals, seal, pin.chart, curve, places, absent),
    ),
    h("div.card", h("h2", "Where it stands"), landmarks, column, ties), // what comes late stands last, and moves nothing
    h("div.card", page, saved, h("p", more), codeDisclosure("design")),
  );
  const law = lawView();
  const ageing = staleness(body, law.element);
  const pressed = patience([body, law.element]);

  function draw(matrix, moves) {
    map.show(pin.beside(matrix), { moves });
    column.show(matrix);
  }

  // A mechanism by a formula, until the next answer or a click takes the design back.
  function look(name, document) {
    const matrix = readMatrix({ document });
    const back = h("button.small", { onclick: () => show(shown, { isNewest: true, moves: true }) }, "Back to the design");
    facts.look(`${name} mechanism, n = ${document.problem.n}, alpha = ${document.problem.alpha}: its formula, not your design`, back);
    body.classList.add("looking");
    words.show({ problem: document.problem, ignores_input: false }, matrix);
    ties.hide();
    draw(matrix, true);
  }

  function show(answer, { isNewest, moves }) {
    const matrix = answer.read ?? readMatrix(answer.matrix);
    body.hidden = false;
    law.hide();
    body.classList.remove("looking");
    shown = { ...answer, read: matrix };
    pin.offer({ matrix, report: answer.report });
    decimals.hidden = Boolean(answer.matrix.document);
    draw(matrix, moves);
    for (const part of [facts, words, seal, landmarks]) part.show(answer.report, matrix);
    saved.show(answer.job, answer.files);
    page.show(answer.matrix.document);
    set(more, { href: link({ panel: "code" }) });
    set(body, { "data-asked": answer.asked });
    ties.show(answer.report, matrix, answer.problem, Boolean(answer.matrix.document?.stages));
    if (isNewest) rest(answer, matrix.size);
  }

  function rest({ report, problem }, size) {
    settle();
    const { solve, certify, verify } = report.seconds;
    const each = solve + certify + verify;
    const most = size <= LIVE_SIZE ? Infinity : Math.floor(IDLE_SECONDS / each);
    curve.show(report, problem, { size, most });
    places.show(design(), size <= LARGEST_SMALL && !curve.element.hidden);
    put(
      absent, curve.element.hidden ? `The score against alpha is not drawn: each of its designs takes ${secondsText([each, each])}. ` : null,
      size > LARGEST_SMALL ? `Other mechanisms are drawn small for up to ${LARGEST_SMALL - 1} people.` : null,
    );
    idle.rest(() => [ties, places, curve].map((one) => one.tasks(problem)).sort((a, b) => a.length - b.length).flat()); // the shorter list first
  }

  function settle() {
    ageing.fresh();
    pressed.fresh();
  }

  return {
    elements: [body, law.element],
    show,
    showLaw(answer) {
      body.hidden = true;
      law.show(answer);
      settle();
    },
    wait() {
      idle.stop();
      ageing.wait();
      pressed.wait();
    },
    stale() {
      ageing.stale();
      pressed.drop();
    },
  };
}

// What takes the design takes the one that stands in the fields: a press waits for the answer to it, and goes where there is none.
function patience(parts) {
  let [isFresh, press] = [true, null];
  parts.forEach((part) => part.addEventListener("click", (event) => {
    const pressed = event.target.closest("button, a[download]");
    if (!pressed) return;
    enter();
    if (isFresh) return;
    event.preventDefault();
    event.stopPropagation();
    press = () => (pressed.isConnected ? pressed : part.querySelector(`a[download="${pressed.download}"]`))?.click();
  }, { capture: true }));
  return {
    wait() {
      isFresh = false;
    },
    fresh() {
      isFresh = true;
      press?.();
      press = null;
    },
    drop() {
      [isFresh, press] = [true, null]; // no answer comes: what is shown is the last one
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
