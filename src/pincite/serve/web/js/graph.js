// What a document refers to, and what refers to it: drawn, and listed for people who cannot see the drawing.

import { get } from "./api.js";
import { permalink, whole } from "./address.js";
import { h, isolated, svg } from "./dom.js";

const MOST = 9;
const [BOX, GAP, HEIGHT, STEP] = [200, 80, 38, 50];
const WIDTH = 3 * BOX + 2 * GAP;

/** The relations of what is shown, in the state that is read. */
export async function relations(shown, { state, open }) {
  const address = `/v1/references/${encodeURIComponent(whole(shown.citation).replace(/@[^@]*$/, ""))}`;
  const at = state.at ? `read_context=${encodeURIComponent(state.at)}` : "";
  const [outgoing, incoming] = await Promise.all([get(`${address}?${at}`), get(`${address}?incoming=true&${at}`)]);
  const out = grouped(outgoing.references, "target", shown);
  const into = grouped(incoming.references.filter((one) => one.source !== shown.element_id), "source", shown);
  if (!out.length && !into.length) return h("p", { class: "quiet" }, "It refers to nothing in the library, and nothing refers to it.");
  return h("div", {},
    h("figure", { class: "graph" }, drawing(shown, into, out, open),
      Math.max(into.length, out.length) > MOST && h("figcaption", { class: "quiet" }, `Drawn are the ${MOST} most named on each side; the lists have all.`)),
    into.length > 0 && list("Refers to this", into, open),
    out.length > 0 && list("This refers to", out, open));
}

/** References with one other end, together: its name, where it is, how often, and in which words. */
function grouped(references, end, shown) {
  const found = new Map();
  for (const one of references) {
    const element = one[end];
    const section = one[`${end}_section`] ?? "";
    const place = JSON.stringify([element, section]);
    const own = element === shown.element_id;
    const group = found.get(place) ?? {
      label: section ? sectionName(section) : element, detail: own ? "in this document" : section ? element : "",
      citation: one[`${end}_citation`], lost: one.status === "unresolved", reason: one.reason, texts: [],
    };
    group.texts.push(one.text);
    found.set(place, group);
  }
  return [...found.values()].sort((a, b) => Boolean(a.lost) - Boolean(b.lost) || b.texts.length - a.texts.length);
}

function sectionName(section) {
  if (/^[\d(]/.test(section)) return `§ ${section}`;
  const [, article] = /^art\.(.+)$/.exec(section) ?? [];
  return article ? `Art. ${article}` : section.replaceAll(".", " ").replace(/^./, (first) => first.toUpperCase());
}

function drawing(shown, into, out, open) {
  const [left, right] = [into.slice(0, MOST), out.slice(0, MOST)];
  const width = left.length && right.length ? WIDTH : WIDTH - BOX - GAP;
  const rows = Math.max(left.length, right.length, 1);
  const height = rows * STEP + 10;
  const middle = height / 2;
  const centre = [left.length ? BOX + GAP : 0, middle - HEIGHT / 2];
  const top = (count, index) => middle - (count * STEP) / 2 + index * STEP + (STEP - HEIGHT) / 2;
  const parts = [svg("defs", {}, svg("marker", { id: "tip-of-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 8 4 0 8z" })))];
  left.forEach((group, index) => {
    const y = top(left.length, index);
    parts.push(curve(BOX, y + HEIGHT / 2, centre[0], middle), box(0, y, group, open));
  });
  right.forEach((group, index) => {
    const y = top(right.length, index);
    parts.push(curve(centre[0] + BOX, middle, width - BOX, y + HEIGHT / 2), box(width - BOX, y, group, open));
  });
  parts.push(svg("g", { class: "centre" }, framed(...centre, shown.element_name || shown.element_id, "")));
  const said = `${shown.element_name}: ${into.length} places refer to it, and it refers to ${out.length}. The lists below name them.`;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: width < WIDTH ? "half" : null, role: "group", "aria-label": said }, parts);
}

function curve(fromX, fromY, toX, toY) {
  const half = (fromX + toX) / 2;
  return svg("path", { d: `M${fromX} ${fromY} C${half} ${fromY} ${half} ${toY} ${toX - 2} ${toY}`, "marker-end": "url(#tip-of-arrow)" });
}

function box(x, y, group, open) {
  const count = group.texts.length > 1 ? ` (${group.texts.length} times)` : "";
  const inner = framed(x, y, group.label, (group.lost ? "not found here" : group.detail) + count);
  if (!group.citation) return svg("g", { class: "lost" }, inner);
  return svg("a", { href: permalink(group.citation), "aria-label": `${group.label}, ${group.detail}`, on: { click: (event) => { event.preventDefault(); open(group.citation); } } }, inner);
}

function framed(x, y, label, detail) {
  return [
    svg("title", {}, detail ? `${label}, ${detail}` : label),
    svg("rect", { x: x + 1, y, width: BOX - 2, height: HEIGHT, rx: 7 }),
    svg("text", { x: x + BOX / 2, y: y + (detail ? 16 : 24), "text-anchor": "middle" }, cut(label, 25)),
    detail ? svg("text", { class: "small", x: x + BOX / 2, y: y + 30, "text-anchor": "middle" }, cut(detail, 34)) : null,
  ];
}

function cut(text, most) {
  const letters = [...text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")]; // an SVG text has no isolation
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
}

function list(title, groups, open) {
  return h("section", {}, h("h3", { class: "part" }, `${title} (${groups.length})`), h("ul", { class: "references" }, groups.map((group) => h("li", {},
    group.citation
      ? h("a", { href: permalink(group.citation), on: { click: (event) => { event.preventDefault(); open(group.citation); } } }, isolated(group.label))
      : isolated(group.label),
    h("span", { class: "quiet" }, isolated([group.detail && `, ${group.detail}`, `: ${[...new Set(group.texts)].slice(0, 3).map((text) => `“${text}”`).join(", ")}`, group.lost && `; ${group.reason ?? "not found here"}`].filter(Boolean).join("")))))));
}
