// What a panel did last, as code to copy; a design in every format; what stays on the command line.

import { choices } from "../api.js";
import { done, lastPanel, panelsRemembered, remember, remembered } from "../code_state.js";
import { convert, documentFile } from "../design/saving.js";
import { PARAMETERS, designOptions, onChange, solveStep } from "../design_state.js";
import { codeBlock, documentText, downloads, h, messages, put, runner, saveText, seen, selectField } from "../kit.js";

const name = "code";
export const lead = "Whatever you did here as command lines, as Python and as the document itself, to copy and to take away.";

const LONGEST = 200_000; // characters of a document that are shown; all of it is in the file

let onScreen = () => {};

/** Fill the panel. `frame.titleOf(name)` is the title of a panel. */
export function build(root, frame) {
  const status = messages();
  const work = runner("code", status);
  const writing = runner("code-files", status);
  const chooser = selectField({ label: "What was done in", onCommit: show });
  const blocks = { lines: codeBlock("Command line"), python: codeBlock("Python"), document: codeBlock("Document") };
  const files = downloads("Files that it made");
  const formats = h("section.card", { "aria-labelledby": "code-formats" });
  const savedLine = codeBlock("Command line of this file");
  const formatList = h("dl.format-list");
  let entry = null; // what is shown: it stays what it is when its panel does something else meanwhile

  function refresh(chosen = lastPanel()) {
    const names = panelsRemembered();
    chooser.offer(names.map((one) => ({ value: one, title: frame.titleOf(one) })), chosen ?? "");
    if (chosen) {
      show(chosen);
    }
  }

  function show(panel) {
    entry = remembered(panel);
    seen(true, blocks.lines);
    blocks.lines.show(entry.lines.join("\n"));
    blocks.python.show(entry.python ?? "");
    seen(entry.python, blocks.python);
    seen(entry.document !== null, blocks.document);
    blocks.document.show(entry.document === null ? "" : shortened(documentText(entry.document)));
    files.show(entry.job, entry.files);
    formats.hidden = !isDesign(entry.document);
  }

  function saveAs(suffix) {
    if (suffix === "json") {
      saveText("design.json", documentText(entry.document), "application/json");
      savedLine.show(`${designLine(entry)} --output design.json`);
      seen(true, savedLine);
      return;
    }
    const isPage = suffix === "page";
    const target = isPage ? "mechanism.html" : `design.${suffix}`;
    convert(writing, status, () => documentFile(entry.document), target, isPage ? { page: target } : { output: [target] }, (lines) => {
      savedLine.show([`${designLine(entry)} --output design.json`, ...lines].join("\n"));
      seen(true, savedLine);
    });
  }

  function designAgain() {
    const steps = [solveStep()];
    work.run(steps, {
      saying: "Designing what the link asks for",
      keep: false,
      onDone: ({ lines, python, job, files: made, steps: [step] }) => {
        remember("design", { lines, python, job, files: made, steps, document: step.document });
      },
    });
  }

  put(
    formats, h("h2", { id: "code-formats" }, "The design as a file"),
    formatList,
    savedLine,
  );
  for (const element of [savedLine.element, formats, ...Object.values(blocks).map((block) => block.element)]) {
    element.hidden = true;
  }
  chooser.element.classList.add("narrow");
  const others = h("div");
  root.append(
    h("div.stack", chooser, status, blocks.lines, blocks.python, files, formats, blocks.document),
    others,
  );
  choices("formats").then((found) => put(formatList, found.formats.map(([suffix, label, text]) => h(
    "div", h("dt", h("button", { "aria-label": `Save as ${label}`, onclick: () => saveAs(suffix) }, label)), h("dd", text),
  )))).catch(() => {});
  choices("elsewhere").then((found) => put(others, elsewhere(found.elsewhere))).catch(() => {}); // what was done here does not wait for it

  done.on(() => root.closest("section").hidden || onScreen());
  onChange(({ panel, changed }) => {
    if (panel === name && [...changed].some((one) => one !== "panel")) {
      designAgain();
    }
  });
  onScreen = () => {
    const panel = lastPanel();
    if (panel !== null && (panel !== "design" || fits(remembered(panel)))) {
      refresh();
    } else if (entry === null || !fits(entry)) { // else a design of before came late: what is shown is newer
      designAgain();
    }
  };
}

/** Show what was done last; where nothing was, design what the link asks for. */
export function shown() {
  onScreen();
}

function elsewhere(commands) {
  return h(
    "section.card", { "aria-labelledby": "code-elsewhere" }, h("h2", { id: "code-elsewhere" }, "On the command line alone"),
    h("p.hint", "These commands have no panel. Type them in a terminal; each tells its options with ", h("code", "--help"), "."),
    commands.map(({ name: command, summary, example }) => h("div.elsewhere", h("p", summary), codeBlock(`mechdesign ${command}`, example))),
  );
}

// Whether an entry is the design of the address; a file in an option is no part of the address, so it decides nothing.
function fits(entry) {
  const done = entry.steps.find((step) => step.command === "solve")?.options ?? {};
  const asked = designOptions();
  return PARAMETERS.every((option) => typeof done[option] === "object" || String(done[option] ?? "") === String(asked[option] ?? ""));
}

function designLine(entry) {
  const line = entry.lines.find((one) => one.startsWith("mechdesign solve ")) ?? entry.lines[0];
  return line.replace(/ --json\b/, "").replace(/ --output \S+/g, "");
}

function isDesign(document) {
  return typeof document?.format === "string" && document.format.startsWith("mechdesign-design/");
}

function shortened(text) {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} characters more: save it as JSON`;
}
