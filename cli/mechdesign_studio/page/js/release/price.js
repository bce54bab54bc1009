// What a release would spend, and the one button that draws it.

import { factsList, h, put, ratio, roundedUp, sizeText } from "../kit.js";

/**
 * Build the card of the price: {element, show(found, needsFolder), clear(text)}; where there is no folder yet, nothing can be drawn. onDraw() is called by the button; it can be pressed
 * once for each price that is shown. onSee(name) leads to a release that is there already, onFolder() to what makes a folder.
 */
export function priceCard({ onDraw, onSee, onFolder }) {
  const body = h("div.stack");
  const heading = h("h2", { tabindex: "-1" }, "What it spends");
  const element = h("section.card", { "aria-label": "What it spends" }, heading, body);

  function drawButton({ quote, earlier }) {
    const again = earlier.length > 0 ? "another " : "";
    const button = h("button.primary", `Draw once: spend ${again}epsilon = ${quote.epsilon_text} of each ${quote.unit}`);
    button.addEventListener("click", () => {
      button.disabled = true;
      onDraw();
    }, { once: true });
    return button;
  }

  return {
    element,
    clear: (text) => put(body, h("p.hint", text)),
    show(found, needsFolder) {
      const { quote, release, is_there: isThere } = found;
      const see = h("button.primary", { onclick: () => onSee(release) }, "Show it");
      put(
        body, facts(found), h("p", found.forecast.errors ?? "How far the counts will be off is not told before the draw, as the designs take long. The privacy statement will say it."), found.budget ? h("p", `By the ledger, ${found.budget}.`) : null, history(found), details(found),
        needsFolder ? [h("p", "To draw this, make the folder of releases. What earlier releases in it have spent is told then."), h("button.primary", { onclick: onFolder }, "Name the folder")]
          : isThere ? [h("p.message.good", "This very release was drawn already. It is below; seeing it again spends nothing."), see]
            : [drawButton(found), h("p.hint", "The noise is drawn by randomness of the operating system. Reloading, clicking again or another tab draws nothing more.")],
      );
      heading.focus({ preventScroll: true });
      element.scrollIntoView({ block: "nearest" });
    },
  };
}

function facts({ quote, forecast }) {
  const record = sizeText(forecast.record_bytes);
  const rows = [
    ["epsilon", quote.epsilon_text],
    ["In words", `whoever reads the counts sees the odds between two answers of one ${quote.unit} change by at most a factor ${mostOdds(quote.alpha)}`],
    ["Groups", `${quote.groups.toLocaleString("en")}, of sizes ${quote.sizes}`],
    ["In all groups", `${quote.units.toLocaleString("en")}, each a ${quote.unit}, whatever the answer`],
    ...(quote.values.length ? [["Counts", `one of each value in each group: ${quote.values.join(", ")}; each is drawn with half of this epsilon`]] : []),
    ["Published exactly", quote.published.join(", ") || "nothing but the order of the rows"],
    ["Record", forecast.obstacle ? `Impossible: ${forecast.obstacle}.` : `about ${record}${forecast.is_made ? "" : ", estimated"}`],
  ];
  return factsList(rows);
}

// One over alpha, a fraction, rounded up.
function mostOdds(alpha) {
  const [top, bottom = "1"] = alpha.split("/");
  return roundedUp(ratio(bottom, top), 3);
}

function details({ quote: { alpha_text: alpha, design } }) {
  const noise = design.mechanism ? "your design" : `the best with ${design.properties}, loss ${design.loss}, prior ${design.prior}`;
  return h("details", h("summary", "For auditors"), factsList([["alpha", alpha], ["Noise", noise]]));
}

function history({ earlier, spent, is_there: isThere }) {
  if (earlier.length === 0) return null;
  const rows = earlier.map(({ asked, quote, discarded }) => h(
    "li", `${asked.slice(0, 10)}: epsilon = ${quote.epsilon_text} of each ${quote.unit}${discarded ? ", given up later (it counts all the same)" : ""}`,
  ));
  const told = isThere ? "all of them" : "a new one comes on top";
  return h("div.message.warn", h("p", `Releases of this very file in this folder so far, ${told}: epsilon = ${spent} in all`), h("ul", rows));
}
