// The five scenes. Each is {title, element, show({truth, privacy, free, honest, draws})}: the privacy as it was asked ({alpha} or {epsilon}, and the
// number of alpha), the two designs as {document, matrix}, and how often each count was drawn by the honest one.

import { tiesText } from "../design/ties.js";
import { bars, chance, decimal, distribution, errors, h, heatmap, ofHundred, perCent, put, roundedDown, roundedUp, set, shortFraction, sliderField, still, svg, switchField, whole } from "../kit.js";

// Milliseconds for a pile of draws.
const PILE = 900;
// Where the price of rules, and what they change, is plain; and up to where they are free.
const [PRIVATE, OPEN] = ["0.9", "0.5"];
// Less than so much more alpha is nothing to see.
const NEARER = 0.05;
// By which the difference of two rounded losses may be too small.
const FLOATS = 1e-15;
// What both charts hold at least, so heights compare while the slider moves: the columns of all its alphas.
const HIGH = 0.6;

/** A count of invented people, and a button that publishes it: the numbers pile up to a column of the matrix. */
export function publishScene({ onMore }) {
  const dots = svg("svg.people", { viewBox: "0 0 240 30", role: "img" });
  const told = h("p.verdict", { role: "status" });
  const chart = distribution({ heading: "published" });
  const once = h("button.primary", { disabled: true, onclick: () => { publish(1); reveal(); } }, "Publish");
  const many = h("button", { disabled: true, onclick: () => pile() }, "Publish 200 times");
  const [intro, note] = [h("p"), h("p.hint")];
  let [left, counts, last, answer, waiting] = [[], [], null, null, 0];

  function publish(times) {
    for (let k = 0; k < times && left.length > 0; k += 1) {
      last = left.pop();
      counts[last] += 1;
    }
    draw();
    if (left.length === 0) {
      // Until more are drawn.
      once.disabled = many.disabled = true;
      onMore();
    }
  }

  // On a telephone the chart is below what is in sight.
  function reveal() {
    chart.element.firstElementChild.scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });
  }

  /** Publish all that is left within a second. */
  function pile() {
    cancelAnimationFrame(waiting);
    const [began, all] = [performance.now(), left.length];
    const step = (now) => {
      const wanted = still() ? all : Math.min(all, Math.ceil((all * (now - began)) / PILE));
      publish(wanted - (all - left.length));
      if (wanted === all) reveal();
      if (wanted < all) waiting = requestAnimationFrame(step);
    };
    step(began + 1);
  }

  function draw() {
    const { matrix } = answer.honest;
    const total = counts.reduce((sum, one) => sum + one, 0);
    const exact = counts.map((_, output) => matrix.value(output, answer.truth));
    const shares = total ? counts.map((one) => one / total) : counts;
    chart.show({
      values: shares, expected: exact, numbers: counts.map(String), texts: (k) => matrix.exact(k, answer.truth), marked: answer.truth, axis: "published", upwards: "share of what you published", least: HIGH,
      title: `Published counts, ${total} in all; the truth is ${answer.truth}`,
    });
    put(note, `Bars are what you published with ${asked(answer.privacy)}, the marks what the mechanism promises. The people are invented: nothing is released or recorded.`);
    put(told, total ? total === 1 ? `Published: ${last}. Publish again: another number may come.` : `Last published: ${last}. Of ${total} numbers, ${counts[answer.truth]} were the truth.` : "Nothing is published yet.");
  }

  return {
    title: "Publish a count",
    element: split([intro, dots, h("div.row", once, many), told, note], chart),
    show(next) {
      const isNew = answer === null || answer.honest.document.problem.alpha !== next.honest.document.problem.alpha;
      answer = next;
      cancelAnimationFrame(waiting);
      left = shuffled(next.draws.flatMap((times, count) => Array(times).fill(count)));
      once.disabled = many.disabled = false;
      if (isNew) [counts, last] = [next.draws.map(() => 0), null];
      const { size } = next.honest.matrix;
      put(intro, `${size - 1} people answered yes or no, and ${next.truth} said yes. Somebody who knows ${size - 2} of the answers would read the last one from the count. So another number may be published in its place. Press Publish.`);
      put(dots, svg("title", `${size - 1} people, ${next.truth} of them said yes`), Array.from({ length: size - 1 }, (_, k) => svg("circle", { class: k < next.truth ? "yes" : "no", cx: 16 + 30 * k, cy: 15, r: 11 })));
      draw();
    },
  };
}

