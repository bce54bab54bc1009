import { commandsAnd } from "../api.js";
import { controls } from "../design/controls.js";
import { sizeOf } from "../design/entering.js";
import { openDocument } from "../design/opened.js";
import { results } from "../design/results.js";
import { secondsText, work } from "../design/work.js";
import { PARAMETERS, design, onChange, panel } from "../design_state.js";
import { h, messages, put } from "../kit.js";

const name = "design";

const ALL = new Set(PARAMETERS);
let refresh = () => {};

export async function build(root) {
  fill(root, await commandsAnd(["solve"], "models", "properties", "families", "losses", "opened"));
}

export function shown() {
  refresh();
}

function fill(root, found) {
  const status = messages();
  const offer = offerLine();
  const view = results({ onCanonical: () => form.takeCanonical() });
  const form = controls(found, { onGiven: () => ask(ALL) });
  const worker = work(handlers({ status, offer, view, form }));
  let missed = ALL; // what changed while another panel was on screen

  function ask(changed) {
    missed = new Set();
    form.show(design());
    if (form.isMetric() && !form.hasDistances()) {
      status.done("Give the file of distances.");
    } else {
      worker.ask({ size: form.isMetric() ? null : sizeOf(design()), given: form.given(), more: form.more(), changed });
    }
  }

  put(root, h("div.design", form, status, offer, view.elements));
  onChange(({ changed }) => {
    missed = new Set([...missed, ...changed].filter((one) => ALL.has(one)));
    refresh();
  });
  refresh = () => panel() === name && missed.size > 0 && ask(missed);
  refresh();
  openDocument(found.opened, status.failed);
}

function handlers({ status, offer, view, form }) {
  return {
    onWait() {
      offer.hide();
      view.wait();
    },
    onBusy: status.busy,
    onProgress: status.progress,
    onPlan: form.tellPlan,
    onOffer(plan, begin) {
      status.clear();
      view.stale();
      offer.show(plan, begin);
    },
    onDesign(answer, isNewest) {
      view.show(answer, { isNewest, moves: answer.moves });
      form.tellAnswer(answer.report, isNewest);
      if (isNewest) status.clear();
    },
    onLaw(answer) {
      view.showLaw(answer);
      status.clear();
    },
    onFailed(message) {
      view.stale();
      status.failed(message);
      form.complain(message);
    },
    onGone() {
      view.stale();
      status.done("Cancelled. What is shown is the last answer.");
    },
  };
}

// The estimate of a long design, which starts when somebody says so.
function offerLine() {
  const element = h("div.message.warn.offer", { role: "status", hidden: true });
  const hide = () => { element.hidden = true; };
  return {
    element,
    hide,
    show(plan, begin) {
      const onclick = () => { hide(); begin(); };
      put(element, h("p", offerText(plan)), h("button.primary", { onclick }, "Design it"));
      element.hidden = false;
    },
  };
}

function offerText({ seconds, order, methods }) {
  const { variables, rows } = methods.find((method) => method.place === 1).estimate;
  const size = `${variables.toLocaleString("en")} variables, ${rows.toLocaleString("en")} rows for the first`;
  return `Estimated: ${secondsText(seconds)} on one core, by ${order.join(", then ")} (${size}). The last answer stays meanwhile.`;
}
