// The lives of an element, and what changed between two of its versions.

import { post, get } from "./api.js";
import { whole } from "./address.js";
import { lineSteps } from "./differences.js";
import { h, isolated } from "./dom.js";
import { opener } from "./hits.js";
import { day } from "./states.js";

const AROUND = 2;

/** The history of what `shown` shows; `choose(patch)` is called when other versions are to be compared. */
export async function history(shown, { state, open, choose }) {
  const base = whole(shown.citation).replace(/@[^@]*$/, "");
  const { history: lives } = await get(`/v1/history/${encodeURIComponent(base)}`);
  const versions = [...new Map(lives.map((life) => [life.version_id, life])).values()];
  const root = h("div", {}, h("ol", { class: "lives", "aria-label": "Versions, newest first" }, [...lives].reverse().map((life) => lifeItem(life, shown, open))));
  if (versions.length < 2) {
    root.append(h("p", { class: "quiet" }, "There is one version; nothing has changed."));
    return root;
  }
  const from = versions.find((life) => life.version_id === state.from) ?? versions.at(-2);
  const to = versions.find((life) => life.version_id === state.to) ?? versions.at(-1);
  root.append(comparison(versions, from, to, choose), await difference(from, to));
  return root;
}

function lifeItem(life, shown, open) {
  const until = life.died ? ` to ${day(life.died.time)} (revision ${life.died.revision})` : "";
  return h("li", {},
    h("span", {}, `${day(life.born.time)} (revision ${life.born.revision})${until}`),
    life.current && h("span", { class: "badge" }, "current"),
    life.version_id === shown.version_id && h("span", { class: "badge" }, "shown"),
    (life.valid_from || life.valid_to) && h("span", { class: "badge" }, `in force ${life.valid_from ?? "…"} to ${life.valid_to ?? "…"}`),
    h("span", { class: "quiet" }, isolated([life.born.message, life.born.author].filter(Boolean).join(", "))),
    opener(life, `Read ${life.version_id.slice(0, 8)}`, open, "version"));
}

function comparison(versions, from, to, choose) {
  const picker = (name, label, chosen) => {
    const select = h("select", { id: `compare-${name}` }, versions.map((life) =>
      h("option", { value: life.version_id, selected: life === chosen }, `revision ${life.born.revision}, ${day(life.born.time)}`)));
    select.addEventListener("change", () => choose({ from: from.version_id, to: to.version_id, [name]: select.value }));
    return h("label", {}, `${label} `, select);
  };
  return h("div", { class: "compare" }, picker("from", "What changed from", from), picker("to", "to", to));
}

async function difference(from, to) {
  if (from === to) return h("p", { class: "quiet" }, "These are the same version.");
  const [before, after] = await Promise.all([from, to].map((life) => post("/v1/elements", { element: whole(life.citation) })));
  const found = lineSteps(before.content, after.content);
  if (!found) return h("p", { class: "notice warn" }, "These versions differ too much to be compared here; read them separately.");
  if (found.every((step) => step.kind === "same")) return h("p", { class: "quiet" }, "The text is the same; only its metadata changed.");
  return drawn(found);
}

function drawn(found) {
  const root = h("div", { class: "diff", role: "group", "aria-label": "Differences" });
  const near = (index) => found.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((step) => step.kind !== "same");
  let hidden = 0;
  const gap = () => {
    if (hidden) root.append(h("p", { class: "gap" }, `${hidden} unchanged ${hidden === 1 ? "line" : "lines"}`));
    hidden = 0;
  };
  found.forEach((step, index) => {
    if (step.kind === "same" && !near(index)) {
      hidden += 1;
      return;
    }
    gap();
    root.append(line(step));
  });
  gap();
  return root;
}

function line(step) {
  if (step.kind === "changed") {
    return h("p", { class: "changed", dir: "auto" }, step.words.map(({ kind, text }) => (kind === "same" ? text : h(kind === "gone" ? "del" : "ins", {}, text))));
  }
  if (step.kind === "same") return h("p", { dir: "auto" }, step.text);
  return h("p", { class: step.kind, dir: "auto" }, h(step.kind === "gone" ? "del" : "ins", {}, step.text));
}
