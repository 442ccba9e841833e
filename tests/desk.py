"""A library with a folder that feeds it, real files and all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pincite
from pincite.ingest.report import IngestReport
from pincite.protocols.kind import Described
from pincite.search.query import Answer, Hit, Passage


def by_name(passage: Passage) -> Described:
    """A describer for shapes of the wire where only the engine's own part matters."""
    return Described(passage.content.name)


SAMPLES = Path(__file__).parent.parent / "samples" / "handbook"


@dataclass
class Desk:
    """What tests do all day: write a file, ingest, ask."""

    root: Path
    library: pincite.Library

    @property
    def folder(self) -> Path:
        return self.root / "source"

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        known = path.stat().st_mtime_ns if path.exists() else 0
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        if path.stat().st_mtime_ns <= known:  # two writes within one tick of the clock
            os.utime(path, ns=(known + 1000, known + 1000))
        return path

    def ingest(self, source: Path | None = None, **options: Any) -> IngestReport:
        return self.library.ingest(source or self.folder, **options)

    def put(self, **texts: str) -> IngestReport:
        """Write `name.md` for each name and ingest."""
        for name, text in texts.items():
            self.write(f"{name}.md", text)
        return self.ingest()

    def ids(self, query: str, **options: Any) -> list[str]:
        return [hit.passage.element_id for hit in self.search(query, **options).hits]

    def search(self, query: str, **options: Any) -> Answer:
        return self.library.search(query, **options)

    def first(self, query: str, **options: Any) -> Hit:
        return self.search(query, **options).hits[0]

    def reopened(self, **options: Any) -> pincite.Library:
        """The same library, opened once more; the caller closes it."""
        return pincite.open(self.library.path, **options)
