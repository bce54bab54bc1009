// What comes before the first paint, in a classic script: modules run only after the page was parsed. The panel that is asked for is asked for at once.
const { dataset } = document.documentElement;
try {
  dataset.theme = localStorage.getItem("theme") ?? "auto";
} catch {
  dataset.theme = "auto";
}
const asked = new URLSearchParams(location.hash.slice(1));
const panel = asked.get("panel") ?? (asked.size ? "design" : "start");
document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: `/page/js/panels/${encodeURIComponent(panel)}.js` }));
