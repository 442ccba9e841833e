// The key that a server may ask for. Kept for this tab alone, and only until it is closed.

import { dialog, h } from "./dom.js";

const KEPT = "pincite.key";
let waiting = null;

export function key() {
  return sessionStorage.getItem(KEPT) ?? "";
}

export function forgetKey() {
  sessionStorage.removeItem(KEPT);
}

/** Ask for a key; true when one was given. Calls made meanwhile wait for the same answer. */
export function askForKey(reason) {
  waiting ??= asked(reason).finally(() => { waiting = null; });
  return waiting;
}

function asked(reason) {
  return new Promise((resolve) => {
    const field = h("input", { type: "password", id: "key", autocomplete: "off", required: true, spellcheck: "false" });
    const said = reason.startsWith("authentication required") ? "This library requires authentication." : `The server refused the key: ${reason}.`;
    const form = h("form", { method: "dialog" },
      h("p", {}, said, " Paste an API key or an access token. It stays in this tab and is forgotten when you close it."),
      h("label", {}, h("span", {}, "Key"), field),
      h("div", { class: "buttons" },
        h("button", { class: "main", type: "submit" }, "Use this key"),
        h("button", { type: "button", on: { click: () => shown.close() } }, "Not now")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEPT, field.value.trim());
      shown.close();
    });
    const shown = dialog("Sign in", form);
    shown.addEventListener("close", () => resolve(Boolean(key())));
    field.focus();
  });
}
