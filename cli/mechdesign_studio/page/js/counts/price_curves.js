// The score of a set of properties beside that of none, for every alpha: their formulas, and what the set costs.

import { run } from "../api.js";
import { asNumber } from "../design/entering.js";
import { idleWork } from "../design/idle.js";
import { h, put, ratio, seen, selectField, smallChart } from "../kit.js";
import { ALPHA_AXIS, breaksOf, curveBetween, curveOf, formulaStep, LARGEST_FORMULA, PIECE_HEADS, pickedAlpha, piecesText, pieceRows, textAt, TOO_LARGE } from "./formula_pieces.js";

const LARGEST_CROSSINGS = 9; // inputs up to which the formulas of all sets together take seconds
const NONE = "none";
const PRICE = "price";
const LEFT = 6; // letters of ticks: the axes of both charts stand below each other
const PER_CENT = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 3 });

/**
 * Build the curves: {element, show({options, nodes, here, alpha, size}), choose(number)}; a node is {asked, closed, value and above (its score
 * and price at this alpha), words (on them)}. They show the node that was chosen last, or `here`. onPick(alpha) is called for a click.
 */
export function priceCurves({ onPick }) {
  const field = selectField({ label: "Properties to compare with none", onCommit: (label) => choose(labels().indexOf(label)) });
  const status = h("p", { role: "status" });
  const chart = smallChart({ onPick: (x) => onPick(pickedAlpha(x)), kind: "price-chart", height: 240 });
  const prices = smallChart({ kind: "price-chart", height: 140 });
  const words = h("summary");
  const rows = h("tbody");
  const head = h("thead", h("tr", PIECE_HEADS.map((name) => h("th", { scope: "col" }, name))));
  const pieces = h("details", { open: true }, words, h("div.table-scroll.tall", { role: "region", tabindex: "0", "aria-label": "Pieces of the formula" }, h("table", head, rows)));
  const meeting = h("div.hint");
  const shown = h("div.stack", chart, prices, pieces, meeting);
  const every = everySize();
  const element = h("section.card.stack", h("h2", "At every alpha"), field, status, shown, every);
  const idle = idleWork("prices-idle");
  let [asked, key, found, crossings, chosen] = [null, "", new Map(), null, 0]; // found: name of a set -> its report, or why there is none

  const labels = () => asked.nodes.map(labelOf);

  function choose(number) {
    if (number < 0 || !asked) return;
    chosen = number;
    draw();
    idle.rest(tasks);
  }

  function tasks() {
    if (asked.size > LARGEST_FORMULA) return [];
    const of = key;
    const only = (f) => (value) => {
      if (of !== key) return;
      f(value);
      draw();
    };
    const formulas = [labelOf(asked.nodes[chosen]), NONE].filter((name, at, all) => !found.has(name) && all.indexOf(name) === at).map((name) => ({
      step: formulaStep({ ...asked.options, props: name }),
      onDone: only((report) => found.set(name, report)),
      onFailed: only(({ message }) => { found.set(name, message); }),
    }));
    if (crossings || asked.size > LARGEST_CROSSINGS) return formulas;
    const { alpha, epsilon, ...options } = asked.options;
    const step = { command: "landscape", options: { ...options, "all-alpha": true } };
    return [...formulas, { step, onDone: only((landscape) => { crossings = landscape.crossings; }) }];
  }

  function draw() {
    const node = asked.nodes[chosen];
    const name = labelOf(node);
    field.offer(labels(), name);
    const [own, none] = [found.get(name), found.get(NONE)];
    const failed = [own, none].find((one) => typeof one === "string");
    shown.hidden = Boolean(failed) || !own || !none;
    every.ask(asked.options, name);
    put(status, asked.size > LARGEST_FORMULA ? TOO_LARGE : failed ?? (shown.hidden ? "The formula is being found." : `At alpha = ${asked.alpha}, ${node.words}.`));
    if (shown.hidden) return;
    const now = asNumber(asked.alpha);
    const alphas = own.at.map(({ alpha }) => asNumber(alpha));
    const above = own.at.map(({ score }, at) => difference(score, none.at[at].score));
    const more = above.map((price, at) => priceText(price, none.at[at].score.value));
    const lines = [lineOf(name, "main", own), lineOf(NONE, "thin", none)];
    const room = { left: LEFT, right: Math.max(...[name, NONE, PRICE].map((text) => text.length)) };
    const common = { ...ALPHA_AXIS, room, breaks: breaksOf(own.pieces), first: nearest(alphas, now) };
    chart.show({
      ...common, lines: name === NONE ? lines.slice(1) : lines, upwards: "least score", mark: [now, node.value],
      title: `The least score of ${name} and of no properties against alpha. A click chooses alpha.`,
      also: (alpha) => `${name} = ${textAt(own.pieces, alpha)}${name === NONE ? "" : `; ${more[alphas.indexOf(alpha)]}`}`,
    });
    seen(name !== NONE, prices);
    prices.show({
      ...common, breaks: [...common.breaks, ...breaksOf(none.pieces)], upwards: "above the least", mark: [now, node.above],
      lines: [{ name: PRICE, kind: "main", points: alphas.map((alpha, at) => [alpha, above[at]]), curve: curveBetween(own.pieces, none.pieces) }],
      title: `The price of ${name} against alpha.`,
    });
    put(words, `The formula of ${name}: ${piecesText(own.pieces)}`);
    put(rows, pieceRows(own.pieces, now));
    put(meeting, crossings && h("ul.plain", crossingTexts(node, crossings, asked.nodes).map((text) => h("li", text))));
  }

  return {
    element,
    choose,
    show(next) {
      const { alpha, epsilon, ...rest } = next.options;
      const known = JSON.stringify(rest);
      if (known !== key) [key, found, crossings] = [known, new Map(), null];
      const isHere = asked?.here !== next.here || asked.nodes.length !== next.nodes.length;
      asked = next;
      choose(isHere ? Math.max(0, next.here) : chosen);
    },
  };
}

