// Talk to the server: choices, uploads, jobs and their events.

import { events } from "./events.js";

const PAGE = randomId();
const jobs = new Map(); // jobs whose end was not heard yet, with their handlers
let early = []; // events of jobs whose POST was not answered yet
let posting = 0;
const newest = new Map(); // the last request of each panel: {request, posted}, a promise of when its POST was answered
const known = new Map(); // what forms are made of, by the names that were asked for
let hear = () => {};
const told = events(`/api/pages/${PAGE}/events`, {
  isBusy: () => jobs.size > 0 || posting > 0, hear: (event) => hand(event), alive: (yes) => hear(yes),
});

/** Get some of what forms are made of, such as "models", "losses" (see GET /api/choices), as soon as they are known. */
export function choices(...names) {
  const of = names.join(",");
  if (!known.has(of)) known.set(of, ask(`/api/choices?of=${encodeURIComponent(of)}`));
  return known.get(of);
}

/** Get commands as the server states them, by their names: {commands, ...}, with what else is named as `choices` does. */
export async function commandsAnd(commands, ...names) {
  const found = await choices(...commands.map(entryOf), ...names);
  return { ...found, commands: Object.fromEntries(commands.map((one) => [one, found[entryOf(one)]])) };
}

const entryOf = (command) => `mechdesign ${command}`;

/** Keep a file for this studio: {upload, name, bytes, columns}. It goes when the studio ends. */
export function upload(file) {
  return ask(`/api/uploads?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
}

/** Get a file of a job, as if it had been chosen; throws an Error where it is no longer there. */
export async function fileOf(job, name) {
  const answer = await fetch(fileAddress(job, name));
  if (!answer.ok) throw new Error(`${name} is no longer kept here; give the file that you saved.`);
  return new File([await answer.blob()], name);
}

/** Return the rows of a table of decimals that a job made. */
export async function rowsOf(job, name) {
  const text = await (await fetch(fileAddress(job, name))).text();
  return text.trim().split("\n").map((line) => line.split(",").map(Number));
}

/** Forget an upload. */
export function forget(id) {
  return ask(`/api/uploads/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** Ask any other address of the server for JSON; throws an Error with the server's one line. */
export async function ask(address, options = {}) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new Error("The studio does not answer: it has ended. Start it again with `mechdesign studio`.");
  }
  const text = await answer.text();
  let body = null;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    body = null;
  }
  if (!answer.ok) {
    throw new Error(body?.error ?? `The studio answered ${answer.status}`);
  }
  return body;
}

/** Ask with a JSON body. */
export function post(address, body) {
  return ask(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

/** Return the address of a file of a job; `show` for one that the page shows instead of saving. */
export function fileAddress(job, name, { show = false } = {}) {
  return `/api/jobs/${encodeURIComponent(job)}/files/${encodeURIComponent(name)}${show ? "?show" : ""}`;
}

/**
 * Run steps, each {command, options (`json` is one, unless it is null), arguments (none by default)}; a newer request of the same panel supersedes this one. Requests of a panel are posted one after another, since
 * the server takes the last that comes for the newest, and posts that are under way together come in any order.
 *
 * Handlers, all optional: onStarted({job, lines}) when the server took it; onProgress({label, done, total});
 * onRemark({text, code, audience}); and exactly one of onDone({job, lines, python, steps, files, seconds}), onFailed({message, step,
 * code}), onGone("superseded" or "cancelled"). After stop() only onGone("cancelled") is called.
 */
export function run(panel, steps, handlers = {}) {
  const request = { job: null, lines: [], handlers, over: false };
  const before = newest.get(panel)?.posted;
  newest.set(panel, { request, posted: Promise.resolve(before).then(() => start(request, panel, steps)) });
  return { stop: () => stop(request) };
}

/** Call f(true or false) when the connection to the studio comes and goes. */
export function onConnection(f) {
  hear = f;
}

async function start(request, panel, steps) {
  if (newest.get(panel).request !== request) finish(request, "onGone", "superseded");
  if (request.over) return;
  posting += 1;
  try {
    await told.ready();
    Object.assign(request, await post("/api/jobs", { page: PAGE, panel, steps: steps.map(whole) }));
    if (request.over) {
      end(request.job);
      return;
    }
    jobs.set(request.job, request);
    request.handlers.onStarted?.({ job: request.job, lines: request.lines });
  } catch (error) {
    finish(request, "onFailed", { message: error.message, step: null, code: null });
  } finally {
    posting -= 1;
    const waiting = early;
    early = [];
    waiting.forEach(hand);
  }
}

// What most steps have need not be said in each.
function whole({ options: { json = true, ...options } = {}, ...step }) {
  return { arguments: [], ...step, options: json ? { ...options, json } : options };
}

function stop(request) {
  if (request.over) {
    return;
  }
  if (request.job !== null) {
    end(request.job);
  }
  finish(request, "onGone", "cancelled");
}

function end(job) {
  ask(`/api/jobs/${encodeURIComponent(job)}`, { method: "DELETE" }).catch(() => {}); // it may have ended by itself
}

function finish(request, handler, value) {
  if (!request.over) {
    request.over = true;
    jobs.delete(request.job);
    request.handlers[handler]?.(value);
  }
}

function hand(event) {
  const request = jobs.get(event.job);
  if (request) {
    tell(request, event);
  } else if (posting > 0) {
    early.push(event);
  }
}

function tell(request, event) {
  const { handlers } = request;
  if (event.kind === "progress") {
    handlers.onProgress?.({ label: event.label, done: event.done, total: event.total });
  } else if (event.kind === "remark") {
    handlers.onRemark?.({ text: event.text, code: event.code, audience: event.audience });
  } else if (event.kind === "done") {
    const { job, lines } = request;
    const { python, steps, files, seconds } = event;
    finish(request, "onDone", { job, lines, python, steps, files, seconds });
  } else if (event.kind === "failed") {
    finish(request, "onFailed", { message: event.message, step: event.step, code: event.code });
  } else if (event.kind === "superseded" || event.kind === "cancelled") {
    finish(request, "onGone", event.kind);
  }
}

function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
