// The page: one state, which is its address. Everything that is shown follows from it.

import { EMPTY, read, sameReading, sameSearch, write } from "./address.js";
import { get } from "./api.js";
import { copy } from "./cite.js";
import { announce, byId, closeMenus, h } from "./dom.js";
import { drawFacets } from "./facets.js";
import { hitItem, keyOf } from "./hits.js";
import { listen } from "./keyboard.js";
import { notices, nothing, problemNotice, welcome } from "./notices.js";
import { Reader } from "./reader.js";
import { nextPage, Searching } from "./searching.js";
import { drawBanner, drawStates } from "./states.js";
import { verifyDialog } from "./verify.js";

let state = { ...EMPTY };
let repositories = [];
let results = [];
let answer = null;

const reader = new Reader(byId("reader"), { go });
const searching = new Searching({ begin, show, fail });

/** Change the state: a new entry in the browser's history, unless `replace`. */
function go(patch, { replace = false, now = true } = {}) {
  const next = { ...state, ...patch };
  const address = write(next);
  if (address !== location.pathname + location.search) history[replace ? "replaceState" : "pushState"](null, "", address);
  apply(next, { now });
}

function apply(next, { now = true, force = false } = {}) {
  const before = state;
  state = next;
  if (byId("query").value.trim() !== state.q.trim()) byId("query").value = state.q;
  for (const name of ["repository", "mode", "sort"]) byId(name).value = state[name];
  document.title = state.q ? `${state.q} · Pincite` : "Pincite";
  if (force || !sameSearch(before, state)) search(now);
  if (force || !sameReading(before, state)) showReader(before);
  drawControls();
}

function search(now) {
  if (state.q.trim()) {
    searching.ask(state, { now });
    return;
  }
  searching.stop();
  [results, answer] = [[], null];
  byId("status").textContent = "";
  byId("notices").replaceChildren();
  byId("results").replaceChildren(welcome(repositories));
}

function showReader(before) {
  byId("main").classList.toggle("reading", Boolean(state.open));
  for (const item of document.querySelectorAll(".hit")) item.classList.toggle("open", item.dataset.citation === state.open);
  if (state.open) {
    reader.show(state, results.find((hit) => hit.citation === state.open || hit.passages?.some((one) => one.citation === state.open)));
    return;
  }
  reader.close();
  const left = [...document.querySelectorAll(".hit")].find((item) => item.dataset.citation === before.open);
  if (left && !document.activeElement?.matches("#query")) left.querySelector(".hit-link").focus();
}

function drawControls() {
  const choose = (patch) => go(patch);
  drawFacets(byId("facets"), { repositories, state, results, choose: (filters) => go({ filters }) });
  // What was chosen shows at once; the menu would lie over it.
  drawStates(byId("states"), { repositories, state, choose: (patch) => { closeMenus(); go(patch); } });
  drawBanner(byId("banner"), { state, echo: answer?.read_context, choose });
}

// --- what a search tells ---------------------------------------------------------------------------------------

function begin() {
  byId("results").setAttribute("aria-busy", "true");
  if (!results.length) byId("status").textContent = "Searching …";
}

function show(found) {
  results = found.results;
  answer = found.answer ?? null;
  byId("results").setAttribute("aria-busy", String(!answer));
  byId("results").dataset.query = found.state.q;
  drawResults();
  drawControls();
}

function drawResults() {
  const focused = document.activeElement?.closest?.(".hit")?.dataset.key;
  byId("notices").replaceChildren(...(answer ? notices(answer) : []));
  byId("status").textContent = summary();
  if (answer && !results.length) byId("results").replaceChildren(nothing(state, answer, waysOut()));
  else byId("results").replaceChildren(h("ol", { class: "hits" }, results.map(item)), moreButton());
  if (focused) [...document.querySelectorAll(".hit")].find((hit) => hit.dataset.key === focused)?.querySelector(".hit-link").focus({ preventScroll: true });
}

function item(hit) {
  return hitItem(hit, { query: state.q, isOpen: hit.citation === state.open, isExplained: Boolean(answer), open: (citation) => go({ open: citation, view: "", from: "", to: "" }) });
}

