"""A running document tool: opens its library, reads its source, answers questions.

with pincite.load_tools("agent.yaml") as tools:
    print(tools["handbook"].format(tools["handbook"].search("how much leave is carried over?")))
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pincite import wire
from pincite.document_tools.config import DocumentToolConfig, check_tool, load_agent_file
from pincite.document_tools.format import format_results
from pincite.document_tools.results import Result, Results
from pincite.document_tools.settings import library_settings, source_of
from pincite.errors import InvalidArgument
from pincite.ingest.report import IngestReport
from pincite.library import Library
from pincite.search.query import Answer

RANKS_SCALE = (
    "0 to 1: reciprocal ranks with the weights of the tool, scaled so that first in every leg that found something is"
    " 1; passages with an identifier of the query come before the rest, whatever their score"
)


class DocumentTool:
    """A configured tool. Close it, or use it as a context manager. Thread-safe."""

    def __init__(self, config: DocumentToolConfig, base: Path) -> None:
        self.config = config
        self._base = base
        self._held = ExitStack()
        self._guard = threading.Lock()
        self._library: Library | None = None
        self._closed = False
        self.report: IngestReport | None = None
        """The outcome of the last reading of the source; None before the first."""

    @classmethod
    def open(cls, config: DocumentToolConfig | dict[str, Any], *, base: str | Path = ".") -> DocumentTool:
        """The tool, with its source read unless `defer_loading`; paths in the configuration are relative to `base`."""
        tool = cls(check_tool(config), Path(base).expanduser())
        try:
            if not tool.config.defer_loading:
                tool.refresh()
        except BaseException:
            tool.close()
            raise
        return tool

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def description(self) -> str:
        return self.config.description

    @property
    def library(self) -> Library:
        """The library that answers. First use opens it and reads the source."""
        with self._guard:
            return self._opened()

    def refresh(self) -> IngestReport:
        """Update the library from the source; unchanged files cost nothing."""
        with self._guard:
            fresh = self._library is None
            library = self._opened()
            if not fresh:
                self._read(library)
            assert self.report is not None
            return self.report

    def search(self, query: str, top_k: int = 0) -> Results:
        """The best passages; `top_k` overrides the configured one."""
        answer = self.answer(query, top_k)
        return Results(
            query, tuple(Result.of(wire.hit(hit, self.library.describe)) for hit in answer.hits), self.notes(answer)
        )

    def answer(self, query: str, top_k: int = 0) -> Answer:
        """The same with everything the engine reports: legs, totals, replay."""
        config = self.config
        return self.library.search(
            query,
            repository=config.name,
            mode=config.search_mode,
            limit=top_k or config.top_k,
            min_score=config.min_score,
            group="chunk",
        )

    def to_wire(self, answer: Answer) -> dict[str, Any]:
        """An answer in the wire format of all doors, with the tool's name and what its scores mean."""
        body = {"tool": self.name, **wire.answer(answer, self.library.describe), "notes": list(self.notes(answer))}
        return body | {"score_scale": RANKS_SCALE} if self.config.states_weights else body

    def format(self, results: Results) -> str:
        """Results as text for an agent."""
        return format_results(results)

    def close(self) -> None:
        """Release the library; a temporary one is deleted."""
        with self._guard:
            self._closed = True
            self._library = None
            self._held.close()

    def _opened(self) -> Library:
        if self._closed:
            raise InvalidArgument(f"the tool {self.name!r} is closed; open it again")
        if self._library is None:
            library = self._held.enter_context(Library(library_settings(self.config, self._base, self._folder())))
            self._check_dimensions(library)
            self._read(library)
            self._library = library
        return self._library

    def _folder(self) -> Path:
        database = self.config.database
        if database is not None and database.path:
            return self._base / Path(database.path).expanduser()
        # On disk and not in memory, because the catalog is a file. Closing the tool removes it.
        return Path(self._held.enter_context(tempfile.TemporaryDirectory(prefix="pincite-tool-"))) / "library"

    def _check_dimensions(self, library: Library) -> None:
        wanted = self.config.embedding_dimensions
        if wanted is None or library.config.dense == "off":
            return
        embedder = library.embedder
        if embedder.dimensions != wanted:
            raise InvalidArgument(
                f"tool {self.name!r}: embedding_dimensions is {wanted}, but {embedder.name} gives"
                f" {embedder.dimensions}; set it to {embedder.dimensions}, or choose another embedding_model",
                field="embedding_dimensions",
            )

    def _read(self, library: Library) -> None:
        """Read the source, then make vectors, so that a later question finds everything."""
        self.report = library.ingest(source_of(self.config, self._base), embedding=False)
        if library.config.dense != "off":
            library.embed(self.name)

    def notes(self, answer: Answer) -> tuple[str, ...]:
        """The answer's own notes, legs that should have answered but could not, and files that could not be read."""
        wanted = {"hybrid": ("dense",), "semantic": ("dense",)}.get(self.config.search_mode, ())
        missing = [
            f"{leg.name}: {leg.reason}"
            for leg in answer.legs
            if leg.status in ("partial", "unavailable") or (leg.status == "off" and leg.name in wanted)
        ]
        notes = [*answer.notes, *missing]
        failed = self.report.failed if self.report else ()
        if failed:
            notes.append(f"{len(failed)} files could not be read, e.g. {failed[0].path}: {failed[0].reason}")
        notes += self.report.notes if self.report else ()
        return tuple(dict.fromkeys(notes))


class Tools(Mapping[str, DocumentTool]):
    """The tools in a file, by name."""

    def __init__(self, tools: Mapping[str, DocumentTool]) -> None:
        self._tools = dict(tools)

    def __getitem__(self, name: str) -> DocumentTool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with ExitStack() as stack:
            for tool in self._tools.values():
                stack.callback(tool.close)


def load_tools(path: str | Path, *names: str) -> Tools:
    """The tools in a YAML file, opened: all, or the named ones. Close them, or use them in a `with` block."""
    where = Path(path).expanduser()
    file = load_agent_file(where)
    chosen = [file.tool(name) for name in names] or file.tools
    with ExitStack() as opening:
        tools = {}
        for config in chosen:
            tools[config.name] = DocumentTool.open(config, base=where.parent)
            opening.callback(tools[config.name].close)
        opening.pop_all()
    return Tools(tools)
