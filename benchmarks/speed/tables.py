"""The report as tables: for the terminal and for docs/performance.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.page import aligned, markdown
from benchmarks.speed.corpus import SHARES
from benchmarks.speed.report import Report, engines, sizes

Figures = Mapping[str, Any]
Cell = Callable[[Figures], str]
NOTHING = "–"

LABELS = {
    "segments": "Pincite `segments`",
    "sqlite_vec": "Pincite `sqlite_vec`",
    "lancedb": "LanceDB",
    "tantivy_faiss": "tantivy + faiss",
    "fts5_vec0": "FTS5 + vec0, plain",
}


def times(*path: str) -> Cell:
    """p50 / p95 in milliseconds of what stands at this place."""

    def cell(figures: Figures) -> str:
        found = _at(figures, path)
        return (
            f"{number(found['p50'])} / {number(found['p95'])}"
            if isinstance(found, Mapping) and "p50" in found
            else NOTHING
        )

    return cell


def value(*path: str, unit: str = "") -> Cell:
    def cell(figures: Figures) -> str:
        found = _at(figures, path)
        return f"{number(found)}{unit}" if isinstance(found, int | float) else NOTHING

    return cell


def exactly(*path: str) -> Cell:
    """A share of one, with three places."""

    def cell(figures: Figures) -> str:
        found = _at(figures, path)
        return f"{found:.3f}" if isinstance(found, int | float) else NOTHING

    return cell


def number(value: float) -> str:
    """Three significant digits, thousands apart."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


COST: Sequence[tuple[str, Cell]] = (
    ("hybrid ms", times("hybrid_ms")),
    ("keyword ms", times("keyword_ms")),
    ("dense ms", times("dense_ms")),
    ("recall@10", exactly("recall@10")),
    ("answered@10", exactly("answered@10")),
    ("build s", value("build_s")),
    ("chunks/s", value("build_chunks_per_s")),
    ("disk MB", value("disk_mb")),
    ("resident MB", value("rss_mb")),
    ("…own MB", value("anonymous_mb")),
    ("open ms", value("open_ms")),
    ("+1,000 s", value("add_1000_s")),
    ("1,000 changed s", value("change_1000_s")),
)
FILTERS: Sequence[tuple[str, Cell]] = tuple(
    column
    for share in SHARES
    for column in (
        (f"keeps {share} %: hybrid ms", times("filters", share, "hybrid_ms")),
        ("dense ms", times("filters", share, "dense_ms")),
        ("recall@10", exactly("filters", share, "recall@10")),
    )
)
KEPT_APART: Sequence[tuple[str, Cell]] = (
    ("no history", times("history", "without_ms")),
    ("head, 50 % history", times("history", "head_ms")),
    ("old revision", times("history", "old_revision_ms")),
    ("same answers", exactly("history", "same")),
    ("small tenant alone", times("tenants", "alone_ms")),
    ("beside the big one", times("tenants", "beside_ms")),
    ("recall@10 there", exactly("tenants", "beside_recall@10")),
)
LOAD: Sequence[tuple[str, Cell]] = (
    ("1 thread q/s", value("queries_per_s", "one_thread")),
    ("2 threads", value("queries_per_s", "two_threads")),
    ("2 processes", value("queries_per_s", "two_processes")),
    ("search() ms", times("search_ms")),
    ("own MB while building", value("build_peak_anonymous_mb")),
    ("p95 beside a merge", value("merging", "to_quiet_p95", unit=" ×")),
    ("must read MB", value("bandwidth", "scanned_mb")),
    ("bound ms", value("bandwidth", "bound_ms")),
    ("dense / bound", value("bandwidth", "dense_to_bound", unit=" ×")),
)
SECTIONS = {
    "Cost of an answer, of building and of keeping": COST,
    "Filters": FILTERS,
    "History and tenants: hybrid ms": KEPT_APART,
    "Load, writing, memory bandwidth": LOAD,
}


def page(report: Report) -> list[str]:
    """Markdown: the machine, then every section for every size."""
    out = [machine(report)]
    for size in sizes(report):
        out.append(f"### {size:,} chunks")
        for title, columns in SECTIONS.items():
            out += [f"{title}:", markdown(*_table(report, size, columns))]
        out += notes(report, size)
    return out


def terminal(report: Report, size: int) -> str:
    parts = [f"\n{size:,} chunks"]
    for title, columns in SECTIONS.items():
        head, rows = _table(report, size, columns)
        parts += [f"\n{title}", aligned(head, rows)]
    return "\n".join([*parts, "", *notes(report, size)])


def machine(report: Report) -> str:
    found = report["machine"]
    packages = ", ".join(f"{name} {release}" for name, release in found["packages"].items())
    return (
        f"{found['cpu']}, {found['cores']} cores, {found['memory_gb']} GB, {found['system']}; Python {found['python']},"
        f" SQLite {found['sqlite']}, {packages}."
    )


def notes(report: Report, size: int) -> list[str]:
    """Settings that were chosen, what was left out and why, which runs the figures come from."""
    lines = []
    runs = set()
    for name, figures in engines(report, size).items():
        runs.add(figures.get("run", ""))
        settings = ", ".join(f"{key} {value}" for key, value in figures.get("settings", {}).items())
        lines += [f"- {LABELS[name]}: {settings}."] if settings else []
        lines += [_windows(LABELS[name], figures["windows"])] if "windows" in figures else []
        lines += [f"- {LABELS[name]}, not measured: {what}: {why}." for what, why in figures.get("skipped", {}).items()]
    corpus = report["corpora"].get(str(size), {})
    if "embedding" in corpus:
        found = corpus["embedding"]
        lines.append(
            f"- Embedding with {found['model']}, one core: {found['chunks_per_s']} chunks a second"
            f" ({found['windows_per_s']} windows); a question takes {found['question_ms']} ms."
        )
    if len(runs) > 1:
        lines.append(f"- The figures come from {len(runs)} runs; compare those of one run only (`run` in the JSON).")
    return ["\n".join(lines)] if lines else []


def _windows(label: str, found: Mapping[str, Any]) -> str:
    dense, hybrid = (f"{found[leg]['p50']:.3g} / {found[leg]['p95']:.3g} ms" for leg in ("dense_ms", "hybrid_ms"))
    return (
        f"- {label} with eight vectors a passage ({found['vectors']:,}): hybrid {hybrid}, dense {dense}, recall@10"
        f" {found['recall@10']:.3f} ({found['recall_questions']} questions)."
    )


def _table(report: Report, size: int, columns: Sequence[tuple[str, Cell]]) -> tuple[list[str], list[list[str]]]:
    """Engines that have nothing in any column are left out; the notes say why they have nothing."""
    rows = []
    for name, figures in engines(report, size).items():
        cells = [cell(figures) for _, cell in columns]
        if any(cell != NOTHING for cell in cells):
            rows.append([LABELS[name], *cells])
    return ["", *(title for title, _ in columns)], rows


def _at(figures: Any, path: Sequence[str]) -> Any:
    for name in path:
        figures = figures.get(name) if isinstance(figures, Mapping) else None
    return figures
