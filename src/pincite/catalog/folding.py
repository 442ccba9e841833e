"""How terms and identifiers are compared: without case and accents, identifiers also without white space."""

from __future__ import annotations

import unicodedata


def fold_term(term: str) -> str:
    """`Öffentliche  Urkunde` and `offentliche urkunde` are one term."""
    decomposed = unicodedata.normalize("NFKD", term.casefold())
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    # Decomposition can uncover letters that still have a case (ﬁ, ℌ), so fold once more.
    return " ".join(bare.casefold().split())


def fold_identifier(identifier: str) -> str:
    """`BGE 141 III 28` and `bge141iii28` are one identifier."""
    return fold_term(identifier).replace(" ", "")
