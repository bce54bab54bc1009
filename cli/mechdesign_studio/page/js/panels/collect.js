// Collection for real: answers in, private reports out; reports in, estimates out.

import { h } from "../dom.js";
import { codeDisclosure } from "../parts/code.js";
import { messages } from "../parts/messages.js";
import { aggregateForm } from "../local/aggregate_form.js";
import { privatizeForm } from "../local/privatize_form.js";

export const name = "collect";
export const title = "Collect";
export const lead = "Turn a file of answers into reports that are private by themselves, or a file of reports into estimates. These reports are real: their noise comes from the operating system and cannot be taken out again.";

export function build(root) {
  const [making, reading] = [messages(), messages()];
  const estimates = aggregateForm(name, reading);
  const reports = privatizeForm(name, making, { onReports: estimates.take, onBusy: estimates.wait });
  root.append(
    h("section", { class: "stack", "aria-labelledby": "collect-make" }, h("h2", { id: "collect-make" }, "From answers to reports"), reports.element),
    h("section", { class: "stack", "aria-labelledby": "collect-read" }, h("h2", { id: "collect-read" }, "From reports to estimates"), estimates.element),
    codeDisclosure(name),
    h("p", { class: "hint" }, "Repeated collection, in which each person's answer is drawn once and kept in a secret file, stays on the command line: mechdesign local privatize --memory."),
  );
}
