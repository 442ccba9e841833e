"""The page as a reader meets it: a real `pincite serve` on loopback, and a real browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import pincite

SAMPLES = Path(__file__).parents[3] / "samples"
MODEL = {"dense": "auto", "embedding": {"model": "hashing:512"}}
ENVIRON = {"PINCITE_DENSE": "auto", "PINCITE_EMBEDDING__MODEL": "hashing:512", "OMP_NUM_THREADS": "1"}
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
HOSTILE = """---
title: "<img src=x onerror=window.hacked=1> \u202egnp.exe"
author: "<script>window.hacked=2</script>"
tags: ["<b onclick=window.hacked=3>x</b>", ok]
---
# <script>window.hacked=4</script> Hostile lantern

<script>window.hacked=5</script> The lantern <b onmouseover="window.hacked=6">hovers</b> over
[a trap](javascript:window.hacked=7), [another](data:text/html,<script>window.hacked=8</script>) and
[the web](https://example.org/x). "Lantern trap" means <img src=y onerror="window.hacked=9"> a thing that shines.

| head \u202e reversed | <svg onload=window.hacked=10> |
| --- | --- |
| cell | lantern |

""" + "A" * 3000 + " lantern\n"  # fmt: skip


def build(folder: Path) -> None:
    """Two repositories; in `legislation` a published baseline, a text that changed since, and a hostile one."""
    source = folder / "legislation"
    shutil.copytree(SAMPLES / "legislation", source)
    with pincite.open(folder / "library", **MODEL) as library:  # type: ignore[arg-type]
        library.ingest(SAMPLES / "handbook", repository="handbook")
        library.ingest(source, repository="legislation")
        library.baselines.create("2026-Q1", repository="legislation")
        library.baselines.publish("2026-Q1", repository="legislation")
        agreement = source / "service-agreement.md"
        agreement.write_text(agreement.read_text("utf-8").replace("within 48 hours", "within 24 hours"), "utf-8")
        (source / "hostile.md").write_text(HOSTILE, "utf-8")
        library.ingest(source, repository="legislation")
        library.embed()


@contextmanager
def serving(library: Path) -> Iterator[str]:
    """A server of the library; its address."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PINCITE_")}
    command = [sys.executable, "-m", "pincite", "--library", str(library), "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ | ENVIRON)
    assert process.stderr is not None
    try:
        said = ""
        for line in process.stderr:
            said += line
            found = re.search(r"at (http://\S+)/", line)
            if found:
                break
        else:
            pytest.fail(f"the server did not start: {said}")
        wait_until_ready(found[1])
        yield found[1]
    finally:
        process.terminate()
        process.wait(30)
        process.stderr.close()


def wait_until_ready(address: str) -> None:
    import time
    import urllib.error
    import urllib.request

    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail("the server does not answer")


def settled(page: Any) -> None:
    """Wait for the final answer."""
    page.wait_for_selector("#results[aria-busy=false]")


def search(page: Any, query: str) -> None:
    page.fill("#query", query)
    page.wait_for_function("q => new URLSearchParams(location.search).get('q') === q", arg=query)
    page.wait_for_function("q => document.querySelector('#results').dataset.query === q", arg=query)
    settled(page)


def titles(page: Any) -> list[str]:
    found: list[str] = page.locator(".hit-link").all_inner_texts()
    return found