// The formula of a set for groups of every size, as the command prints it, when somebody opens it.
function everySize() {
  const told = h("pre.law-facts");
  const element = h("details", { hidden: true, ontoggle: () => look() }, h("summary", "The formula for groups of every size"), told);
  let [asked, shown] = ["", ""];

  function look() {
    const mine = asked;
    if (!element.open || mine === shown) return;
    shown = mine;
    put(told, "The formula is being found.");
    const show = (text) => mine === asked && put(told, text.trim());
    run("prices-any", [{ command: "formula", options: JSON.parse(mine) }], { onDone: ({ steps: [{ text }] }) => show(text), onFailed: ({ message }) => show(message) });
  }

  return {
    element,
    ask({ n, alpha, epsilon, ...options }, props) {
      element.hidden = n === undefined;
      asked = JSON.stringify({ ...options, n: "any", props, json: null });
      look();
    },
  };
}

/** Say what a set costs above the least score. */
export function priceText(price, least) {
  if (!price) return "at no price";
  const share = least > 0 ? ` (${PER_CENT.format(price / least)} more)` : "";
  return `${shortPrice(price)} above the least${share}`;
}

/** Write a price in three digits. */
export function shortPrice(price) {
  return String(Number(price.toPrecision(3)));
}

/** Write a share of the least score. */
export function shareOf(price, least) {
  return PER_CENT.format(price / least);
}

// Scores are exact, so a price of 0 is told from a small one.
function difference(score, least) {
  const [[a, b], [c, d]] = [score, least].map(({ exact }) => exact.split("/").concat("1").slice(0, 2).map(BigInt));
  return ratio(String(a * d - b * c), String(b * d));
}

function nearest(alphas, alpha) {
  return alphas.reduce((best, one, at) => (Math.abs(one - alpha) < Math.abs(alphas[best] - alpha) ? at : best), 0);
}

function lineOf(name, kind, { at, pieces }) {
  return { name, kind, points: at.map(({ alpha, score }) => [asNumber(alpha), score.value]), curve: curveOf(pieces) };
}

function labelOf({ asked }) {
  return asked.join(",") || NONE;
}

// Of the sets that a set meets the weakest are named: what asks for more and costs the same is not.
function crossingTexts(node, crossings, nodes) {
  const mine = String(node.closed);
  const names = new Map(nodes.map((one) => [String(one.closed), labelOf(one)]));
  const texts = crossings.flatMap(({ text, pairs }) => {
    const others = pairs.filter((pair) => pair.some((set) => String(set) === mine)).map(([one, other]) => (String(one) === mine ? other : one));
    const least = others.filter((set) => !others.some((other) => other !== set && other.every((one) => set.includes(one))));
    return least.length ? [`At ${text} alone it costs what ${least.map((set) => names.get(String(set))).join(" and ")} costs.`] : [];
  });
  return texts.length ? texts : ["At no single alpha does it cost what another set costs there alone."];
}
