// The design's own numbers, for panels that use the design of the Design panel: they change it everywhere.

import { choices } from "../api.js";
import { LARGEST_MATRIX } from "../design/entering.js";
import { change, design, link, onChange } from "../design_state.js";
import { fieldGroup, h, numberField, put, seen, selectField, textField } from "../kit.js";

/**
 * Build the fields: {element, n (the field)}. `without` lists names that this panel does not use ("n", "props"); what
 * has no field is said in a sentence with a link to the Design panel.
 */
export function designFields({ legend = "The design", without = [] } = {}) {
  const n = numberField({ label: "People in a group, n", min: 1, max: LARGEST_MATRIX, onCommit: (value) => change({ n: value }) });
  const k = numberField({ label: "Items, k", min: 2, max: LARGEST_MATRIX, onCommit: (value) => change({ k: value }) });
  const alpha = textField({ label: "alpha", help: "0.9 or 9/10; near 1 is more private", onCommit: (value) => privacy("alpha", value) });
  const epsilon = textField({ label: "or epsilon", help: "instead of alpha", onCommit: (value) => privacy("epsilon", value) });
  const loss = selectField({ label: "Loss", options: [design().loss], value: design().loss, onCommit: (value) => change({ loss: value }) });
  const rest = h("p.hint");
  let losses = [];

  function privacy(name, value) {
    if (value.trim()) {
      change({ [name]: value.trim() });
    } else {
      show();
    }
  }

  function show() {
    const now = design();
    n.element.hidden = now.model !== "count" || without.includes("n");
    seen(now.model !== "count", k);
    for (const [field, value] of [[n, now.n], [k, now.k], [alpha, now.alpha], [epsilon, now.epsilon]]) {
      field.set(value);
    }
    loss.offer(losses.includes(now.loss) ? losses : [now.loss, ...losses], now.loss);
    put(rest, `${restText(now, without)}. `, h("a", { href: link({ panel: "design" }) }, "Change it in the Design panel"), ".");
  }

  choices("losses").then((known) => { losses = known.losses; show(); }).catch(() => {}); // the panel's own job says what is wrong
  onChange(show);
  show();
  return { element: fieldGroup(legend, n, k, h("div.pair", alpha, epsilon), loss, rest), n };
}

function restText(now, without) {
  const parts = [
    ...(without.includes("props") ? [] : [now.props === "none" ? "No properties" : `Properties ${now.props}`]),
    now.aggregate === "worst" ? "worst-case loss" : `prior ${now.prior}`,
    ...(now.model === "count" ? [] : [`model ${now.model}`]),
  ];
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
