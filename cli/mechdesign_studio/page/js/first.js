// What comes before the first paint, in a classic script: modules run only after the page was parsed. All of them are asked for at once.
const { dataset } = document.documentElement;
try {
  dataset.theme = localStorage.getItem("theme") ?? "auto";
} catch {
  dataset.theme = "auto";
}
for (const name of document.currentScript.dataset.modules.split(" ")) {
  document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: `/page/js/${name}.js` }));
}
