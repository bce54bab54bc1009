// The status line of a panel: what runs, how far it is, remarks, errors, how to stop it.

import { h, put } from "../dom.js";
import { standing } from "./signal.js";

const PATIENCE = 300; // milliseconds

/**
 * Build a status line: {element, remarks (the last of it, which may be put elsewhere), busy, progress, remark, failed, attempt, done, clear, follow, result}.
 * busy("designing n = 64", stop) shows a spinner and, with `stop`, a cancel button; both appear only after 0.3 s, so
 * quick answers do not flicker. progress({label, done, total}); remark(text); failed(text), which attempt(f) says of an error of f(); done(text).
 *
 * After follow(element, ...forms) all that is said is of what stood in the element's fields when the work began: it goes when one is changed, and a message that
 * begins with a field of the forms stands beside it. A form with named(text) calls options as its fields do. result(part) is an element of that work: it is grey while another question stands there.
 */
export function messages() {
  const status = h("p.message-text", { role: "status" });
  const bar = h("progress", { hidden: true, "aria-label": "Progress" });
  const cancel = h("button.small", { hidden: true }, "Cancel");
  const remarks = h("ul.remarks", { "aria-label": "Remarks", hidden: true });
  const error = h("p.message.failed", { role: "alert", hidden: true });
  const line = h("div.message-line", status, bar, cancel);
  const element = h("div.messages", line, error, remarks);
  let timer = null;
  let stopping = null;
  // How far the work has come.
  let come = { text: "" };
  // What stands in the fields, and of what this speaks.
  let [asked, of, forms, working] = [null, null, [], false];
  const results = new Map();

  cancel.addEventListener("click", () => stopping?.());

  function follow(fields, ...known) {
    forms = known;
    asked = standing(fields);
    asked.on((now) => {
      for (const [part, about] of results) part.classList.toggle("stale", about !== now);
      if (!working && now !== of) clear();
    });
  }

  function clear() {
    idle("");
    forms.forEach((form) => form.complain(""));
    error.hidden = true;
    remarks.hidden = true;
    put(remarks);
  }

  function idle(text) {
    working = false;
    clearTimeout(timer);
    stopping = null;
    element.classList.remove("busy");
    bar.hidden = true;
    cancel.hidden = true;
    put(status, text);
  }

  function failed(message) {
    const text = forms.reduce((told, form) => form.named?.(told) ?? told, message);
    const isNews = !working || asked?.value === of;
    if (!working) of = asked?.look();
    idle("");
    error.hidden = !isNews || forms.some((form) => form.complain(text));
    put(error, text);
  }

  // What is over at once says nothing on its way: each word would draw the page once more.
  function tell() {
    bar.hidden = !come.total;
    bar.max = come.total || 1;
    bar.value = come.done ?? 0;
    put(status, come.text);
  }

  return {
    element,
    remarks,
    busy(text, stop = null) {
      clear();
      of = asked?.look();
      working = true;
      stopping = stop;
      come = { text };
      timer = setTimeout(() => {
        element.classList.add("busy");
        cancel.hidden = stop === null;
        tell();
      }, PATIENCE);
    },
    progress({ label, done, total, text = total ? `${label}: ${done} of ${total}` : label }) {
      come = { text, done, total };
      if (element.classList.contains("busy")) tell();
    },
    remark(text) {
      remarks.hidden = false;
      remarks.append(h("li", text));
    },
    failed,
    attempt: (f) => Promise.resolve().then(f).catch(({ message }) => failed(message)),
    done(text = "") {
      if (asked?.value === of) idle(text);
      else clear();
    },
    clear,
    follow,
    result(part) {
      results.set(part, of);
      part.classList.toggle("stale", asked !== null && asked.value !== of);
    },
  };
}

/** Say in one line what went wrong in the page itself. */
export function failureText(error) {
  return `This panel met an error of its own: ${error.message}`;
}
