// The panels in their order, each with its name in the fragment (#panel=NAME), its title in the menu, and perhaps another above it. The module js/panels/NAME.js, which is loaded when
// its panel is first looked at, exports perhaps a `lead` (one or two sentences for somebody new), build(root, {titleOf}), which fills the
// empty element `root` once, and perhaps shown(), called whenever it comes on screen.

const panel = ([name, title, heading = title]) => ({ name, title, heading, load: () => import(`./panels/${name}.js`) });
const group = (heading, ...panels) => ({ heading, panels: panels.map(panel) });

/** Groups of the menu: a heading and its panels. */
export const GROUPS = [
  group("Two minutes", ["start", "Start"]),
  group("Counts", ["design", "Design"], ["prices", "Price of properties"], ["check", "Check"], ["data", "Data"], ["noise", "Noise tables"]),
  group("Answers given by each person", ["oracles", "Local oracles"], ["workloads", "Best local design"], ["ranges", "Ranges and medians"], ["marginals", "Marginals"], ["collect", "Collect"]),
  group("To take away", ["release", "Release"], ["code", "Code"]),
];

export const PANELS = GROUPS.flatMap(({ panels }) => panels);

/** Return the panel of this name; the first where there is none. */
export function panelNamed(name) {
  return PANELS.find((one) => one.name === name) ?? PANELS[0];
}
