// Five scenes that show what a private count is: one at a time, one slider for all, and every number from a proved design.

import { readMatrix } from "../design/matrix.js";
import { link, PLAIN } from "../design_state.js";
import { PARAMETERS } from "../facts.js";
import { ALL, codeDisclosure, factorText, h, messages, put, roundedUp, runner, set, sliderField, still } from "../kit.js";
import { attackScene, honestyScene, privacyScene, publishScene, sealScene } from "../start/scenes.js";

const name = "start";
export const lead = "Two minutes: what a private count is, what its noise does, and what is proved. Every number comes from a mechanism that is designed and proved while you drag.";

const [N, TRUTH, DRAWS] = [8, 4, 200];
const [LEAST, MOST, FIRST] = ["0.3", "0.95", "0.6"]; // at the first the numbers have a peak, and without rules the ends already stand out
const [FREE, HONEST, RULES] = ["free.json", "honest.json", PARAMETERS.props.first];

let refresh = () => {};

export function build(root) {
  const status = messages();
  const job = runner(name, status);
  const scenes = [publishScene({ onMore: ask }), privacyScene(), honestyScene({ onAlpha: move }), sealScene(), attackScene()];
  const steps = scenes.map((scene, at) => h("button.step", { onclick: () => { go(at); reveal(); } }, `${at + 1}.`, h("span", ` ${scene.title}`)));
  const stage = h("div", scenes.map((scene) => scene.element));
  const back = h("button", { onclick: () => { go(at - 1); reveal(); } }, "Back");
  const next = h("button.primary", { onclick: () => { go(at + 1); reveal(); } }, "Next");
  const yours = h("a.onward", "Design yours");
  const odds = h("p.hint");
  const slider = sliderField({
    label: "Privacy", min: LEAST, max: MOST, step: "0.01", value: FIRST, shows: true, says: (value) => `epsilon ${roundedUp(-Math.log(value), 3)}, alpha ${value}`,
    help: "Drag to the right for more privacy: a smaller epsilon.", onInput: () => ask(), onCommit: () => ask(),
  });
  let at = 0;
  let asked = null; // the alpha that was asked for last

  /** Design at the slider's alpha, freely and honestly, and draw counts by the honest one from a seed: nothing is released. */
  function ask() {
    asked = slider.value;
    tell();
    const solve = (properties, file) => ({ command: "solve", options: { n: N, alpha: asked, props: properties, output: [file] } });
    const seed = crypto.getRandomValues(new Uint32Array(1))[0];
    const draw = { command: "simulate", options: { mechanism: HONEST, data: `constant:${TRUTH}`, people: N * DRAWS, seed } };
    job.run([solve("none", FREE), solve(RULES, HONEST), draw], {
      saying: "Designing", silent: ALL, keep: "here",
      onDone: ({ steps: [free, honest, drawn] }) => {
        const answer = { truth: TRUTH, free: read(free.document), honest: read(honest.document), draws: drawn.document.simulated };
        for (const scene of scenes) scene.show(answer);
      },
    });
  }

  function move(alpha) {
    slider.set(alpha);
    ask();
  }

  function tell() {
    put(odds, `The odds between neighbouring counts change by at most a factor ${factorText(asked)}, whatever is published. The logarithm of this factor is epsilon, and alpha is 1 divided by this factor, which is rounded up here.`);
    set(yours, { href: link({ ...PLAIN, panel: "design", n: String(N), alpha: asked, props: RULES }) });
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
    h("div.card.start-card", h("div.start-privacy", slider, odds), stage, status),
    codeDisclosure(name),
  );
  go(0);
  refresh = () => asked === null && ask();
}

export function shown() {
  refresh();
}

function read(document) {
  return { document, matrix: readMatrix({ document }) };
}
