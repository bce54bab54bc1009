// Light, dark, or as the system has it. The choice stays in this browser.

import { h } from "./dom.js";

const THEMES = [["auto", "System"], ["light", "Light"], ["dark", "Dark"]];

/** Build the switch of the theme. */
export function themeSwitch() {
  const root = document.documentElement;
  const options = THEMES.map(([value, title]) => h("option", { value, selected: value === root.dataset.theme }, title));
  const select = h("select", { onchange: () => choose(select.value) }, options);
  return h("label.theme", h("span", "Theme"), select);
}

function choose(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}
