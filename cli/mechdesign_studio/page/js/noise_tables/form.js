// The demands on a noise table: fields of `table design`, with ptable's words and the help of the command.

import { areaField, h, selectField, switchField, textField } from "../kit.js";

// Options of the command: how a field is called, and the values that the example has.
const FIELDS = {
  noise: ["Noise, D", "5"], variance: ["Variance, V", "3"], block: ["Blocked, js", "2"], stay: ["Stay, pstay", "0"],
  shape: ["Shape, mono", "unimodal"], zeros: ["Zeros", "fixed"], objective: ["Objective", "entropy"],
};
const EXAMPLE = ["1:0.02@1", "1:0.006@large"];

/** Build the form of the command's options and of the words that it knows: {element, options(), example()}. */
export function demands({ options }, words, onCommit) {
  const known = Object.fromEntries(options.map((option) => [option.name, option]));
  const fields = Object.entries(FIELDS).map(([name, [label]]) => {
    const { help, default: value } = known[name];
    return [name, words[name] ? selectField({ label, help, options: words[name], value, onCommit }) : textField({ label, help, value: value ?? "", onCommit })];
  });
  const symmetric = switchField({ label: "Symmetric", help: known.symmetric.help, onCommit });
  const guarantees = areaField({ label: "Guarantees", help: `One a row: ${known.guarantee.help}`, rows: 3, onCommit });
  return {
    element: h("div.demands", fields.map(([, field]) => field), symmetric, guarantees),
    options: () => ({
      ...Object.fromEntries(fields.map(([name, { value }]) => [name, value.trim() || null])),
      symmetric: symmetric.value, guarantee: guarantees.value.split(/\s+/).filter(Boolean),
    }),
    example() {
      for (const [name, field] of fields) field.set(FIELDS[name][1]);
      symmetric.set(false);
      guarantees.set(EXAMPLE.join("\n"));
    },
  };
}
