// Choose true counts: a data set by name, or a CSV file of one's own.

import { run } from "../api.js";
import { fieldGroup, fileDrop, h, put, radioField, seen, selectField, textField } from "../kit.js";

/** Options of the commands on counts that this source has fields for, and what the page calls them. */
export const SOURCE = {
  target: { label: "Question" }, people: { label: "People to make up" },
  bit: { label: "Column with 0 or 1", help: "" }, column: { label: "Column with the count", help: "" }, group: { label: "Groups are", help: "", none: "n rows in a row" },
};

/**
 * Build the source of a form that has the fields of `SOURCE`; `laws` are those of data sets with a parameter, by name {label, value, word}: {element, options(), ownN(), isDrawn(), isGrouped(), refresh()}.
 * options() are those that data, compare and simulate have in common, without n; null while nothing is chosen. ownN() is
 * the only n of a set, or null; isDrawn() tells whether a seed makes it; isGrouped() whether a column of the file does
 * the groups. refresh() looks again what is on this machine. onChange() is called whenever any of it may have changed.
 */
export function dataSource(form, { laws, onChange }) {
  const kind = radioField({
    label: "Take them from", value: "set", onCommit: () => { arrange(); onChange(); },
    options: [["set", "A data set"], ["file", "Your own file"]],
  });
  const set = selectField({ label: "Data set", options: ["saxony"], value: "saxony", onCommit: () => { arrange(); onChange(); } });
  const law = textField({ label: "Parameter", onCommit: onChange });
  const { target, people, bit, column: count, group } = form.fields;
  const about = h("div.hint.stack-tight");
  const ofSet = h("div.stack", set, law, target, people, about);

  const file = fileDrop({
    label: "A CSV file with a header", header: true,
    help: "One person a row with a 0 or a 1, or one group a row with its count.",
    onFile: () => { offerColumns(); arrange(); onChange(); }, onClear: () => { arrange(); onChange(); },
  });
  const row = radioField({
    label: "A row is", value: "person", onCommit: () => { arrange(); onChange(); },
    options: [["person", "a person"], ["group", "a group"]],
  });
  const columns = h("div.stack", row, bit, group, count);
  const ofFile = h("div.stack", file, columns);
  let entries = [];

  function offerColumns() {
    const names = file.upload.columns ?? [];
    form.columns(names);
    bit.set(names.at(-1));
    count.set(names.at(-1));
  }

  function arrange() {
    const isSet = kind.value === "set";
    const entry = chosen();
    const made = entry?.size.includes("--people") ?? false;
    ofSet.hidden = !isSet;
    ofFile.hidden = isSet;
    columns.hidden = file.upload === null;
    law.element.hidden = !(entry && laws[entry.name]);
    target.element.hidden = !entry?.name.startsWith("adult");
    seen(made, people);
    seen(row.value === "person", bit, group);
    seen(row.value !== "person", count);
    if (entry) {
      put(about, h("p", `${entry.title}. ${made ? "" : `${entry.size}. `}Source: ${entry.source}. Licence: ${entry.licence}.`));
      const law_ = laws[entry.name];
      if (law_ && law.element.dataset.of !== entry.name) {
        law.element.dataset.of = entry.name;
        law.element.querySelector("label").textContent = law_.label;
        law.set(law_.value);
      }
    }
  }

  function chosen() {
    return entries.find((entry) => entry.name === set.value) ?? null;
  }

  function setOptions() {
    const entry = chosen();
    if (!entry) return null;
    const [own, parameter] = [laws[entry.name], law.value.trim()];
    const word = own ? [own.word, parameter].filter(Boolean).join(":") : entry.opened_as;
    const { target: question, people: many } = form.options();
    return { data: word, target: question, people: many };
  }

  function fileOptions() {
    if (!file.upload) return null;
    const input = { input: { upload: file.upload.upload } };
    return row.value === "group" ? { ...input, column: count.value } : { ...input, bit: bit.value, group: group.value || null };
  }

  function offerSets(sets) {
    entries = sets.filter((entry) => entry.opened_as);
    const here = entries.filter((entry) => entry.here);
    const missing = sets.filter((entry) => entry.fetch);
    const options = here.map((entry) => ({ value: entry.name, title: entry.name, group: entry.size.includes("--people") ? "Made up" : "Real, on this machine" }));
    const others = missing.map((entry) => ({ value: entry.name, title: entry.name, group: "Not on this machine", disabled: true }));
    set.offer([...options, ...others], here.some((entry) => entry.name === set.value) ? set.value : here[0].name);
    put(absent, missing.length ? absentText(missing) : null);
    arrange();
  }

  const absent = h("div.hint");
  const local = h("p.message.local-only", "What you choose here never leaves this machine: the studio serves this machine alone and sends nothing anywhere.");
  ofSet.append(absent);
  return {
    element: fieldGroup("True counts", kind, ofSet, ofFile, local),
    options: () => (kind.value === "set" ? setOptions() : fileOptions()),
    ownN: () => (kind.value === "set" ? chosen()?.n ?? null : null),
    isDrawn: () => kind.value === "set" && !people.element.hidden,
    isGrouped: () => kind.value === "file" && row.value === "person" && group.value !== "",
    refresh: () => listed().then((sets) => { offerSets(sets); onChange(); }),
  };
}

// The sets as they are now: one may have been fetched on the command line meanwhile.
function listed() {
  return new Promise((resolve, reject) => {
    run("data-sets", [{ command: "data" }], {
      onDone: (answer) => resolve(answer.steps[0].document.sets.filter((entry) => entry.kind === "counts")),
      onFailed: (failure) => reject(new Error(failure.message)),
      onGone: () => {},
    });
  });
}

function absentText(missing) {
  return [
    h("p", "Not on this machine, and this page fetches nothing. On the command line, once:"),
    missing.map((entry) => h("p", h("code", entry.fetch))),
  ];
}
