// Bring what came of a press into view.

const SHARE = 0.6; // of the window's height: what begins higher up is in view

/** Scroll to an element, unless its beginning is in view. */
export function reveal(element) {
  const { top } = element.getBoundingClientRect();
  if (top >= 0 && top < SHARE * window.innerHeight) return;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "start", behavior: isStill ? "auto" : "smooth" });
}
