// Which state of the library is read: the picker, and the banner that no one overlooks.

import { byId, h, isolated } from "./dom.js";

/** Fill the picker. Baselines belong to a repository, so choosing one chooses that repository. It calls `choose(patch)`. */
export function drawStates(form, { repositories, state, choose }) {
  const within = repositories.filter((item) => !state.repository || item.repository_id === state.repository);
  const day = /^as_of:(.+)$/.exec(state.at)?.[1] ?? "";
  const date = h("input", { type: "date", value: day.slice(0, 10), max: new Date().toISOString().slice(0, 10), "aria-label": "Day" });
  const onDate = h("input", { type: "radio", name: "at", value: "as_of", checked: Boolean(day) });
  const pickDay = () => { onDate.checked = true; if (isWhole(date.value)) choose({ at: `as_of:${date.value}` }); };
  date.addEventListener("change", pickDay);
  onDate.addEventListener("change", () => (date.value ? pickDay() : date.showPicker?.()));
  const valid = h("input", { type: "date", value: state.valid, "aria-label": "In force on" });
  valid.addEventListener("change", () => { if (isWhole(valid.value) || (state.valid && !valid.value)) choose({ valid: valid.value }); });
  form.replaceChildren(
    h("fieldset", {}, h("legend", {}, "What the library contained"),
      choice("", "newest", state, () => choose({ at: "" })),
      within.filter((item) => item.published).length > 0 && within.map((item) => item.published && choice("published", `published in ${item.repository_id}: ${item.published}`, state, () => choose({ at: "published", repository: item.repository_id }), item.repository_id)),
      within.flatMap((item) => item.baselines.map((name) => choice(`baseline:${name}`, `${name} (${item.repository_id})`, state, () => choose({ at: `baseline:${name}`, repository: item.repository_id }), item.repository_id))),
      h("label", {}, onDate, "at the end of", date)),
    h("fieldset", {}, h("legend", {}, "What was in force"),
      h("div", { class: "row" }, valid, state.valid && h("button", { type: "button", class: "plain", on: { click: () => choose({ valid: "" }) } }, "any day"))));
  byId("state-name").textContent = named(state.at) + (state.valid ? `, in force ${state.valid}` : "");
}

/** A year that is being typed is a year too: 2, 20, 202. */
function isWhole(date) {
  return date >= "1000";
}

function choice(at, name, state, act, repository = "") {
  const checked = state.at === at && (!repository || state.repository === repository);
  return h("label", {}, h("input", { type: "radio", name: "at", value: `${at} ${repository}`, checked, on: { change: act } }), isolated(name));
}

function named(at) {
  if (!at) return "newest";
  return at.replace(/^baseline:/, "").replace(/^as_of:/, "end of ").replace(/^revision:/, "revision ");
}

/** Say which state is read, where it is not the newest. `echo`: the resolved context of an answer, once there is one. */
export function drawBanner(root, { state, echo, choose }) {
  const older = state.at && state.at !== "head";
  root.hidden = !older && !state.valid;
  if (root.hidden) return;
  const parts = [];
  if (older) parts.push(h("span", {}, "You are reading an earlier state: ", h("strong", {}, isolated(described(state.at))), resolved(echo)));
  if (state.valid) parts.push(h("span", {}, "Only what was in force on ", h("strong", {}, isolated(state.valid)), "."));
  root.replaceChildren(...parts, h("button", { type: "button", on: { click: () => choose({ at: "", valid: "" }) } }, "Read the newest"));
}

function described(at) {
  if (at === "published") return "the published baseline";
  if (at.startsWith("baseline:")) return `baseline ${at.slice(9)}`;
  if (at.startsWith("as_of:")) return `the end of ${at.slice(6)}`;
  return at.replace(":", " ");
}

function resolved(echo) {
  if (!echo) return ".";
  if (echo.repositories) return ` (${Object.values(echo.repositories).map((one) => `${one.repository_id}: revision ${one.revision} of ${one.head}`).join("; ")}).`;
  const note = echo.note ? `; ${echo.note}` : "";
  return ` (revision ${echo.revision} of ${echo.head}${echo.as_of ? `, ${day(echo.as_of)}` : ""}${note}).`;
}

/** A moment as a day, in the reader's own form. */
export function day(moment) {
  const date = new Date(moment);
  return Number.isNaN(date.valueOf()) ? String(moment) : date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}
