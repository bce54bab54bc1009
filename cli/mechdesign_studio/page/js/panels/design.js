import { choices } from "../api.js";
import { controls, sizeOf } from "../design/controls.js";
import { openDocument } from "../design/opened.js";
import { results } from "../design/results.js";
import { secondsText, work } from "../design/work.js";
import { design, onChange, panel } from "../design_state.js";
import { h, put } from "../dom.js";
import { failureText, messages } from "../parts/messages.js";

export const name = "design";
export const title = "Design";
export const lead = "Say how private a count must be and what its noise must keep. The best mechanism is found and proved, in whole numbers, as you drag.";

const ALL = new Set(["model", "n", "k", "radius", "alpha", "epsilon", "props", "loss", "prior", "aggregate"]);
let refresh = () => {};

export function build(root) {
  choices().then((found) => fill(root, found)).catch((error) => put(root, h("p", { class: "message failed", role: "alert" }, failureText(error))));
}

function fill(root, found) {
  const status = messages();
  const offer = h("div", { class: "message warn offer", role: "status", hidden: true });
  const shownResults = results(status.element, offer);
  const form = controls(found, () => ask(ALL));
  const worker = work({
    onWait: () => {
      offer.hidden = true;
      shownResults.wait();
    },
    onBusy: status.busy,
    onProgress: status.progress,
    onPlan: form.tellPlan,
    onOffer: (plan, begin) => {
      status.clear();
      shownResults.stale();
      offer.hidden = false;
      put(offer, offerText(plan), h("button", { type: "button", class: "primary", onclick: () => { offer.hidden = true; begin(); } }, "Design it"));
    },
    onDesign: (answer, isNewest) => {
      shownResults.show(answer, isNewest);
      form.tellPrivacy(answer.report);
      if (isNewest) status.clear();
    },
    onFailed: (message) => {
      shownResults.stale();
      status.failed(message);
      form.complain(message);
    },
    onGone: () => status.done("Cancelled. What is shown is the last answer."),
  });
  let missed = ALL; // what changed while another panel was on screen

  function ask(changed) {
    missed = new Set();
    form.show(design());
    worker.ask({ size: sizeOf(design()), files: form.files, changed });
  }

  put(root, h("div", { class: "split" }, form.element, shownResults.element));
  onChange(({ changed }) => {
    missed = new Set([...missed, ...changed].filter((one) => ALL.has(one)));
    refresh();
  });
  refresh = () => panel() === name && missed.size > 0 && ask(missed);
  refresh();
  openDocument(found.opened, (message) => status.failed(message));
}

export function shown() {
  refresh();
}

function offerText(plan) {
  const first = plan.methods.find((method) => method.place === 1);
  const { variables, rows } = first.estimate;
  return h(
    "p", {}, `Estimated: ${secondsText(plan.seconds)} on one core, by ${plan.order.join(", then ")} `,
    `(${variables.toLocaleString("en")} variables, ${rows.toLocaleString("en")} rows for the first). The last answer stays meanwhile.`,
  );
}
