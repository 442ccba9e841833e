// The results of a search.

import { permalink } from "./address.js";
import { citeMenu } from "./cite.js";
import { h, isolated } from "./dom.js";
import { markWords, matcher } from "./marks.js";
import { blocks, element } from "./prose.js";
import { define } from "./tips.js";
import { LEGS, why } from "./why.js";

/** One hit. `open(citation, hit)` shows it in the reader. */
export function hitItem(hit, { query, open, isOpen, isExplained }) {
  const shown = passage(hit, matcher(query, hit, isExplained));
  const panel = h("div", { class: "why", hidden: true });
  const asks = h("button", { type: "button", class: "plain", "aria-expanded": "false", on: { click: () => toggle(asks, panel, hit) } }, "Why?");
  const item = h("li", { class: isOpen ? "hit open" : "hit", data: { citation: hit.citation, key: keyOf(hit) } },
    h("article", {},
      h("h3", { dir: "auto" }, opener(hit, hit.element_name || hit.element_id, (citation) => open(citation, hit), "hit-link")),
      crumbs(hit),
      shown,
      also(hit, (citation) => open(citation, hit)),
      h("div", { class: "about" },
        h("span", { class: "unseen" }, "Found by "),
        legs(hit).map((leg) => h("span", { class: "badge leg" }, leg)),
        hit.language && h("span", { class: "badge", title: "Language" }, isolated(hit.language)),
        hit.page !== null && hit.page !== undefined && h("span", { class: "badge" }, `page ${hit.page}`),
        h("span", { class: "spread" }, asks, citeMenu(hit))),
      panel));
  requestAnimationFrame(() => shown.classList.toggle("long", shown.scrollHeight > shown.clientHeight + 2));
  return item;
}

/** Names a hit across stages: the same element may be shown by another passage. */
export function keyOf(hit) {
  return JSON.stringify([hit.repository_id, hit.element_id]);
}

/** A link to a place: followed within the page, or in a new tab if the reader wants that. */
export function opener({ citation }, text, open, name = "") {
  return h("a", { href: permalink(citation), class: name || null, on: { click: (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    open(citation);
  } } }, isolated(text));
}

function crumbs(hit) {
  const path = [hit.layer, ...hit.parent_chain].filter((part) => part && part !== hit.element_name);
  return h("ol", { class: "crumbs", "aria-label": "Location" },
    [hit.repository_id, hit.element_id, ...path].map((part) => h("li", {}, isolated(part))));
}

/** The passage, from the first block that holds a found word, when that is far down. */
function passage(hit, matches) {
  const keepsLines = hit.file_type === "txt";
  const made = blocks(hit.content).map((block) => ({ block, node: element(block, { keepsLines }) })).filter(({ node }) => node);
  const last = hit.parent_chain.at(-1) ?? "";
  if (made.length > 1 && made[0].block.kind === "heading" && plain(made[0].block.text) === plain(last)) made.shift();
  const first = made.map(({ node }) => markWords(node, matches)).findIndex((count) => count > 0);
  const skipped = first > 2 ? first - 1 : 0;
  const root = h("div", { class: "passage", lang: hit.language || null },
    skipped > 0 && h("p", { class: "quiet" }, "…"), made.slice(skipped).map(({ node }) => node));
  define(root, hit.definitions ?? []);
  return root;
}

const plain = (text) => text.replace(/[*#`_\s]+/g, " ").trim();

function legs(hit) {
  return Object.keys(hit.explain ?? {}).map((leg) => LEGS[leg] ?? leg);
}

function also(hit, open) {
  const others = (hit.passages ?? []).filter((other) => other.citation !== hit.citation);
  if (!others.length) return null;
  return h("p", { class: "also" }, "Also in ", others.map((other) => opener(other, other.parent_chain.at(-1) ?? `passage ${other.chunk_index + 1}`, open)));
}

function toggle(button, panel, hit) {
  panel.hidden = !panel.hidden;
  button.setAttribute("aria-expanded", String(!panel.hidden));
  if (!panel.hasChildNodes()) panel.append(...why(hit));
}
