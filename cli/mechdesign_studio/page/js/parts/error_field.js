// The error that somebody can live with: a field that asks for the least epsilon, and hands it on.

import { h, put } from "../dom.js";
import { textField } from "./fields.js";
import { messages } from "./messages.js";
import { runner } from "./runner.js";

/**
 * Build the field: {element, ask(), clear(why), wish(), say(label, help)}. `stepOf(error)` is the step that answers, of a command `calibrate`, or what the error must
 * be, as a text; onFound(document) hears the answer and may return the text below the field. ask() asks again, and tells whether an error stands in it.
 * Enter asks, changed or not. say() has it ask for something else; wish() is what was asked for last, and clear() takes it back.
 */
export function errorField({ panel, label, help, stepOf, onFound }) {
  const status = messages();
  const work = runner(`${panel}-error`, status);
  const field = textField({ label, help, onCommit: (text) => text.trim() !== asked && ask(), attributes: { inputmode: "decimal" } });
  let asked = "";

  // A browser tells of a change alone, and after this.
  field.input.addEventListener("keydown", (event) => event.key === "Enter" && ask());

  function ask() {
    asked = field.value.trim();
    const step = asked && stepOf(asked);
    if (step.command) {
      work.run([step], {
        saying: "Looking for the least epsilon", keep: false, onDone: ({ steps }) => onFound(steps[0].document),
        onFailed: ({ message }) => status.failed(message.replace(/^[a-z]{2}/, (start) => start[0].toUpperCase() + start[1])),
      });
    } else if (asked) {
      work.stop();
      status.failed(step);
    } else clear();
    return asked !== "";
  }

  function clear(why = "") {
    work.stop();
    asked = "";
    field.set("");
    status.clear();
    if (why) status.done(why);
  }

  return {
    element: h("div.stack.aside", field, status), ask, clear, wish: () => asked,
    say(name, note) {
      put(field.element.querySelector("label"), name);
      field.enable(true, note);
    },
  };
}
