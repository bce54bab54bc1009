// A release that is none: invented people, a seed, and files that say SIMULATION. No ledger and no form is touched.

import { upload } from "../api.js";
import { claimsText } from "../counts/findings.js";
import { ALL, downloads, h, inventedPeople, messages, put, runner, sampleButton, SIMULATION } from "../kit.js";
import { resultsView } from "./results.js";

const [OUTPUT, RECORD, STATEMENT] = ["released.csv", "record.json", "statement.txt"].map((name) => `${SIMULATION}-${name}`);

/** Build the trial: {element}; `confidences` are those that the server states. */
export function releaseTrial({ confidences: [[confidence]] }) {
  const status = messages();
  const work = runner("release-trial", status);
  const told = h("div.stack");
  const claims = h("p");
  const links = downloads("Files of the simulation");
  const result = h(
    "section.card.simulated.stack", { hidden: true, "aria-label": "A simulation, no release" }, h("h2", "SIMULATION, no release"),
    h("p.message.warn", "These people were invented, and a seed drew the noise. Nothing was spent, and no ledger was touched."),
    claims, told, links,
  );

  function go() {
    return status.attempt(async () => {
      const { upload: id } = await upload(inventedPeople());
      const options = { input: { upload: id }, bit: "poor", group: "area", epsilon: "1", intervals: confidence, seed: "1", output: OUTPUT, record: RECORD, statement: STATEMENT };
      work.run([
        { command: "release", options: { ...options, json: null } },
        { command: "check", arguments: [OUTPUT], options: { record: RECORD } },
      ], { saying: "Designing the noise, then drawing it by a seed", silent: ALL, keep: false, shows: result, onDone: show, onFailed: () => { result.hidden = true; } });
    });
  }

  function show({ job, files, steps }) {
    put(claims, "The record was checked. ", claimsText(steps[1].document.claims));
    links.show(job, files);
    put(told, resultsView(steps[0].results));
    return "SIMULATION: drawn by a seed, of people who do not exist.";
  }

  return { element: h("div.stack", h("div.row", sampleButton(go), status), result) };
}
