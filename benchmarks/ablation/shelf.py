"""Asked questions on disk: one compressed file of columns per set, a few kilobytes per question."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ablation.asked import Asked
from pincite.meaning import Calibration
from pincite.queries import Background, Found, Ranking
from pincite.types import Scope

Array = NDArray[Any]
Passage = tuple[str, str, str, str, str, str, int, int]
"""Tenant, organization, repository, element, version, recipe, lifetime, chunk."""


@dataclass(frozen=True, slots=True)
class Kept:
    code: str
    asked: Sequence[Asked]


def save(path: Path, key: str, code: str, asked: Sequence[Asked]) -> None:
    """Keep the questions under a key, with the hash of the code that asked; the file is there whole or not at all."""
    numbers: dict[Passage, int] = {}
    found = [item for question in asked for ranking in question.rankings for item in ranking.found]
    for item in found:
        numbers.setdefault(_passage(item), len(numbers))
    words = {
        "key": key,
        "code": code,
        "passages": list(numbers),
        "asked": [
            [question.id, question.query, dict(question.grades), [_leg(ranking) for ranking in question.rankings]]
            for question in asked
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part.npz")
    np.savez_compressed(
        unfinished,
        words=np.frombuffer(json.dumps(words, ensure_ascii=False).encode("utf-8"), np.uint8),
        passage=np.array([numbers[_passage(item)] for item in found], np.int32),
        score=np.array([item.score for item in found], np.float64),
        raw=np.array([item.raw for item in found], np.float64),
        window=np.array([item.window for item in found], np.int8),
    )
    unfinished.replace(path)


def load(path: Path, key: str) -> Kept | None:
    """The questions that were kept under this key; None where there are none, or those of another state."""
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as columns:
        words = json.loads(columns["words"].tobytes())
        if words["key"] != key:
            return None
        rows = _rows(words["passages"], *(columns[name] for name in ("passage", "score", "raw", "window")))
    asked = [
        Asked(name, query, grades, tuple(_ranking(leg, rows) for leg in legs))
        for name, query, grades, legs in words["asked"]
    ]
    return Kept(words["code"], asked)


def _passage(item: Found) -> Passage:
    scope = item.scope
    names = (scope.tenant, scope.organization, scope.repository, item.element_id, item.version_id, item.recipe)
    return (*names, item.lifetime_id, item.chunk)


def _leg(ranking: Ranking) -> list[Any]:
    around, scale = ranking.background, ranking.calibration
    return [
        ranking.leg,
        len(ranking.found),
        ranking.total,
        ranking.total_is_lower_bound,
        astuple(around) if around else None,
        astuple(scale) if scale else None,
    ]


def _rows(passages: Sequence[Sequence[Any]], *columns: Array) -> Iterator[Found]:
    """What was found, in the order in which it was kept."""
    known = [
        Found(Scope(tenant, organization, repository), element, version, recipe, lifetime, chunk, score=0.0, raw=0.0)
        for tenant, organization, repository, element, version, recipe, lifetime, chunk in passages
    ]
    for number, score, raw, window in zip(*(column.tolist() for column in columns), strict=True):
        yield known[number]._replace(score=score, raw=raw, window=window)


def _ranking(leg: Sequence[Any], rows: Iterator[Found]) -> Ranking:
    name, count, total, is_bound, around, scale = leg
    return Ranking(
        name,
        tuple(next(rows) for _ in range(count)),
        total,
        is_bound,
        background=Background(*around) if around else None,
        calibration=Calibration(*scale) if scale else None,
    )
