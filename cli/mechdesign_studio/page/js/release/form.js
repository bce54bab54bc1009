// The form of a release: the file, its columns, what is protected, and the design.

import { bring, commandForm, fieldGroup, fileDrop, h, isOf, put, radioField, selectField, textField } from "../kit.js";

const [CHOOSE, NONE] = ["choose", "none"];
// What a design of one's own says itself.
const DESIGNED = { alpha: null, epsilon: null, props: null, loss: null, prior: null };
const HEAD = 2 ** 16;
// Two texts of which the first is counted.
const KNOWN = [["yes", "no"], ["true", "false"]];

/**
 * Build the form of `mechdesign release`: {element, form, options() (those of `mechdesign release`), missing() (what is still to be given, or null),
 * fail(error, say) (shows it at its field, else by say(text) at an element that it returns, in sight and with the focus; true where the field was filled in, so it may be asked again)}.
 * onChange() is called whenever anything is changed.
 */
export function releaseForm({ command, losses, confidences, ledger, onChange }) {
  // The two texts that the column was found to hold.
  let filled = "";
  const changed = () => { arrange(); quiet(); onChange(); };
  const file = fileDrop({
    label: "The counts to be released (CSV with a header)",
    help: "Microdata with a row for each person, or a table with a row for each group.",
    accept: ".csv,.tsv,text/csv", header: true,
    onFile: (kept, held) => { forgetTexts(); offerColumns(); changed(); guess(kept, held); },
    onClear: changed,
  });
  const kind = radioField({
    label: "A row of the file is",
    options: [["unit", "one person or household"], ["group", "one group, counted already"]],
    value: "unit", onCommit: changed,
  });
  const counted = radioField({
    label: "What is counted", options: [["bit", "yes or no"], ["category", "each value of a category"]],
    value: "bit", onCommit: changed,
  });
  const own = radioField({
    label: "The noise", options: [["designed", "the best for each size"], ["given", "a design of mine"]],
    value: "designed", onCommit: changed,
  });
  const mechanism = fileDrop({
    label: "A design document (.json)", help: "It is proved again before it is used.", accept: ".json,.npz",
    onFile: changed, onClear: changed,
  });
  const instead = (other) => (value) => { if (value) form.fields[other].set(""); changed(); };
  const form = commandForm(command, {
    shown: {
      bit: { label: "Column of yes and no", none: CHOOSE, help: "Who is counted has a 1, or the first of the two texts below.", onCommit: () => { forgetTexts(); changed(); } },
      category: { label: "Column of the category", none: CHOOSE, metavar: "COLUMN", help: "Each unit has one of its values. A unit that moves changes two counts, so each draw has half of the epsilon." },
      group: { label: "Column that names the group", none: CHOOSE, help: "Names and sizes of the groups are published exactly." },
      "unit-column": { label: "Column that names the person", none: NONE },
      column: { label: "Column of the true counts", none: CHOOSE, help: "Every other column is published exactly." },
      size: { label: "Column of the group sizes", none: NONE },
      unit: { label: "What is protected" }, dataset: { label: "Data set that pays", help: "The same name each time, whatever the file is called: its people have one budget." },
      part: { label: "Part of the data set", help: "Only if this file has people of one part alone, and no other part has any of them." },
      epsilon: { label: "epsilon", help: "Small is private: 0.1 to 1 are usual.", onInput: instead("alpha") }, alpha: { label: "or alpha", onInput: instead("epsilon") },
      props: { label: "Properties" }, loss: { words: [["", "as usual"], ...losses] }, prior: {},
      intervals: { value: confidences[0][0], words: confidences },
    },
    without: ["input", "mechanism"], onInput: changed, onCommit: changed,
  });
  const { bit, category, group, "unit-column": unitColumn, column: counts, size, unit, dataset, part, epsilon, alpha, props, loss, prior, intervals } = form.fields;
  const texts = textField({ label: "Its two texts", help: "The counted one first, as in yes/no. Left empty, they are read from the file; 1 and 0 need none.", onInput: changed });
  const choice = h("div.row", { hidden: true });
  const values = textField({ label: "Its values", help: "All of them, 2 to 20, as in job/none/school. They are public.", onInput: changed });
  const region = selectField({ label: "Column that names the region", help: "If given: groups are pairs of a region and a name, and each region has a total.", onCommit: changed });
  const payer = h("div.stack", { hidden: ledger === null }, dataset, part);
  const ofBit = h("div.stack", bit, texts, choice);
  const ofCategory = h("div.stack", { hidden: true }, category, values);
  const ofUnits = h("div.stack", counted, ofBit, ofCategory, group, region, unitColumn);
  const ofGroups = h("div.stack", { hidden: true }, counts, size);
  const privacy = h("div.pair", epsilon, alpha);
  const designed = h("details", h("summary", "More about the noise"), h("div.stack", props, loss, prior), form.more);
  const given = h("div.stack", { hidden: true }, mechanism);

  function offerColumns() {
    const names = file.upload?.columns ?? [];
    form.columns(names);
    region.offer([["", NONE], ...names], "");
  }

  // Choose the only column of yes and no, by the file's first lines, and the only other one, which then names the group.
  async function guess(kept, held) {
    const names = kept.columns ?? [];
    const text = await held.slice(0, HEAD).text();
    const rows = text.split(/\r?\n/).slice(1, held.size > HEAD ? -1 : undefined).filter(Boolean).map((line) => line.split(","));
    const isOne = (_, at) => [...KNOWN, ["1", "0"]].some((two) => rows.every((row) => two.includes(row[at]?.trim().toLowerCase())));
    const found = rows.length && rows.every((row) => row.length === names.length) ? names.filter(isOne) : [];
    if (found.length !== 1 || file.upload !== kept || bit.value) return;
    bit.set(found[0]);
    if (names.length === 2 && !group.value) group.set(names.find((one) => one !== found[0]));
    changed();
  }

  function arrange() {
    const units = kind.value === "unit";
    ofUnits.hidden = !units;
    ofGroups.hidden = units;
    ofBit.hidden = counted.value !== "bit";
    ofCategory.hidden = counted.value === "bit";
    const isGiven = own.value === "given";
    designed.hidden = privacy.hidden = isGiven;
    given.hidden = !isGiven;
  }

  // What is not of this kind of file, or of noise, is left out.
  function options() {
    const { bit: _, category: __, group: ___, "unit-column": ____, column, size: sizes, ...given } = form.options();
    const of = counted.value === "bit" ? withTexts(bit.value, texts.value) : withTexts(category.value, values.value);
    const units = { [counted.value]: of, group: region.value ? `${region.value},${group.value}` : group.value, "unit-column": unitColumn.value };
    const noise = own.value === "given" ? { ...DESIGNED, mechanism: mechanism.upload && { upload: mechanism.upload.upload } } : {};
    const all = { input: { upload: file.upload.upload }, ...(kind.value === "unit" ? units : { column, size: sizes }), ...given, ...noise };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
  }

  function withTexts(name, listed) {
    return name === "" || listed === "" ? name : `${name}=${listed}`;
  }

  function quiet() {
    form.complain("");
    [texts, values, region].forEach((one) => one.complain(""));
    choice.hidden = true;
  }

  // A message that begins with a column is of the field that says what it holds.
  function fail({ message, texts: two = [] }, say) {
    quiet();
    const text = message.replace(/: --bit \S.*$/, ", under “Its two texts”").replace(/--([a-z-]+)/g, (_, name) => form.fields[name]?.element.querySelector("label")?.textContent ?? name);
    if (two.length) return ask(two);
    const of = [[texts, bit], [values, category], [unitColumn, unitColumn], [region, region], [group, group], [counts, counts], [size, size]];
    const [field] = of.find(([place, { value }]) => value && place.element.checkVisibility() && isOf(text, value)) ?? [];
    field?.complain(text);
    bring(field || form.complain(text) ? element.querySelector("[aria-invalid=true]") : say(text));
    return false;
  }

  function ask(two) {
    const known = KNOWN.find((pair) => pair.every((one) => two.some((text) => text.toLowerCase() === one)));
    const fill = (first) => {
      filled = [first, ...two.filter((one) => one !== first)].join("/");
      texts.set(filled);
    };
    choice.hidden = false;
    if (known) {
      fill(two.find((text) => text.toLowerCase() === known[0]));
      put(choice, h("p.hint", `“${bit.value}” holds ${filled.replace("/", " and ")}: the first is counted.`));
      return true;
    }
    texts.complain(`“${bit.value}” holds two texts. Which one is counted?`);
    put(choice, two.map((one) => h("button.small", { onclick: () => { fill(one); changed(); texts.input.focus(); } }, one)));
    bring(texts.input);
    return false;
  }

  // Texts that were filled in are of one column of one file.
  function forgetTexts() {
    if (texts.value === filled) texts.set("");
  }

  offerColumns();
  arrange();
  const element = h(
    "div.card", file, privacy, kind, ofUnits, ofGroups, unit, payer,
    fieldGroup("Noise", own, designed, given), intervals,
  );
  return {
    element,
    form,
    options,
    fail,
    missing() {
      if (!file.upload) return "Choose a file.";
      if (!file.upload.columns) return "The file must be a CSV with a header in its first line.";
      if (kind.value === "unit" && counted.value === "bit" && !bit.value) return "Choose the column of yes and no.";
      if (kind.value === "unit" && counted.value === "category" && !category.value) return "Choose the column of the category.";
      if (kind.value === "unit" && counted.value === "category" && !values.value) return "List the values of the category.";
      if (kind.value === "unit" && !group.value) return "Choose the column that names the group.";
      if (kind.value === "group" && !counts.value) return "Choose the column of the true counts.";
      if (ledger !== null && !dataset.value.trim()) return "Name the data set that pays.";
      if (own.value === "given") return mechanism.upload ? null : "Choose the design document.";
      return epsilon.value.trim() || alpha.value.trim() ? null : "Give epsilon, or alpha.";
    },
  };
}
