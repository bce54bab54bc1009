// The panels in their order. Each module of js/panels/ exports its `name` in the fragment (#panel=NAME), its `title`, perhaps a `lead` (one or
// two sentences for somebody new), build(root, {titleOf}), which fills the empty element `root` once, and perhaps shown(), called whenever it
// comes on screen.

import * as check from "./panels/check.js";
import * as code from "./panels/code.js";
import * as collect from "./panels/collect.js";
import * as data from "./panels/data.js";
import * as design from "./panels/design.js";
import * as marginals from "./panels/marginals.js";
import * as noiseTables from "./panels/noise_tables.js";
import * as oracles from "./panels/oracles.js";
import * as prices from "./panels/prices.js";
import * as ranges from "./panels/ranges.js";
import * as release from "./panels/release.js";
import * as start from "./panels/start.js";
import * as workloads from "./panels/workloads.js";

/** Groups of the menu: a heading and its panels. */
export const GROUPS = [
  { heading: "Two minutes", panels: [start] },
  { heading: "Counts", panels: [design, prices, check, data, noiseTables] },
  { heading: "Answers given by each person", panels: [oracles, workloads, ranges, marginals, collect] },
  { heading: "To take away", panels: [release, code] },
];

export const PANELS = GROUPS.flatMap((group) => group.panels);

/** Return the panel of this name; the first where there is none. */
export function panelNamed(name) {
  return PANELS.find((panel) => panel.name === name) ?? PANELS[0];
}
