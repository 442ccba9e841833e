// Why a hit is one: what each signal added to its score, and which words did.

import { h, isolated, svg } from "./dom.js";

export const LEGS = {
  exact: "identifier", keyword: "words", dense: "meaning", related: "related words", graph: "references", rerank: "second look",
};

/** The explanation of a hit, as elements. */
export function why(hit) {
  const signals = Object.entries(hit.signals ?? {}).filter(([, value]) => value > 0).sort(([, a], [, b]) => b - a);
  const words = shares(hit);
  const nearest = hit.explain?.dense?.window_text;
  return [
    h("table", {},
      h("caption", { class: "unseen" }, "What each signal added to the score"),
      h("tbody", {},
        signals.map(([name, value]) => row(LEGS[name] ?? name, value, value)),
        row("score", hit.score, hit.score))),
    words.length > 0 && h("p", {}, "Words found: ", words.map(([word, share], index) =>
      [index > 0 && ", ", isolated(word), h("span", { class: "quiet" }, ` ${Math.round(share * 100)} %`)])),
    nearest && h("p", {}, "Nearest in meaning: ", h("q", { class: "quiet" }, isolated(shortened(nearest)))),
    h("p", { class: "quiet" }, "Scores are between 0 and 1; an exact identifier is 1."),
  ].filter(Boolean);
}

function row(name, value, filled) {
  const width = Math.max(0, Math.min(1, filled)) * 100;
  return h("tr", {},
    h("th", { scope: "row" }, name),
    h("td", {}, svg("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "rail", x: 0, y: 2.5, width: 100, height: 1 }), svg("rect", { class: "bar", x: 0, y: 0, width, height: 6 }))),
    h("td", { class: "number" }, value.toFixed(3)));
}

/** Each found word with its part of what all of them added, for words and related words together. */
function shares(hit) {
  const found = ["keyword", "related"].flatMap((leg) => hit.explain?.[leg]?.matched ?? []);
  const total = found.reduce((sum, match) => sum + match.share, 0);
  return total > 0 ? found.map((match) => [match.word, match.share / total]).sort(([, a], [, b]) => b - a).slice(0, 12) : [];
}

function shortened(text) {
  const flat = text.replace(/\s+/g, " ");
  return flat.length > 260 ? `${flat.slice(0, 260)}…` : flat;
}