/** What the slider does: the column of the truth, and three sentences. */
export function privacyScene() {
  const chart = distribution({ heading: "published" });
  const words = h("ul.plain");
  return {
    title: "Drag privacy",
    element: split([h("p", "More privacy spreads the numbers, less brings them to the truth. Drag the slider above."), h("div", { role: "status" }, words)], chart),
    show({ truth, privacy, honest: { matrix } }) {
      const values = Array.from({ length: matrix.size }, (_, output) => matrix.value(output, truth));
      chart.show({ values, numbers: values.map(decimal), texts: (k) => matrix.exact(k, truth), marked: truth, axis: "published", least: HIGH, title: `How likely each number is when the truth is ${truth}` });
      const { wrong, off } = errors(matrix);
      put(
        words,
        h("li", `A true ${truth} is published as ${truth - 1} to ${truth + 1} in ${ofHundred(chance(matrix, truth, [truth - 1, truth, truth + 1]))}.`),
        h("li", `A number is wrong in ${ofHundred(wrong)}, and off by ${off.toFixed(1)} on average, where each count is equally likely.`),
        h("li", `Whoever bets on one person's answer sees the odds change by at most a factor ${roundedUp(1 / privacy.number, 3)}.`),
      );
    },
  };
}

/** The scandal: the best mechanism without rules, and the two rules that cure it. onAlpha(alpha) moves the slider. */
export function honestyScene({ onAlpha }) {
  const picture = heatmap({ label: "The mechanism", rows: "published", columns: "truth" });
  const words = h("p.verdict", { role: "status" });
  const price = h("p");
  let [answer, elsewhere] = [null, PRIVATE];
  const further = h("button", { onclick: () => onAlpha(elsewhere) });
  const honest = switchField({
    label: "Honest", checked: false, onCommit: () => draw(),
    help: "The truth comes at least as often as by a blind guess. On either side of it, a nearer number is at least as likely as one further off.",
  });

  function draw() {
    // The switch is there before the first answer.
    if (answer === null) return;
    const { truth, free, honest: ruled } = answer;
    const { matrix } = honest.value ? ruled : free;
    const ends = chance(matrix, truth, [0, matrix.size - 1]);
    const isFree = free.document.score.exact === ruled.document.score.exact;
    const right = ofHundred(chance(matrix, truth, [truth])).replace(" releases", "");
    const says = `says 0 or ${matrix.size - 1} in ${ofHundred(ends)} when the truth is ${truth}, and ${truth} in ${right}`;
    const shock = ends > chance(matrix, truth, [truth]) ? "Would you publish this?" : "Here the truth still comes at least as often as both ends.";
    put(words, honest.value ? `With both rules the best mechanism ${says}.` : `Without rules the best mechanism ${says}. ${shock}`);
    const [before, after] = [free, ruled].map((one) => perCent(errors(one.matrix).wrong));
    put(price, isFree ? "Here honesty is free: with the rules no more numbers are wrong." : `The price of honesty: ${after} of the numbers are wrong in place of ${before}, where each count is equally likely.`);
    picture.show({ ...matrix, text: (i, j) => matrix.text(i, j).replace("output", "published").replace("input", "truth") }, { moves: true });
    const isFar = answer.privacy.number <= Number(PRIVATE) - NEARER;
    elsewhere = isFar ? PRIVATE : OPEN;
    put(further, `With ${isFar ? "more" : "less"} privacy: alpha ${elsewhere}`);
  }

  return {
    title: "Ask for honesty",
    element: split([h("p", "Steps 1 and 2 showed the mechanism with both rules of honesty. Here you can switch them on and off."), words, h("div.row", further), honest, price], picture),
    show(next) {
      answer = next;
      draw();
    },
  };
}

