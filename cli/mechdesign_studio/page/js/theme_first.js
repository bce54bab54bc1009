// Set the chosen theme before the first paint. A classic script: modules run only after the page was parsed.
try {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "auto";
} catch {
  document.documentElement.dataset.theme = "auto";
}
