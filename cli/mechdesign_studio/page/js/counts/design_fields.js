// The design's own numbers, for panels that use the design of the Design panel: they change it everywhere.

import { entered } from "../design/entering.js";
import { change, design, link, onChange } from "../design_state.js";
import { PARAMETERS } from "../facts.js";
import { fieldGroup, fieldsOf, h, put, seen } from "../kit.js";

/**
 * Build the fields of a command: {element, n (the field)}. `losses` are those to choose from, `without` lists names that this panel does
 * not use ("n", "props"); what has no field is said in a sentence with a link to the Design panel.
 */
export function designFields(command, losses, { legend = "The design", without = [] } = {}) {
  const field = fieldsOf(command);
  const made = (name, label, said) => {
    const { least: min, most: max } = PARAMETERS[name];
    const one = field(name, { label, ...said, value: "", min, max, onCommit: (value) => (value.trim() ? entered(one, name, value) : show()) });
    return one;
  };
  const [n, k, alpha, epsilon] = [made("n", "People in a group, n", { help: "Counts are 0 to n." }), made("k", "Items, k"), made("alpha", "alpha"), made("epsilon", "or epsilon")];
  const loss = field("loss", { help: "What an error costs.", words: losses, value: design().loss, onCommit: (value) => change({ loss: value }) });
  const rest = h("p.hint");
  const fields = { n, k, alpha, epsilon, loss };

  function show() {
    const now = design();
    seen(now.model === "count" && !without.includes("n"), n);
    seen(now.model !== "count", k);
    for (const name of ["n", "k", "alpha", "epsilon"]) fields[name].set(now[name]);
    loss.offer(losses.some(([one]) => one === now.loss) ? losses : [now.loss, ...losses], now.loss);
    Object.values(fields).forEach((one) => one.complain(""));
    put(rest, `${restText(now, without)}. `, h("a", { href: link({ panel: "design" }) }, "Change it in the Design panel"), ".");
  }

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
