// What people are asked, and the oracle that they answer through: for reports, and for the task of a collection.

import { upload } from "../api.js";
import { areaField, commandForm, epsilonText, fileDrop, h, handed, selectField, written } from "../kit.js";
import { designField } from "../workloads/design_field.js";
import { binFields, EPSILON, linesOf, textFile } from "./local_fields.js";

const KINDS = [
  ["items", "One of a list of items"],
  ["bins", "A number or date, in bins"],
  ["attributes", "Several attributes"],
  ["mean", "A number, for its mean"],
];

/**
 * Build the fields of `local privatize`: {kind, column, element (all of the domain), pair (oracle and epsilon), form, columns, bins, loss() (the epsilon of a
 * report, as text), lacks(), options(of), those that a command has}.
 * `known` is what /api/choices says, `more` are further kinds of question; onChange() hears of every change.
 */
export function questionFields({ commands, suggestions }, { more = [], onChange }) {
  const kind = selectField({ label: "What an answer is", options: [...KINDS, ...more], value: "items", onCommit: () => changed() });
  const items = areaField({ label: "Public list of all items, one a line", rows: 5, help: "In the code it is the file items.txt.", onInput: onChange });
  const list = fileDrop({ label: "Public list of the items of each attribute", help: "A CSV file with columns column,item.", onChange: onChange });
  const bins = binFields();
  const form = commandForm(commands["local privatize"], {
    shown: {
      column: { help: "The answer of each person." },
      ordered: { label: "The items are in their order, so ranges and quantiles make sense", help: "" },
      columns: { help: "Names with commas between them, as in the public list." }, maximum: { label: "Largest number", value: "24" },
      oracle: { help: "", suggestions: [] }, epsilon: EPSILON,
    },
    without: ["task", "beyond", "seed", "alpha", "bins", "workload", "users", "user", "round", "unit"], onInput: onChange, onCommit: onChange,
  });
  const { column, ordered, columns, maximum, oracle, epsilon } = form.fields;
  const chosen = Object.fromEntries(KINDS.map(([of]) => [of, suggestions[of][0]])); // the oracle of each kind
  let offered = null; // the kind whose oracles are offered
  const design = designField({ onChange: () => changed(), onGiven: () => { kind.set("items"); changed(); } });
  const only = { items: [items.element, ordered.element, design.element], bins: [bins.element], attributes: [list.element, columns.element], mean: [maximum.element] };
  const pair = h("div.pair", oracle, epsilon);

  handed.oracle.on((taken) => {
    const at = { items: "items", ranges: "bins", tables: "attributes" }[taken.kind];
    if (taken.kind === "items") { kind.set(at); design.clear(); }
    chosen[at] = taken.oracle;
    if (offered === at) oracle.set(taken.oracle);
    epsilon.set(taken.epsilon);
    changed();
  });

  function changed() {
    for (const [of, elements] of Object.entries(only)) elements.forEach((one) => { one.hidden = of !== kind.value; });
    if (offered !== kind.value) {
      if (offered in chosen) chosen[offered] = oracle.value;
      offered = kind.value;
      oracle.set(chosen[offered] ?? "");
      oracle.suggest(suggestions[offered] ?? []);
    }
    pair.hidden = !(kind.value in only) || Boolean(designed());
    onChange();
  }

  /** The design that stands for an oracle, with the privacy of its own; null for none. */
  function designed() {
    return kind.value === "items" ? design.held : null;
  }

  function mechanism() {
    const own = designed();
    return own ? { oracle: { upload: own.upload }, epsilon: null } : {};
  }

  /** What the domain is, as options of `local privatize` and `local task new`. */
  const domain = {
    items: async () => ({ domain: { upload: (await upload(textFile("items.txt", linesOf(items.value)))).upload } }),
    bins: async () => ({ bins: [bins.text] }),
    attributes: async () => ({ columns: columns.value.replaceAll(", ", ",") || null, domain: { upload: list.upload.upload } }),
    mean: async () => ({}),
  };

  return {
    kind, column, columns, bins, pair, changed, form,
    element: h("div.stack", Object.values(only).flat()),
    loss: () => (designed() ? epsilonText(designed().epsilon) : written(epsilon.value)),
    lacks: () => (kind.value === "items" && linesOf(items.value).length < 2) || (kind.value === "attributes" && !list.upload),
    options: async (of) => ({ ...form.options(of), ...await domain[kind.value](), ...mechanism() }),
  };
}
