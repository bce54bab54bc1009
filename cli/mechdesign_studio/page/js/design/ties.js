// How far the numbers of a design reach over all mechanisms that are as good, each with a thin bar of that range; found while nobody drags.

import { chance, h, perCent, put } from "../kit.js";

const LARGEST = 17; // inputs up to which all ranges are found within a second
const ROOM = 1.1; // the bar ends so many times as far as the range

/** Say whether others are as good, by the words of the command. */
export const tiesText = ({ words }) => `${words[0].toUpperCase()}${words.slice(1)} (proved).`;

/**
 * Build the ranges: {element, tasks(options) (what is still to be found), hide(), show(report, matrix, options, isStaged)}. They are of counts; losses are expected under the design's prior. onCanonical()
 * is called by a button, which is there unless the design is one of further respects.
 */
export function tiesView({ onCanonical }) {
  const head = h("p.hint");
  const list = h("ul.people-words.ranges");
  const take = h("div.row", h("button.small", { onclick: onCanonical }, "Take the canonical one"), h("span.hint", "--then canonical: the least mean error, and the same mechanism on every machine"));
  const element = h("div.stack", { hidden: true, role: "group", "aria-label": "Mechanisms that are as good" }, head, list, take);
  let [key, isOn, isKnown, numbers, staged] = ["", false, false, [], false];

  function draw({ ranges, ...ties }) {
    const found = new Map(ranges.map(({ name, low, high }) => [name, [low.value, high.value]]));
    const rows = numbers.map((one) => row(one, found.get(one.name))).filter(Boolean);
    isKnown = true;
    element.hidden = false;
    put(head, tiesText(ties), ties.unique ? "" : rows.length > 0 ? " Over all of them:" : " They have the numbers above, too.");
    put(list, rows);
    take.hidden = ties.unique || staged;
  }

  const keyOf = (options) => JSON.stringify([options, staged]);

  return {
    element,
    tasks(options) {
      const asked = keyOf(options);
      if (!isOn || isKnown) return [];
      return [{ step: { command: "solve", options: { ...options, ties: true } }, onDone: (answer) => asked === key && draw(answer) }];
    },
    hide() {
      element.hidden = true;
    },
    show({ problem }, matrix, options, isStaged) {
      staged = isStaged;
      const asked = keyOf(options);
      if (asked === key) {
        element.hidden = !isKnown;
        return;
      }
      [key, isKnown] = [asked, false];
      isOn = problem.model === "count" && matrix.size <= LARGEST;
      element.hidden = true;
      numbers = isOn ? numbersOf(matrix, problem) : [];
    },
  };
}

/** List the numbers of a design that may differ from those of others as good: {name (of the range), words, own, text}. */
function numbersOf(matrix, problem) {
  const weights = weightsOf(problem, matrix.size);
  const mean = (loss) => weights.reduce((sum, weight, truth) => sum + weight * lossOf(matrix, truth, loss), 0);
  const under = [null, "uniform"].includes(problem.prior) ? "" : ", under the prior";
  const middle = Math.floor(matrix.size / 2);
  const right = (truth) => ({ name: `right at ${truth}`, words: `right where ${truth} is true`, own: chance(matrix, truth, [truth]), text: perCent });
  const two = (value) => value.toFixed(2);
  return [
    { name: "L1", words: `off by${under}`, own: mean(Math.abs), text: two }, { name: "L2", words: `off by, squared${under}`, own: mean((e) => e * e), text: two },
    right(0), right(middle),
  ];
}

function lossOf({ size, value }, input, loss) {
  let sum = 0;
  for (let output = 0; output < size; output += 1) sum += loss(output - input) * value(output, input);
  return sum;
}

/** List how likely each count is under a problem's prior; equally in the worst case, as the losses of the ranges are. */
function weightsOf({ prior, prior_weights: stated }, size) {
  if (prior === "weights") return stated.map(numberOf);
  if (prior === null || prior === "uniform") return Array(size).fill(1 / size);
  const chances = [1]; // binomial:P, grown person by person
  const p = numberOf(prior.split(":")[1]);
  while (chances.length < size) {
    chances.push(0);
    for (let j = chances.length - 1; j >= 0; j -= 1) chances[j] = (1 - p) * chances[j] + (j > 0 ? p * chances[j - 1] : 0);
  }
  return chances;
}

// The number of a fraction, whose parts may be longer than a double holds.
function numberOf(text) {
  const [top, bottom = "1"] = text.split("/");
  const shift = Math.max(0, top.length - 300, bottom.length - 300);
  return Number(shift ? top.slice(0, -shift) || "0" : top) / Number(shift ? bottom.slice(0, -shift) || "1" : bottom);
}

// A number and its range; null where all have the same in the digits that are shown.
function row({ words, own, text }, [low, high]) {
  const place = (x) => `${(100 * x) / (ROOM * high)}%`;
  const [from, to] = [low, high].map(text);
  if (from === to) return null;
  return h(
    "li",
    h("span.range-room", { "aria-hidden": "true" }, h("span.range-band", { style: { left: place(low), width: place(high - low) } }), h("span.range-own", { style: { left: place(own) } })),
    h("span.range-text", `${words}: `, h("b", text(own)), h("span.hint", ` ${from} to ${to}`)),
  );
}
