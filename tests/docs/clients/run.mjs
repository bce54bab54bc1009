// Make the messages of a file of jobs: each is printed with the number of bytes read, or an error that begins with "refused".
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, jobs] = process.argv.slice(2);
const { message, parse } = await import(pathToFileURL(`${folder}/client.mjs`));
await import(pathToFileURL(`${folder}/levels.mjs`));

for (const { task, value, random } of parse(readFileSync(jobs, "utf8"))) {
  const data = Buffer.from(random ?? "", "hex");
  let taken = 0;
  const read = (length) => data.subarray(taken, (taken += length));
  try {
    const made = random === null ? message(task, value) : message(task, value, read);
    console.log(Buffer.from(made).toString("hex"), taken);
  } catch (error) {
    console.log("refused", error.message);
  }
}
