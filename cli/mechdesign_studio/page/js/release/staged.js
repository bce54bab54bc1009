// The releases of the folder: each with its files, its statement, and a way to give it up.

import { h, put, sizeText } from "../kit.js";
import { resultsOf } from "./results.js";
import { releaseFile, statement } from "./server.js";

const STATES = {
  waits: ["waits to be downloaded", "tag"],
  sent: ["was sent to a browser", "tag good"],
  unfinished: ["is being drawn, or was interrupted", "tag"],
  discarded: ["given up", "tag bad"],
};

/** Build the list: {element, show(releases), see(name)}. onDiscard(name) and onSent() are called by its buttons. */
export function stagedList({ onDiscard, onSent }) {
  const place = h("p.hint");
  const list = h("ul.releases");
  const element = h("section.stack", { "aria-label": "Releases" }, h("h2", "Releases"), place, list);
  // What is said of a release stays open when its card is drawn again.
  const told = new Map();
  let shown = "";

  function toldOf(release) {
    if (!told.has(release)) told.set(release, [resultsOf(release), statementOf(release)]);
    return told.get(release);
  }

  return {
    element,
    show({ folder, releases }) {
      const next = JSON.stringify([folder, releases]);
      if (next === shown) return;
      shown = next;
      put(place, "They stay in ", h("code", folder), " until you discard them; the key of that folder is secret. ", releases.length ? "" : "There is none yet.");
      put(list, releases.map((one) => h("li", card(one, { onDiscard, onSent, toldOf }))));
    },
    see(name) {
      const found = document.getElementById(name);
      found?.scrollIntoView({ block: "start" });
      found?.focus({ preventScroll: true });
      const [results] = told.get(name) ?? [];
      if (results) results.open = true;
    },
  };
}

function card(release, { onDiscard, onSent, toldOf }) {
  const { quote } = release;
  const [word, style] = STATES[stateOf(release)];
  const title = h("h3", { id: release.release, tabindex: "-1" }, `${release.input}, ${release.asked.slice(0, 16).replace("T", " ")} UTC `, h("span", { class: style }, word));
  const spent = release.state === "unfinished" ? "asks for" : "spent";
  const lines = [
    h("p", `${spent} epsilon = ${quote.epsilon_text} of each ${quote.unit}, ${quote.groups.toLocaleString("en")} groups of sizes ${quote.sizes}`),
  ];
  if (release.state === "drawn") lines.push(files(release, onSent), ...toldOf(release.release), h("p.hint", "In ", h("code", release.folder)));
  if (release.problem) lines.push(h("p.message.warn", release.problem));
  if (release.state === "discarded") lines.push(h("p.hint", `Given up on ${release.discarded.slice(0, 10)}: its files are deleted, and what it spent is spent.`));
  if (release.state !== "discarded") lines.push(discardButton(release, onDiscard));
  return h("article.card", { "aria-labelledby": release.release }, title, lines);
}

function stateOf(release) {
  if (release.state !== "drawn") return release.state;
  const needed = release.files.filter((file) => file.bytes !== null);
  return needed.every((file) => file.sent) ? "sent" : "waits";
}

function files(release, onSent) {
  const link = ({ name, bytes, sent }) => h(
    "li",
    h("a.download", { href: releaseFile(release.release, name), download: name, onclick: () => setTimeout(onSent, 800) }, name,
      bytes === null ? "" : h("span.size", ` ${sizeText(bytes)}`)),
    sent ? h("span.hint", ` sent ${sent.slice(0, 16).replace("T", " ")}`) : null,
  );
  return h("ul.downloads", release.files.map(link));
}

function statementOf(release) {
  const text = h("pre.statement", { tabindex: "0", role: "region", "aria-label": "Privacy statement" });
  const element = h("details", h("summary", "For auditors: privacy statement, mechanism and hashes"), text);
  element.addEventListener("toggle", async () => {
    if (!element.open || text.textContent) return;
    try {
      put(text, await statement(release));
    } catch (error) {
      put(text, error.message);
    }
  });
  return element;
}

function discardButton(release, onDiscard) {
  const row = h("div.row");
  const first = h("button.danger.small", "Discard");
  const question = release.state === "drawn"
    ? "Delete its files? What it spent stays spent, and the same release again spends anew."
    : "Give it up? If it was drawn, what it spent stays spent.";
  first.addEventListener("click", () => {
    const yes = h("button.danger.small", { onclick: () => { yes.disabled = true; onDiscard(release.release); } }, "Delete it");
    const no = h("button.small", { onclick: () => { put(row, first); first.focus(); } }, "Keep it");
    put(row, h("span", question), yes, no);
    no.focus();
  });
  put(row, first);
  return row;
}
