// Talk to the server about releases. Releases are no jobs of the page: a page that is closed does not end them.

import { ask, post } from "../api.js";

const FIRST_LOOK = 60;
const LAST_LOOK = 700;

/** Get the folder and what is in it: {folder, problem, releases, jobs}. */
export function list() {
  return ask("/api/releases");
}

/** Ask what a release would spend: {quote, release, is_there, earlier, spent}. */
export async function quote(options) {
  return ended((await post("/api/releases/quote", { options })).job);
}

/** Draw the release of this name once: {release, was_there, remarks, lines, python}. */
export async function draw(options, release) {
  return ended((await post("/api/releases", { options, release })).job);
}

/** Give a release up. */
export function discard(release) {
  return ask(`/api/releases/${release}`, { method: "DELETE" });
}

/** Return the address of a file of a release. */
export function releaseFile(release, name) {
  return `/api/releases/${release}/files/${name}`;
}

/** Get the privacy statement of a release. */
export async function statement(release) {
  const answer = await fetch(releaseFile(release, "statement.txt"));
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.text();
}

async function ended(job) {
  for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 1.4, LAST_LOOK)) {
    const { state, last } = await ask(`/api/jobs/${encodeURIComponent(job)}`);
    if (state === "done") return last;
    if (last) throw new Error(last.message ?? `The studio ended this: ${state}`);
    await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
}
