// Give the studio a file: drop it or choose it. It stays on this machine and goes when the studio ends.

import { forget, upload } from "../api.js";
import { h, newId, put, set } from "../dom.js";
import { sizeText } from "./downloads.js";

/**
 * Build a place for one file: {element, upload (null or {upload, name, bytes, columns}), isReading, take(file), clear(), complain(text)}.
 * complain(text) puts a message that names the file here, and tells whether there is one.
 * With `header` the file must be a table with one: where it is none, the place says why.
 * By default a CSV is accepted. onFile(upload, file) when the server has it, onClear() when it was taken away, or when another one is to replace it; or onChange() for both.
 * onReading() when one is on its way, and when it did not come.
 */
export function fileDrop({ label, help, accept = ".csv,text/csv", header = false, onChange, onFile = onChange, onClear = onChange, onReading }) {
  const id = newId("file");
  const state = h("p.drop-state", { role: "status" });
  const error = h("p.message.failed", { role: "alert", hidden: true });
  const doubt = h("p.message.warn", { role: "status", hidden: true });
  const input = h("input", { type: "file", id, accept, "aria-describedby": `${id}-help` });
  const latin = h("button.small", { hidden: true }, "Read it as Latin-1");
  const remove = h("button.small", { hidden: true }, "Remove");
  const zone = h(
    "div.drop",
    h("label", { for: id, class: "drop-label" }, label), input,
    h("p.hint", { id: `${id}-help` }, help ?? "", " The file stays on this machine and is forgotten when the studio ends."),
    h("div.drop-line", state, remove), error, doubt, latin,
  );
  const place = { element: zone, upload: null, isReading: false, clear, take, complain: complainOf };
  let newest = 0;

  async function take(file) {
    newest += 1;
    const mine = newest;
    if (file !== input.files[0]) input.value = ""; // it names no file but this one
    place.isReading = true;
    if (place.upload) {
      drop();
      onClear?.(); // nobody works on while another file is on its way
    }
    onReading?.();
    error.hidden = doubt.hidden = latin.hidden = true;
    put(state, `Reading ${file.name} (${sizeText(file.size)})`);
    try {
      const kept = await upload(file);
      if (mine === newest) {
        place.isReading = false;
        hold(kept);
        put(state, `${kept.name}, ${sizeText(kept.bytes)}${kept.columns ? `, ${kept.columns.length} ${kept.columns.length === 1 ? "column" : "columns"}` : ""}`);
        remove.hidden = false;
        if (header && !kept.columns) complain(`${kept.name} has no columns to choose from. ${kept.why}`);
        doubt.hidden = !header || !kept.doubt;
        put(doubt, kept.doubt);
        latin.hidden = !header || kept.utf8;
        latin.onclick = () => takeLatin(file);
        onFile?.(kept, file);
      } else {
        forget(kept.upload).catch(() => {});
      }
    } catch (failure) {
      if (mine === newest) {
        place.isReading = false;
        put(state);
        complain(failure.message);
        onReading?.();
      }
    }
  }

  // Programs of Europe write it. As UTF-8 it is another file, which the command line would need too.
  async function takeLatin(file) {
    const text = new TextDecoder("latin1").decode(await file.arrayBuffer());
    await take(new File([text], file.name));
    remove.focus();
  }

  function complain(text) {
    error.hidden = false;
    put(error, text);
  }

  function complainOf(text) {
    const isOurs = Boolean(place.upload) && text.includes(place.upload.name);
    error.hidden = !isOurs;
    put(error, isOurs ? text : "");
    return isOurs;
  }

  function drop() {
    if (place.upload) {
      forget(place.upload.upload).catch(() => {}); // it goes with the studio anyway
      hold(null);
    }
  }

  function hold(kept) {
    place.upload = kept;
    set(input, { "data-upload": kept?.upload });
    input.dispatchEvent(new Event("set", { bubbles: true }));
  }

  function clear() {
    newest += 1;
    place.isReading = false;
    drop();
    input.value = "";
    put(state);
    error.hidden = doubt.hidden = latin.hidden = true;
    remove.hidden = true;
    onClear?.();
  }

  input.addEventListener("click", () => { input.value = ""; }); // the same file, changed meanwhile, may be chosen again
  input.addEventListener("change", () => input.files.length && take(input.files[0]));
  remove.addEventListener("click", () => { clear(); input.focus(); });
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files.length) {
      input.value = "";
      take(event.dataTransfer.files[0]);
    }
  });
  return place;
}
