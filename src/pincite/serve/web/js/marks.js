// Marks in a text that is already shown: the words that were found, and the terms that are defined.

import { h } from "./dom.js";

const WORD = /[\p{L}\p{N}]+/gu;
const MAX_ENDING = 4;
const SHORT_ENDING = /^(?:s|es|e|n|en|er|i|a)$/;
// "fee" finds "fees", not "feet": behind a short stem only an ending that inflects counts.

/** How the index compares: without case and accents. */
export function folded(word) {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
}

/** Tells which words of a text a query found: by the stems of a hit's explanation, or, before there is one, by its long words. */
export function matcher(query, hit, isExplained = Boolean(hit)) {
  const explained = Object.values(hit?.explain ?? {}).flatMap((leg) => leg.matched ?? []);
  const plain = (query.match(WORD) ?? []).filter((word, _, all) => word.length > 3 || all.length === 1);
  const whole = new Set((isExplained ? explained.map((match) => match.word) : plain).map(folded));
  const stems = explained.flatMap((match) => match.terms.map((term) => folded(term.split("~", 1)[0])));
  const beginnings = [...new Set(isExplained ? stems : plain.map(folded))].filter((stem) => stem.length > 2);
  return (word) => {
    const given = folded(word);
    return whole.has(given) || beginnings.some((stem) => inflects(given, stem));
  };
}

function inflects(word, stem) {
  if (!word.startsWith(stem)) return false;
  const ending = word.slice(stem.length);
  return stem.length > 3 ? ending.length <= MAX_ENDING : SHORT_ENDING.test(ending);
}

/** Mark the words for which `matches` is true; how many there were. */
export function markWords(root, matches) {
  let count = 0;
  for (const node of texts(root)) {
    const parts = [];
    let end = 0;
    for (const { 0: word, index } of node.data.matchAll(WORD)) {
      if (!matches(word)) continue;
      parts.push(node.data.slice(end, index), h("mark", {}, word));
      end = index + word.length;
      count += 1;
    }
    if (parts.length) node.replaceWith(...parts, node.data.slice(end));
  }
  return count;
}

/** Mark the first place in `root` where each defined term stands; `made(term, text)` gives the element. */
export function markTerms(root, definitions, made) {
  for (const definition of [...definitions].sort((a, b) => b.term.length - a.term.length)) {
    const escaped = definition.term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const wanted = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "iu");
    for (const node of texts(root)) {
      const found = node.parentElement.closest(".term") ? null : wanted.exec(node.data);
      if (!found) continue;
      node.replaceWith(node.data.slice(0, found.index), made(definition, found[0]), node.data.slice(found.index + found[0].length));
      break;
    }
  }
}

function texts(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}
