// The document beside the results: its text with the cited place, its history, its relations.

import { post, get } from "./api.js";
import { spanOf, whole } from "./address.js";
import { citeMenu } from "./cite.js";
import { announce, byId, h, isolated } from "./dom.js";
import { relations } from "./graph.js";
import { history } from "./history.js";
import { opener } from "./hits.js";
import { markWords, matcher } from "./marks.js";
import { problemNotice } from "./notices.js";
import { blocks, element, inUnits } from "./prose.js";
import { define, place } from "./tips.js";

const VIEWS = { "": "Text", history: "History", relations: "References" };
const MOST_BLOCKS = 600;

/** Shows what is open. `go(patch)` changes the page's state; the newest call wins. */
export class Reader {
  #turn = 0;
  #read = { citation: "" };
  #view = "";

  constructor(root, { go }) {
    Object.assign(this, { root, go });
  }

  close() {
    this.#turn += 1;
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  /** `hit`: the result that was opened, whose words and definitions are marked; null for a link. */
  async show(state, hit) {
    const mine = this.#turn += 1;
    const fresh = this.#read.citation !== state.open;
    if (this.root.hidden || fresh) this.root.replaceChildren(h("p", { class: "quiet" }, "Reading …"));
    this.root.hidden = false;
    try {
      if (fresh) this.#read = await fetched(state.open);
      if (mine !== this.#turn) return;
      const body = await this.#body(state, hit);
      if (mine !== this.#turn) return;
      this.#draw(state, body);
      if (fresh || this.#view !== state.view) this.#begin(fresh);
      this.#view = state.view;
    } catch (error) {
      if (mine !== this.#turn) return;
      this.#read = { citation: "" };
      this.root.replaceChildren(h("div", { class: "reader-head" }, h("h2", {}, "This cannot be shown"), this.#closeButton()),
        h("p", { class: "code quiet" }, isolated(state.open)), problemNotice(error));
    }
  }

  /** Show the cited place, and read on from here with the keyboard; a user who types a query goes on typing. */
  #begin(fresh) {
    if (fresh && !document.activeElement?.matches("#query")) this.root.focus({ preventScroll: true });
    const cited = this.root.querySelector(".cited");
    const scrolls = getComputedStyle(this.root).position === "sticky";
    if (scrolls) this.root.scrollTop = cited ? cited.getBoundingClientRect().top - this.root.getBoundingClientRect().top + this.root.scrollTop - this.root.clientHeight / 4 : 0;
    else if (cited) cited.scrollIntoView({ block: "center" });
    else this.root.scrollIntoView({ block: "start" });
  }

  #body(state, hit) {
    const options = { state, open: (citation) => this.go({ open: citation, view: "", from: "", to: "" }), choose: (patch) => this.go(patch) };
    if (state.view === "history") return history(this.#read.shown, options);
    if (state.view === "relations") return relations(this.#read.shown, options);
    return text(this.#read, state, hit);
  }

  #draw(state, body) {
    const { shown, current } = this.#read;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.id : "";
    const heading = h("h2", { dir: "auto", tabindex: "-1" }, isolated(shown.element_name || shown.element_id));
    const parts = h("div", {},
      h("div", { class: "reader-top" }, h("div", { class: "reader-head" }, heading, this.#closeButton()), this.#tabs(state)),
      h("p", { class: "facts" },
        h("span", {}, isolated(`${shown.repository_id} › ${shown.element_id}`)),
        h("span", {}, "version ", h("code", {}, shown.version_id.slice(0, 8))),
        shown.language && h("span", {}, isolated(shown.language)),
        Object.entries(shown.metadata ?? {}).slice(0, 6).map(([name, value]) => h("span", {}, isolated(`${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)))),
      h("div", { class: "reader-tools" }, citeMenu(shown), h("span", { class: "quiet" }, isolated(place(state.open))), lookUp(state)),
      !current && h("p", { class: "notice warn" }, "This is not the current version. ",
        opener({ citation: whole(shown.citation).replace(/@[^@]*$/, "") }, "Read the current one", (citation) => this.go({ open: citation }))),
      h("div", { role: "tabpanel", "aria-labelledby": `tab-${state.view || "text"}` }, body));
    this.root.replaceChildren(parts);
    if (focused) byId(focused)?.focus();
    else announce(`${shown.element_name} is open; Escape closes it`);
  }

  #closeButton() {
    return h("button", { type: "button", class: "close", id: "close-reader", "aria-label": "Close the document", on: { click: () => this.go({ open: "", view: "", from: "", to: "" }) } }, "✕");
  }

  #tabs(state) {
    const names = Object.keys(VIEWS);
    const turn = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const next = names[(names.indexOf(state.view) + by + names.length) % names.length];
      byId(`tab-${next || "text"}`).focus();
      this.go({ view: next });
    };
    return h("div", { class: "tabs", role: "tablist", "aria-label": "Views of the document", on: { keydown: turn } }, names.map((name) =>
      h("button", { type: "button", role: "tab", id: `tab-${name || "text"}`, "aria-selected": String(state.view === name), tabindex: state.view === name ? "0" : "-1", on: { click: () => this.go({ view: name }) } }, VIEWS[name])));
  }
}

/** The cited place and the whole version that it is in. */
async function fetched(citation) {
  const cited = await post("/v1/elements", { element: citation });
  const all = cited.citation === whole(cited.citation) ? cited : await post("/v1/elements", { element: whole(cited.citation) });
  const span = spanOf(citation) ?? (cited === all ? null : cited.span);
  const kept = { ...all, parent_chain: cited.parent_chain, citation: cited.citation, content: cited.content };
  return { citation, shown: kept, text: all.content, span, current: cited.current };
}

function text({ shown, text: source, span }, state, hit) {
  const cited = span ? inUnits(source, span) : null;
  const found = blocks(source).filter((block) => block.kind !== "front");
  const within = (block) => cited && block.start < cited[1] && block.end > cited[0];
  const first = Math.max(0, found.findIndex(within));
  const from = found.length > MOST_BLOCKS ? Math.max(0, first - MOST_BLOCKS / 2) : 0;
  const matches = matcher(state.q, hit);
  const root = h("div", { class: "prose", lang: shown.language || null });
  const made = (block) => {
    const node = element(block, { keepsLines: shown.file_type === "txt" });
    if (within(block)) node.classList.add("cited");
    if (state.q) markWords(node, matches);
    return node;
  };
  root.append(...found.slice(from, from + MOST_BLOCKS).map(made));
  [...root.querySelectorAll(".cited")].at(-1)?.classList.add("cited-last");
  if (from > 0) root.prepend(rest("Show what comes before", (button) => button.replaceWith(...found.slice(0, from).map(made))));
  if (from + MOST_BLOCKS < found.length) root.append(rest("Show the rest", (button) => button.replaceWith(...found.slice(from + MOST_BLOCKS).map(made))));
  define(root, hit?.definitions ?? []);
  return root;
}

function rest(name, act) {
  const button = h("button", { type: "button", on: { click: () => act(button) } }, name);
  return button;
}

/** A small form that says what a term means; what is selected in the text is what it asks for. */
function lookUp(state) {
  const field = h("input", { type: "text", id: "term", size: 14, placeholder: "term", "aria-label": "Term to look up", maxlength: "200" });
  const answer = h("div", { role: "status" });
  const form = h("form", { class: "row" }, field, h("button", { type: "submit" }, "Define"));
  const menu = h("details", { class: "menu" }, h("summary", {}, "What does a term mean?"), h("div", { class: "panel" }, form, answer));
  menu.addEventListener("toggle", () => {
    if (!menu.open) return;
    const selected = String(getSelection()).trim();
    if (selected && selected.length < 100) field.value = selected;
    field.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return;
    try {
      const asked = new URLSearchParams({ term: field.value.trim(), read_context: state.at, repository_id: state.repository });
      answer.replaceChildren(...meanings(await get(`/v1/definitions?${asked}`)));
    } catch (error) {
      answer.replaceChildren(problemNotice(error));
    }
  });
  return menu;
}

function meanings({ definitions, nearest, conflicts }) {
  if (!definitions.length) return [h("p", { class: "quiet" }, "No document defines it.", nearest.length > 0 && " Near it: ", isolated(nearest.join(", ")))];
  return [
    conflicts && h("p", { class: "notice warn" }, "The documents differ."),
    ...definitions.map((one) => h("p", {}, isolated(one.text), h("span", { class: "quiet" }, " — ", isolated(place(one.citation))))),
  ].filter(Boolean);
}
