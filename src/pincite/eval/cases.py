"""Cases: questions with judged answers, whatever file they came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

from pincite.ids import text_hash
from pincite.types import JsonValue

Context: TypeAlias = str | Mapping[str, object] | None
"""Which state of the library a question is asked of, as users write it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One place that answers a question, and how well."""

    target: str
    grade: int = 1
    """1 to 3; 0 says that a place was looked at and does not answer."""
    section: str = ""
    """Only this section of the element counts; an id, a spelling ("§ 4.2") or a heading."""
    by: Literal["element", "docket"] = "element"
    """Whether the target is an element id, or a docket number under which the element is known."""

    @property
    def name(self) -> str:
        """How the place is called in rankings and reports."""
        return f"{self.target}#{self.section}" if self.section else self.target


@dataclass(frozen=True, slots=True)
class Case:
    """One question and what should come back."""

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
    """What was passed over or changed while loading."""
    qrels: str = ""
    """Name of the judgements, where they come in a file of their own."""

    @property
    def fingerprint(self) -> str:
        """Identity of the questions and judgements; two runs compare only where it is the same."""
        return text_hash(json.dumps([asdict(case) for case in self.cases], sort_keys=True, ensure_ascii=False))
