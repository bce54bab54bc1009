// Talk to the server about releases. Releases are no jobs of the page: a page that is closed does not end them.

import { ask, post } from "../api.js";

const FIRST_LOOK = 60;
const LAST_LOOK = 700;

/** Make the folder of releases, where the studio was started without one. */
export function makeFolder(name) {
  return post("/api/releases/folder", { name });
}

/** Get the folder (null where there is none, and the place where one is made) and what is in it: {folder, place, problem, releases, jobs}. */
export function list() {
  return ask("/api/releases");
}

/** Ask what a release would spend: {quote, release, is_there, earlier, spent}. Handlers: onJob(stop), onProgress(said). */
export function quote(options, handlers) {
  return followed("/api/releases/quote", { options }, handlers);
}

/** Draw the release of this name once: {release, was_there, remarks, lines, python}. Handlers as of `quote`. */
export function draw(options, release, handlers) {
  return followed("/api/releases", { options, release }, handlers);
}

/** Prove a release again, and get its rows and totals: {header, rows, number, totals}. Handlers as of `quote`. */
export function results(release, handlers) {
  return followed(`/api/releases/${release}/results`, {}, handlers);
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

async function followed(address, body, { onJob, onProgress }) {
  const { job } = await post(address, body);
  const place = `/api/jobs/${encodeURIComponent(job)}`;
  // It may have ended by itself.
  onJob(() => ask(place, { method: "DELETE" }).catch(() => {}));
  for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 1.4, LAST_LOOK)) {
    const { state, last } = await ask(place);
    if (state === "done") return last;
    if (state === "failed") throw Object.assign(new Error(last.message), { texts: last.texts });
    if (state === "cancelled") throw new Error("Stopped. What was not drawn to its end spent nothing.");
    if (last?.kind === "progress") onProgress(last);
    await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
}
