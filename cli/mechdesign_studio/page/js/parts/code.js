// Show code to copy: command lines, Python, documents.

import { done, remembered } from "../code_state.js";
import { h, put } from "../dom.js";

/** Build a block of code with a copy button: {element, show(text)}. */
export function codeBlock(title, text = "") {
  const code = h("code");
  const said = h("span.copied", { role: "status" });
  const button = h("button.small", { "aria-label": `Copy: ${title}` }, "Copy");
  const element = h(
    "figure.code",
    h("figcaption", h("span", title), said, button),
    h("pre", { tabindex: "0", role: "region", "aria-label": title }, code),
  );
  button.addEventListener("click", async () => {
    put(said, (await copy(code)) ? "Copied" : "Selected: copy it with the keyboard");
    setTimeout(() => put(said), 2500);
  });
  // A line ends at no hyphen.
  const show = (next) => put(code, next.split(/(--[a-z-]+)/).map((part, at) => (at % 2 ? h("span.no-wrap", part) : part)));
  show(text);
  return { element, show };
}

/** Build the short disclosure that every panel has: the lines and the Python of what the panel did last. */
export function codeDisclosure(panel) {
  const lines = codeBlock("Command line");
  const python = codeBlock("Python");
  const element = h(
    "details.code-disclosure", { hidden: true },
    h("summary", "Code"),
    h("p.hint", "What this panel ran. The files that it reads are named as you gave them."),
    lines, python,
  );
  const refresh = () => {
    const entry = remembered(panel);
    element.hidden = entry === null;
    lines.show(entry?.lines.join("\n") ?? "");
    python.show(entry?.python ?? "");
    python.element.hidden = !entry?.python;
  };
  done.on((who) => who === panel && refresh());
  refresh();
  return element;
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}
