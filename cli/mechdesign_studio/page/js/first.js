// What comes before the first paint, in a classic script: modules run only after the page was parsed. Those of the panel that is asked for are asked for at once.
const { dataset } = document.documentElement;
try {
  dataset.theme = localStorage.getItem("theme") ?? "auto";
} catch {
  dataset.theme = "auto";
}
const modules = JSON.parse(document.currentScript.dataset.modules);
const asked = new URLSearchParams(location.hash.slice(1));
for (const name of [...modules[""], ...modules[asked.get("panel") ?? (asked.size ? "design" : "start")] ?? []]) {
  document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: `/page/js/${name}.js` }));
}
