// What a reader must know about an answer: what took no part in it, what it could not do, and why there is nothing.

import { h, isolated } from "./dom.js";
import { LEGS } from "./why.js";

const ABSENCE = {
  no_match: "Nothing in this library contains these words or is close to them in meaning.",
  not_indexed_yet: "Something was committed that is not indexed yet; ask again in a moment.",
  not_in_this_snapshot: "There is nothing in this state, but there is in the newest one.",
  erased: "What you asked for has been erased.",
  leg_unavailable: "A part of the search could not answer, so this result is incomplete; see above.",
};

/** Degraded legs and notes of an answer. */
export function notices(answer) {
  const degraded = (answer.legs ?? []).filter((leg) => leg.status === "unavailable" || leg.status === "partial");
  const told = degraded.map((leg) => {
    const name = LEGS[leg.name] ?? leg.name;
    const what = leg.status === "partial" ? `“${name}” took part only in part` : `“${name}” took no part in this answer`;
    return notice("warn", `${what}${leg.reason ? `: ${leg.reason}` : ""}.`);
  });
  return [...told, ...(answer.notes ?? []).map((note) => notice("", note))];
}

/** An error in the server's words, with what it suggests. */
export function problemNotice(problem, actions = []) {
  const said = problem.message.charAt(0).toUpperCase() + problem.message.slice(1);
  return h("div", { class: "notice bad", role: "alert" }, h("p", {}, isolated(said)),
    actions.length > 0 && h("p", {}, actions.map(([name, act]) => h("button", { type: "button", on: { click: act } }, isolated(name)))));
}

function notice(kind, text) {
  return h("p", { class: `notice ${kind}`.trim() }, isolated(text));
}

/** Why there are no results, and what can be done about it. */
export function nothing(state, answer, actions) {
  return h("div", { class: "empty" },
    h("h2", {}, "Nothing found"),
    h("p", {}, ABSENCE[answer.absence] ?? "No passage answers this."),
    actions.length > 0 && h("p", {}, actions.map(([name, act]) => [h("button", { type: "button", on: { click: act } }, name), " "])));
}

/** What is shown before anything is asked. */
export function welcome(repositories) {
  const count = repositories.length;
  return h("div", { class: "empty" },
    h("h2", {}, "What are you looking for?"),
    count === 0
      ? h("p", {}, "This library is empty. Add documents with ", h("code", {}, "pincite ingest FOLDER"), ".")
      : h("p", {}, `${count} ${count === 1 ? "repository" : "repositories"}: `,
        repositories.map((known, index) => [index > 0 && ", ", isolated(known.repository_id)]), "."),
    h("ul", {},
      example("notice period for tenants", "words or a question, in any language"),
      example("\"due diligence\" report", "the phrase must stand there"),
      example("§ 4.2", "a section, an article, a name: exactly that comes first"),
      example("kündig*", "every word that begins so"),
      example("lease NOT commercial", "operators, in capitals")));
}

function example(text, meaning) {
  return h("li", {}, h("code", {}, text), h("span", { class: "quiet" }, `: ${meaning}`));
}
