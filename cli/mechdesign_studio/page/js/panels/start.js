// Five scenes that show what a private count is: one at a time, one slider for all, and every number from a proved design.

import { asNumber } from "../design/entering.js";
import { idleWork } from "../design/idle.js";
import { readMatrix } from "../design/matrix.js";
import { link, PLAIN, refusal } from "../design_state.js";
import { PARAMETERS } from "../facts.js";
import { ALL, codeDisclosure, h, isOf, messages, put, roundedDown, roundedUp, runner, set, sliderField, still, textField, written } from "../kit.js";
import { attackScene, honestyScene, privacyScene, publishScene, sealScene } from "../start/scenes.js";

const name = "start";
export const lead = "Two minutes: what a private count is, what its noise does, and what is proved. Every number comes from a mechanism that is designed and proved while you drag.";

const [N, TRUTH, DRAWS] = [8, 4, 200];
// At the first the numbers have a peak, and without rules the ends already stand out.
const [LEAST, MOST, FIRST] = ["0.3", "0.95", "0.6"];
const [FREE, HONEST, RULES] = ["free.json", "honest.json", PARAMETERS.props.first];

let refresh = () => {};

export function build(root) {
  const status = messages();
  const job = runner(name, status);
  // What the fields and all sentences are of: {alpha} or {epsilon}, as it was asked.
  let told = { alpha: FIRST };
  const idle = idleWork("start-idle");
  const seal = sealScene();
  const scenes = [publishScene({ onMore: () => ask(told) }), privacyScene(), honestyScene({ onAlpha: (alpha) => ask({ alpha }) }), seal, attackScene()];
  const steps = scenes.map((scene, at) => h("button.step", { onclick: () => { go(at); reveal(); } }, `${at + 1}.`, h("span", ` ${scene.title}`)));
  const stage = h("div", scenes.map((scene) => scene.element));
  const back = h("button", { onclick: () => { go(at - 1); reveal(); } }, "Back");
  const next = h("button.primary", { onclick: () => { go(at + 1); reveal(); } }, "Next");
  const yours = h("a.onward", "Design yours");
  const odds = h("p.hint");
  const slider = sliderField({
    label: "Privacy", min: LEAST, max: MOST, step: "0.01", value: FIRST, says: () => wordsOf(told),
    help: "Drag to the right for more privacy, a smaller epsilon; or give a number.", onInput: slide, onCommit: slide,
  });
  const fields = Object.fromEntries(["epsilon", "alpha"].map((name) => [name, textField({
    label: name, attributes: { inputmode: "decimal" }, onCommit: (text) => type(name, text.trim()),
  })]));
  let at = 0;
  let isBegun = false;

  function slide(alpha) {
    tell({ alpha });
    ask(told);
  }

  function type(name, text) {
    const wrong = refusal(name, text);
    if (wrong) refuse(name, `${wrong}.`);
    else ask({ [name]: written(text) });
  }

  function refuse(name, text) {
    fields[name].complain(`${text} Shown is ${Object.entries(told)[0].join(" = ")}.`);
  }

  /** Design with this privacy, freely and honestly, and draw counts by the honest one from a seed: nothing is released. */
  function ask(asked) {
    isBegun = true;
    idle.stop();
    const solve = (properties, more) => ({ command: "solve", options: { n: N, ...asked, props: properties, ...more } });
    const seed = crypto.getRandomValues(new Uint32Array(1))[0];
    const draw = { command: "simulate", options: { mechanism: HONEST, data: `constant:${TRUTH}`, people: N * DRAWS, seed } };
    job.run([solve("none", { output: [FREE] }), solve(RULES, { output: [HONEST] }), draw], {
      saying: "Designing", silent: ALL, keep: "here",
      onDone: ({ steps: [free, honest, drawn] }) => {
        if (asked !== told) tell(asked);
        const answer = { truth: TRUTH, privacy: { ...asked, number: alphaOf(asked) }, free: read(free.document), honest: read(honest.document), draws: drawn.document.simulated };
        for (const scene of scenes) scene.show(answer);
        idle.rest(() => [{ step: solve(RULES, { ties: true }), onDone: seal.tell }]);
      },
      onFailed: ({ message }) => {
        const [name] = Object.keys(asked);
        if (!isOf(message, name)) return;
        status.clear();
        refuse(name, `${message.replace(/^--/, "")}.`);
      },
    });
  }

  function tell(asked) {
    told = asked;
    const number = alphaOf(asked);
    const { alpha = roundedDown(number), epsilon = roundedUp(-Math.log(number)) } = asked;
    Object.entries({ alpha, epsilon }).forEach(([name, text]) => {
      fields[name].set(text);
      fields[name].complain("");
    });
    if (asNumber(slider.value) !== number) slider.set(String(number));
    put(odds, `Whatever is published, the odds between neighbouring counts change by at most a factor ${roundedUp(1 / number, 3)} (rounded up). Epsilon is the natural logarithm of the factor, alpha is 1 divided by the factor.`);
    set(yours, { href: link({ ...PLAIN, panel: "design", n: String(N), ...asked, props: RULES }) });
  }

  function go(place) {
    at = place;
    scenes.forEach((scene, number) => { scene.element.hidden = number !== at; });
    steps.forEach((step, number) => set(step, { "aria-current": number === at ? "step" : null }));
    back.disabled = at === 0;
    next.hidden = at === scenes.length - 1;
    yours.hidden = !next.hidden;
    if (document.activeElement === next && next.hidden) yours.focus();
  }

  // On a telephone the picture is below what is in sight; it is drawn with the next frame.
  function reveal() {
    if (!matchMedia("(max-width: 48rem)").matches) return;
    const picture = scenes[at].element.lastElementChild;
    requestAnimationFrame(() => setTimeout(() => picture.scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" })));
  }

  root.append(
    h("div.steps", h("nav.row", { "aria-label": "Scenes" }, steps), h("div.row", back, next, yours)),
    h("div.card.start-card", h("div.start-privacy", slider, fields.epsilon, fields.alpha, odds), stage, status),
    codeDisclosure(name),
  );
  go(0);
  tell(told);
  refresh = () => isBegun || ask(told);
}

export function shown() {
  refresh();
}

function alphaOf({ alpha, epsilon }) {
  return alpha ? asNumber(alpha) : Math.exp(-asNumber(epsilon));
}

function wordsOf({ alpha, epsilon }) {
  return alpha ? `epsilon ${roundedUp(-Math.log(asNumber(alpha)))}, alpha ${alpha}` : `epsilon ${epsilon}`;
}

function read(document) {
  return { document, matrix: readMatrix({ document }) };
}
