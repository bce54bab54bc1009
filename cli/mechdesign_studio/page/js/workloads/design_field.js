// A design for queries in place of an oracle: its file, and what it says of itself.

import { epsilonText, fileDrop, h, handed, isNumber, isWorkloadDesign, jsonOf, put, whole } from "../kit.js";

/**
 * Build the field: {element, held (null or {upload, epsilon}), clear()}; epsilon is what the file says, and is checked before any
 * report is made. onChange() hears of every change, onGiven() when another panel has handed a design over.
 */
export function designField({ onChange, onGiven }) {
  const said = h("p.hint");
  const refused = h("p.message.failed", { role: "alert", hidden: true });
  const field = { element: null, held: null };
  const place = fileDrop({
    label: "A design for your own queries, in place of an oracle (optional)", accept: ".json",
    help: "From the panel Best local design, or of mechdesign local design --workload.",
    onFile: async (kept, file) => told(kept, await problemOf(file)), onClear: () => told(null, null),
  });
  field.element = h("div.stack", place, said, refused);

  function told(kept, problem) {
    if (kept !== place.upload) return; // another file was given meanwhile
    field.held = problem && { upload: kept.upload, epsilon: problem.epsilon };
    put(said, problem ? `For ${problem.workload}, on ${whole(problem.k)} items: epsilon = ${epsilonText(problem.epsilon)}. The list must have as many items, in the order of the queries.` : null);
    refused.hidden = !kept || Boolean(problem);
    put(refused, refused.hidden ? null : `${kept.name} must be a design for a workload, got another file.`);
    onChange();
  }

  handed.design.on((file) => {
    place.take(file).then(onGiven); // never at once: the form around this field may not be there yet
  });
  return Object.assign(field, { clear: place.clear });
}

async function problemOf(file) {
  const document = await jsonOf(file);
  const problem = isWorkloadDesign(document) ? document.problem : null;
  return isNumber(problem?.epsilon) && isNumber(problem?.k) ? problem : null;
}
