"""How long 100 pages take: reading, reading and cutting, the whole ingest; beside kreuzberg and markitdown alone.

Wall time says what a user waits for on this machine, as busy as it is; CPU time is that of this process and says what
the work costs (of an ingest without the converter's own process). Everything is done once before it is timed. Word
files have no pages: 3,000 characters of them count as one.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.documents import typeset
from pincite.kinds.documents import cut, read_document
from pincite.kinds.documents.convert import office
from pincite.kinds.documents.convert.pdf import pdf
from pincite.library import Library
from pincite.settings import Config

PAGES = 100
CHARACTERS_OF_A_PAGE = 3_000


class Seconds(NamedTuple):
    wall: float
    cpu: float


class Reading(NamedTuple):
    """Seconds per 100 pages of some files; None where the other library is not installed."""

    name: str
    pages: int
    ours: Seconds
    kreuzberg: Seconds | None = None
    markitdown: Seconds | None = None


def of_files(folder: Path) -> Iterator[Reading]:
    """The PDFs together, a long one set in type from site-policy, the Word files together."""
    printed = sorted(path for path in folder.glob("*.pdf") if "scan" not in path.name)
    count = sum(read_document(path, path.name).content.text.count("\f") + 1 for path in printed)
    yield _reading("PDF of office-docs-a", printed, count)
    words = sorted(folder.glob("*.docx"))
    characters = sum(len(read_document(path, path.name).content.text) for path in words)
    yield _reading("Word of office-docs-a", words, max(1, characters // CHARACTERS_OF_A_PAGE))


def of_long_file(policies: Path, work: Path) -> Reading:
    """One PDF of 100 pages or more."""
    path = work / "long.pdf"
    pages = write_long(policies, path)
    return _reading(f"one PDF of {pages} pages", [path], pages)


def write_long(policies: Path, path: Path) -> int:
    """Policies set in type one behind the other until there are 100 pages; how many there are."""
    text = "\n\n".join(item.read_text(encoding="utf-8") for item in sorted(policies.glob("*.md")))
    data = typeset.printed(text, typeset.DESIGNS[0])
    path.write_bytes(data)
    return data.count(b"/Type/Page/")


def ingest(path: Path, pages: int, dense: str) -> Seconds:
    """Seconds per 100 pages from the file to a library that answers, vectors included unless dense is off."""
    with tempfile.TemporaryDirectory() as folder, Library(Config(library=folder, dense=dense)) as library:  # type: ignore[arg-type]
        wall, cpu = time.perf_counter(), time.process_time()
        library.ingest(path.parent, embedding=False)
        if dense != "off":
            library.embed()
        return _scaled(Seconds(time.perf_counter() - wall, time.process_time() - cpu), pages)


def _reading(name: str, files: Sequence[Path], pages: int) -> Reading:
    def ours() -> None:
        for path in files:
            cut(read_document(path, path.name).content)

    def converted() -> None:
        for path in files:
            (pdf if path.suffix == ".pdf" else office.docx)(path)

    wall, cpu = timed(ours).wall, timed(converted).cpu
    is_pdf = files[0].suffix == ".pdf"
    kreuzberg = _scaled(timed(lambda: [_kreuzberg(path) for path in files]), pages) if is_pdf else None
    other = None
    if not is_pdf or (find_spec("pdfminer") and find_spec("pdfplumber")):
        other = _scaled(timed(lambda: _markitdown(files)), pages)
    return Reading(name, pages, _scaled(Seconds(wall, cpu), pages), kreuzberg, other)


def timed(work: Callable[[], object]) -> Seconds:
    """Of the second of two runs: the first one imports and opens."""
    work()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu)


def _scaled(seconds: Seconds, pages: int) -> Seconds:
    return Seconds(seconds.wall * PAGES / pages, seconds.cpu * PAGES / pages)


def _kreuzberg(path: Path) -> object:
    import kreuzberg

    config = kreuzberg.ExtractionConfig(
        use_cache=False, output_format="markdown", concurrency=kreuzberg.ConcurrencyConfig(max_threads=1)
    )
    return kreuzberg.extract_file_sync(str(path), config=config)


def _markitdown(files: Sequence[Path]) -> None:
    """PDF needs its extra: pip install "markitdown[pdf]"."""
    from markitdown import MarkItDown

    converter = MarkItDown(enable_plugins=False)
    for path in files:
        converter.convert(path)
