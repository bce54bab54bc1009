// How controls write the design and follow it.

import { change, design, refusal } from "../design_state.js";

const unentered = new Set();

/** Keep, within a form, which fields hold text that was typed and not yet entered. */
export function noteTyping(form) {
  form.addEventListener("input", (event) => unentered.add(event.target), { capture: true });
  form.addEventListener("change", (event) => unentered.delete(event.target), { capture: true });
}

/** Enter what was typed, as Enter does: a press on a button takes what stands in the fields. */
export function enter() {
  for (const field of unentered) field.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Set a field, which has nothing wrong then; but not one with text that was typed and not yet entered. */
export function unlessTyping(field, value) {
  if (unentered.has(field.input)) return;
  field.set(value);
  field.complain("");
}

/** Make changes that belong together one step of the history: {move(patch), end()}. The first makes it, others replace it. */
export function drags() {
  let moving = false;
  return {
    move(patch) {
      change(patch, { commit: !moving });
      moving = true;
    },
    end() {
      moving = false;
    },
  };
}

/** Return the number of inputs of a design. */
export function sizeOf(state) {
  return state.model === "count" ? Number(state.n) + 1 : Number(state.k);
}

/** Enter the text of a field for a parameter, or say beside it what it must be. */
export function entered(field, name, value, take = (text) => change({ [name]: text })) {
  const text = value.trim();
  const wrong = refusal(name, text);
  const last = design()[name];
  field.complain(wrong && `${wrong}.${last ? ` The last answer is for ${name} = ${last}.` : ""}`);
  if (!wrong) take(text);
}

/** Take the errors out of narrow fields, for a line of their own. */
export function errorsOf(...fields) {
  return fields.map(({ element }) => element.querySelector(".field-error"));
}

/** Return a decimal or a fraction as a number. */
export function asNumber(text) {
  const [top, bottom = "1"] = text.split("/");
  return Number(top) / Number(bottom);
}