function summary() {
  if (!answer) return `${results.length} by words so far; meaning is on its way`;
  if (!results.length) return "No results";
  const many = answer.total_is_lower_bound ? `at least ${answer.total}` : String(Math.max(answer.total, results.length));
  return results.length < answer.total || answer.next_cursor ? `${results.length} of ${many} results` : `${results.length} ${results.length === 1 ? "result" : "results"}`;
}

function moreButton() {
  const cursor = answer?.next_cursor;
  if (!cursor) return "";
  const button = h("button", { type: "button", class: "more", on: { click: async () => {
    button.disabled = true;
    const asked = state;
    try {
      const page = await nextPage(asked, cursor);
      if (!sameSearch(asked, state)) return;
      const first = page.results[0];
      results = [...results, ...page.results];
      answer = { ...page, notes: [...new Set([...answer.notes, ...page.notes])] };
      drawResults();
      drawControls();
      if (first) [...document.querySelectorAll(".hit")].find((hit) => hit.dataset.key === keyOf(first))?.querySelector(".hit-link").focus();
    } catch (error) {
      button.replaceWith(problemNotice(error));
    }
  } } }, "Show more");
  return button;
}

function waysOut() {
  return [
    Object.keys(state.filters).length > 0 && ["Remove the filters", () => go({ filters: {} })],
    state.at && ["Read the newest state", () => go({ at: "" })],
    state.repository && ["Search all repositories", () => go({ repository: "", at: "" })],
    state.mode && ["Search by words and meaning", () => go({ mode: "" })],
  ].filter(Boolean);
}

function fail(_state, problem) {
  [results, answer] = [[], null];
  byId("results").setAttribute("aria-busy", "false");
  byId("status").textContent = problem.status === 429 ? "Too many questions at once; asking again shortly" : "No answer";
  const again = ["Try again", () => searching.ask(state, { now: true })];
  byId("notices").replaceChildren(problemNotice(problem, [...waysOut(), again]));
  byId("results").replaceChildren();
  drawControls();
}

// --- beginning -------------------------------------------------------------------------------------------------

function copyCurrent() {
  const item = document.activeElement?.closest?.(".hit");
  const citation = item?.dataset.citation ?? state.open;
  if (citation) copy(citation, "Citation (URI)");
  else announce("Nothing is open or selected");
}

function closeReader() {
  if (state.open) go({ open: "", view: "", from: "", to: "" });
}

const verify = () => verifyDialog({ state, open: (citation) => go({ open: citation, view: "" }) });

/** Tell the styles how high the head is: what sticks below it must not hide behind it. */
function measureHead() {
  const root = document.documentElement.style;
  root.setProperty("--whole", `${byId("top").offsetHeight}px`);
  root.setProperty("--banner", `${byId("banner").offsetHeight}px`);
}

async function begun() {
  new ResizeObserver(measureHead).observe(byId("top"));
  byId("query").addEventListener("input", () => go({ q: byId("query").value }, { replace: true, now: false }));
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    history.pushState(null, "", write(state));
    searching.ask(state, { now: true });
  });
  for (const name of ["mode", "sort"]) byId(name).addEventListener("change", (event) => go({ [name]: event.target.value }));
  byId("repository").addEventListener("change", (event) => {
    const ofOne = /^(baseline:|published)/.test(state.at);
    go({ repository: event.target.value, filters: {}, at: ofOne ? "" : state.at });
  });
  byId("home").addEventListener("click", (event) => { event.preventDefault(); go({ ...EMPTY, filters: {} }); byId("query").focus(); });
  byId("open-verify").addEventListener("click", verify);
  byId("states").addEventListener("submit", (event) => event.preventDefault());
  listen({ close: closeReader, copy: copyCurrent, verify });
  addEventListener("popstate", () => apply(read(location)));
  if (!read(location).open) byId("query").focus();
  try {
    repositories = (await get("/v1/repositories")).repositories;
  } catch (error) {
    byId("notices").replaceChildren(problemNotice(error, [["Try again", () => location.reload()]]));
    return;
  }
  byId("repository").append(...repositories.map(({ repository_id: name }) => h("option", { value: name }, name)));
  apply(read(location), { force: true });
}

begun();
