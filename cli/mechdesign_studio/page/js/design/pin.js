// Keep a design, and show the next ones against it: the difference of their matrices, and their errors by the true count.

import { decimal, h, put, sixDigits, smallChart } from "../kit.js";
import { aboutAlpha } from "./facts.js";

/** Build the pin: {button, words, chart, offer({matrix, report}) (what is on screen), beside(matrix) (with what is pinned)}; onPin() when it comes or goes. */
export function pinning(onPin) {
  const button = h("button.small", { "aria-pressed": "false", onclick: () => turn() }, "Pin");
  const words = h("p.hint", { role: "status" });
  const errors = smallChart();
  const chart = h("section", { hidden: true }, h("h2.minor", "How far off"), errors);
  let [pinned, now] = [null, null];

  function turn() {
    pinned = pinned ? null : now;
    button.setAttribute("aria-pressed", String(pinned !== null));
    put(button, pinned ? "Unpin" : "Pin");
    tell();
    onPin();
  }

  function tell() {
    chart.hidden = pinned === null || now.report.problem.model !== "count" || pinned.report.problem.model !== "count";
    put(words, pinned ? wordsOf(pinned, now) : "");
    if (chart.hidden) return;
    const last = Math.max(now.matrix.size, pinned.matrix.size) - 1;
    errors.show({
      lines: [{ name: "this", kind: "main", points: offBy(now.matrix) }, { name: "pinned", kind: "true", points: offBy(pinned.matrix) }],
      ticks: [0, last].map((x) => [x, String(x)]), across: "true count", upwards: "off by, on average", mark: null,
      title: "Mean distance of the published count from the true one, by the true count: this design and the pinned one",
    });
  }

  return {
    button, words, chart,
    offer(next) {
      now = next;
      tell();
    },
    beside(matrix) {
      if (pinned?.matrix.size !== matrix.size || pinned.matrix === matrix) return matrix;
      const { value: other } = pinned.matrix;
      return { ...matrix, other, text: (i, j) => `${matrix.text(i, j)}; pinned ${decimal(other(i, j))}` };
    },
  };
}

function wordsOf(pinned, now) {
  if (pinned === now) return "Pinned: what you ask for next is drawn as its difference to this design.";
  const against = `${aboutAlpha(pinned.report.asked)}: score ${sixDigits(pinned.report.score.value)}`;
  return pinned.matrix.size === now.matrix.size
    ? `Blue is more likely here, orange in the pinned design (${against}).`
    : `The pinned design (${against}) has another size, so no difference is drawn.`;
}

function offBy({ size, value }) {
  return Array.from({ length: size }, (_, j) => [j, Array.from({ length: size }, (__, i) => Math.abs(i - j) * value(i, j)).reduce((a, b) => a + b, 0)]);
}
