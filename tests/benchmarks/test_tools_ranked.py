"""`python -m benchmarks.tools` on a folder of a few tools."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from benchmarks.tools.__main__ import main

from beir_folder import write_beir

TOOLS = [
    {"_id": "t1", "title": "get_weather", "text": "Rain and snow of the coming days."},
    {"_id": "t2", "title": "book_train", "text": "Reserve a seat on a train."},
]
REQUESTS = [
    {"_id": "q1", "text": "will there be snow?", "metadata": {"type": "single"}},
    {"_id": "q2", "text": "a seat, please", "metadata": {"type": "single"}},
    {"_id": "q3", "text": "xylophone", "metadata": {"type": "odd"}},
]
JUDGED = [("q1", "t1", 1), ("q2", "t2", 1), ("q3", "t1", 1)]


def test_the_figures_are_those_of_the_rankings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_beir(tmp_path, TOOLS, REQUESTS, {"test": JUDGED})
    monkeypatch.setattr(sys, "argv", ["benchmarks.tools", str(tmp_path), "--dense", "off"])
    assert main() == 0
    said = capsys.readouterr().out
    assert re.search(r"^all +3 requests +hit@1 0\.667 +nDCG@10 0\.667$", said, re.MULTILINE)
    assert re.search(r"^type:odd +1 requests +hit@1 0\.000 +nDCG@10 0\.000$", said, re.MULTILINE)
    assert re.search(r"^hit@5 0\.667 over all$", said, re.MULTILINE)
