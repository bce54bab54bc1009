// How far the numbers of a design reach over all mechanisms that are as good, each with a thin bar of that range; found while nobody drags.

import { chance, errors, h, perCent, put } from "../kit.js";

const LARGEST = 17; // inputs up to which all ranges are found within a second
const ROOM = 1.1; // the bar ends so many times as far as the range
const ALONE = "No other mechanism is as good (proved).";
const OTHERS = "Other mechanisms are as good. Over all of them (proved):";
const ALIKE = "Other mechanisms are as good, with these numbers too (proved).";

/** Build the ranges: {element, tasks(options) (what is still to be found), hide(), show(report, matrix, options)}. They are of counts, with each count equally likely. */
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
      isOn = problem.model === "count" && matrix.size <= LARGEST && [null, "uniform"].includes(problem.prior);
      element.hidden = true;
      numbers = isOn ? numbersOf(matrix) : [];
    },
  };
}

/** List the numbers of a design that may differ from those of others as good: {name (of the range), words, own, text}. */
function numbersOf(matrix) {
  const middle = Math.floor(matrix.size / 2);
  const right = (truth) => ({ name: `right at ${truth}`, words: `right where ${truth} is true`, own: chance(matrix, truth, [truth]), text: perCent });
  const two = (value) => value.toFixed(2);
  return [
    { name: "L1", words: "off by", own: errors(matrix).off, text: two }, { name: "L2", words: "off by, squared", own: meanSquare(matrix), text: two },
    right(0), right(middle),
  ];
}

function meanSquare({ size, value }) {
  let sum = 0;
  for (let input = 0; input < size; input += 1) {
    for (let output = 0; output < size; output += 1) sum += (output - input) ** 2 * value(output, input);
  }
  return sum / size;
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