/** The seal: why no mechanism is better, in a line for each half of the proof. */
export function sealScene() {
  const claim = h("p.verdict");
  const reasons = h("ol.plain");
  const ties = h("p");
  return {
    title: "See the proof",
    element: h("section.scene.stack", h("p.seal", "Proved, in whole numbers"), claim, h("details", h("summary", "The proof in numbers"), reasons, ties)),
    tell: (found) => put(ties, tiesText(found), " The score is this loss."),
    show({ privacy, honest: { document, matrix } }) {
      const { score, lower_bound: bound, dual, weights, status } = document;
      const prices = dual.rows.filter(([kind]) => kind !== "DP").length;
      const isSame = status === "exact";
      const prove = `the rule of privacy${prices ? `, with ${prices} prices on the rules of honesty, proves` : " alone proves"}`;
      const { epsilon } = privacy;
      put(ties);
      const gap = score.value - bound.value + FLOATS;
      put(claim, `Where each count is equally likely, this mechanism is wrong in ${ofHundred(errors(matrix).wrong)}. No honest one with this privacy (${asked(privacy)}${isSame ? `, epsilon = ${roundedUp(-Math.log(privacy.number), 3)}, rounded up` : ""}) is then wrong less often${isSame ? "" : ` by more than one release in ${whole(roundedDown(1 / gap, 1))}`}.`);
      put(
        reasons,
        h("li", `The loss is the chance of a wrong number, each count equally likely, times ${weights.length}/${weights.length - 1}. So a blind guess has a loss of 1.`),
        h("li", `This mechanism has the loss ${isSame ? shortFraction(score.exact) : `${roundedUp(score.value, 12)}, rounded up`}: all its rules are tested on its ${weights.length ** 2} whole numbers.`),
        h("li", isSame
          ? `None has less: ${prove} the bound ${shortFraction(bound.exact)}, which is the same number.${prices ? "" : " So the rules of honesty cost nothing here."}`
          : `None has less than ${roundedDown(bound.value, 12)}: ${prove} this bound.${epsilon ? ` No fraction is exp(-${epsilon}) itself, so the bound is of one just below, the mechanism of one just above.` : ""}`),
        h("li", "You need to believe whole numbers, fractions, and a checker whose code anybody can read; no solver, and no rounding."),
      );
    },
  };
}

/** An attacker who knows all but one person, and what a published number tells. */
export function attackScene() {
  const seen = sliderField({ label: "The published number", min: 0, max: 1, step: 1, value: 0, shows: true, says: String, onInput: () => draw(), onCommit: () => draw() });
  const intro = h("p");
  const words = h("p.verdict", { role: "status" });
  const chart = bars({ caption: "How likely it is that the last person said yes", heading: "Belief", amount: "Chance of yes", whole: 1 });
  let answer = null;

  function draw() {
    if (answer === null) return;
    const { truth, privacy: { alpha, epsilon, number }, honest: { matrix } } = answer;
    const output = Number(seen.value);
    const [no, yes] = [matrix.value(output, truth - 1), matrix.value(output, truth)];
    const belief = yes / (no + yes);
    chart.show([
      { name: "before", value: 0.5, text: "50.0 %" },
      { name: `after a published ${output}`, value: belief, own: true, text: perCent(belief) },
    ]);
    const factor = roundedUp(1 / number, 3);
    const span = alpha ? `${alpha} and ${factor} times` : `exp(-${epsilon}) and exp(${epsilon}) times, so within ${roundedDown(number, 3)} and ${factor}`;
    put(words, `After a published ${output} the odds of yes are about ${Number((yes / no).toPrecision(3))} times those before. Whatever is published, they are between ${span}.`);
  }

  return {
    title: "Attack it",
    element: split([intro, seen, words], chart),
    show(next) {
      const isFirst = answer === null;
      answer = next;
      const { size } = next.honest.matrix;
      set(seen.input, { max: size - 1 });
      if (isFirst) seen.set(String(next.truth + 1));
      put(intro, `Somebody knows ${size - 2} of the ${size - 1} answers: ${next.truth - 1} said yes. So the count is ${next.truth - 1} or ${next.truth}, and the last answer decides. Which number came?`);
      draw();
    },
  };
}

// The privacy as it was asked, in words.
function asked({ alpha, epsilon }) {
  return alpha ? `alpha = ${alpha}` : `epsilon = ${epsilon}`;
}

// What is said and pressed stands beside what it draws, so both are in sight.
function split(words, picture) {
  return h("section.scene.split-scene", h("div.stack", words), picture);
}

function shuffled(values) {
  const random = crypto.getRandomValues(new Uint32Array(values.length));
  return values.map((value, k) => [random[k], value]).sort(([a], [b]) => a - b).map(([, value]) => value);
}
