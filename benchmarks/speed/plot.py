"""Cost against size: an SVG that this file draws, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.report import Report, engines, sizes

NAME = "plot.svg"
WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 50
COLOURS = {
    "segments": "#0b6e4f",
    "sqlite_vec": "#b3541e",
    "lancedb": "#3457a6",
    "tantivy_faiss": "#7a3b8f",
    "fts5_vec0": "#8a8a8a",
}
NAMES = {
    "segments": "Pincite segments",
    "sqlite_vec": "Pincite sqlite_vec",
    "lancedb": "LanceDB",
    "tantivy_faiss": "tantivy + faiss",
    "fts5_vec0": "FTS5 + vec0, plain",
}
Point = tuple[float, float]


def points(report: Report, engine: str, percentile: str, share: str = "") -> list[Point]:
    """(size, milliseconds) of hybrid questions, where they were measured."""
    out = []
    for size in sizes(report):
        figures = engines(report, size).get(engine, {})
        figures = figures.get("filters", {}).get(share, {}) if share else figures
        times = figures.get("hybrid_ms")
        if times:
            out.append((float(size), float(times[percentile])))
    return out


def store_plot(folder: Path, report: Report) -> None:
    (folder / NAME).write_text(draw(report), encoding="utf-8")


def draw(report: Report) -> str:
    """Solid lines without a filter, dashed ones with a filter that keeps 1 %; the milliseconds beside each point."""
    lines = [
        (engine, dash, found)
        for engine in COLOURS
        for dash, share in (("", ""), ("5 4", "1"))
        if (found := points(report, engine, "p50", share))
    ]
    every = [point for _, _, found in lines for point in found]
    scale = _Scale([x for x, _ in every] or [1.0], [y for _, y in every] or [1.0])
    body = [*_axes(scale), *(part for line in lines for part in _line(scale, *line)), *_legend(lines)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="sans-serif" font-size="12" role="img">\n'
        "<title>Hybrid question, median milliseconds against number of chunks</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


class _Scale:
    """From values to places, in decades that hold all of them."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        self.x_decades = _decades(xs)
        self.y_decades = _decades(ys)

    def x(self, value: float) -> float:
        low, high = self.x_decades[0], self.x_decades[-1]
        return LEFT + (math.log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        low, high = self.y_decades[0], self.y_decades[-1]
        return HEIGHT - BOTTOM - (math.log10(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def _decades(values: Sequence[float]) -> list[int]:
    low = math.floor(math.log10(min(values)))
    return list(range(low, max(math.ceil(math.log10(max(values))), low + 1) + 1))


def _axes(scale: _Scale) -> list[str]:
    out = [f'<text x="{LEFT}" y="22" font-size="14">Hybrid question, median ms, one core, warm</text>']
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for decade in scale.x_decades:
        x = scale.x(10**decade)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#dddddd"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{10**decade:,}</text>')
    for decade in scale.y_decades:
        y = scale.y(10.0**decade)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**decade:,g}</text>')
    out.append(f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">chunks</text>')
    return out


def _line(scale: _Scale, engine: str, dash: str, found: Sequence[Point]) -> list[str]:
    colour = COLOURS[engine]
    places = [(scale.x(size), scale.y(milliseconds)) for size, milliseconds in found]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    out = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>']
    for (x, y), (_, milliseconds) in zip(places, found, strict=True):
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        if not dash:
            label = f"{milliseconds:,.3g}" if milliseconds < 1000 else f"{milliseconds:,.0f}"
            out.append(f'<text x="{x + 6:.1f}" y="{y - 6:.1f}" font-size="10" fill="{colour}">{label}</text>')
    return out


def _legend(lines: Sequence[tuple[str, str, list[Point]]]) -> list[str]:
    out = []
    for place, (engine, dash, _) in enumerate(lines):
        y = TOP + 10 + 18 * place
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        x = WIDTH - RIGHT + 14
        out.append(
            f'<line x1="{x}" y1="{y}" x2="{x + 22}" y2="{y}" stroke="{COLOURS[engine]}" stroke-width="2"{dashes}/>'
        )
        name = NAMES[engine] + (", 1 % filter" if dash else "")
        out.append(f'<text x="{x + 28}" y="{y + 4}" font-size="11">{name}</text>')
    return out
