// Lets the keyboard reach what scrolls sideways: code, tables and formulas that are wider than the window.

const SCROLLING = "article pre, article .table-wrapper, article .output, article .math-wrapper";

function reach() {
  for (const one of document.querySelectorAll(SCROLLING)) {
    if (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight) one.tabIndex = 0;
    else one.removeAttribute("tabindex");
  }
}

addEventListener("load", () => {
  reach();
  window.MathJax?.startup.promise.then(reach); // formulas have their widths when they are drawn
});
addEventListener("resize", reach);
