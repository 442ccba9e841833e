"""Groups of index terms → FTS5 expressions, and what FTS5 says of how rare they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.fields import STRUCTURAL
from pincite.index.sqlite_vec.schema import TERM_COLUMNS, WORD_COLUMNS
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.text.expand import Adjacent, Group, Member, StartsWith, Term, Together

LEAST_IDF = 1e-6
"""What FTS5's bm25() gives to a word that half of the rows or more hold."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How often words occur in the whole file: FTS5 knows no views."""

    store: SqliteVecFile
    boosts: tuple[float, ...]

    @property
    def rows(self) -> int:
        return int(self.store.remember("rows", lambda: self.store.one("SELECT count(*) FROM chunks")))

    def holders(self, term: str) -> int:
        """Rows that hold the term."""
        return self.store.remember(("term", term), lambda: int(self.store.one(_HOLDERS, (term,)) or 0))

    def frequency(self, group: Group) -> int:
        """Rows that hold the most frequent member; the union would have to be counted row by row."""
        return max((self._frequency(member, group.field) for member in group.members), default=0)

    def idf(self, group: Group) -> float:
        """What the rarest member is worth to FTS5."""
        counts = [count for member in group.members if (count := self._frequency(member, group.field))]
        rarest = min(counts, default=0)
        return max(math.log((self.rows - rarest + 0.5) / (rarest + 0.5)), LEAST_IDF)

    def _frequency(self, member: Member, field: str) -> int:
        if isinstance(member, Term):
            return self.holders(member.text)
        if isinstance(member, Together):
            return min(map(self.holders, member.terms))
        asked = _member(member, *_columns(self.boosts, field))
        if not asked:
            return 0
        return self.store.remember(("match", asked), lambda: int(self.store.one(_MATCHING, (asked,))))


_HOLDERS = "SELECT doc FROM vocabulary WHERE term = ?"
_MATCHING = "SELECT count(*) FROM words WHERE words MATCH ?"


def expression(groups: Iterable[Group], boosts: Sequence[float]) -> str:
    """Rows that hold one of the groups; empty if no row can."""
    found = []
    for group in groups:
        columns = _columns(boosts, group.field)
        found += [text for member in group.members if (text := _member(member, *columns))]
    return " OR ".join(found)


def _columns(boosts: Sequence[float], field: str) -> tuple[str, str]:
    """Where a word may stand: terms and words of the fields that count, as column filters; empty for nowhere."""
    held_in = field if field in ("", *STRUCTURAL) else "content"
    counting = [number for number, name in enumerate(TERM_COLUMNS) if boosts[number] and held_in in ("", name)]
    if not counting:
        return "", ""
    of_terms = " ".join(TERM_COLUMNS[number] for number in counting)
    of_words = " ".join(WORD_COLUMNS[number] for number in counting)
    return f"{{{of_terms}}} : ", f"{{{of_words}}} : "


def _member(member: Member, terms: str, words: str) -> str:
    if not terms:
        return ""
    if isinstance(member, Term):
        return terms + _quoted(member.text)
    if isinstance(member, Together):
        return "(" + " AND ".join(terms + _quoted(term) for term in member.terms) + ")"
    if isinstance(member, Adjacent):
        return words + _quoted(" ".join(member.words))
    assert isinstance(member, StartsWith)
    held = any(char.isalnum() or not char.isascii() for char in member.prefix)
    return f"{words}{_quoted(member.prefix)} *" if held else ""


def _quoted(text: str) -> str:
    """A string of FTS5's query language."""
    return '"' + text.replace("\0", " ").replace('"', '""') + '"'
