// One search at a time: words at once, meaning as it arrives. An answer to a question that has changed is dropped.

import { Problem, post, stream } from "./api.js";

const PAGE = 10;
const WAIT_MS = 140;
const LOADING_MS = 1500;
const LOADING_TRIES = 20;

/** What the server is asked for a state of the page. */
export function request(state, more = {}) {
  return {
    query: state.q.trim(), top_k: PAGE, explain: true, repository_id: state.repository, read_context: state.at,
    valid_at: state.valid, mode: state.mode, sort: state.sort, filters: state.filters, ...more,
  };
}

/** Asks, and tells `show(found)` of each stage; `found` has results, stage, and with the last one the whole answer. */
export class Searching {
  #current = null;
  #timer = 0;

  constructor({ begin, show, fail }) {
    Object.assign(this, { begin, show, fail });
  }

  /** Ask soon; `now` without waiting for the next letter. */
  ask(state, { now = false } = {}) {
    this.stop();
    if (!state.q.trim()) return;
    this.#timer = setTimeout(() => this.#run(state, LOADING_TRIES), now ? 0 : WAIT_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#current?.abort();
    this.#current = null;
  }

  async #run(state, tries) {
    const mine = new AbortController();
    this.#current = mine;
    this.begin(state);
    const stages = {};
    const latest = () => this.#current === mine;
    let done = false;
    try {
      await stream("/v1/search/stream", request(state), (event) => {
        if (!latest()) return;
        if (event.event === "stage") stages[event.stage] = { left: event.results, results: [] };
        if (event.event === "hit") this.#take(stages, event);
        if (event.event === "stage" || event.event === "hit") this.#early(state, stages);
        if (event.event === "done") {
          done = true;
          this.#finish(state, stages.final.results, event.answer, tries);
        }
        if (event.event === "error") throw new Problem(event.error.message, event.error);
      }, mine.signal);
      if (!done) throw new Problem("the answer broke off before it was complete; ask again", { code: "unavailable" });
    } catch (error) {
      if (latest() && error.name !== "AbortError") this.#refused(state, error, tries);
    }
  }

  #take(stages, { stage, hit }) {
    stages[stage].results.push(hit);
    stages[stage].left -= 1;
  }

  #early(state, { keyword, final }) {
    if (keyword && !final && keyword.left === 0) this.show({ state, stage: "keyword", results: keyword.results });
  }

  #finish(state, results, answer, tries) {
    this.show({ state, stage: "final", results, answer });
    const loading = answer.legs.some((leg) => /being loaded/.test(leg.reason ?? ""));
    if (loading && tries > 0) this.#timer = setTimeout(() => this.#run(state, tries - 1), LOADING_MS);
  }

  #refused(state, error, tries) {
    this.fail(state, error);
    if (error.status === 429 && tries > 0) {
      this.#timer = setTimeout(() => this.#run(state, tries - 1), 1000 * Math.max(1, error.retryAfter));
    }
  }
}

/** The next page of an answer. */
export function nextPage(state, cursor) {
  return post("/v1/search", request(state, { cursor }));
}
