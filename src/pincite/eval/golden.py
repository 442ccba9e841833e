"""Golden queries: the user's own judged questions, in JSON or YAML (REQUIREMENTS §4).

    version: 1
    description: what every release must find
    queries:
      - query: how many days of leave
        tags: [leave, en]
        relevant: [{element_id: company/leave.md, grade: 3, section: "§ 4.2"}]

A relevant entry names an `element_id`, a `decision_id` (the same thing under its older name) or a `docket`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.eval.cases import Case, CaseSet, Context, Judgement

MAX_GRADE = 3
_QUERY_KEYS = frozenset({"id", "query", "tags", "relevant", "filters", "read_context", "note"})
_JUDGEMENT_KEYS = frozenset({"element_id", "decision_id", "docket", "grade", "section"})
_NAMES = ("element_id", "decision_id", "docket")
_MISSPELT = 0.75
"""How similar an unknown key must be to a known one to count as a typo rather than as somebody's own field."""


def load_golden(path: Path) -> CaseSet:
    """The cases of a golden file. Errors name the query and the field; unknown fields are ignored and noted."""
    loaded = _read(path)
    queries = loaded.get("queries") if isinstance(loaded, dict) else loaded
    if not isinstance(queries, list):
        raise InvalidArgument(f"{path} must contain a list `queries`", field="queries")
    if not queries:
        raise InvalidArgument(f"{path}: the list `queries` is empty", field="queries")
    cases: list[Case] = []
    taken: set[str] = set()
    passed_over: set[str] = set()
    renamed = 0
    for number, item in enumerate(queries, start=1):
        case = _case(path, item, number, passed_over)
        free = _free_id(case.id, taken)
        renamed += free != case.id
        taken.add(free)
        cases.append(Case(free, case.query, case.relevant, case.tags, case.filters, case.read_context, case.note))
    notes = []
    if passed_over:
        notes.append(f"unknown fields were ignored: {', '.join(sorted(passed_over))}")
    if renamed:
        notes.append(f"{renamed} queries had the id of another and got a suffix (q1 became q1__2)")
    description = str(loaded.get("description", "")) if isinstance(loaded, dict) else ""
    return CaseSet(path.stem, tuple(cases), description, tuple(notes))


def dump_golden(cases: CaseSet) -> dict[str, Any]:
    """The golden file with these cases, as data."""
    queries = []
    for case in cases.cases:
        relevant = []
        for judged in case.relevant:
            entry: dict[str, Any] = {"element_id" if judged.by == "element" else "docket": judged.target}
            if judged.section:
                entry["section"] = judged.section
            relevant.append(entry | {"grade": judged.grade})
        item: dict[str, Any] = {"id": case.id, "query": case.query, "tags": list(case.tags), "relevant": relevant}
        extra = {"filters": dict(case.filters), "read_context": case.read_context, "note": case.note}
        queries.append(item | {key: value for key, value in extra.items() if value})
    return {"version": 1, "description": cases.description, "queries": queries}


def golden_text(cases: CaseSet, *, as_json: bool = False) -> str:
    """The golden file with these cases, as text."""
    loaded = dump_golden(cases)
    if as_json:
        return json.dumps(loaded, ensure_ascii=False, indent=2) + "\n"
    return str(yaml.safe_dump(loaded, allow_unicode=True, sort_keys=False, width=120))


def _read(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
        return json.loads(text) if path.suffix.lower() == ".json" else yaml.safe_load(text)
    except FileNotFoundError as error:
        raise NotFound(f"there is no golden file {str(path)!r}", field="golden") from error
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}", field="golden") from error
    except (ValueError, yaml.YAMLError) as error:
        raise InvalidArgument(f"{path} is neither JSON nor YAML: {error}", field="golden") from error


def _case(path: Path, item: Any, number: int, passed_over: set[str]) -> Case:
    where = f"{path}, query {number}"
    if not isinstance(item, dict) or not isinstance(item.get("query"), str) or not item["query"].strip():
        raise InvalidArgument(f"{where} has no `query`", field="query")
    passed_over |= _foreign(where, item, _QUERY_KEYS)
    for key, kind in (("tags", list), ("relevant", list), ("filters", dict)):
        if not isinstance(item.get(key) or kind(), kind):
            raise InvalidArgument(f"{where}: `{key}` must be a {_WORDS[key]}, not {item[key]!r}", field=key)
    judged = [_judgement(where, entry, passed_over) for entry in item.get("relevant") or ()]
    return Case(
        id=str(item.get("id") or f"q{number:03d}"),
        query=item["query"],
        relevant=tuple(judged),
        tags=tuple(str(tag) for tag in item.get("tags") or ()),
        filters={str(key): _plain(value) for key, value in (item.get("filters") or {}).items()},
        read_context=_context(where, item.get("read_context")),
        note=str(item.get("note") or ""),
    )


_WORDS = {"tags": "list of words", "relevant": "list of judged places", "filters": "mapping of names to values"}


def _plain(value: Any) -> Any:
    """YAML reads `2025-01-01` as a date; filters compare text."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def _context(where: str, given: Any) -> Context:
    if given is not None and not isinstance(given, str | dict):
        raise InvalidArgument(
            f"{where}: read_context must be head, published, baseline:NAME or as_of:TIME, not {given!r}",
            field="read_context",
        )
    return {str(key): _plain(value) for key, value in given.items()} if isinstance(given, dict) else given


def _judgement(where: str, given: Any, passed_over: set[str]) -> Judgement:
    """A place and its grade; a bare string is an element that answers (grade 1)."""
    if isinstance(given, str) and given:
        return Judgement(given)
    if not isinstance(given, dict):
        raise InvalidArgument(f"{where}: {given!r} under `relevant` is not a place", field="relevant")
    passed_over |= _foreign(where, given, _JUDGEMENT_KEYS)
    named = [key for key in _NAMES if given.get(key) not in (None, "")]
    if len(named) != 1:
        raise InvalidArgument(
            f"{where}: each entry under `relevant` must have exactly one of {', '.join(_NAMES)}; this one has"
            f" {' and '.join(named) or 'none'}",
            field="relevant",
        )
    grade = given.get("grade", 1)
    if isinstance(grade, bool) or not isinstance(grade, int) or not 0 <= grade <= MAX_GRADE:
        raise InvalidArgument(f"{where}: grade must be 0, 1, 2 or 3, not {grade!r}", field="grade")
    by = "docket" if named[0] == "docket" else "element"
    return Judgement(str(given[named[0]]), grade, str(given.get("section") or ""), by)  # type: ignore[arg-type]


def _foreign(where: str, given: Mapping[str, Any], known: frozenset[str]) -> set[str]:
    """Keys that are not ours. One that looks like a typo is an error, because it would silently change the figures."""
    foreign = {str(key) for key in given if key not in known}
    for key in sorted(foreign):
        if difflib.get_close_matches(key, known, n=1, cutoff=_MISSPELT):
            raise UnknownArgument.named(f"field in {where}:", key, known)
    return foreign


def _free_id(wanted: str, taken: set[str]) -> str:
    number, free = 1, wanted
    while free in taken:
        number += 1
        free = f"{wanted}__{number}"
    return free
