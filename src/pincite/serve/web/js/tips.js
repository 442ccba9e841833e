// What a defined term means, for people who point at it or reach it with the keyboard.

import { h, isolated } from "./dom.js";
import { markTerms } from "./marks.js";

let shown = null;

/** Underline the defined terms in a text. */
export function define(root, definitions) {
  markTerms(root, definitions, (definition, text) => h("dfn", {
    class: "term", tabindex: "0", on: {
      mouseenter: (event) => open(event.currentTarget, definition),
      focus: (event) => open(event.currentTarget, definition),
      mouseleave: close,
      blur: close,
    },
  }, text));
}

function open(anchor, definition) {
  close();
  const within = definition.within?.length ? ` within ${definition.within.join(" › ")}` : "";
  const tip = h("div", { class: "tip", role: "tooltip", id: "tip" },
    h("b", {}, isolated(definition.term)), " ", isolated(definition.text),
    h("span", { class: "where" }, isolated(place(definition.citation)), within));
  document.body.append(tip);
  anchor.setAttribute("aria-describedby", "tip");
  const { left, bottom, top } = anchor.getBoundingClientRect();
  const room = innerHeight - bottom > tip.offsetHeight + 12;
  tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 12)) + scrollX}px`;
  tip.style.top = `${(room ? bottom + 6 : Math.max(8, top - tip.offsetHeight - 6)) + scrollY}px`;
  shown = { tip, anchor };
}

/** Take the tip away; true if there was one. */
export function close() {
  const was = shown;
  shown?.tip.remove();
  shown?.anchor.removeAttribute("aria-describedby");
  shown = null;
  return was !== null;
}

/** Where a citation points, in words. */
export function place(citation) {
  const [, element, section] = /^pincite:[^/]+\/[^/]+\/[^/]+\/([^@#;]+)(?:@[^#;]+)?(?:#([^;]+))?/.exec(citation) ?? [];
  return element === undefined ? citation : [decoded(element), section && decoded(section)].filter(Boolean).join(", ");
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
