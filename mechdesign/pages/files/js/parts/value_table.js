// The numbers of a chart as a table, made when somebody opens it.

import { h, put } from "../dom.js";

const MOST_ROWS = 600;

/** Build the table: {element, show({numbers, texts, title})}; `numbers` are texts, one a row, texts(k) what is exact. */
export function valueTable({ heading, summary = "As a table" }) {
  const body = h("tbody");
  const caption = h("caption");
  const head = [h("th", { scope: "col" }, heading), h("th", { scope: "col", class: "number" }, "probability"), h("th", { scope: "col" }, "exactly")];
  const element = h(
    "details", h("summary", summary),
    h("div.table-scroll.tall", { role: "region", "aria-label": `${heading}, as a table`, tabindex: "0" },
      h("table", caption, h("thead", h("tr", head)), body)),
  );
  let shown = null;

  function fill() {
    const { numbers, texts } = shown;
    put(body, numbers.slice(0, MOST_ROWS).map((number, k) => h(
      "tr", h("th", { scope: "row" }, String(k)), h("td.number", number), h("td.exact-cell", texts(k)),
    )));
  }

  element.addEventListener("toggle", () => element.open && shown && fill());
  return {
    element,
    show(next) {
      shown = next;
      put(caption, next.title);
      if (element.open) fill();
    },
  };
}
