// What people are asked, and the oracle that they answer through: for reports, and for the task of a collection.

import { upload } from "../api.js";
import { areaField, epsilonText, fileDrop, h, handed, selectField, switchField, textField } from "../kit.js";
import { designField } from "../workloads/design_field.js";
import { binFields, epsilonField, linesOf, suggestField, textFile } from "./local_fields.js";

const KINDS = [
  ["items", "One of a list of items"],
  ["bins", "A number or date, in bins"],
  ["attributes", "Several attributes"],
  ["mean", "A number, for its mean"],
];
const ORACLES = {
  items: ["olh", "grr", "oue", "ss", "hrr", "sue", "blh", "hcms"],
  bins: ["hh:b=2:in=ss-hrr:levels=ranges", "blocks", "warped-blocks", "hh:b=4", "haar", "oue", "olh"],
  attributes: ["inpht:k=2", "margps:k=2", "margrr:k=2", "calm:k=2", "inprr:oue:k=2"],
  mean: ["onebitmean"],
};

/**
 * Build the fields: {kind, element (all of the domain), pair (oracle and epsilon), columns, bins, loss() (the epsilon of a
 * report, as text), lacks(), options()}.
 * `more` are further kinds of question; onChange() hears of every change.
 */
export function questionFields({ more = [], onChange }) {
  const kind = selectField({ label: "What an answer is", options: [...KINDS, ...more], value: "items", onCommit: () => changed() });
  const items = areaField({ label: "Public list of all items, one a line", rows: 5, help: "In the code it is the file items.txt.", onInput: onChange });
  const ordered = switchField({ label: "The items are in their order, so ranges and quantiles make sense" });
  const list = fileDrop({ label: "Public list of the items of each attribute", help: "A CSV file with columns column,item.", onChange: onChange });
  const columns = textField({ label: "Columns", value: "", help: "Names with commas between them, as in the public list.", onInput: onChange });
  const bins = binFields();
  const maximum = textField({ label: "Largest number", value: "24", help: "Numbers are from 0 to this." });
  const epsilon = epsilonField({ onInput: onChange });
  const oracles = Object.fromEntries(KINDS.map(([value]) => [value, suggestField({ label: "Oracle", value: ORACLES[value][0], suggestions: ORACLES[value] })]));
  const design = designField({ onChange: () => changed(), onGiven: () => { kind.set("items"); changed(); } });
  const only = { items: [items.element, ordered.element, design.element], bins: [bins.element], attributes: [list.element, columns.element], mean: [maximum.element] };
  const pair = h("div.pair", Object.values(oracles).map((one) => one.element), epsilon);

  handed.oracle.on((chosen) => {
    const at = { items: "items", ranges: "bins", tables: "attributes" }[chosen.kind];
    if (chosen.kind === "items") { kind.set(at); design.clear(); }
    oracles[at].set(chosen.oracle);
    epsilon.set(chosen.epsilon);
    onChange();
  });

  function changed() {
    for (const [of, elements] of Object.entries(only)) elements.forEach((one) => { one.hidden = of !== kind.value; });
    for (const [of, field] of Object.entries(oracles)) field.element.hidden = of !== kind.value;
    pair.hidden = !(kind.value in only) || Boolean(designed());
    onChange();
  }

  /** The design that stands for an oracle, with the privacy of its own; null for none. */
  function designed() {
    return kind.value === "items" ? design.held : null;
  }

  function mechanism() {
    const own = designed();
    return own ? { oracle: { upload: own.upload } } : { oracle: oracles[kind.value].value.trim(), epsilon: epsilon.value.trim() };
  }

  /** What the domain is, as options of `local privatize` and `local task new`. */
  const domain = {
    items: async () => ({ ordered: ordered.value, domain: { upload: (await upload(textFile("items.txt", linesOf(items.value)))).upload } }),
    bins: async () => ({ bins: [bins.text] }),
    attributes: async () => ({ columns: columns.value.replaceAll(", ", ",") || null, domain: { upload: list.upload.upload } }),
    mean: async () => ({ maximum: maximum.value.trim() }),
  };

  return {
    kind, columns, bins, pair, changed,
    element: h("div.stack", Object.values(only).flat()),
    loss: () => (designed() ? epsilonText(designed().epsilon) : epsilon.value.trim()),
    lacks: () => (kind.value === "items" && linesOf(items.value).length < 2) || (kind.value === "attributes" && !list.upload),
    options: async () => ({ ...await domain[kind.value](), ...mechanism() }),
  };
}
