// The task of a collection: one document for all its clients, and for the server that adds up their reports.

import { codeBlock, downloadLink, factsList, h, put } from "../kit.js";

/** Build the view: {element, show({job, file, task})}. */
export function taskView() {
  const said = h("div");
  const place = h("p");
  const constants = codeBlock("Constants, as clients take them");
  const hint = h("p.hint", "Clients in any language make reports of this document alone: REPORTS.md, among the file formats of the documentation, says how. Files of reports carry its digest, and the server refuses those of another task.");
  const element = h("div.card", { hidden: true }, h("h3", "Task"), said, h("div.row", place), constants, hint);
  return {
    element,
    show({ job, file, task }) {
      element.hidden = false;
      put(said, factsList([["Oracle", task.parameters.oracle], ["Privacy", task.parameters.privacy], ["Digest", task.sha256]]));
      put(place, downloadLink(job, file));
      constants.show(JSON.stringify(task.constants, null, 1));
    },
  };
}
