// Asking the server. A refusal becomes a Problem, in the server's own words; a missing key is asked for, once for all who wait.

import { askForKey, forgetKey, key } from "./signin.js";

/** What the server refused, or that it cannot be reached. */
export class Problem extends Error {
  constructor(message, { status = 0, code = "", field = "", suggestions = [], retryAfter = 0 } = {}) {
    super(message);
    Object.assign(this, { status, code, field, suggestions, retryAfter });
  }
}

export const get = (path, options = {}) => json(path, { method: "GET", ...options });
export const post = (path, body, options = {}) => json(path, { method: "POST", body, ...options });

async function json(path, options) {
  const response = await asked(path, options);
  return response.json();
}

/** A search, event by event, as the server finds it. */
export async function stream(path, body, onEvent, signal) {
  const response = await asked(path, { method: "POST", body, signal, accept: "application/x-ndjson" });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) if (line) onEvent(JSON.parse(line));
    if (done) return;
  }
}

async function asked(path, { method, body, signal, accept = "application/json" }) {
  for (;;) {
    const used = key();
    const headers = { Accept: accept };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (used) headers.Authorization = `Bearer ${used}`;
    const response = await reached(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
    if (response.ok) return response;
    const problem = await told(response);
    if (response.status !== 401) throw problem;
    if (used && used === key()) forgetKey();
    if (!key() && !(await askForKey(problem.message))) throw problem;
  }
}

async function reached(path, options) {
  try {
    return await fetch(path, { ...options, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("the server cannot be reached; is it still running?", { code: "unavailable" });
  }
}

async function told(response) {
  const body = await response.json().catch(() => ({}));
  return new Problem(body.detail ?? `the server answered ${response.status}`, {
    ...body,
    status: response.status,
    suggestions: body.suggestions ?? [],
    retryAfter: Number(response.headers.get("Retry-After") ?? 0),
  });
}
