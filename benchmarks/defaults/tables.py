"""The tables: each is a head and rows, for the terminal and for docs/laboratory.md alike."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.ablation.tables import Table
from benchmarks.defaults.choose import Choice
from pincite.search.weights import Weights


def by_class(choices: Sequence[Choice]) -> Table:
    """Before and after on corpora that the choice did not see, and what follows."""
    head = ["class", "questions", "corpora", "with related words", "shipped before", "best of all", "before", "after"]
    rows = []
    for choice in choices:
        counts = [f"{choice.queries:,}", str(choice.corpora), f"{choice.related:,}"]
        shares = [shown(choice.current), shown(choice.best) if choice.difference else ""]
        rows.append([choice.query_class, *counts, *shares, *_figures(choice), verdict(choice)])
    return [*head, "difference", "within (95 %)", "p", "verdict"], rows


def by_corpus(choices: Sequence[Choice]) -> Table:
    """What the others chose for each corpus, and how it did there."""
    rows = []
    for choice in choices:
        for held in choice.held_out:
            figures = [f"{held.before:.4f}", f"{held.after:.4f}", _signed(held.after - held.before)]
            rows.append([choice.query_class, held.corpus, f"{held.queries:,}", shown(held.chosen), *figures])
    return ["class", "held out", "questions", "chosen by the others", "before", "after", "difference"], rows


def shown(weights: Weights) -> str:
    """Words : meaning : related words."""
    return f"{weights.keyword:g} : {weights.dense:g} : {weights.related:g}"


def verdict(choice: Choice) -> str:
    if choice.difference is None:
        return "kept, too few corpora"
    return "taken" if choice.taken else "kept"


def _figures(choice: Choice) -> list[str]:
    found = choice.difference
    if found is None:
        return [""] * 5
    moved = [_signed(found.difference), f"{_signed(found.low)} … {_signed(found.high)}", f"{found.p:.4f}"]
    return [f"{found.before:.4f}", f"{found.after:.4f}", *moved]


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")
