"""What `make bench` writes: the contract of latest.json, what is kept of earlier runs, tables and the plot."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from benchmarks.speed import report as reports
from benchmarks.speed.engines import NAMES
from benchmarks.speed.engines.engine import TOP, fuse
from benchmarks.speed.machine import machine
from benchmarks.speed.measure import series
from benchmarks.speed.plot import draw, points
from benchmarks.speed.run import ALL, CHANGING, restore, stages
from benchmarks.speed.setup import Setup
from benchmarks.speed.stage import STAGES
from benchmarks.speed.tables import LABELS, page, terminal

HERE: dict[str, Any] = {"cpu": "c", "cores": 2, "memory_gb": 8, "system": "Linux", "python": "3", "sqlite": "3"}
HERE["packages"] = {"pincite": "0"}


def figures(milliseconds: float) -> dict[str, Any]:
    times = {"p50": milliseconds, "p95": 2 * milliseconds}
    numbers = dict.fromkeys((name for names in reports.OF_STAGE.values() for name in names), 1.5)
    return {**numbers, **dict.fromkeys(reports.TIMES, times), "run": "2025", "filters": {"1": {"hybrid_ms": times}}}


def report(*sizes: int) -> reports.Report:
    made = reports.empty(HERE)
    for size in sizes:
        made[str(size)] = {"segments": figures(size / 10_000), "lancedb": figures(size / 1_000)}
    return made


def test_sizes_stand_at_the_top_and_engines_below(tmp_path: Path) -> None:
    reports.store(tmp_path, report(100_000, 10_000))
    found = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))
    assert found["100000"]["segments"]["hybrid_ms"] == {"p50": 10.0, "p95": 20.0}
    assert list(found) == ["about", "machine", "corpora", "10000", "100000"]
    assert reports.missing(found["100000"]["lancedb"]) == []


def test_a_figure_that_is_neither_there_nor_explained_is_named() -> None:
    partial = figures(1.0)
    del partial["open_ms"], partial["dense_ms"]
    assert reports.missing(partial) == ["dense_ms.p50", "dense_ms.p95", "open_ms"]
    assert reports.missing({**partial, "skipped": {"search": "took longer than 60 minutes"}}) == ["open_ms"]
    assert reports.missing({"skipped": {"everything": "not installed"}}) == []


def test_other_sizes_stay_only_if_they_come_from_the_same_hardware(tmp_path: Path) -> None:
    reports.store(tmp_path, report(10_000))
    assert reports.sizes(reports.load(tmp_path, {**HERE, "python": "4"})) == [10_000]
    assert reports.sizes(reports.load(tmp_path, {**HERE, "cores": 64})) == []


def test_what_was_skipped_is_said_in_the_tables() -> None:
    made = report(10_000)
    made["10000"]["sqlite_vec"] = {"skipped": {"everything": "apsw is not installed"}}
    for text in ("\n".join(page(made)), terminal(made, 10_000)):
        assert f"{LABELS['sqlite_vec']}, not measured: everything: apsw is not installed" in text
        assert "1.00 / 2.00" in text


def test_figures_of_two_runs_are_not_passed_off_as_one() -> None:
    made = report(10_000)
    assert "runs" not in terminal(made, 10_000)
    made["10000"]["lancedb"]["run"] = "2026"
    assert "come from 2 runs" in terminal(made, 10_000)


def test_the_plot_is_svg_with_a_line_for_each_engine_and_filter() -> None:
    made = report(10_000, 100_000, 1_000_000)
    assert points(made, "segments", "p50") == [(10_000, 1.0), (100_000, 10.0), (1_000_000, 100.0)]
    root = ET.fromstring(draw(made))
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 4
    xs, ys = zip(*(map(float, place.split(",")) for place in lines[0].attrib["points"].split()), strict=True)
    assert list(xs) == sorted(xs)
    assert list(ys) == sorted(ys, reverse=True)


def test_a_report_without_figures_still_gives_a_plot() -> None:
    assert ET.fromstring(draw(reports.empty(HERE))).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_machine_names_no_host_and_no_folder() -> None:
    import platform

    said = json.dumps(machine())
    assert str(Path.home()) not in said
    assert not platform.node() or platform.node() not in said


def test_each_stage_that_changes_the_store_begins_with_what_was_built(tmp_path: Path) -> None:
    setup = Setup("segments", 1_000, str(tmp_path))
    setup.home.mkdir()
    (setup.home / "store").write_text("built", encoding="utf-8")
    for name in CHANGING:
        restore(setup, last=name == CHANGING[-1])
        assert [path.read_text(encoding="utf-8") for path in setup.home.iterdir()] == ["built"]
        (setup.home / "store").write_text(name, encoding="utf-8")
        (setup.home / name).write_text("more", encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["segments"]


def test_every_engine_has_a_label_and_every_stage_a_function() -> None:
    assert set(LABELS) == set(NAMES)
    for name in NAMES:
        assert set(stages(name)) <= set(STAGES)
    assert set(stages("segments")) - set(ALL) == {"product", "merge", "windows"}
    assert stages("segments").index("merge") < stages("segments").index("add")


def test_fusion_counts_ranks_and_breaks_ties_by_number() -> None:
    assert fuse(([3, 1], [1, 2])) == [1, 3, 2]
    assert fuse(([5], [4])) == [4, 5]
    assert len(fuse((range(50), range(50)))) == TOP


def test_a_series_measures_at_least_some_questions_and_stops_in_time() -> None:
    asked = list(range(1_000))
    short = series(lambda one: [one], asked, 0.0, least=7)  # type: ignore[arg-type,list-item]
    assert len(short.answers) == 7
    assert short.answers[3] == [3]
    assert set(short.figures()) == {"p50", "p95", "cpu_p50", "cpu_p95", "queries"}


def test_what_was_committed_keeps_the_contract() -> None:
    folder = Path(__file__).parents[2] / "benchmarks" / "results"
    if not (folder / reports.NAME).exists():
        pytest.skip("no figures yet: make bench")
    found = json.loads((folder / reports.NAME).read_text(encoding="utf-8"))
    sizes = reports.sizes(found)
    assert sizes
    for size in sizes:
        engines = reports.engines(found, size)
        assert "segments" in engines, size
        for name, measured in engines.items():
            assert reports.missing(measured) == [], f"{name} at {size}"
