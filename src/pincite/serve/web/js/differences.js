// What changed between two texts: lines first, then the words of lines that were replaced. Myers' algorithm (1986), greedy.

const MAX_EDITS = 1500;

/** Steps {kind: same | gone | new, text} from one list to another; null when they differ too much to be worth it. */
export function steps(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < before.length - start && tail < after.length - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const middle = shortest(before.slice(start, before.length - tail), after.slice(start, after.length - tail));
  if (!middle) return null;
  const same = (text) => ({ kind: "same", text });
  return [...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - tail).map(same)];
}

function shortest(a, b) {
  const limit = Math.min(MAX_EDITS, a.length + b.length);
  let reach = new Map([[1, 0]]);
  const trace = [];
  for (let edits = 0; edits <= limit; edits += 1) {
    trace.push(new Map(reach));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && reach.get(k - 1) < reach.get(k + 1));
      let x = down ? reach.get(k + 1) : reach.get(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walked(trace, a, b);
    }
  }
  return null;
}

function walked(trace, a, b) {
  const found = [];
  let [x, y] = [a.length, b.length];
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reach = trace[edits];
    const k = x - y;
    const down = k === -edits || (k !== edits && reach.get(k - 1) < reach.get(k + 1));
    const fromX = down ? reach.get(k + 1) : reach.get(k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0) found.push({ kind: "same", text: a[(y -= 1, x -= 1)] });
    if (edits > 0) found.push(down ? { kind: "new", text: b[y -= 1] } : { kind: "gone", text: a[x -= 1] });
  }
  return found.reverse();
}

/** The lines of two texts; a line that replaces another carries the words that differ, as steps of their own. */
export function lineSteps(before, after) {
  const found = steps(before.split("\n"), after.split("\n"));
  if (!found) return null;
  const out = [];
  for (let i = 0; i < found.length;) {
    const gone = run(found, i, "gone");
    const fresh = run(found, i + gone.length, "new");
    if (!gone.length && !fresh.length) {
      out.push(found[i]);
      i += 1;
      continue;
    }
    const pairs = Math.min(gone.length, fresh.length);
    for (let n = 0; n < pairs; n += 1) out.push(replaced(gone[n].text, fresh[n].text));
    out.push(...gone.slice(pairs), ...fresh.slice(pairs));
    i += gone.length + fresh.length;
  }
  return out.flat();
}

function run(found, from, kind) {
  const taken = [];
  while (found[from + taken.length]?.kind === kind) taken.push(found[from + taken.length]);
  return taken;
}

function replaced(before, after) {
  const words = steps(before.match(/\s+|[\p{L}\p{N}]+|[^]/gu) ?? [], after.match(/\s+|[\p{L}\p{N}]+|[^]/gu) ?? []);
  const kept = words?.filter((step) => step.kind === "same").reduce((sum, step) => sum + step.text.trim().length, 0) ?? 0;
  const alike = kept * 2 >= Math.min(before.length, after.length) * 0.6;
  return alike ? [{ kind: "changed", words }] : [{ kind: "gone", text: before }, { kind: "new", text: after }];
}
