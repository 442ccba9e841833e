"""Runs the parts in order and holds them against what was wanted; parts that are not run stay as they were."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import documents
from benchmarks.documents import answers, attribution, reading, structure
from benchmarks.extraction import exact
from benchmarks.page import aligned, markdown, put
from benchmarks.speed.machine import machine

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "documents.json"
COMMAND = "python -m benchmarks documents"


class Criterion(NamedTuple):
    name: str
    wanted: str
    measured: str
    reached: bool


class Part(NamedTuple):
    """What one part of the benchmark found."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    criteria: Sequence[Criterion]


def main() -> None:
    parser = argparse.ArgumentParser(prog=COMMAND, description=(documents.__doc__ or "").split("\n", 1)[0])
    parser.add_argument("data", nargs="?", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/laboratory.md")
    parser.add_argument("--only", default="", help=f"some of: {', '.join(PARTS)}")
    given = parser.parse_args()
    chosen = [name for name in given.only.split(",") if name] or list(PARTS)
    if unknown := [name for name in chosen if name not in PARTS]:
        parser.error(f"no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    if not (given.data / "office-docs-a").is_dir():
        print(f"no {given.data / 'office-docs-a'}; give the folder of corpora. Nothing was measured")
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in chosen:
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        part = PARTS[name](given.data)
        print(f"\n{part.title}\n{aligned(part.head, part.rows)}", flush=True)
        measured = _as_json(part, load)
        print(f"\n{aligned(_HEAD, _verdicts([measured]))}", flush=True)
        if given.write:
            _write(_kept() | {name: measured})


_HEAD = ("criterion", "wanted", "measured", "reached")


def _kept() -> dict[str, dict[str, Any]]:
    """What earlier runs have written."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))["parts"] if RESULTS.is_file() else {}


def _as_json(part: Part, load: float) -> dict[str, Any]:
    """A part with what its figures belong to: another day, another load, other times."""
    body = {"title": part.title, "head": part.head, "rows": part.rows}
    criteria = [item._asdict() for item in part.criteria]
    about = {"day": date.today().isoformat(), "load": round(load, 1), "machine": machine()}
    return json.loads(json.dumps({**body, "criteria": criteria, **about}))  # type: ignore[no-any-return]


def _verdicts(parts: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (item["name"], item["wanted"], item["measured"], "yes" if item["reached"] else "no")
        for part in parts
        for item in part["criteria"]
    ]


def _write(kept: Mapping[str, Mapping[str, Any]]) -> None:
    """The figures of all parts that were measured so far, each with its day and the load of the machine."""
    parts = [kept[name] for name in PARTS if name in kept]
    tables = [markdown(_HEAD, _verdicts(parts))]
    if missing := [name for name in PARTS if name not in kept]:
        tables.append(f"Not measured yet: {', '.join(missing)}.")
    for part in parts:
        about = f"{part['day']}, load {part['load']} on {part['machine']['cores']} cores"
        tables.append(f"{part['title']}, {about}\n\n{markdown(part['head'], part['rows'])}")
    put(ROOT / "docs" / "laboratory.md", COMMAND, tables)
    RESULTS.write_text(json.dumps({"parts": kept}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"figures written to {RESULTS.relative_to(ROOT)}")


# --- the parts ------------------------------------------------------------------------------------------------


def _structure(data: Path) -> Part:
    given = [*structure.of_files(data / "office-docs-a"), *structure.of_manual(data / "k8s-docs")]
    found = [*given, *structure.of_print(data)]
    rows = [_structure_row(row) for row in found]
    real = structure.total([row.kept for row in given if row.name.startswith(("…", "office-docs-a, Word"))])
    printed = [row.kept for row in given if row.name.startswith("… without flaws of the reference")]
    held_out = [row for row in found if "held out" in row.name]
    columns = [row.kept for row in held_out if row.name.startswith("two columns")]
    one_column = [row.kept for row in held_out if not row.name.startswith("two columns")]
    criteria = [
        _at_least("headings kept, office-docs-a and k8s-docs, without flaws of the references", real, 0.95),
        *(_at_least("… PDF files of office-docs-a alone", kept, 0.95) for kept in printed),
        _at_least("… set in type, one column, held out", structure.total(one_column), 0.95),
        _at_least("… set in type, two columns, held out", structure.total(columns), 0.95),
    ]
    head = ("headings", "reference", "found", "below the same heading", "not in the reference")
    return Part("**Structure**", head, rows, criteria)


def _structure_row(row: structure.Row) -> tuple[str, ...]:
    kept = row.kept
    nested = "" if row.flat else f"{kept.nested / kept.reference:.1%}"
    return row.name, f"{kept.reference:,}", f"{kept.found / kept.reference:.1%}", nested, str(kept.extra)


def _at_least(name: str, kept: structure.Kept, wanted: float) -> Criterion:
    share = kept.found / kept.reference
    return Criterion(name, f"≥ {wanted:.0%}", f"{share:.1%} of {kept.reference:,}", share >= wanted)


def _attribution(data: Path) -> Part:
    found = attribution.attribution(data / "office-docs-a")
    row = (str(found.files), str(found.passages), str(found.wrong), str(found.lost))
    right = found.passages > 0 and found.wrong == found.lost == 0
    share = f"{1 - found.wrong / max(1, found.passages):.1%} of {found.passages}"
    return Part(
        "**Attribution** (office-docs-a)",
        ("files", "passages", "wrong spans or pages", "characters in none"),
        [row],
        [Criterion("attribution", "100 %", share, right)],
    )


def _reading(data: Path) -> Part:
    with tempfile.TemporaryDirectory() as folder:
        policies = data / "site-policy" / "docs"
        long = reading.of_long_file(policies, Path(folder))
        found = [*reading.of_files(data / "office-docs-a"), long]
        whole = reading.ingest(Path(folder) / "long.pdf", long.pages, "auto")
        words = reading.ingest(Path(folder) / "long.pdf", long.pages, "off")
    rows = [(item.name, str(item.pages), *map(_seconds, item[2:])) for item in found]
    rows.append((f"{long.name}, ingested, words only", str(long.pages), _seconds(words), "", ""))
    rows.append((f"{long.name}, ingested, vectors included", str(long.pages), _seconds(whole), "", ""))
    head = ("seconds per 100 pages, wall (CPU)", "pages", "Pincite", "kreuzberg alone", "markitdown alone")
    measured = f"{_seconds(words)} s; with vectors {_seconds(whole)} s, wall (CPU)"
    return Part(
        "**Reading**",
        head,
        rows,
        [Criterion("100 pages ingested", "< 30 s", measured, max(words.wall, whole.wall) < 30)],
    )


def _seconds(taken: reading.Seconds | None) -> str:
    return f"{taken.wall:.2f} ({taken.cpu:.2f})" if taken else ""


def _answers(data: Path) -> Part:
    found = list(answers.answers(data))
    rows = [
        (
            item.name,
            f"{item.questions:,}",
            *(f"{share:.1%}" for share in (item.hit, item.hit_semantic)),
            *(f"{value:.3f}" for value in (item.ndcg, item.ndcg_semantic)),
            f"{item.gain:+.0%}",
        )
        for item in found
    ]
    sets = [item for item in found if not item.name.startswith("…")]
    hit = sum(item.hit for item in sets) / len(sets)
    gain = sum(item.ndcg for item in sets) / sum(item.ndcg_semantic for item in sets) - 1
    criteria = [
        Criterion("relevant hit, mean of the sets", "≥ 90 %", f"{hit:.1%}", hit >= 0.9),
        *(Criterion(f"relevant hit, {item.name}", "≥ 90 %", f"{item.hit:.1%}", item.hit >= 0.9) for item in sets),
        Criterion("hybrid over semantic, mean of the sets", "≥ +20 %", f"{gain:+.0%}", gain >= 0.2),
        *(Criterion(f"hybrid over semantic, {s.name}", "≥ +20 %", f"{s.gain:+.0%}", s.gain >= 0.2) for s in sets),
    ]
    head = ("set", "questions", "relevant hit@10", "dense alone", "nDCG@10", "dense alone", "gain")
    return Part("**Answers** (hybrid, and the dense leg alone)", head, rows, criteria)


def _speed(data: Path) -> Part:
    found = list(answers.speed(data))
    rows = [(f"{s.passages:,}", str(s.questions), *(f"{value:.1f}" for value in s[2:])) for s in found]
    criteria = [
        Criterion(f"a search over {s.passages:,} passages", "< 20 ms p50", f"{s.p50:.1f} ms", s.p50 < 20) for s in found
    ]
    head = ("passages", "questions", "p50 ms, wall", "p95", "p50 CPU")
    return Part(f"**A search** ({answers.TIMED_SET})", head, rows, criteria)


def _exact(data: Path) -> Part:
    found = list(exact.results(data))
    rows = [(item.name, str(item.asked), f"{item.share:.1%}") for item in found]
    asked = sum(item.asked for item in found)
    share = sum(item.asked - len(item.missed) for item in found) / asked
    return Part(
        "**Exact references** (words and names alone)",
        ("set", "citations", "first"),
        rows,
        [Criterion("exact references first", "≥ 99 %", f"{share:.1%} of {asked:,}", share >= 0.99)],
    )


PARTS: dict[str, Callable[[Path], Part]] = {
    "structure": _structure,
    "attribution": _attribution,
    "reading": _reading,
    "exact": _exact,
    "answers": _answers,
    "speed": _speed,
}
