"""Runbooks as a kind of Pincite: a TOML file holds those of one service, and each of their steps can be cited."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.fields import STRUCTURAL
from pincite.ids import normalise_id, text_hash
from pincite.kinds.options import KindSettings
from pincite.protocols.kind import Declaration, Described, RelationType, Signal, SignalInput
from pincite.reading import Item, Neighbourhood, ReadElement, ReadState, Recognised, Record, Unread
from pincite.types import Alias, Chunk, Content, Derivation, Relation, Span

ESCALATES = "escalates_to"
RUNBOOK_ID = re.compile(r"\b[A-Z]{2,8}-\d{1,6}\b")
FACETS = ("service", "severity", "owner")
STEP = {"de": "Schritt", "fr": "étape", "it": "passo"}


def urgency(seen: SignalInput) -> float:
    """1 for an outage, less for what can wait."""
    severity = seen.content.metadata.get("severity")
    return 1 / severity if isinstance(severity, int) and severity > 0 else 0.0


class RunbooksKind:
    """One element for each `[[runbook]]`; its passages are the symptoms, the steps, and where it escalates to."""

    name = "runbooks"

    def __init__(self, words: Mapping[str, tuple[str, ...]]) -> None:
        self._words = words
        self.declares = Declaration(
            content_kinds=("runbook",),
            suffixes={".runbooks.toml": "runbooks"},
            max_bytes=5_000_000,
            fields={**STRUCTURAL, "symptoms": 3.0, "owner": 1.0},
            relations=(RelationType(ESCALATES, {"en": ("escalates to",)}, {"en": ("what escalates to",)}),),
            signals=(Signal("urgency", 0.1, urgency),),
            ranking=text_hash(repr(("urgency 0.1", sorted(words.items())))),
            facets=FACETS,
            neighbours=1,
        )

    def recipe(self, item_name: str = "") -> str:
        return "runbooks/1"

    def read(self, item: Item) -> Iterator[ReadElement | Unread]:
        try:
            book = tomllib.loads(item.path.read_text(encoding="utf-8"))
        except ValueError as problem:  # not TOML, or not UTF-8
            raise InvalidArgument(f"{item.name} is not a TOML file: {problem}") from problem
        shared = {name: book[name] for name in FACETS if name in book}
        rows = book.get("runbook")
        for number, row in enumerate(rows if isinstance(rows, list) else (), start=1):
            if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"] and row.get("title"):
                yield element(normalise_id(item.prefix + row["id"]), {**shared, **row}, item.prefix)
            else:
                yield Unread(f"runbook {number}", "it needs an id and a title")

    def derive(self, element_id: str, content: Content, around: Neighbourhood) -> Derivation:
        runbook_id, recipe = str(content.metadata["runbook_id"]), self.recipe()
        symptoms, *steps = _paragraphs(content.text)
        found_by = (("symptoms", content.text[: symptoms.end]), ("owner", str(content.metadata.get("owner", ""))))
        chunks = [Chunk(0, symptoms, parent_chain=(content.name,), fields=tuple(f for f in found_by if f[1]))]
        for number, span in enumerate(steps, start=1):
            chain = (content.name, f"Step {number}")
            chunks.append(Chunk(number, span, section_id=str(number), parent_chain=chain, chunk_type="step"))
        named = [near.content.name if near.content else near.element_id for near in around.outgoing]
        if named:
            shown = f"{content.name} escalates to: {', '.join(named)}."
            chunks.append(Chunk(len(chunks), rendered=shown, parent_chain=(content.name,)))
            recipe += f";near={text_hash(shown)}"
        return Derivation(recipe, tuple(chunks), aliases=(Alias(runbook_id),))

    def recognise(self, query: str) -> Recognised:
        known = {word: self._words[word.lower()] for word in query.split() if word.lower() in self._words}
        return Recognised(tuple(dict.fromkeys(RUNBOOK_ID.findall(query))), known)

    def interpret(self, record: Record) -> ReadElement | None:
        row = {**record.metadata, "id": record.record_id, "title": record.title, "symptoms": record.text}
        return element(record.record_id, row) if record.title.strip() or record.text.strip() else None

    def describe(self, content: Content, chunk: Chunk | None, language: str) -> Described:
        step = f", {STEP.get(language, 'step')} {chunk.section_id}" if chunk and chunk.section_id else ""
        urgent = content.metadata.get("severity") == 1
        return Described(f"{content.metadata['runbook_id']} {content.name}{step}", {"urgent": urgent})


def element(element_id: str, row: Mapping[str, Any], prefix: str = "") -> ReadElement:
    """A runbook out of a table of TOML or a row of a corpus; what it has no use for is left out."""
    title, symptoms, *steps = map(_line, (row["title"], row.get("symptoms", ""), *_texts(row.get("steps"))))
    text = "\n\n".join(filter(None, ("\n".join(filter(None, (title, symptoms))), *steps)))
    metadata = {name: row[name] for name in FACETS if isinstance(row.get(name), str | int)}
    metadata["runbook_id"] = str(row["id"])
    content = Content("runbook", "runbook", title or element_id, text, "en", metadata)
    since = row.get("valid_from")
    state = ReadState(content, frozenset(_texts(row.get("roles"))), since if type(since) is date else None)
    others = [normalise_id(prefix + other) for other in _texts(row.get(ESCALATES))]
    relations = [Relation(f"{element_id}>{other}", ESCALATES, element_id, other) for other in dict.fromkeys(others)]
    return ReadElement(element_id, (state,), tuple(relations))


def open_kind(settings: KindSettings) -> RunbooksKind:
    """What the entry point names. `kinds: {runbooks: {words: {down: [outage]}}}` is its glossary."""
    words = settings.own.get("words", {})
    for name in settings.own.keys() - {"words"}:
        raise UnknownArgument.named("setting of runbooks:", name, ["words"], field=f"kinds.runbooks.{name}")
    if not isinstance(words, dict):
        raise InvalidArgument("words must be a table of words and what stands for them", field="kinds.runbooks.words")
    return RunbooksKind({str(word).lower(): _texts(others) for word, others in words.items()})


def _paragraphs(text: str) -> Iterator[Span]:
    start = 0
    for part in text.split("\n\n"):
        yield Span(start, start + len(part))
        start += len(part) + 2


def _line(given: object) -> str:
    return " ".join(str(given).split())


def _texts(given: object) -> tuple[str, ...]:
    return tuple(text for text in given if isinstance(text, str)) if isinstance(given, list) else ()
