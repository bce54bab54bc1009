// Colours of the style sheet for what is drawn on a canvas, and when they change.

const known = new Map(); // of the theme that is on: to ask the browser takes a moment
const listeners = [];
let probe = null;

/** Return custom properties as [red, green, blue], in the theme that is on: colours("--heat-low", "--ink"). */
export function colours(...names) {
  return names.map((name) => {
    if (!known.has(name)) known.set(name, measured(name));
    return known.get(name);
  });
}

function measured(name) {
  probe ??= document.documentElement.appendChild(Object.assign(document.createElement("span"), { hidden: true }));
  probe.style.cssText = `forced-color-adjust: none; color: var(${name})`; // a picture keeps its colours where a system forces its own
  return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
}

/** Return a colour for a share in [0, 1] between stops, each [red, green, blue]. */
export function between(stops, share) {
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const at = Math.min(stops.length - 2, Math.floor(place));
  return stops[at].map((value, part) => Math.round(value + (place - at) * (stops[at + 1][part] - value)));
}

/** Return a colour as the style sheet writes it. */
export function css([red, green, blue]) {
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Return whether dark letters are read more easily than light ones on a colour (relative luminance, as WCAG has it). */
export function isLight(colour) {
  const [red, green, blue] = colour.map((part) => (part / 255 <= 0.03928 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}

/** Call f when the theme changes, by the switch or by the system. */
export function onTheme(f) {
  listeners.push(f);
}

function tell() {
  known.clear();
  listeners.forEach((f) => f());
}

new MutationObserver(tell).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
