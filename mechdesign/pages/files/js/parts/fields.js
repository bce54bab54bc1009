// Labelled controls. Each builder returns {element, input, value, set(value), complain(text), enable(yes, why)}.

import { h, newId, put, set } from "../dom.js";

/**
 * Text: textField({label, value, help, unit, pattern, onInput, onCommit}).
 * onInput(value) is called while typing, onCommit(value) on Enter or when the field is left with another value.
 */
export function textField({ value = "", onInput, onCommit, attributes = {}, ...rest }) {
  const input = h("input", { type: "text", value, autocomplete: "off", spellcheck: "false", ...attributes });
  return listening(labelled(input, rest), onInput, onCommit);
}

/** Number: as text, with min, max and step; its value is text, as the command line takes it. */
export function numberField({ value = "", min, max, step = 1, onInput, onCommit, attributes = {}, ...rest }) {
  const input = h("input", { type: "number", value, min, max, step, inputmode: "decimal", ...attributes });
  return listening(labelled(input, rest), onInput, onCommit);
}

/** Text of several lines. */
export function areaField({ value = "", rows = 4, onInput, onCommit, attributes = {}, ...rest }) {
  const input = h("textarea", { rows, autocomplete: "off", spellcheck: "false", ...attributes });
  input.value = value;
  return listening(labelled(input, rest), onInput, onCommit);
}

/** Slider: onInput while it is dragged, onCommit when it is let go. `says(value)` is its text for screen readers, in sight with `shows`. */
export function sliderField({ value, min, max, step, says, shows = false, onInput, onCommit, attributes = {}, ...rest }) {
  const input = h("input", { type: "range", min, max, step, ...attributes });
  const seen = h("output");
  input.value = value;
  const field = listening(labelled(input, { ...rest, unit: shows && seen }), onInput, onCommit);
  const tell = () => {
    put(seen, says(input.value));
    set(input, { "aria-valuetext": says(input.value) });
  };
  input.addEventListener("input", tell);
  tell();
  return Object.assign(field, { set: (next) => { input.value = next; tell(); told(input); } });
}

/** Choice of one: options are texts, [value, title] or {value, title, group, disabled}. */
export function selectField({ options = [], value, onCommit, attributes = {}, ...rest }) {
  const input = h("select", attributes);
  const field = labelled(input, rest);
  const offer = (next, chosen = input.value) => {
    put(input, grouped(next.map(optionOf)));
    field.set(chosen);
  };
  offer(options, value);
  input.addEventListener("change", () => onCommit?.(input.value));
  return Object.assign(field, { offer });
}

/** Choice of one, all in sight: a row of radio buttons. */
export function radioField({ label, options, value, help, onCommit }) {
  const name = newId("radio");
  const note = newId("note");
  const all = options.map(optionOf);
  const inputs = all.map((one) => h("input", {
    type: "radio", name, value: one.value, checked: one.value === value, onchange: () => onCommit?.(one.value),
  }));
  const labels = all.map((one, at) => h("label.segment", inputs[at], h("span", one.title)));
  const element = h(
    "fieldset.field.segments", { "aria-describedby": help ? note : null },
    h("legend", label), h("div.segment-row", labels), help ? h("p.hint", { id: note }, help) : null,
  );
  return {
    element,
    input: inputs[0],
    get value() { return inputs.find((one) => one.checked)?.value ?? ""; },
    set(next) { for (const one of inputs) one.checked = one.value === next; told(inputs[0]); },
    complain() {},
    enable(yes) { element.disabled = !yes; },
  };
}

/** Yes or no: a switch. `enable(false, why)` greys it out and says why. */
export function switchField({ label, checked = false, help, onCommit }) {
  const note = newId("note");
  const input = h("input", { type: "checkbox", role: "switch", checked, "aria-describedby": note });
  const hint = h("span.hint", { id: note }, help ?? "");
  const element = h("label.switch", input, h("span.switch-text", h("span.switch-label", label), hint));
  input.addEventListener("change", () => onCommit?.(input.checked));
  return {
    element,
    input,
    get value() { return input.checked; },
    set(next) { input.checked = next; told(input); },
    complain(text) { put(hint, text || (help ?? "")); element.classList.toggle("invalid", Boolean(text)); },
    enable(yes, why) { input.disabled = !yes; put(hint, why ?? help ?? ""); },
  };
}

/** Several controls under one legend. */
export function fieldGroup(legend, ...children) {
  return h("fieldset.group", h("legend", legend), children);
}

function labelled(input, { label, help, unit }) {
  const id = newId("field");
  const note = newId("note");
  const hint = h("p.hint", { id: note }, help ?? "");
  const error = h("p.field-error", { id: `${id}-error`, role: "alert", hidden: true });
  set(input, { id, "aria-describedby": `${note} ${error.id}` });
  const element = h(
    "div.field", h("label", { for: id }, label),
    unit ? h("div.with-unit", input, h("span.unit", unit)) : input, hint, error,
  );
  return {
    element,
    input,
    get value() { return input.value; },
    set(next) { input.value = next; told(input); },
    complain(text) {
      put(error, text ?? "");
      error.hidden = !text;
      set(input, { "aria-invalid": text ? "true" : null });
    },
    enable(yes, why) { input.disabled = !yes; put(hint, why ?? help ?? ""); },
  };
}

// Who hears what persons change hears this too.
function told(input) {
  input.dispatchEvent(new Event("set", { bubbles: true }));
}

function listening(field, onInput, onCommit) {
  field.input.addEventListener("input", () => onInput?.(field.input.value));
  field.input.addEventListener("change", () => onCommit?.(field.input.value));
  return field;
}

function optionOf(one) {
  if (typeof one === "string") return { value: one, title: one };
  return Array.isArray(one) ? { value: one[0], title: one[1] } : one;
}

function grouped(options) {
  const made = new Map();
  const result = [];
  for (const { value, title, group, disabled } of options) {
    const option = h("option", { value, disabled }, title);
    if (!group) {
      result.push(option);
    } else if (made.has(group)) {
      made.get(group).append(option);
    } else {
      made.set(group, h("optgroup", { label: group }, option));
      result.push(made.get(group));
    }
  }
  return result;
}
