// Citing what is shown: as a URI, as Markdown, as BibTeX, as a link to this page.

import { permalink } from "./address.js";
import { announce, closeMenus, h } from "./dom.js";

/** A small menu that copies the citation of a passage. */
export function citeMenu(passage) {
  const choices = [
    ["Citation (URI)", () => passage.citation],
    ["Citation in words", () => passage.citation_text],
    ["Markdown", () => markdown(passage)],
    isPublication(passage) && ["BibTeX", () => bibtex(passage)],
    ["Quote with citation", () => quoted(passage)],
    ["Link to this page", () => location.origin + permalink(passage.citation)],
  ].filter(Boolean);
  const menu = h("details", { class: "cite" },
    h("summary", { "aria-label": `Cite ${passage.element_name}` }, "Cite"),
    h("div", { class: "panel" }, choices.map(([name, made]) =>
      h("button", { type: "button", on: { click: () => { copy(made(), name); closeMenus(); } } }, name))));
  menu.addEventListener("toggle", () => { if (menu.open) closeMenus(menu); });
  return menu;
}

/** Documents and decisions are cited in bibliographies; parts of a model or tools of a server are not. */
function isPublication({ kind }) {
  return !["archimate", "tool", "tools"].includes(kind);
}

function title(passage) {
  const section = passage.parent_chain.at(-1);
  return section && section !== passage.element_name ? `${passage.element_name}, ${section}` : passage.element_name;
}

export function markdown(passage) {
  return `[${title(passage).replace(/[[\]\\]/g, "\\$&")}](${passage.citation})`;
}

function quoted(passage) {
  return `${passage.content.trim().split("\n").map((line) => `> ${line}`.trimEnd()).join("\n")}\n>\n> — ${markdown(passage)}`;
}

/** An entry of type misc: the date and author are the document's own, where its front matter has them. */
export function bibtex(passage) {
  const { date, author } = passage.metadata ?? {};
  const [year] = String(date ?? "").match(/\d{4}/) ?? [];
  const name = passage.element_id.replace(/\.[a-z]+$/i, "").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "") || "element";
  const fields = {
    title: `{${escaped(passage.element_name)}}`,
    author: author && escaped(String(author)),
    year,
    howpublished: `\\url{${passage.citation}}`,
    note: escaped([passage.parent_chain.at(-1), `version ${passage.version_id.slice(0, 8)}`].filter(Boolean).join(", ")),
  };
  const lines = Object.entries(fields).filter(([, value]) => value).map(([key, value]) => `  ${key} = {${value}}`);
  return `@misc{${name}-${passage.version_id.slice(0, 8)},\n${lines.join(",\n")}\n}`;
}

function escaped(text) {
  return text.replace(/[\\{}]/g, "").replace(/[&%$#_]/g, "\\$&");
}

/** Copy, and say so. Pages that are not served over HTTPS or loopback have no clipboard; there the old way is tried. */
export async function copy(text, what) {
  const done = navigator.clipboard ? await navigator.clipboard.writeText(text).then(() => true, () => false) : false;
  const said = done || copiedTheOldWay(text) ? `${what} copied` : "Copying is not allowed here; select the text and copy it yourself.";
  announce(said);
  toast(said);
}

function copiedTheOldWay(text) {
  const field = h("textarea", { class: "unseen", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

function toast(text) {
  document.getElementById("toast")?.remove();
  const made = h("div", { id: "toast", class: "toast", "aria-hidden": "true" }, text);
  document.body.append(made);
  setTimeout(() => made.remove(), 1800);
}
