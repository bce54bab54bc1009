// A design as another file: the document that the page has, converted by `mechdesign report`.

import { forget, upload } from "../api.js";
import { documentText, h, messages, runner, save } from "../kit.js";

const PAGE = "mechanism.html";

/** Convert a document and save what comes out: `options` of `report` write the file `target`; onSaved(lines) hears the commands. */
export async function convert(work, status, document, target, options, onSaved) {
  try {
    const kept = await upload(new File([documentText(document)], "design.json", { type: "application/json" }));
    const gone = () => forget(kept.upload).catch(() => {}); // it goes with the studio anyway
    work.run([{ command: "report", arguments: [{ upload: kept.upload }], options: { json: null, ...options } }], {
      saying: `Writing ${target}`,
      keep: false,
      onDone: ({ job, lines }) => {
        gone();
        save(job, target);
        onSaved?.(lines);
        return `Saved ${target}.`;
      },
      onFailed: gone,
      onGone: gone,
    });
  } catch (error) {
    status.failed(error.message);
  }
}

/** Build what saves the design on screen as one page: {element, show(document)}; a design too large for the page has no document. */
export function pageSaver() {
  const status = messages();
  const work = runner("design-page", status);
  let document = null;
  const button = h("button", { onclick: () => convert(work, status, document, PAGE, { page: PAGE }) }, "Save this page");
  const element = h("div.row", button, h("span.hint", "heat map, column and seal in one file that opens anywhere"), status);
  return {
    element,
    show(next) {
      document = next;
      element.hidden = !document;
    },
  };
}
