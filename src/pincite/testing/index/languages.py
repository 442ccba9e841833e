"""However a word is written, in whichever language."""

from __future__ import annotations

import unicodedata

import pytest

from pincite.queries import All, Word
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import Shelf, page, put, scores


class Languages(Opened):
    """Folding, stems, compounds, scripts without spaces."""

    @pytest.mark.parametrize(
        ("language", "text", "query"),
        [
            ("en", "liabilities of owners", "liability owner"),
            ("de", "die Häuser", "haus"),
            ("de", "die Häuser", "HÄUSER"),
            ("de", "der Hundebiss", "Biss Hund"),
            ("de", "der Biss eines Hundes", "Hundebiss"),
            ("de", "die Kündigungsfrist", "Frist der Kündigung"),
            ("de", "Frist für die Kündigung", "Kündigungsfrist"),
            ("de", "Herr Müller", "Mueller"),
            ("de", "Herr Mueller", "Müller"),
            ("de", "Herr Müller", "muller"),
            ("de", "gemäss Strasse", "Straße"),
            ("de", "die Straße", "strasse"),
            ("fr", "la responsabilité de l'État", "état"),
            ("fr", "l’article 41", "article"),
            ("fr", "un article", "l'article"),
            ("fr", "où qu'il soit", "qu'il"),
            ("fr", "un réseau", "reseaux"),
            ("it", "dell'ordinanza", "ordinanza"),
            ("it", "le ordinanze", "dell'ordinanza"),
            ("", "keine Sprache bekannt", "SPRACHE"),
            ("ja", "東京都の条例", "東京"),
            ("ja", "東京都の条例", "条例"),
            ("zh", "民法典第一条", "民法"),
            ("zh", "民法典第一条", "法"),
            ("ko", "대한민국 헌법", "헌법"),
            ("th", "กฎหมายแพ่งและพาณิชย์" * 10 + "ทนายความ", "ทนายความ"),
            ("en", "Tokyo東京 office", "Tokyo東京"),
            ("en", "ﬁnancial ＡＢＣ", "financial abc"),
            ("en", "the OrderService calls", "order service"),
            ("en", "the OrderService calls", "order_service"),
            ("en", "the order_service calls", "OrderService"),
            ("en", "an order service", "OrderService"),
            ("en", "HTTPServer2", "httpserver2"),
            ("en", "4A_123/2020", "4a_123/2020"),
            ("en", "4A_123/2020", "4A 123"),
            ("en", "4A 123/2020", "4A_123/2020"),
            ("en", "mail ann.smith@example.org now", "ann.smith@example.org"),
            ("el", "Ο νόμος", "ΝΟΜΟΣ"),
            ("ru", "законы", "закон"),
            ("hi", "हिन्दी कानून", "कानून"),
        ],
    )
    def test_a_word_is_found_however_it_is_written(self, shelf: Shelf, language: str, text: str, query: str) -> None:
        other = {"th": "เรื่องอื่น", "ja": "別の話", "zh": "其他", "ko": "다른"}.get(language, "nothing of the kind")
        shelf.add(put("yes", page(text, language=language)), put("no", page(other, language=language)))
        assert shelf.find(query)[:1] == ["yes"]
        assert shelf.find(All(tuple(Word(word) for word in query.split() if word not in ("der",)))) == ["yes"]

    @pytest.mark.parametrize("text", ["Zürich", "l'État", "Ελλάδα", "한국어", "ガス"])
    def test_composed_and_decomposed_text_is_the_same(self, shelf: Shelf, text: str) -> None:
        composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
        shelf.add(put("a", page(composed, language="fr")), put("b", page(decomposed, language="fr")))
        for typed in (composed, decomposed):
            found = scores(shelf.ask(Word(typed)))
            assert found["a", 0] == found["b", 0]

    def test_stems_of_different_languages_do_not_meet(self, shelf: Shelf) -> None:
        shelf.add(put("de", page("die Häuser", language="de")), put("en", page("the haus", language="en")))
        assert shelf.find("Häuser") == ["de"]

    def test_every_visible_language_stems_the_query(self, shelf: Shelf) -> None:
        shelf.add(put("de", page("viele Artikel", language="de")), put("fr", page("des articles", language="fr")))
        assert shelf.find("article") == ["fr"]
        assert shelf.find("Artikeln") == ["de"]
        assert set(shelf.find("article Artikeln")) == {"de", "fr"}
