// Does a quote stand where it is said to stand? One quote, or a whole draft with its citations.

import { post } from "./api.js";
import { steps } from "./differences.js";
import { dialog, h, isolated } from "./dom.js";
import { opener } from "./hits.js";
import { problemNotice } from "./notices.js";

const NAMES = { verified: "Verified", altered: "Altered", superseded: "Superseded", erased: "Erased", not_found: "Not found" };
const QUOTED = /pincite:|^\s*>|["“„«»][^"”“«»]{8,}["”“»«]/m;

/** Open the dialog. `open(citation)` shows a source. */
export function verifyDialog({ state, open }) {
  const text = h("textarea", { id: "verify-text", required: true, maxlength: "200000", placeholder: "26 working days of paid annual leave" });
  const citation = h("input", { id: "verify-citation", placeholder: "anywhere", spellcheck: "false" });
  const answer = h("div", { id: "verdicts", role: "status" });
  const submit = h("button", { class: "main", type: "submit" }, "Check");
  const form = h("form", {},
    h("label", {}, h("span", {}, "A quote, or a draft with quotes in quotation marks, each followed by its citation"), text),
    h("label", {}, h("span", {}, "Its citation (leave empty to search everywhere)"), citation),
    h("div", { class: "buttons" }, submit, h("button", { type: "button", on: { click: () => shown.close() } }, "Close")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    answer.replaceChildren(h("p", { class: "quiet" }, "Checking …"));
    try {
      const { verdicts, notes } = await checked(text.value.trim(), citation.value.trim(), state);
      answer.replaceChildren(...notes.map((note) => h("p", { class: "notice" }, note)), ...verdicts.map((one) => verdict(one, (place) => { shown.close(); open(place); })));
    } catch (error) {
      answer.replaceChildren(problemNotice(error));
    } finally {
      submit.disabled = false;
    }
  });
  const shown = dialog("Check a quote", form, answer);
  text.focus();
  return shown;
}

/** A text that quotes is a draft; a text that does not is itself the quote. */
async function checked(text, citation, state) {
  const where = { repository_id: state.repository, read_context: state.at };
  if (!citation && QUOTED.test(text)) {
    const found = await post("/v1/verify/draft", { text, ...where });
    if (found.total > 0) return found;
  }
  return { verdicts: [await post("/v1/verify", { quote: text, citation, ...where })], notes: [] };
}

function verdict(given, open) {
  return h("section", { class: "verdict" },
    h("span", { class: `state ${given.status}` }, NAMES[given.status] ?? given.status),
    h("p", { class: "said", dir: "auto" }, given.difference.length ? edits(given) : isolated(`“${given.quote}”`)),
    h("p", {}, isolated(given.message)),
    given.citation && h("p", {}, opener(given, `Open ${given.source?.element_name ?? "the source"}`, open)),
    given.superseded_by && h("p", {}, opener({ citation: given.superseded_by }, "Open what replaced it", open)));
}

/** The quote, with what the source says instead. */
function edits({ quote, source, difference }) {
  const words = (text) => text.match(/\s+|[\p{L}\p{N}]+|[^]/gu) ?? [];
  const found = source && steps(words(quote), words(source.content));
  if (found) return ["“", found.map(({ kind, text }) => (kind === "same" ? text : kind === "gone" ? h("del", { title: "in the quote" }, text) : h("ins", { title: "in the source" }, text))), "”"];
  return difference.map((edit) => [edit.quoted && h("del", { title: "in the quote" }, isolated(edit.quoted)), " ", edit.source && h("ins", { title: "in the source" }, isolated(edit.source)), " "]);
}
