// Collection for real: answers in, private reports out; reports in, estimates out.

import { commandsAnd, upload } from "../api.js";
import { codeDisclosure, h, inventedPeople, messages, runner, sampleButton, SIMULATING, SIMULATION } from "../kit.js";
import { aggregateForm } from "../local/aggregate_form.js";
import { privatizeForm } from "../local/privatize_form.js";

const name = "collect";
export const lead = "Turn a file of answers into reports that are private by themselves, or a file of reports into estimates. These reports are real: their noise comes from the operating system and cannot be taken out again.";

const SIMULATED = `${SIMULATION}-reports.parquet`;
const ORACLE = "hh:b=4";

export async function build(root) {
  const known = await commandsAnd(["local privatize", "local task new", "local aggregate", "local ranges", "local marginals", "local dependence"], "suggestions", "posts");
  const [making, reading] = [messages(), messages()];
  const estimates = aggregateForm(name, reading, known);
  const reports = privatizeForm(name, making, known, { onReports: estimates.take, onBusy: estimates.wait });
  const trying = messages();
  const trial = runner("collect-trial", trying);

  /** Have a seed in place of the operating system make the reports: they are marked, and the forms stay empty. */
  function tryIt() {
    return trying.attempt(async () => {
      const { upload: id } = await upload(inventedPeople());
      const options = { input: { upload: id }, column: "age", bins: ["0:100:10"], oracle: ORACLE, epsilon: "1", seed: "1", output: SIMULATED };
      trial.run([{ command: "local privatize", options }], {
        saying: "Making reports by a seed", silent: SIMULATING, keep: false,
        onDone: ({ job }) => {
          estimates.take({ job, name: SIMULATED });
          return "SIMULATION: these reports were made by a seed, of people who do not exist. Their estimates are below.";
        },
      });
    });
  }

  root.append(
    h("div.row", sampleButton(tryIt), trying),
    h("section.stack", { "aria-labelledby": "collect-make" }, h("h2", { id: "collect-make" }, "From answers to reports"), reports),
    h("section.stack", { "aria-labelledby": "collect-read" }, h("h2", { id: "collect-read" }, "From reports to estimates"), estimates),
    codeDisclosure(name),
    h("p.hint", "Repeated collection, in which each person's answer is drawn once and kept in a secret file, stays on the command line: mechdesign local privatize --memory."),
  );
}
