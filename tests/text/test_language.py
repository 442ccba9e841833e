"""Languages are told apart by constants, and the answer is "" where the evidence is thin."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.language import identify
from pincite.text.stopwords import STOPWORDS

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"

SENTENCES = {
    "de": "Wer einem andern widerrechtlich Schaden zufügt, wird ihm zum Ersatze verpflichtet.",
    "en": "A tenant may terminate the lease if the landlord does not repair the roof within a month.",
    "es": "El arrendatario puede rescindir el contrato cuando el propietario no repara el tejado.",
    "fr": "Celui qui cause un dommage à autrui est tenu de le réparer selon les règles applicables.",
    "it": "Chi cagiona illecitamente un danno ad altri è tenuto a risarcirlo secondo la legge.",
    "nl": "De huurder kan de overeenkomst opzeggen wanneer de eigenaar het dak niet laat herstellen.",
    "pt": "O inquilino pode rescindir o contrato se o proprietário não reparar o telhado da casa.",
    "ro": "Chiriașul poate rezilia contractul dacă proprietarul nu repară acoperișul casei în termen.",
    "ja": "これは日本語の文章です。",
    "zh": "这是一个中文句子。",
    "ko": "이것은 한국어 문장입니다.",
    "ru": "Это предложение написано на русском языке.",
    "uk": "Це речення написане українською мовою, її вивчають.",
    "el": "Αυτή η πρόταση είναι στα ελληνικά.",
    "he": "המשפט הזה כתוב בעברית.",
    "ar": "هذه الجملة مكتوبة باللغة العربية.",
}
HEADINGS = {
    "de": "Kündigung der Mietverhältnisse",
    "en": "Duties of the landlord",
    "es": "Obligaciones del arrendador",
    "fr": "Obligations du bailleur",
    "it": "Obblighi del locatore",
    "nl": "Verplichtingen van de verhuurder",
}
UNKNOWN = (
    "",
    "   \n",
    "123 456,78",
    "Art. 41 OR",
    "BGE 140 III 86",
    "Information",
    "data",
    "die",
    "for i in range(10): print(i)",
    "SELECT a FROM b WHERE c = 1 AND d IN (1, 2)",
    "Warszawa jest stolicą Polski i największym miastem kraju nad Wisłą",
    "Detta är en svensk mening om lagen och dess tillämpning i landet",
    "\ud800",
)


@pytest.mark.parametrize(("language", "text"), [*SENTENCES.items(), *HEADINGS.items()])
def test_a_sentence_or_heading_is_known(language: str, text: str) -> None:
    assert identify(text) == language


@pytest.mark.parametrize("text", UNKNOWN)
def test_thin_evidence_is_no_guess(text: str) -> None:
    assert identify(text) == ""
    assert identify(text, default="fr") == "fr"


def test_only_candidates_are_answered() -> None:
    assert identify(SENTENCES["de"], candidates={"de", "fr"}) == "de"
    assert identify(SENTENCES["ru"], candidates={"de", "fr"}, default="de") == "de"


def test_a_code_block_does_not_hide_the_prose() -> None:
    text = "Damit wird der Dienst gestartet:\n\n```\nif not the_service and this is for you\n```\n\nDanach läuft er."
    assert identify(text) == "de"


@given(st.text(max_size=300))
def test_any_text_gets_a_code_or_nothing(text: str) -> None:
    assert identify(text) in {"", *STOPWORDS, *SENTENCES, "hi", "th"}


def test_stopwords_are_lower_case_words() -> None:
    assert STOPWORDS.keys() >= {"de", "en", "fr", "it"}
    for words in STOPWORDS.values():
        assert 80 <= len(words) <= 220
        assert all(word == word.lower() and word.isalpha() for word in words)


def test_real_texts_are_known() -> None:
    if not (DATA / "swiss-xl-a").exists():
        pytest.skip(f"no corpora at {DATA}")
    rows = list(_benchmark().labelled(DATA))
    random.Random(7).shuffle(rows)
    passages = [row for row in rows if row.kind == "passage"][:3000]
    short = [row for row in rows if row.kind != "passage"][:3000]
    assert sum(identify(row.text) == row.language for row in passages) >= 0.995 * len(passages)
    assert sum(identify(row.text) == row.language for row in short) >= 0.94 * len(short)


def _benchmark():  # type: ignore[no-untyped-def]
    """The measuring script as a module, so that test and benchmark read the same texts."""
    spec = importlib.util.spec_from_file_location("language_id", ROOT / "benchmarks" / "language_id.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
