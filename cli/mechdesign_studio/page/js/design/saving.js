// A design as another file: the document that the page has, converted by `mechdesign report`.

import { fileOf, forget, upload } from "../api.js";
import { documentText, h, messages, runner, save } from "../kit.js";

const PAGE = "mechanism.html";

/** Return a document as a file. */
export const documentFile = (document) => new File([documentText(document)], "design.json", { type: "application/json" });

/** Convert the document in a file, which `fileFor` makes or gets, and save what comes out: `options` of `report` write the file `target`; onSaved(lines) hears the commands. */
export async function convert(work, status, fileFor, target, options, onSaved) {
  try {
    const kept = await upload(await fileFor());
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
  return saver("heat map, column and seal in one file that opens anywhere", documentFile, { page: PAGE });
}

/** Build what saves a law, or a design for a workload, as a report in one page: {element, show({job, name}) of its document}. */
export function reportSaver() {
  return saver("picture, facts and proof in one file that opens anywhere", ({ job, name }) => fileOf(job, name), { output: [PAGE] });
}

function saver(hint, fileFor, options) {
  const status = messages();
  const work = runner("design-page", status);
  let document = null;
  const button = h("button", { onclick: () => convert(work, status, () => fileFor(document), PAGE, options) }, "Save this page");
  const element = h("div.row", button, h("span.hint", hint), status);
  return {
    element,
    show(next) {
      document = next;
      element.hidden = !document;
    },
  };
}
