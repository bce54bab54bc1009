// Links that save the files of a job.

import { fileAddress } from "../api.js";
import { h, put } from "../dom.js";

/** Build a list of downloads: {element, show(job, files)}; `files` are {name, bytes} of a finished job. */
export function downloads(heading = "Downloads") {
  const list = h("ul.downloads");
  const element = h("div.download-box", { hidden: true }, h("h2.minor", heading), list);
  return {
    element,
    show(job, files) {
      element.hidden = files.length === 0;
      put(list, files.map((file) => h("li", downloadLink(job, file))));
    },
  };
}

/** Build the link that saves one file of a job. */
export function downloadLink(job, { name, bytes }) {
  return h("a.download", { href: fileAddress(job, name), download: name }, name, h("span.size", ` ${sizeText(bytes)}`));
}

/** Save a file of a job at once, as a click on its link does. */
export function save(job, name) {
  const link = h("a", { href: fileAddress(job, name), download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Save a text that the page has, as a file. */
export function saveText(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Say a number of bytes. */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
