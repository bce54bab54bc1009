// Six mechanisms as small pictures. A click goes to one: to a design by what it asks for, to a formula by a look at it.

import { PARAMETERS } from "../facts.js";
import { drawMiniature, h, onTheme, set, spanOf } from "../kit.js";
import { readMatrix } from "./matrix.js";

const SIDE = 44; // pixels
const HONEST = PARAMETERS.props.first;
const mean = (props) => ({ props, aggregate: PARAMETERS.aggregate.plain });
const ENTRIES = [
  { name: "Geometric", formula: "GM" }, { name: "Uniform", formula: "UM" }, { name: "Without rules", patch: mean(PARAMETERS.props.plain) },
  { name: "Honest", patch: mean(HONEST) }, { name: "Fair", patch: mean("F") }, { name: "Worst case", patch: { props: HONEST, aggregate: "worst", prior: PARAMETERS.prior.plain } },
];

/** Build the gallery: {element, tasks(options), show(design, isLive)}; onPick(patch) goes to a design, onLook(name, document) looks at a formula. */
export function gallery({ onPick, onLook }) {
  const places = ENTRIES.map((entry) => {
    const canvas = h("canvas", { width: SIDE, height: SIDE, "aria-hidden": "true" });
    const button = h("button.thumbnail", { disabled: true, onclick: () => go(place) }, canvas, entry.name);
    const place = { ...entry, canvas, button, document: null };
    return place;
  });
  const element = h("section.gallery", { hidden: true }, h("h2.minor", "Go to"), h("div.thumbnails", places.map((one) => one.button)));
  let [key, isOn] = ["", false];

  function go({ name, patch, document }) {
    if (patch) onPick(patch);
    else onLook(name, document);
  }

  // All by one scale, so the uniform one is pale.
  function draw() {
    const matrices = places.map(({ document }) => document && readMatrix({ document }));
    const top = Math.max(...matrices.map((matrix) => (matrix ? spanOf(matrix)[1] : 0)));
    matrices.forEach((matrix, at) => matrix && drawMiniature(places[at].canvas, matrix, SIDE, top));
  }

  onTheme(draw);
  return {
    element,
    tasks({ props, aggregate, prior, ...options }) {
      const asked = JSON.stringify([options, prior]);
      if (asked === key || !isOn) return [];
      const over = (at) => {
        if (at < places.length - 1) return;
        key = asked;
        element.hidden = !isOn;
        draw();
      };
      return places.map((place, at) => ({
        step: stepOf(place, { ...options, prior }),
        onDone(document) {
          place.document = document;
          place.button.disabled = false;
          over(at);
        },
        onFailed: () => over(at),
      }));
    },
    show(design, isLive) {
      isOn = isLive && design.model === "count";
      element.hidden = !isOn || places.every((place) => place.document === null);
      for (const { patch, button } of places) {
        set(button, { "aria-current": patch && Object.entries(patch).every(([name, value]) => design[name] === value) ? "true" : null });
      }
    },
  };
}

function stepOf({ formula, patch }, { n, alpha, epsilon, ...options }) {
  const size = alpha ? { n, alpha } : { n, epsilon };
  if (formula) return { command: "catalog", arguments: [formula], options: { ...size } };
  const { aggregate, props } = patch;
  const { prior, ...rest } = options;
  const asked = aggregate === "worst" ? { ...rest, aggregate } : options;
  return { command: "solve", options: { ...size, ...asked, props } };
}
