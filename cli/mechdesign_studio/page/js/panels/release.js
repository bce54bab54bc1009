import { commandsAnd } from "../api.js";
import { remember } from "../code_state.js";
import { panel } from "../design_state.js";
import { bring, codeBlock, codeDisclosure, h, messages, put, textField } from "../kit.js";
import { releaseForm } from "../release/form.js";
import { priceCard } from "../release/price.js";
import { discard, draw, list, makeFolder, quote } from "../release/server.js";
import { stagedList } from "../release/staged.js";
import { releaseTrial } from "../release/trial.js";

const name = "release";
export const lead = "From microdata or a table of counts to a protected table and its record. The noise is drawn once: whatever happens to this page, nothing is drawn a second time.";

const LOOK_AGAIN = 1500;
let look = () => {};

export async function build(root) {
  const [found, { folder, place }] = await Promise.all([commandsAnd(["release"], "losses", "confidences", "ledger"), list()]);
  const trial = releaseTrial(found);
  const real = h("div");
  put(root, trial, real);
  fill(real, found, folder === null ? place : null);
}

export function shown() {
  look();
}

// `place` is where a folder is to be made before anything is priced; null where there is one.
function fill(root, found, place) {
  const status = messages();
  status.element.tabIndex = -1;
  const problem = h("p.message.failed", { role: "alert", hidden: true });
  const ask = h("button.primary", "Read the file and name the price");
  const why = h("p.hint", { role: "status" });
  const staged = stagedList({ onDiscard: giveUp, onSent: refresh });
  const price = priceCard({ onDraw: drawIt, onSee: staged.see, onFolder: () => bring(folder.querySelector("input")) });
  const form = releaseForm({ command: found.commands.release, losses: found.losses, confidences: found.confidences, ledger: found.ledger, onChange: changed });
  let needsFolder = place !== null;
  const folder = needsFolder ? folderForm(place, made) : null;
  let asked = null; // what the price that is shown is of: {options, release}
  let timer = null;
  let turn = 0;
  let isDrawing = false;

  function changed() {
    asked = null;
    turn += 1;
    const missing = form.missing();
    ask.disabled = missing !== null || isDrawing;
    put(why, missing ?? "");
    price.clear("Nothing is drawn before you have seen what it spends.");
    if (!isDrawing) status.clear();
  }

  // A price that was named without a folder is named again: it says what was spent in it.
  function made() {
    needsFolder = false;
    folder.remove();
    if (asked) namePrice();
    else refresh();
  }

  // Counting tells bytes, which nobody asked for: the bar has them.
  function told(text, isWanted) {
    return {
      onJob: (stop) => (isWanted() ? status.busy(text, stop) : stop()),
      onProgress: (said) => isWanted() && status.progress(said.label === "counting" ? { ...said, text } : said),
    };
  }

  function say(text) {
    status.failed(text);
    return status.element;
  }

  async function namePrice() {
    const mine = (turn += 1);
    const options = form.options();
    ask.disabled = true;
    try {
      const answer = await quote(options, told("Reading the file", () => mine === turn));
      if (mine === turn) {
        asked = { options, release: answer.release };
        price.show(answer, needsFolder);
        status.clear();
      }
    } catch (error) {
      if (mine === turn) {
        status.clear();
        if (form.fail(error, say)) return namePrice();
      }
    } finally {
      if (mine === turn) ask.disabled = false;
    }
    return look();
  }

  async function drawIt() {
    const { options, release } = asked;
    const mine = (turn += 1);
    asked = null;
    isDrawing = true;
    ask.disabled = true;
    refresh();
    try {
      const answer = await draw(options, release, told("Designing the noise and drawing it", () => true));
      remember(name, { lines: answer.lines, python: answer.python });
      status.done(answer.was_there ? "It was drawn already: nothing more was spent." : "Drawn, once. Download the output and its record below.");
      if (mine === turn) price.clear("This release is below.");
    } catch (error) {
      status.clear();
      form.fail(error, say);
      if (mine === turn) price.clear("Nothing more will be drawn until you read the file again.");
    } finally {
      isDrawing = false;
      ask.disabled = form.missing() !== null;
    }
    await refresh();
    staged.see(release);
  }

  async function giveUp(release) {
    try {
      await discard(release);
      status.done("Given up. What it spent stays spent.");
    } catch (error) {
      status.failed(error.message);
    }
    changed();
    refresh();
  }

  async function refresh() {
    clearTimeout(timer);
    try {
      const found = await list();
      put(problem, found.problem ?? "");
      problem.hidden = found.problem === null;
      staged.show(found);
      const waits = found.jobs.length > 0 || found.releases.some((one) => one.remains);
      if (waits && panel() === name) timer = setTimeout(refresh, LOOK_AGAIN);
    } catch (error) {
      put(problem, error.message);
      problem.hidden = false;
    }
  }

  ask.addEventListener("click", namePrice);
  put(root, h(
    "div.split",
    h("div.footed", form, folder, h("div.foot", ask, why)),
    h("div.stack", problem, status, price, staged, codeDisclosure(name)),
  ));
  changed();
  look = () => needsFolder || refresh();
  if (!needsFolder) refresh();
}

// Where the studio was started without a folder: it makes one, of a name alone, where it was started.
function folderForm(place, onMade) {
  const status = messages();
  const field = textField({ label: "Name of the folder", value: "releases", help: "Letters, digits, - and _. A folder of an earlier studio is taken as it is." });
  const make = h("button.primary", { onclick: () => status.attempt(async () => { await makeFolder(field.value.trim()); onMade(); }) }, "Make the folder");
  return h(
    "div.card.stack", h("h2", "The folder of releases"),
    h("p", "Needed before anything is drawn, not to see a price. Releases are drawn into a folder, and stay there. It is made in ", h("code", place), ", for you alone. No ledger pays: what each file has spent is added up in this folder."),
    field, h("div.row", make), status,
    h("details", h("summary", "Another place, or a ledger"), codeBlock("Command line", "mkdir -p releases\nmechdesign studio --release-folder releases --ledger LEDGER")),
  );
}
