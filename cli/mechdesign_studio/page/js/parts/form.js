// Fields made of the options of commands, as the server states them: an option that a command gets has its field without a word here.

import { h, newId, put } from "../dom.js";
import { areaField, numberField, selectField, switchField, textField } from "./fields.js";
import { fileDrop } from "./file_drop.js";

/**
 * Build the fields of a command of /api/choices: {fields (by option), more, options(), set(values), columns(names), complain(text)}.
 *
 * `shown` has, by option, what this page says in other words: {label, help, value, words (to choose from, if not the command's), suggestions, none (what
 * an empty one is), ...}; one that the command is not offered with has no field. The panel sees to those in `without`. All others, but files and what is printed, stand in `more`, closed at first. options() leaves out
 * what is empty, hidden, or what the command does by itself, and, given the options of another command, what that one does not have. complain(text) puts a message beside the field that it begins with, and tells whether there is one.
 */
export function commandForm({ options }, { shown = {}, without = [], onInput, onCommit } = {}) {
  const known = Object.fromEntries(options.map((option) => [option.name, { ...option, metavar: shown[option.name]?.metavar ?? option.metavar }]));
  const fieldOf = (name) => [name, fieldFor(known[name], { onInput, onCommit, ...shown[name] })];
  const isOther = ({ name, kind, printed }) => !(name in shown) && !without.includes(name) && kind !== "file" && !printed;
  const others = options.filter(isOther).map(({ name }) => fieldOf(name));
  const fields = Object.fromEntries([...Object.keys(shown).filter((name) => known[name]).map(fieldOf), ...others]);
  const all = Object.entries(fields);
  const columnFields = all.filter(([name]) => isColumn(known[name]));
  const offer = (names) => columnFields.forEach(([name, field]) => offerColumns(field, names, shown[name]?.none));
  offer(null);
  return {
    fields,
    more: others.length ? h("details.more", h("summary", "More options"), h("div.stack", others.map(([, field]) => field))) : null,
    options: (of = options) => Object.fromEntries(all.filter(([name]) => of.some((one) => one.name === name)).map(([name, field]) => [name, field.element.hidden ? null : valueOf(known[name], field)])),
    set: (values) => Object.entries(values).forEach(([name, value]) => fields[name].set(value)),
    columns: offer,
    complain(text) {
      const [, field] = all.find(([name, { element, complain }]) => complain && isOf(text, name) && element.checkVisibility()) ?? [];
      all.forEach(([, other]) => other.complain?.(other === field ? text : ""));
      return Boolean(field);
    },
  };
}

/** Return what makes single fields of a command's options, for a panel with a layout of its own: field(name, said), where `said` is as in `shown`. */
export function fieldsOf({ options }) {
  return (name, said = {}) => fieldFor(options.find((option) => option.name === name), said);
}

/** Text with suggestions: a field of its own, with a list of what is usual. */
function suggestField({ suggestions, ...rest }) {
  const id = newId("suggestions");
  const field = textField({ ...rest, attributes: { list: id } });
  const list = h("datalist", { id });
  const suggest = (values) => put(list, values.map((value) => h("option", { value })));
  suggest(suggestions);
  field.element.append(list);
  return Object.assign(field, { suggest });
}

function fieldFor(option, { none, words, ...said }) {
  const { name, kind, repeatable, choices = [] } = option;
  const told = { label: titleOf(name), help: option.help.replace(/--(?=[a-z])/g, ""), value: option.default ?? "", ...said };
  if (kind === "flag") return switchField({ ...told, checked: Boolean(told.value) });
  if (kind === "file") return fileDrop(told);
  if (isColumn(option)) return selectField(told);
  if (words ?? choices.length) return selectField({ ...told, options: words ?? [...(option.default ? [] : [["", none ?? "as usual"]]), ...choices] });
  if (repeatable) return areaField({ rows: 3, ...told });
  if (told.suggestions) return suggestField(told);
  if (told.min !== undefined) return numberField(told);
  return textField(kind === "number" ? { attributes: { inputmode: "decimal" }, ...told } : told);
}

/** Tell whether a message is of an option: it begins with its name. */
export function isOf(text, name) {
  return [name, `--${name}`, name.replaceAll("-", " ")].some((one) => text.startsWith(`${one} `));
}

function isColumn({ metavar, repeatable }) {
  return metavar === "COLUMN" && !repeatable;
}

function offerColumns(field, names, none) {
  const first = names?.find((name) => !/^(id|.*[ _]id|row|index)$/i.test(name)) ?? names?.[0] ?? "";
  field.offer([...(none ? [["", none]] : []), ...(names ?? [])], none ? "" : first);
  field.enable(Boolean(names?.length), names?.length ? undefined : "Choose a file with a header first.");
}

function valueOf({ kind, repeatable, default: usual }, field) {
  if (kind === "file") return field.upload && { upload: field.upload.upload };
  if (kind === "flag") return field.value || null;
  const text = field.value.trim();
  if (text === "" || text === usual) return null;
  return repeatable ? text.split(/\s*\n\s*/) : text;
}

function titleOf(name) {
  return name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");
}
