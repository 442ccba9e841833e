"""Cases: questions with judged answers, whatever file they came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

from pincite.ids import text_hash
from pincite.types import JsonValue

Context: TypeAlias = str | Mapping[str, object] | None
"""The state of the library that a question is about, as users write it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One place, and how well it answers a question."""

    target: str
    grade: int = 1
    """1 to 3; 0 means that the place was judged and does not answer."""
    section: str = ""
    """Only this section of the element counts; an id, a spelling ("§ 4.2") or a heading."""
    by: Literal["element", "docket"] = "element"
    """Whether the target is an element id or a docket number of the element."""

    @property
    def name(self) -> str:
        """The name of the place in rankings and reports."""
        return f"{self.target}#{self.section}" if self.section else self.target


@dataclass(frozen=True, slots=True)
class Case:
    """One question and the expected results."""

    id: str
    query: str
    relevant: tuple[Judgement, ...]
    tags: tuple[str, ...] = ()
    filters: Mapping[str, JsonValue] = field(default_factory=dict)
    read_context: Context = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Cases under one name."""

    name: str
    cases: tuple[Case, ...]
    description: str = ""
    notes: tuple[str, ...] = ()
    """What was ignored or changed while loading."""
    qrels: str = ""
    """Name of the judgements, if they are in a separate file."""

    @property
    def fingerprint(self) -> str:
        """Identity of the questions and judgements; only runs with the same one are fully comparable."""
        return text_hash(json.dumps([asdict(case) for case in self.cases], sort_keys=True, ensure_ascii=False))
