// The error that somebody can live with: a field that asks for the least epsilon, and hands it on.

import { h } from "../dom.js";
import { textField } from "./fields.js";
import { messages } from "./messages.js";
import { runner } from "./runner.js";

/**
 * Build the field: {element, ask(), clear()}. `stepOf(error)` is the step that answers, of a command `calibrate`; onFound(document)
 * hears the answer and may return the text below the field. ask() asks again, and tells whether an error stands in it.
 */
export function errorField({ panel, label, help, stepOf, onFound }) {
  const status = messages();
  const work = runner(`${panel}-error`, status);
  const field = textField({ label, help, onCommit: ask, attributes: { inputmode: "decimal" } });

  function ask() {
    const error = field.value.trim();
    if (error) work.run([stepOf(error)], { saying: "Looking for the least epsilon", keep: false, onDone: ({ steps }) => onFound(steps[0].document) });
    else clear();
    return error !== "";
  }

  function clear() {
    work.stop();
    field.set("");
    status.clear();
  }

  return { element: h("div.stack.aside", field, status), ask, clear };
}
