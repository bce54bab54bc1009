// The design on screen as parameters, kept in the fragment: #panel=design&n=8&alpha=9/10&props=WH,CM&loss=L0.
// Data, names of files and priors made from data never stand here.

import { PARAMETERS as ALLOWED } from "./facts.js";
import { written } from "./parts/number_text.js";

/** The names of all parameters of a design. */
export const PARAMETERS = Object.keys(ALLOWED);

/** What is meant where nothing is said, by parameter. */
export const PLAIN = valuesOf("plain");
// Where a design needs one and there is none.
const FIRST = valuesOf("first");
// What is on screen where the address asks for no design.
const START = { ...PLAIN, n: FIRST.n, alpha: FIRST.alpha, props: FIRST.props };
const PATTERNS = Object.fromEntries(Object.entries(ALLOWED).map(([name, { pattern }]) => [name, new RegExp(`^(${pattern})$`)]));
const PANEL = /^[a-z]{1,20}$/;

const ADDRESS_REST = 150; // milliseconds

const FRESH = location.hash === "";
const ASKED = [...new URLSearchParams(location.hash.replace(/^#/, "")).keys()].some((name) => name in ALLOWED);

let current = read(location.hash);
let listeners = [];
// The address of a drag that goes on.
let unwritten = null;
let writing = null;

/** Return the design: all of its parameters as text ("" where one is not used), frozen. */
export function design() {
  return current.design;
}

/** Return the panel that is on screen, as its name ("" before any was asked for). */
export function panel() {
  return current.panel;
}

/** Return whether the fragment asked for a design when the page was opened. */
export function isAsked() {
  return ASKED;
}

/** Return whether the page was opened without a fragment, and not loaded again. */
export function isFresh() {
  return FRESH;
}

/** Return what the fragment asked for and could not be used, as one line ("" where all was well). */
export function complaint() {
  return current.complaint;
}

/**
 * Change parameters or the panel: change({alpha: "0.8"}, {commit: true}).
 * A commit makes an entry of the browser's history, so "back" takes it away; a drag (no commit) replaces the last one, when it
 * rests.
 * alpha and epsilon exclude each other, and so do n and k: set one, the other goes.
 */
export function change(patch, { commit = true } = {}) {
  const { panel: asked = current.panel, ...rest } = patch;
  const next = { design: settled({ ...current.design, ...told(rest) }), panel: asked, complaint: "" };
  const address = fragment(next);
  if (address === (unwritten ?? location.hash)) {
    return;
  }
  if (commit) {
    writeAddress();
    history.pushState(null, "", address);
  } else {
    clearTimeout(writing);
    unwritten = address;
    writing = setTimeout(writeAddress, ADDRESS_REST);
  }
  use(next);
}

// The address follows a drag when it rests: to write it costs a browser as much as to draw a small design.
function writeAddress() {
  clearTimeout(writing);
  if (unwritten !== null) history.replaceState(null, "", unwritten);
  unwritten = null;
}

/** Call f({design, panel, changed}) after each change; `changed` is the set of the names that differ. */
export function onChange(f) {
  listeners.push(f);
  return () => { listeners = listeners.filter((other) => other !== f); };
}

/** Return the address of a panel with this design, or with some of its parameters changed. */
export function link(patch = {}) {
  const { panel: asked = current.panel, ...rest } = patch;
  return fragment({ design: settled({ ...current.design, ...told(rest) }), panel: asked });
}

/** Say what is wrong with the text of a parameter; "" where it is good. */
export function refusal(name, text) {
  const { must, least, most } = ALLOWED[name];
  const point = text.replace(",", ".");
  const isGood = PATTERNS[name].test(text) && !(Number(text) < least || Number(text) > most);
  return isGood ? "" : `${name} must be ${point !== text && PATTERNS[name].test(point) ? `written with a point, as ${point}` : must}, got ${name}=${text}`;
}

/** Return the step that designs what is on screen: {command: "solve", options}; `extra` options win. */
export function solveStep(extra = {}) {
  return { command: "solve", options: { ...designOptions(), ...extra } };
}

/** Return the options of any command that takes a design: those that differ from what the command does by itself. */
export function designOptions() {
  const options = {};
  for (const [name, value] of Object.entries(current.design)) {
    const own = value === PLAIN[name];
    if (value !== "" && !own) options[name] = "least" in ALLOWED[name] ? Number(value) : value;
  }
  return options;
}

function read(hash) {
  const asked = {};
  const refused = [];
  let shown = "";
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (name === "panel" && PANEL.test(value)) {
      shown = value;
    } else if (name in ALLOWED && !refusal(name, value)) {
      asked[name] = value;
    } else {
      refused.push(`${name}=${value}`);
    }
  }
  const text = refused.join(", ").slice(0, 120);
  return {
    design: settled({ ...(Object.keys(asked).length ? PLAIN : START), ...told(asked) }),
    panel: shown,
    complaint: refused.length ? `This link asks for something that is no design: ${text}. It was left out.` : "",
  };
}

// Of each pair that excludes each other, what is set last stays.
function told(patch) {
  const whole = { ...patch };
  for (const name of ["alpha", "epsilon"]) if (patch[name]) whole[name] = written(patch[name]);
  if (patch.epsilon) whole.alpha = "";
  else if (patch.alpha) whole.epsilon = "";
  return whole;
}

function settled(design) {
  const next = { ...design };
  if (next.model === "count") {
    next.n ||= FIRST.n;
    next.k = "";
    next.radius = "";
  } else {
    next.k ||= FIRST.k;
    next.n = "";
    next.radius = next.model === "lldp" ? next.radius || FIRST.radius : "";
  }
  if (!next.epsilon) {
    next.alpha ||= FIRST.alpha;
  }
  return Object.freeze(next);
}

function fragment({ design: parameters, panel: shown }) {
  const parts = Object.entries(parameters).filter(([name, value]) => value !== "" && (value !== PLAIN[name] || isCore(name)));
  const words = parts.map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/")}`);
  return `#${[...(shown ? [`panel=${shown}`] : []), ...words].join("&")}`;
}

function valuesOf(of) {
  return Object.fromEntries(Object.entries(ALLOWED).map(([name, parameter]) => [name, parameter[of] ?? ""]));
}

function isCore(name) {
  return ["n", "k", "alpha", "epsilon", "props", "loss"].includes(name);
}

function use(next, meanwhile = () => {}) {
  const names = Object.keys(next.design).filter((name) => next.design[name] !== current.design[name]);
  const changed = new Set([...names, ...(next.panel !== current.panel ? ["panel"] : [])]);
  current = next;
  meanwhile();
  for (const f of [...listeners]) {
    f({ design: next.design, panel: next.panel, changed });
  }
}

// What was typed or followed is written as the page writes it, so one design has one address.
function settleAddress() {
  if (current.panel && location.hash !== fragment(current)) {
    history.replaceState(null, "", fragment(current));
  }
}

window.addEventListener("pagehide", writeAddress);
window.addEventListener("popstate", () => {
  clearTimeout(writing);
  unwritten = null;
  const next = read(location.hash);
  next.panel ||= current.panel;
  use(next, settleAddress);
});
settleAddress();
