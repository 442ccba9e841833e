// What is asked and shown, as the page's address: a link can be sent on, and the back button goes back.

export const EMPTY = Object.freeze({
  q: "", repository: "", at: "", valid: "", mode: "", sort: "", filters: {}, open: "", view: "", from: "", to: "",
});
const NAMES = { q: "q", repository: "repository", at: "at", valid: "valid_at", mode: "mode", sort: "sort", open: "open", view: "view", from: "from", to: "to" };
const ELEMENTS = "/elements/";
const SCHEME = "pincite:";

/** The state that an address stands for. */
export function read(location) {
  const given = new URLSearchParams(location.search);
  const state = { ...EMPTY, filters: {} };
  for (const [key, name] of Object.entries(NAMES)) state[key] = given.get(name) ?? "";
  for (const pair of given.getAll("filter")) {
    const [, key, value] = pair.match(/^([^:]+):([^]*)$/) ?? [];
    if (key) state.filters[key] = [...(state.filters[key] ?? []), value];
  }
  if (location.pathname.startsWith(ELEMENTS)) state.open = cited(location.pathname.slice(ELEMENTS.length));
  return state;
}

function cited(path) {
  try {
    return SCHEME + decodeURIComponent(path);
  } catch {
    return SCHEME + path;
  }
}

/** The address of a state: of an element alone its own page, otherwise the search with what is open beside it. */
export function write(state) {
  const said = new URLSearchParams();
  const alone = state.open.startsWith(SCHEME) && !state.q;
  for (const [key, name] of Object.entries(NAMES)) if (state[key] && !(alone && key === "open")) said.set(name, state[key]);
  for (const key of Object.keys(state.filters).sort()) for (const value of state.filters[key]) said.append("filter", `${key}:${value}`);
  const query = said.toString();
  return (alone ? permalink(state.open) : "/") + (query ? `?${query}` : "");
}

/** The page of a citation, the same address that the server's own links have. */
export function permalink(citation) {
  return ELEMENTS + encodeURIComponent(citation.slice(SCHEME.length));
}

/** The element and version of a citation, without the place in it. */
export function whole(citation) {
  return citation.split(/[#;]/, 1)[0];
}

/** The span of a citation in code points, or null. */
export function spanOf(citation) {
  const [, start, end] = citation.match(/;span=(\d+)-(\d+)/) ?? [];
  return start === undefined ? null : [Number(start), Number(end)];
}

export function sameSearch(a, b) {
  const asked = ({ q, repository, at, valid, mode, sort, filters }) => JSON.stringify([q.trim(), repository, at, valid, mode, sort, filters]);
  return asked(a) === asked(b);
}

export function sameReading(a, b) {
  return ["open", "view", "from", "to", "at"].every((key) => a[key] === b[key]);
}
