"""The corpora, and what BM25 reaches on them.

BM25 is bm25s (Lucene variant, Snowball stemmer and stop words of the documents' language, title and text in one field,
k1 1.2, b 0.75), measured beside the corpora. Judgements named `fr-de`: French queries, German documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Corpus:
    """One evaluation: a folder, its judgements, and the documents that are asked."""

    folder: str
    qrels: str = "test"
    bm25: float | None = None
    """nDCG@10."""
    by: Mapping[str, float] = field(default_factory=dict)
    """nDCG@10 of BM25 by tag, or by tags that a query must all have ("type:holding lang:de")."""
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.folder if self.qrels == "test" else f"{self.folder} {self.qrels}"

    @property
    def library(self) -> str:
        """Evaluations over the same documents share a library."""
        pair = self.qrels.split("-")
        documents = pair[1] if len(pair) == 2 and len(pair[1]) == 2 else "all"
        return f"{self.folder}/{documents}"


_SINGLE = (
    Corpus("scifact", bm25=0.679),
    Corpus("cranfield", bm25=0.385),
    Corpus("med", bm25=0.699),
    Corpus("lisa", bm25=0.471),
    Corpus("adi", bm25=0.483),
    Corpus("contracts-aok-a", bm25=0.552, by={"type:clause-in-contract": 0.553, "type:clause-type": 0.505}),
    Corpus("site-policy", bm25=0.673),
    Corpus(
        "k8s-docs",
        bm25=0.629,
        by={
            "type:anchor": 0.645,
            "type:definition": 0.798,
            "type:xl-de-en": 0.352,
            "type:xl-fr-en": 0.425,
            "type:xl-it-en": 0.421,
        },
        only={"lang": ("en",)},
    ),
    Corpus("tools-metatool", bm25=0.536, by={"type:single": 0.587, "type:multi": 0.371}),
    Corpus("gdprhub-a", by={"type:headnote": 0.731, "type:case-number": 0.880, "type:ecli": 0.430}),
    Corpus(
        "swiss-caselaw-a",
        bm25=0.650,
        by={
            "type:question": 0.977,
            "type:fact-pattern": 0.875,
            "type:holding lang:de": 0.952,
            "type:holding lang:fr": 0.081,
            "type:holding lang:it": 0.046,
            "type:citation lang:de": 0.160,
            "type:citation lang:fr": 0.162,
            "type:citation lang:it": 0.130,
            "type:docket": 0.764,
        },
    ),
    Corpus(
        "swiss-statutes-de-a",
        bm25=0.282,
        by={
            "type:citation lang:de": 0.642,
            "type:citation lang:fr": 0.257,
            "type:citation lang:it": 0.360,
            "type:holding lang:de": 0.241,
            "type:holding lang:fr": 0.034,
            "type:holding lang:it": 0.065,
            "type:legislative-intent": 0.587,
        },
    ),
    Corpus("swiss-versions-a", bm25=0.217),
)

_SWISS = {
    "de-de": 0.565, "fr-fr": 0.597, "it-it": 0.611, "fr-de": 0.028, "it-de": 0.021, "de-fr": 0.017, "it-fr": 0.039,
    "de-it": 0.019, "fr-it": 0.024,
}  # fmt: skip
_XQUAD = {
    "en-en": 0.963, "de-de": 0.941, "it-it": 0.836, "de-en": 0.468, "en-de": 0.435, "it-en": 0.493,
    "it-de": 0.438, "es-en": None, "es-de": None, "ro-en": None, "ro-de": None,
}  # fmt: skip
_MODELS = (
    "archisurance", "banking-group", "commonsandbox", "gemma", "lfenergy", "openday", "p5-openclassroom",
    "shuttle-wertschoepfung", "vera41",
)  # fmt: skip

SETS = (
    *_SINGLE,
    *(Corpus("swiss-xl-a", pair, bm25) for pair, bm25 in _SWISS.items()),
    *(Corpus("xquad-xl", pair, bm25) for pair, bm25 in _XQUAD.items()),
    *(Corpus(f"archimate-a/{model}") for model in _MODELS),
)

POOLED = (
    Corpus(
        "archimate-a",
        bm25=0.516,
        by={
            "type:name": 0.724,
            "type:relation": 0.657,
            "type:view": 0.393,
            "type:description": 0.336,
            "type:multi-hop": 0.141,
        },
    ),
)
"""Folders of several corpora whose queries also count as one set."""


def present(data: Path, names: Sequence[str]) -> list[Corpus]:
    """The sets that lie in the folder; with names only those whose name begins so."""
    found = [item for item in SETS if (data / item.folder / "corpus.jsonl").is_file()]
    return [item for item in found if not names or any(item.name.startswith(name) for name in names)]
