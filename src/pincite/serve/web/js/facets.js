// Filters with their counts. A count is of passages in the newest state, as the server gives it; what the results shown
// carry is in bold.

import { h, isolated } from "./dom.js";

const FIRST = ["language", "kind", "element_type", "layer", "file_type"];
const NAMES = { element_type: "type", file_type: "file type", chunk_type: "part", source_path: "source" };
const HIDDEN = new Set(["chunk_type"]);
const SHOWN = 8;

/** Draw the filters of the chosen repositories. `choose(filters)` is called when one is switched. */
export function drawFacets(root, { repositories, state, results, choose }) {
  const known = merged(repositories.filter((item) => !state.repository || item.repository_id === state.repository));
  for (const [key, values] of Object.entries(state.filters)) {
    const facet = known[key] ??= { values: {}, more: 0 };
    for (const value of values) facet.values[value] ??= null;
  }
  const keys = Object.keys(known).filter((key) => useful(key, known[key], state)).sort(order);
  const open = new Map([...root.querySelectorAll("details.facet")].map((facet) => [facet.dataset.key, facet.open]));
  const active = Object.values(state.filters).flat().length;
  const narrow = matchMedia("(max-width: 48rem)").matches;
  const wasOpen = root.querySelector(":scope > details")?.open ?? !narrow;
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.value : null;
  const facets = keys.map((key, index) => facetOf(key, known[key], { state, results, choose, open: open.get(key) ?? (index < 3 || Boolean(state.filters[key])) }));
  root.replaceChildren(keys.length === 0 ? "" : h("details", { open: wasOpen },
    h("summary", {}, active ? `Filters (${active})` : "Filters"),
    active > 0 && h("button", { type: "button", class: "plain", on: { click: () => choose({}) } }, "Remove all filters"),
    facets,
    h("p", { class: "note" }, state.at ? "Counts are passages in the newest state." : "Counts are passages in the library.", results.length ? " Bold: among these results." : "")));
  if (focused) [...root.querySelectorAll("input")].find((input) => input.dataset.value === focused)?.focus();
}

function merged(repositories) {
  const found = {};
  for (const { filters = {} } of repositories) {
    for (const [key, { values, more }] of Object.entries(filters)) {
      const facet = found[key] ??= { values: {}, more: 0 };
      for (const [value, count] of Object.entries(values)) facet.values[value] = (facet.values[value] ?? 0) + count;
      facet.more += more;
    }
  }
  return found;
}

/** A filter that everything passes offers no choice. */
function useful(key, { values, more }, state) {
  return Boolean(state.filters[key]) || (!HIDDEN.has(key) && (Object.keys(values).length > 1 || more > 0 || !FIRST.includes(key)));
}

function order(a, b) {
  const place = (key) => (FIRST.includes(key) ? FIRST.indexOf(key) : key === "source_path" ? 99 : 50);
  return place(a) - place(b) || a.localeCompare(b);
}

function facetOf(key, { values, more }, { state, results, choose, open }) {
  const chosen = state.filters[key] ?? [];
  const here = new Set(results.flatMap((hit) => valuesOf(hit, key)));
  const listed = Object.entries(values).sort(([a, x], [b, y]) => chosen.includes(b) - chosen.includes(a) || (y ?? 0) - (x ?? 0) || a.localeCompare(b));
  const rows = listed.map(([value, count]) => row(key, value, count, { chosen, here, state, choose }));
  const facet = h("details", { class: "facet", open, data: { key } }, h("summary", {}, isolated(NAMES[key] ?? key.replaceAll("_", " "))), rows.slice(0, SHOWN));
  if (rows.length > SHOWN) {
    const button = h("button", { type: "button", class: "plain", on: { click: () => button.replaceWith(...rows.slice(SHOWN)) } }, `${rows.length - SHOWN} more`);
    facet.append(button);
  }
  if (more > 0) facet.append(h("p", { class: "note" }, `and ${more} rarer`));
  return facet;
}

function row(key, value, count, { chosen, here, state, choose }) {
  const box = h("input", { type: "checkbox", checked: chosen.includes(value), data: { value: `${key}:${value}` } });
  box.addEventListener("change", () => {
    const values = box.checked ? [...chosen, value] : chosen.filter((other) => other !== value);
    const filters = { ...state.filters, [key]: values };
    if (!values.length) delete filters[key];
    choose(filters);
  });
  const shown = here.has(value);
  return h("label", {}, box, h("span", { class: shown ? "here" : null }, isolated(key === "language" ? languageName(value) : value), shown && h("span", { class: "unseen" }, " (among these results)")),
    h("span", { class: "count" }, count === null ? "" : String(count)));
}

function languageName(code) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code);
  } catch {
    return code; // what a document's front matter calls a language need not be one
  }
}

function valuesOf(hit, key) {
  const value = key in hit ? hit[key] : hit.metadata?.[key];
  return (Array.isArray(value) ? value : [value]).filter((part) => part !== null && part !== undefined).map(String);
}
