"""The tables of the ablation: each is a head and rows, for the terminal and for docs/laboratory.md alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.ablation.averages import Average
from benchmarks.ablation.measured import SIGNIFICANT, Figure, Measured
from benchmarks.ablation.variants import DEFAULT, VARIANTS
from benchmarks.ablation.windows import BOTH, FEW, SENTENCES, WHOLE
from pincite.eval.bootstrap import Difference

Table = tuple[list[str], list[list[str]]]

BETTER, WORSE = "▲", "▼"
SCHEMES = (WHOLE, SENTENCES, FEW, BOTH)


def one_set(measured: Measured) -> Table:
    """Every variant on one set, with intervals and differences to the default."""
    rows = []
    for name, figure in measured.figures.items():
        moved = ["", "", ""] if name == DEFAULT else [*_difference(figure.against), f"{figure.against.p:.4f}"]
        rows.append([name, f"{figure.mean:.4f}", f"{figure.low:.3f}–{figure.high:.3f}", *moved])
    return [measured.name, "nDCG@10", "within (95 %)", "to default", "within (95 %)", "p"], rows


def by_variant(sets: Sequence[Measured], over_all: Mapping[str, Average]) -> Table:
    """Averages over the sets, and on how many a variant is significantly better or worse than the default."""
    rows = []
    for variant in VARIANTS:
        over = over_all[variant.name]
        marks = [_mark(measured.figures[variant.name]) for measured in sets]
        moved = ["", "", "", ""]
        if variant.name != DEFAULT:
            moved = [_signed(over.difference), _range(over.low, over.high)]
            moved += [str(marks.count(BETTER)), str(marks.count(WORSE))]
        rows.append([variant.name, variant.about, f"{over.mean:.3f}", *moved])
    head = ["variant", "what it is", f"nDCG@10, average of {len(sets)} sets", "to default", "within (95 %)"]
    return [*head, "sets better", "sets worse"], rows


def by_set(sets: Sequence[Measured]) -> Table:
    """nDCG@10 of every variant on every set, marked where it differs significantly from the default."""
    rows = []
    for measured in sets:
        found = measured.figures
        cells = [f"{found[v.name].mean:.3f}{_mark(found[v.name])}" for v in VARIANTS]
        final = found[DEFAULT]
        rows.append([measured.name, f"{measured.queries:,}", *cells, f"{final.low:.3f}–{final.high:.3f}"])
    return ["set", "queries", *(variant.name for variant in VARIANTS), "default within (95 %)"], rows


def against_legs(sets: Sequence[Measured]) -> Table:
    """The final order beside the better leg of each set."""
    rows = []
    for measured in sets:
        verdict = measured.never_hurts
        moved = verdict.difference
        said = "**worse**" if verdict.hurts else "better" if moved.low > 0 and moved.p < SIGNIFICANT else "as good"
        cells = [f"{moved.before:.3f}", f"{moved.after:.3f}", *_difference(moved), f"{moved.p:.4f}"]
        rows.append([measured.name, verdict.leg, *cells, said])
    return ["set", "better leg", "it alone", "final", "difference", "within (95 %)", "p", "final is"], rows


def by_windows(sets: Sequence[Measured]) -> Table:
    """The dense leg alone by the windows compared; marked where it differs significantly from half and half."""
    rows = []
    for measured in sets:
        found = measured.figures
        cells = [f"{found[s].mean:.3f}{_mark(found[s])}" if s in found else "" for s in SCHEMES]
        both = found[BOTH]
        rows.append([measured.name, *cells, f"{both.low:.3f}–{both.high:.3f}"])
    return ["set", *SCHEMES, f"{BOTH} within (95 %)"], rows


def _mark(figure: Figure) -> str:
    """Significant by the same rule as everywhere: p and interval must agree."""
    moved = figure.against
    if not moved.significant or moved.p >= SIGNIFICANT:
        return ""
    return BETTER if moved.difference > 0 else WORSE


def _difference(moved: Difference) -> list[str]:
    return [_signed(moved.difference), _range(moved.low, moved.high)]


def _range(low: float, high: float) -> str:
    return f"{_signed(low)} … {_signed(high)}"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
