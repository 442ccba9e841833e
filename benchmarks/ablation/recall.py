"""Recall: questions that were asked before are not asked again, as long as the legs would find the same.

What the legs find follows from the library, the model, the settings, the questions, and the code. The first four are
a key. Code changes often without changing an answer: where it has, some questions are asked for a check.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pincite
from benchmarks.ablation import shelf
from benchmarks.ablation.asked import Asked, ask_all, ask_one
from benchmarks.ablation.kept import CONFIG, FOLDER, State, built, opened, read_state, state_of
from benchmarks.quality.sets import Corpus
from pincite.library import Library
from pincite.queries import Ranking

CHECKED = 20
"""Questions asked for a check, evenly spread over the set."""
LEGS = (
    "kinds", "index", "text", "models", "fixed.py", "eval/beir.py", "eval/corpus.py", "search/legs.py",
    "search/query.py", "search/related.py", "search/syntax.py", "search/understand.py",
)  # fmt: skip
"""The parts of the package that decide what a leg finds. What comes after is done again each time."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The questions of a set with what every leg found."""

    asked: Sequence[Asked]
    state: State
    """Of the library of which they were asked."""
    how: str
    """Whether they were asked now, in words."""


def recall(data: Path, corpus: Corpus, kind: str, *, again: bool = False) -> Recalled:
    """The questions of a set, asked if need be; `again`: in any case. Builds what is missing of the library."""
    path = FOLDER / "asked" / kind / f"{corpus.folder.replace('/', '.')}.{corpus.qrels}.npz"
    code = _code()
    state = state_of(corpus, kind)
    if state is not None and state.is_complete and not again:
        kept = shelf.load(path, _key(data, corpus, state))
        if kept is not None and kept.code == code:
            return Recalled(kept.asked, state, "kept")
        if kept is not None:
            with opened(corpus, kind) as library:
                if still_holds(library, kept.asked):
                    return Recalled(kept.asked, state, f"kept, {CHECKED} of them checked as the code has changed")
    with built(data, corpus, kind) as bench:
        asked = ask_all(bench)
        state = read_state(bench.library)
    shelf.save(path, _key(data, corpus, state), code, asked)
    return Recalled(asked, state, "asked")


def still_holds(library: Library, asked: Sequence[Asked]) -> bool:
    """Whether the legs find the same for some of the questions, to the last bit."""
    step = max(1, len(asked) // CHECKED)
    return all(_said(ask_one(library, item.id, item.query)) == _said(item.rankings) for item in asked[::step])


def _said(rankings: Iterable[Ranking]) -> list[tuple[object, ...]]:
    return [(ranking.leg, ranking.found, ranking.background, ranking.calibration) for ranking in rankings]


def _key(data: Path, corpus: Corpus, state: State) -> str:
    folder = data / corpus.folder
    files = (folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / f"{corpus.qrels}.tsv")
    settings = f"{CONFIG.keyword!r} {CONFIG.chunking!r} {dict(corpus.only)!r}"
    return f"{_hash(files)} {settings} {state.library_id} {state.revision} {state.model}"


def _code() -> str:
    source = Path(pincite.__file__).parent
    files = [path for name in LEGS for path in sorted((source / name).rglob("*.py")) or [source / name]]
    return _hash(files)


def _hash(files: Iterable[Path]) -> str:
    parts = [hashlib.blake2b(path.read_bytes()).digest() for path in files]
    return hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest()
