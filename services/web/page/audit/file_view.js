/** Where a file from the disk is dropped or chosen. */

import { h } from "../core/render.js";

/** @typedef {{byFile: string, drop: string, choose: string, fileHint: string}} FileTexts */

/** @param {FileTexts} texts @param {(file: File) => void} take */
export function fileView(texts, take) {
  const over = (/** @type {DragEvent} */ event, /** @type {boolean} */ is) => {
    event.preventDefault();
    /** @type {HTMLElement} */ (event.currentTarget).classList.toggle("is-over", is);
  };
  return h(
    "section",
    {
      class: "card audit-file",
      ondragover: (/** @type {DragEvent} */ event) => over(event, true),
      ondragleave: (/** @type {DragEvent} */ event) => over(event, false),
      ondrop: (/** @type {DragEvent} */ event) => {
        over(event, false);
        const [file] = event.dataTransfer?.files ?? [];
        if (file) take(file);
      },
    },
    h("h2", null, texts.byFile),
    h(
      "label",
      { class: "audit-drop" },
      h("span", { class: "audit-drop-text" }, texts.drop),
      h("span", { class: "button", "aria-hidden": "true" }, texts.choose),
      h("input", { class: "unseen", type: "file", accept: ".json,.bundle,.txt,.receipts,application/json,text/plain", "aria-label": texts.choose, onchange: (/** @type {any} */ event) => chosen(event.target, take) }),
    ),
    h("p", { class: "small soft" }, texts.fileHint),
  );
}

/** @param {HTMLInputElement} field @param {(file: File) => void} take */
function chosen(field, take) {
  const [file] = field.files ?? [];
  // The same file may be chosen again after it was changed.
  field.value = "";
  if (file) take(file);
}
