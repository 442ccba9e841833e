// A document's text as it wants to be read: the common part of Markdown, as elements. HTML in it stays text.
// Blocks remember where they stand in the source, so that a citation's span can be shown. Numbering is never regenerated.

import { h, isSafe } from "./dom.js";

const MAX_INLINE = 20_000;
const INLINE = /(`{1,3})([^`]{1,2000})\1|\*\*([^*]{1,2000})\*\*|\*([^*\s][^*]{0,2000})\*|(!?)\[([^\]]{0,500})\]\(([^()\s]{1,2000})(?: [^()]{0,300})?\)|<(sup|sub)>([^<]{1,200})<\/\8>/g;
const OWN_NUMBER = /^(?:\([a-z0-9]{1,4}\)|(?:[a-z]|[ivx]{1,5}|\d{1,3})(?:bis|ter)?[.)])\s/i;
const STARTS = /^(#{1,6} |[-*+] |\d{1,3}[.)] |>|\||```|---\s*$)/;

/** The blocks of a text: kind, text, and [start, end) in UTF-16 units. */
export function blocks(text) {
  const found = [];
  let at = 0;
  const front = /^---\n[^]*?\n---(?:\n|$)/.exec(text);
  if (front) {
    found.push({ kind: "front", text: front[0], start: 0, end: front[0].length });
    at = front[0].length;
  }
  let open = null;
  for (const line of text.slice(at).split("\n")) {
    open = placed(found, open, line, at);
    at += line.length + 1;
  }
  return found;
}

function placed(found, open, line, at) {
  const end = at + line.length;
  const extended = (block) => Object.assign(block, { text: `${block.text}\n${line}`, end });
  const begun = (kind, text, more = {}) => {
    found.push({ kind, text, start: at, end, ...more });
    return found.at(-1);
  };
  if (open?.kind === "code" && !open.closed) {
    if (line.startsWith("```")) return Object.assign(open, { closed: true, end });
    return extended(open);
  }
  if (!line.trim()) return null;
  const trimmed = line.trimStart();
  if (open && (open.kind === "text" || open.kind === "item") && !STARTS.test(trimmed)) return extended(open);
  if (open && open.kind === "quote" && trimmed.startsWith(">")) return extended(open);
  if (open && open.kind === "table" && trimmed.startsWith("|")) return extended(open);
  const heading = /^(#{1,6}) +(.*)$/.exec(trimmed);
  if (heading) return begun("heading", heading[2].replace(/ +#+\s*$/, ""), { level: heading[1].length });
  if (trimmed.startsWith("```")) return begun("code", "", { closed: false });
  if (trimmed.startsWith("|")) return begun("table", line);
  if (trimmed.startsWith(">")) return begun("quote", line);
  if (/^(-{3,}|\*{3,}|_{3,})\s*$/.test(trimmed)) return begun("rule", "");
  const item = /^([-*+]|\d{1,3}[.)]) +(.*)$/.exec(trimmed);
  if (item) return begun("item", item[2], { marker: /\d/.test(item[1]) ? item[1] : OWN_NUMBER.test(item[2]) ? "" : "•" });
  return begun("text", line);
}

/** A block as an element. `keepsLines`: the source is plain text, whose lines are its own. */
export function element(block, { keepsLines = false } = {}) {
  const joined = () => inline(keepsLines ? block.text : block.text.replace(/\s*\n\s*/g, " "));
  switch (block.kind) {
    case "front": return null;
    case "rule": return h("hr");
    case "heading": return h(`h${Math.min(5, Math.max(3, block.level + 1))}`, { dir: "auto" }, inline(block.text));
    case "code": return h("pre", { dir: "auto" }, block.text.replace(/^\n/, ""));
    case "quote": return h("blockquote", { dir: "auto" }, inline(block.text.replace(/^\s*> ?/gm, "").replace(/\n/g, " ")));
    case "table": return table(block.text);
    case "item": return h("div", { class: "item", dir: "auto" }, h("span", {}, block.marker), h("div", {}, joined()));
    default: {
      const classes = [keepsLines && "lines", /^\((?:[a-z]{1,2}|[A-Z]|\d{1,2}|[ivx]{1,5})\)\s/.test(block.text) && "enumerated"];
      return h("p", { class: classes.filter(Boolean).join(" ") || null, dir: "auto" }, joined());
    }
  }
}

function table(text) {
  const rows = text.split("\n").map((line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim()));
  const isRule = (row) => row.every((cell) => /^:?-+:?$/.test(cell));
  const hasHead = rows.length > 1 && isRule(rows[1]);
  const made = rows.filter((row) => !isRule(row)).map((row, index) =>
    h("tr", {}, row.map((cell) => h(hasHead && index === 0 ? "th" : "td", { dir: "auto" }, inline(cell)))));
  return h("div", { class: "table" }, h("table", {}, made));
}

/** Emphasis, code, links, raised figures; everything else as it stands. */
function inline(text) {
  if (text.length > MAX_INLINE) return [text];
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, , code, strong, soft, image, label, target, small, raised] = found;
    parts.push(text.slice(end, found.index));
    if (code !== undefined) parts.push(h("code", {}, code));
    else if (strong !== undefined) parts.push(h("strong", {}, strong));
    else if (soft !== undefined) parts.push(h("em", {}, soft));
    else if (raised !== undefined) parts.push(h(small, {}, raised));
    else if (image) parts.push(`[image: ${label || target}]`);
    else parts.push(link(label, target, all));
    end = found.index + all.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Only addresses of the web can be followed, and these leave the page; all others are shown as they stand. */
function link(label, target, source) {
  if (!/^https?:\/\//i.test(target) || !isSafe(target)) return source;
  return h("a", { href: target, rel: "noopener noreferrer nofollow", target: "_blank", title: target }, label || target);
}

/** Offsets in code points, as citations count, as offsets in UTF-16 units, as JavaScript does. */
export function inUnits(text, [start, end]) {
  let points = 0;
  let units = 0;
  let from = text.length;
  for (const character of text) {
    if (points === start) from = units;
    if (points === end) return [from, units];
    points += 1;
    units += character.length;
  }
  return [Math.min(from, text.length), text.length];
}
