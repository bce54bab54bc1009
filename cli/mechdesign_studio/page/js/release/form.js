// The form of a release: the file, its columns, what is protected, and the design.

import { fieldGroup, fileDrop, h, radioField, selectField, textField } from "../kit.js";

const NONE = "";
const USUAL = { unit: "person", props: "WH,RM,CM", loss: "L1", prior: "uniform" };

/**
 * Build the form: {element, options() (those of `mechdesign release`), missing() (what is still to be given, or null)}.
 * onChange() is called whenever anything is changed.
 */
export function releaseForm({ losses, ledger, onChange }) {
  const changed = () => { arrange(); onChange(); };
  const file = fileDrop({
    label: "The counts to be released (CSV with a header)",
    help: "Microdata with a row for each person, or a table with a row for each group.",
    accept: ".csv,.tsv,text/csv", header: true,
    onFile: () => { offerColumns(); changed(); },
    onClear: changed,
  });
  const kind = radioField({
    label: "A row of the file is",
    options: [["unit", "one person or household"], ["group", "one group, counted already"]],
    value: "unit", onCommit: changed,
  });
  const column = (label, help) => selectField({ label, help, options: [], onCommit: changed });
  const counted = radioField({
    label: "What is counted", options: [["bit", "yes or no"], ["category", "each value of a category"]],
    value: "bit", onCommit: changed,
  });
  const bit = column("Column of yes and no", "Who is counted has a 1, or the first of the two texts below.");
  const texts = textField({ label: "Its two texts", value: "", help: "The counted one first, as in yes/no. Leave it empty for a column of 1 and 0.", onInput: changed });
  const category = column("Column of the category", "Each unit has one of its values. A unit that moves changes two counts, so each draw has half of the epsilon.");
  const values = textField({ label: "Its values", value: "", help: "All of them, 2 to 20, as in job/none/school. They are public.", onInput: changed });
  const group = column("Column that names the group", "Names and sizes of the groups are published exactly.");
  const region = column("Column that names the region", "If given: groups are pairs of a region and a name, and each region has a total.");
  const unitColumn = column("Column that names the person", "If given: a name that stands twice is refused.");
  const counts = column("Column of the true counts", "Every other column is published exactly.");
  const size = column("Column of the group sizes", "Leave it out only with a design of your own, for groups of one size.");
  const unit = textField({ label: "What is protected", value: USUAL.unit, help: "A word such as person or household.", onInput: changed });
  const dataset = textField({ label: "Data set that pays", value: "", help: "The same name each time, whatever the file is called: its people have one budget.", onInput: changed });
  const part = textField({ label: "Part of the data set", value: "", help: "Only if this file has people of one part alone, and no other part has any of them.", onInput: changed });
  const payer = h("div.stack", { hidden: ledger === null }, dataset, part);
  const measure = radioField({
    label: "How private", options: [["epsilon", "epsilon"], ["alpha", "alpha"]],
    value: "epsilon", onCommit: changed,
  });
  const amount = textField({ label: "epsilon", value: "", help: "Small is private: 0.1 to 1 are usual. Or alpha = exp(-epsilon).", onInput: changed });
  const own = radioField({
    label: "The noise", options: [["designed", "the best for each size"], ["given", "a design of mine"]],
    value: "designed", onCommit: changed,
  });
  const mechanism = fileDrop({
    label: "A design document (.json)", help: "It is proved again before it is used.", accept: ".json,.npz",
    onFile: changed, onClear: changed,
  });
  const props = textField({ label: "Properties", value: USUAL.props, help: "With commas between them, or none.", onInput: changed });
  const loss = selectField({ label: "Loss", options: losses, value: USUAL.loss, onCommit: changed });
  const prior = textField({ label: "Prior", value: USUAL.prior, help: "uniform, or binomial:P.", onInput: changed });
  const intervals = selectField({
    label: "Intervals", help: "From low to high: they hold the true count with this chance, and cost nothing.", value: "0.95",
    options: [["0.95", "95 %"], ["0.9", "90 %"], ["0.99", "99 %"], [NONE, "none"]],
    onCommit: changed,
  });
  const ofBit = h("div.stack", bit, texts);
  const ofCategory = h("div.stack", { hidden: true }, category, values);
  const ofUnits = h("div.stack", counted, ofBit, ofCategory, group, region, unitColumn);
  const ofGroups = h("div.stack", { hidden: true }, counts, size);
  const designed = h("div.stack", measure, amount, h(
    "details", h("summary", "More about the noise"),
    h("div.stack", props, loss, prior),
  ));
  const given = h("div.stack", { hidden: true }, mechanism);

  function offerColumns() {
    const names = file.upload?.columns ?? [];
    for (const field of [bit, category, group, counts]) field.offer([[NONE, "choose"], ...names], NONE);
    for (const field of [region, unitColumn, size]) field.offer([[NONE, "none"], ...names], NONE);
  }

  function arrange() {
    const units = kind.value === "unit";
    ofUnits.hidden = !units;
    ofGroups.hidden = units;
    ofBit.hidden = counted.value !== "bit";
    ofCategory.hidden = counted.value === "bit";
    const isGiven = own.value === "given";
    designed.hidden = isGiven;
    given.hidden = !isGiven;
    amount.element.querySelector("label").textContent = measure.value;
  }

  function columns() {
    if (kind.value === "group") return { column: counts.value, size: size.value };
    const of = counted.value === "bit" ? withTexts(bit.value, texts.value) : withTexts(category.value, values.value);
    return { [counted.value]: of, group: region.value ? `${region.value},${group.value}` : group.value, "unit-column": unitColumn.value };
  }

  function withTexts(name, listed) {
    return name === NONE || listed === "" ? name : `${name}=${listed}`;
  }

  function paying() {
    if (ledger === null) return {};
    return { dataset: dataset.value.trim(), ...(part.value.trim() ? { part: part.value.trim() } : {}) };
  }

  function noise() {
    if (own.value === "given") return mechanism.upload ? { mechanism: { upload: mechanism.upload.upload } } : {};
    const texts = { [measure.value]: amount.value.trim(), props: props.value.trim(), loss: loss.value, prior: prior.value.trim() };
    return Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== "" && text !== USUAL[name]));
  }

  offerColumns();
  arrange();
  return {
    element: h(
      "div.card", file, kind, ofUnits, ofGroups, unit, payer,
      fieldGroup("Privacy and noise", own, designed, given), intervals,
    ),
    options() {
      const named = Object.entries(columns()).filter(([, name]) => name !== NONE);
      const word = unit.value.trim();
      return {
        input: { upload: file.upload.upload }, ...Object.fromEntries(named),
        ...(word && word !== USUAL.unit ? { unit: word } : {}), ...paying(), ...noise(),
        ...(intervals.value === NONE ? {} : { intervals: intervals.value }),
      };
    },
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
      return amount.value.trim() ? null : `Give ${measure.value}.`;
    },
  };
}
