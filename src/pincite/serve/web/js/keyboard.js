// The page by keyboard.

import { byId, closeMenus, dialog, h } from "./dom.js";
import { close as closeTip } from "./tips.js";

const KEYS = [
  [["/"], "go to the search box"],
  [["↓", "↑"], "from result to result"],
  [["Enter"], "open the result"],
  [["Tab"], "to the terms, links and buttons of a result"],
  [["←", "→"], "from view to view of an open document"],
  [["c"], "copy the citation of the result or document"],
  [["v"], "check a quote"],
  [["Esc"], "close what is open, the last first"],
  [["?"], "this list"],
];

/** `actions`: close() for the reader (true if it was open), copy(), verify(). */
export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const act = chosen(event, actions);
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", (event) => closeMenus(event.target.closest?.("details.menu, details.cite")));
  byId("open-keys").addEventListener("click", showKeys);
}

function chosen(event, actions) {
  const { key, target } = event;
  const inQuery = target === byId("query");
  if (key === "Escape") return () => closeTip() || closeMenus() || actions.close();
  if (key === "ArrowDown" || key === "ArrowUp") return movement(target, inQuery, key === "ArrowDown" ? 1 : -1);
  if (target.matches?.("input, textarea, select")) return null;
  return { "/": () => { byId("query").focus(); byId("query").select(); }, "?": showKeys, c: actions.copy, v: actions.verify }[key] ?? null;
}

function movement(target, inQuery, by) {
  const links = [...document.querySelectorAll(".hit-link")];
  const item = target.closest?.(".hit");
  const from = links.findIndex((link) => item?.contains(link));
  const isFree = target === document.body || target === byId("results");
  if (!links.length || (!inQuery && from < 0 && !isFree)) return null;
  const to = from + by;
  if (to < 0) return inQuery && by < 0 ? null : () => byId("query").focus();
  return () => {
    const link = links[Math.min(to, links.length - 1)];
    link.focus({ preventScroll: true });
    link.closest(".hit").scrollIntoView({ block: "nearest" });
  };
}

function showKeys() {
  dialog("Keys", h("dl", { class: "keys" }, KEYS.map(([keys, meaning]) => [h("dt", {}, keys.map((key) => [h("kbd", {}, key), " "])), h("dd", {}, meaning)])),
    h("form", { method: "dialog" }, h("div", { class: "buttons" }, h("button", { type: "submit" }, "Close"))));
}
