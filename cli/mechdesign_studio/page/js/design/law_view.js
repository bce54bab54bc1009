// What is shown of a law, one mechanism for groups of every size: the facts as the command tells them, and its picture.

import { fileAddress } from "../api.js";
import { h, put, set } from "../dom.js";
import { codeDisclosure } from "../parts/code.js";
import { downloads } from "../parts/downloads.js";

const WORDS = "Left: the probabilities at one end of the group, which are the same for every size. Right: score or proved gap against n";
const WHY = "A matrix of so many people would be too large. A law is one mechanism for groups of every size: the geometric mechanism, "
  + "but for a few rows at each end. It is proved from these rows alone.";

export const LAW = "law.json";
export const PICTURE = "law.svg";

/** Build the view: {element, show({text, job, files, asked}), hide()}. */
export function lawView() {
  const facts = h("pre", { class: "law-facts" });
  const picture = h("img", { alt: WORDS, class: "law-picture" });
  const saved = downloads("Files of this law");
  const element = h(
    "div", { class: "stack law-results", hidden: true },
    h("div", { class: "card" }, h("h2", {}, "A law for groups of every size"), h("p", { class: "hint" }, WHY), facts),
    h("div", { class: "card" }, picture, h("p", { class: "hint" }, `${WORDS}.`)),
    h("div", { class: "card" }, saved.element, codeDisclosure("design")),
  );
  return {
    element,
    show({ text, job, files, asked }) {
      put(facts, text.trimEnd());
      set(picture, { src: fileAddress(job, PICTURE, { show: true }) });
      saved.show(job, files);
      set(element, { "data-asked": asked });
      element.hidden = false;
    },
    hide() {
      element.hidden = true;
    },
  };
}
