// How far the numbers of a design reach over all mechanisms that are as good, each with a thin bar of that range; found while nobody drags.

import { chance, h, perCent, put } from "../kit.js";

const LARGEST = 17; // inputs up to which all ranges are found within a second
const ROOM = 1.1; // the bar ends so many times as far as the range
const ALONE = "No other mechanism is as good (proved).";
const OTHERS = "Other mechanisms are as good. Over all of them (proved):";
const ALIKE = "Other mechanisms are as good, with these numbers too (proved).";

/** Build the ranges: {element, tasks(options) (what is still to be found), hide(), show(report, matrix, options)}. They are of counts; losses are expected under the design's prior. */
export function tiesView() {
  const head = h("p.hint");
  const list = h("ul.people-words.ranges");
  const element = h("div.stack", { hidden: true, role: "group", "aria-label": "Mechanisms that are as good" }, head, list);
  let [key, isOn, isKnown, numbers] = ["", false, false, []];

  function draw({ unique, ranges }) {
    const found = new Map(ranges.map(({ name, low, high }) => [name, [low.value, high.value]]));
    const rows = numbers.map((one) => row(one, found.get(one.name))).filter(Boolean);
    isKnown = true;
    element.hidden = false;
    put(head, unique ? ALONE : rows.length > 0 ? OTHERS : ALIKE);
    put(list, rows);
  }

  return {
    element,
    tasks(options) {
      const asked = JSON.stringify(options);
      if (!isOn || isKnown) return [];
      return [{ step: { command: "solve", options: { ...options, ties: true } }, onDone: (answer) => asked === key && draw(answer) }];
    },
    hide() {
      element.hidden = true;
    },
    show({ problem }, matrix, options) {
      const asked = JSON.stringify(options);
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
