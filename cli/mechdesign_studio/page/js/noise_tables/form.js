// The demands on a noise table: fields of `table design`, with ptable's words.

import { commandForm, h } from "../kit.js";

const SHOWN = {
  noise: { label: "Noise, D" }, variance: { label: "Variance, V" }, block: { label: "Blocked, js" }, stay: { label: "Stay, pstay" },
  shape: { label: "Shape, mono" }, zeros: {}, objective: {}, symmetric: {}, guarantee: { label: "Guarantees, one a row" },
};
const EXAMPLE = {
  noise: "5", variance: "3", block: "2", stay: "0", shape: "unimodal", zeros: "fixed", objective: "entropy", symmetric: false,
  guarantee: "1:0.02@1\n1:0.006@large",
};

/** Build the form of the command's options: {element, form, example()}. */
export function demands(command) {
  const form = commandForm(command, { shown: SHOWN });
  const shown = Object.keys(SHOWN).map((name) => form.fields[name]);
  return { element: h("div.stack", h("div.demands", shown), form.more), form, example: () => form.set(EXAMPLE) };
}
