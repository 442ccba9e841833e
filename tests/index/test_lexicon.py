"""The lexicon: which words are learned, which are near, and what must never show."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import EmbeddingFailed
from pincite.fixed import unit
from pincite.index.lexicon import FolderLexicon, folder, store
from pincite.index.lexicon.forms import forms
from pincite.meaning import Calibration, Floats
from pincite.testing.index import SCOPE, SIBLING, page, passage, put
from pincite.types import Commit, EmbeddedText, RemoveElement, Scope, View

NEAR = {"Entwicklung": "Entwicklung", "développement": "Entwicklung", "chien": "Hund", "Hund": "Hund", "Hunde": "Hund"}
"""Words that the model of these tests holds to be the same thing, or nearly."""


class Concepts:
    """A model that knows a few concepts; all other words are far from each other."""

    name = "concepts"
    fingerprint = "concepts/1"
    dimensions = 256
    deterministic = True
    calibration = Calibration(0.2, 0.9, words=0.5)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        return (passage.text,)

    def embed(self, texts: Sequence[str]) -> Floats:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        self.asked.append(text)
        if text == "Unsinn":
            raise EmbeddingFailed("no such word")
        own = _direction(text) * (0.0 if text == NEAR.get(text) else 0.4)
        return unit((_direction(NEAR.get(text, text)) + own)[None, :])[0]


def _direction(text: str) -> Floats:
    seed = int.from_bytes(text.encode("utf-8")[:7], "little")
    vector = np.random.default_rng(seed).normal(size=Concepts.dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    opened = SqliteCatalog(tmp_path / "catalog.db")
    for scope in (SCOPE, SIBLING):
        opened.repositories.ensure(scope)
    yield opened
    opened.close()


@pytest.fixture
def lexicon(tmp_path: Path, catalog: SqliteCatalog) -> FolderLexicon:
    return FolderLexicon(tmp_path / "words", catalog)


def add(catalog: SqliteCatalog, *changes: object, scope: Scope = SCOPE) -> int:
    return catalog.commits.commit(scope, Commit(changes)).revision  # type: ignore[arg-type]


def view(revision: int, scope: Scope = SCOPE) -> View:
    return View(scope, revision, date(2026, 1, 31))


def near(lexicon: FolderLexicon, text: str, *views: View, most: int = 10, above: float = 0.5) -> list[str]:
    model = Concepts()
    found = lexicon.near(views, model.fingerprint, [model.embed_query(text)], above=above, most=most)
    return [word.form for word in found]


def test_a_word_in_another_language_is_found(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    at = add(catalog, put("a", page("Die Entwicklung der Bank.", language="de")), put("b", page("Ein Hund beisst.")))
    assert lexicon.learn(SCOPE, Concepts()) > 3
    assert near(lexicon, "développement", view(at)) == ["Entwicklung"]
    assert near(lexicon, "chien", view(at)) == ["Hund"]
    assert near(lexicon, "Zeppelin", view(at)) == []


def test_forms_of_one_word_count_once_and_the_nearest_come_first(
    catalog: SqliteCatalog, lexicon: FolderLexicon
) -> None:
    at = add(catalog, put("a", page("Hund HUND hund Hunde", language="de")))
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "Hund", view(at)) == ["Hund", "Hunde"]
    assert near(lexicon, "Hund", view(at), most=1) == ["Hund"]


def test_which_words_are_learned() -> None:
    text = "Der BGE 136 III 513: l'État ACCORDS d'un SEHRLANG 4A_1/2020 zu 東京 l’x"
    assert list(forms(text, "de")) == ["BGE", "III", "État", "Accords", "Sehrlang"]


def test_nothing_is_learned_twice(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    add(catalog, put("a", "quick brown fox"))
    model = Concepts()
    assert lexicon.learn(SCOPE, model) == 3
    add(catalog, put("b", "quick brown dog"))
    assert lexicon.learn(SCOPE, model) == 1
    assert lexicon.learn(SCOPE, model) == 0
    assert len(model.asked) == len(set(model.asked)) == 4


def test_what_one_node_has_learned_another_takes_from_the_catalog(
    catalog: SqliteCatalog, lexicon: FolderLexicon, tmp_path: Path
) -> None:
    at = add(catalog, put("a", page("Die Entwicklung der Bank.", language="de")), put("b", page("Ein Hund beisst.")))
    learned = lexicon.learn(SCOPE, Concepts())
    other, model = FolderLexicon(tmp_path / "another node", catalog), Concepts()
    assert other.learn(SCOPE, model) == learned
    assert model.asked == []
    for word in ("développement", "chien"):
        assert near(other, word, view(at)) == near(lexicon, word, view(at)) != []


def test_a_lexicon_of_an_earlier_version_is_shared_when_it_learns_more(
    catalog: SqliteCatalog, lexicon: FolderLexicon, tmp_path: Path
) -> None:
    add(catalog, put("a", "quick brown fox"))
    lexicon.learn(SCOPE, Concepts())
    catalog.words.forget(SCOPE)  # an earlier version kept them in the folder alone
    at = add(catalog, put("b", page("Hund")))
    lexicon.learn(SCOPE, Concepts())
    other, model = FolderLexicon(tmp_path / "another node", catalog), Concepts()
    assert other.learn(SCOPE, model) == 4
    assert model.asked == []
    assert near(other, "chien", view(at)) == ["Hund"]


def test_what_not_everybody_may_read_gives_no_words(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    at = add(catalog, put("a", page("Entwicklung", roles=("partner",))), put("b", page("Bank")))
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "développement", view(at)) == []
    assert near(lexicon, "Bank", view(at)) == ["Bank"]


def test_an_earlier_revision_knows_no_later_word(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    first = add(catalog, put("a", page("Hunde", language="de")))
    lexicon.learn(SCOPE, Concepts())
    before = near(lexicon, "chien", view(first))
    second = add(catalog, put("b", page("Hund", language="de")), RemoveElement("a"))
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "chien", view(first)) == before == ["Hunde"]
    assert near(lexicon, "chien", view(second)) == ["Hund"]


def test_a_form_that_only_deleted_texts_have_counts_no_more(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    first = add(catalog, put("a", page("Hund", language="de")), put("b", page("Hunde", language="de")))
    lexicon.learn(SCOPE, Concepts())
    second = add(catalog, put("a", page("Katze", language="de")))
    lexicon.learn(SCOPE, Concepts())
    third = add(catalog, put("c", page("Hund", language="de")))
    lexicon.learn(SCOPE, Concepts())
    assert [near(lexicon, "chien", view(at)) for at in (first, second, third)] == [
        ["Hund", "Hunde"],
        ["Hunde"],
        ["Hund", "Hunde"],
    ]


def test_repositories_keep_their_words_apart(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    at = add(catalog, put("a", page("Hund")))
    beside = add(catalog, put("a", page("Entwicklung")), scope=SIBLING)
    lexicon.learn(SCOPE, Concepts())
    lexicon.learn(SIBLING, Concepts())
    assert near(lexicon, "développement", view(at)) == []
    assert near(lexicon, "développement", view(at), view(beside, SIBLING)) == ["Entwicklung"]


def test_it_says_how_far_it_reaches(
    catalog: SqliteCatalog, lexicon: FolderLexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = add(catalog, put("a", page("Hund")))
    fingerprint = Concepts.fingerprint
    assert (lexicon.learned([view(at)], fingerprint).words, lexicon.learned([view(at)], fingerprint).complete) == (
        0,
        False,
    )
    lexicon.learn(SCOPE, Concepts())
    assert lexicon.learned([view(at)], fingerprint).complete
    later = add(catalog, put("b", page("Katze Maus")))
    assert not lexicon.learned([view(later)], fingerprint).complete
    monkeypatch.setattr(folder, "MAX_WORDS", 3)
    lexicon.learn(SCOPE, Concepts())
    learned = lexicon.learned([view(later)], fingerprint)
    assert (learned.words, learned.complete, learned.full) == (3, True, True)


def test_a_run_that_was_stopped_goes_on_where_it_was(
    catalog: SqliteCatalog, lexicon: FolderLexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "BATCH", 2)
    monkeypatch.setattr(store, "MAX_BLOCKS", 2)
    add(catalog, put("a", page(" ".join(f"wort{chr(97 + n)}" for n in range(9)) + " Hund")))
    stop, model = threading.Event(), Concepts()
    at = add(catalog, put("b", page("Katze")))
    lexicon.learn(SCOPE, model, stop=stop, progress=lambda *_: stop.set())
    done = len(model.asked)
    assert 0 < done < 11
    assert not lexicon.learned([view(at)], model.fingerprint).complete
    lexicon.learn(SCOPE, model)
    assert len(model.asked) == len(set(model.asked)) == 11
    assert near(lexicon, "chien", view(at)) == ["Hund"]
    again = FolderLexicon(lexicon._root, catalog)
    assert again.learned([view(at)], model.fingerprint) == lexicon.learned([view(at)], model.fingerprint)
    assert not lexicon.check(SCOPE)


def test_a_word_that_the_model_refuses_is_left_out(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    at = add(catalog, put("a", page("Unsinn Hund")))
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "chien", view(at)) == ["Hund"]


def test_an_erasure_leaves_no_word(catalog: SqliteCatalog, lexicon: FolderLexicon, tmp_path: Path) -> None:
    add(catalog, put("a", page("Geheimniswort")), put("b", page("Hund")))
    lexicon.learn(SCOPE, Concepts())
    at = catalog.commits.purge(SCOPE, ("a",), reason="", author="").revision
    lexicon.forget(SCOPE)
    assert not any(b"Geheimniswort" in path.read_bytes() for path in (tmp_path / "words").rglob("*") if path.is_file())
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "chien", view(at)) == ["Hund"]
    assert near(lexicon, "Geheimniswort", view(at)) == []


def test_words_from_before_an_erasure_are_not_built_upon(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    """A process that died between the erasure and the forgetting must not leave the word for ever."""
    add(catalog, put("a", page("Geheimniswort")), put("b", page("Hund")))
    lexicon.learn(SCOPE, Concepts())
    catalog.commits.purge(SCOPE, ("a",), reason="", author="")
    at = add(catalog, put("c", page("Katze")))
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "Geheimniswort", view(at)) == []
    assert near(lexicon, "chien", view(at)) == ["Hund"]


def test_damage_is_reported_and_mended_by_learning_again(
    catalog: SqliteCatalog, lexicon: FolderLexicon, tmp_path: Path
) -> None:
    add(catalog, put("a", page("Hund")))
    lexicon.learn(SCOPE, Concepts())
    columns = next((tmp_path / "words").rglob("columns.bin"))
    spoilt = bytearray(columns.read_bytes())
    spoilt[-1] ^= 0xFF
    columns.write_bytes(spoilt)
    assert "damaged" in lexicon.check(SCOPE)[0]
    at = add(catalog, put("b", page("Katze")))
    lexicon.learn(SCOPE, Concepts())
    assert not lexicon.check(SCOPE)
    assert near(lexicon, "chien", view(at)) == ["Hund"]
    manifest = next((tmp_path / "words").rglob("manifest"))
    manifest.write_text("nonsense")
    assert lexicon.check(SCOPE)
    assert near(lexicon, "chien", view(at)) == []
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "chien", view(at)) == ["Hund"]


def test_rendered_passages_and_headings_give_words(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    at = add(catalog, put("a", page(passage("Hund", context="Entwicklung"))))
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "chien", view(at)) == ["Hund"]
    assert near(lexicon, "développement", view(at)) == ["Entwicklung"]


def test_a_word_counts_on_the_days_its_passage_is_in_force(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    at = add(catalog, put("a", page("Hund", start=date(2026, 3, 1), end=date(2026, 4, 1))))
    lexicon.learn(SCOPE, Concepts())
    days = (date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 31), date(2026, 4, 1))
    assert [near(lexicon, "chien", View(SCOPE, at, day)) for day in days] == [[], ["Hund"], ["Hund"], []]


def test_a_purge_beside_a_learner_leaves_no_word(
    catalog: SqliteCatalog, lexicon: FolderLexicon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The learner holds the lock and has read the word already: it must find out, and clear up."""
    monkeypatch.setattr(folder, "BATCH", 3)
    add(catalog, put("a", page("Geheimniswort eins zwei")), put("b", page("drei vier Hund")))

    class Purging(Concepts):
        def embed_query(self, text: str) -> Floats:
            if text == "Geheimniswort" and not catalog.repositories.get(SCOPE).purges:  # type: ignore[union-attr]
                catalog.commits.purge(SCOPE, ("a",), reason="", author="")
                lexicon.forget(SCOPE)
            return super().embed_query(text)

    lexicon.learn(SCOPE, Purging())
    files = [path for path in (tmp_path / "words").rglob("*") if path.is_file()]
    assert not any(b"Geheimniswort" in path.read_bytes() for path in files)
    lexicon.learn(SCOPE, Concepts())
    head = catalog.repositories.get(SCOPE).head  # type: ignore[union-attr]
    assert near(lexicon, "chien", view(head)) == ["Hund"]


def test_words_from_before_a_purge_are_not_served(catalog: SqliteCatalog, lexicon: FolderLexicon) -> None:
    add(catalog, put("a", page("Geheimniswort")), put("b", page("Hund")))
    lexicon.learn(SCOPE, Concepts())
    at = catalog.commits.purge(SCOPE, ("a",), reason="", author="").revision
    assert near(lexicon, "Geheimniswort", view(at)) == []


def test_a_model_that_does_not_work_is_an_error_and_no_word_is_lost(
    catalog: SqliteCatalog, lexicon: FolderLexicon
) -> None:
    at = add(catalog, put("a", page("Hund")))

    class Broken(Concepts):
        def embed_query(self, text: str) -> Floats:
            raise EmbeddingFailed(f"out of memory at {text!r}")

    with pytest.raises(EmbeddingFailed):
        lexicon.learn(SCOPE, Broken())
    lexicon.learn(SCOPE, Concepts())
    assert near(lexicon, "chien", view(at)) == ["Hund"]
