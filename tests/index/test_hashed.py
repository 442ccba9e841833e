"""Terms found by their hash are those that a search finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.index.segments import hashed
from pincite.index.segments.hashed import HashedTerms, hash_strings
from pincite.index.segments.strings import StringTable, pack_strings


def table_of(words: set[str]) -> tuple[StringTable, HashedTerms]:
    strings = sorted(word.encode("utf-8") for word in words)
    table = StringTable(*pack_strings(strings))
    return table, HashedTerms(table, *hash_strings(strings))


@given(st.sets(st.text(max_size=6), max_size=40), st.lists(st.text(max_size=6), max_size=10))
def test_every_word_is_found_where_it_lies_and_no_other(words: set[str], others: list[str]) -> None:
    table, terms = table_of(words)
    for word in (*words, *others):
        assert terms.find(word) == table.find(word)


def test_words_with_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashed.zlib, "crc32", lambda _: 7)
    table, terms = table_of({"dog", "cat", "court"})
    assert [terms.find(word) for word in ("cat", "court", "dog", "tax")] == [0, 1, 2, -1]
    assert table[terms.find("court")] == "court"
