"""Settings files: `pincite.yaml` for a library, `agent.yaml` for tools; which is which, checks and schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pincite.document_tools.config import AgentFile, DocumentToolConfig, load_agent_file
from pincite.document_tools.settings import library_settings, source_of
from pincite.errors import NotFound, PinciteError, UnknownArgument, raise_all
from pincite.library import check_source
from pincite.models.registry import open_embedder, open_reranker
from pincite.settings import Config, load_config, read_yaml

FileKind = Literal["agent", "library"]
KINDS: tuple[FileKind, ...] = ("agent", "library")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What a file contains, and notes for its author even if it is valid."""

    kind: FileKind
    tools: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def kind_of(path: Path) -> FileKind:
    """A file that names tools, or seems to, is an agent file; any other is for a library."""
    unknown = read_yaml(path.expanduser()).keys() - Config.model_fields.keys()
    return "agent" if get_close_matches("tools", unknown, n=1, cutoff=0.8) else "library"


def check_file(path: str | Path) -> CheckedFile:
    """Raise all errors that using the file would raise, without reading a source or loading a model."""
    where = Path(path).expanduser()
    wrong = _Collected()
    if kind_of(where) == "library":
        config = load_config(where, {})
        notes = _models(config, wrong)
        raise_all(wrong.mistakes)
        return CheckedFile("library", notes=tuple(notes))
    file = load_agent_file(where)
    notes = [note for number, tool in enumerate(file.tools) for note in _notes(number, tool, where.parent, wrong)]
    raise_all(wrong.mistakes)
    return CheckedFile("agent", tuple(tool.name for tool in file.tools), tuple(notes))


def schema(kind: FileKind) -> dict[str, Any]:
    """The JSON Schema for editors that complete and check such a file."""
    model = AgentFile if kind == "agent" else Config
    title = "agent.yaml: document tools of Pincite" if kind == "agent" else "pincite.yaml: settings of a library"
    return {"$schema": DIALECT, **model.model_json_schema(), "title": title}


class _Collected:
    """Collects all mistakes instead of stopping at the first; each is reported once, however many tools make it."""

    def __init__(self) -> None:
        self.mistakes: list[PinciteError] = []

    @contextmanager
    def gather(self) -> Iterator[None]:
        try:
            yield
        except PinciteError as mistake:
            if mistake.message not in {known.message for known in self.mistakes}:
                self.mistakes.append(mistake)


def _notes(number: int, tool: DocumentToolConfig, base: Path, wrong: _Collected) -> list[str]:
    if "://" not in tool.source:
        with wrong.gather():
            _check_source(number, tool, base)
    notes = list(tool.notes())
    with wrong.gather():
        notes += _models(library_settings(tool, base, base), wrong)
    return [f"{tool.name}: {note}" for note in notes]


def _check_source(number: int, tool: DocumentToolConfig, base: Path) -> None:
    try:
        check_source(source_of(tool, base))
    except NotFound as problem:
        message = f"tool {tool.name!r}: there is no file or folder {tool.source!r} next to the settings file"
        raise NotFound(message, field=f"tools.{number}.source") from problem


def _models(config: Config, wrong: _Collected) -> list[str]:
    """Models that cannot be opened here; answers would go without them and say so. A wrong name is an error."""
    notes: list[str] = []
    if config.contextual_embeddings and config.context_model.model:
        with wrong.gather():
            config.context_model.ready()
            _, missing = config.context_model.api_key()
            notes += [missing] if missing else []
    if config.dense != "off":
        with wrong.gather():
            notes += _missing(lambda: open_embedder(config.embedding.model))
    if config.reranker.model:
        with wrong.gather():
            notes += _missing(lambda: open_reranker(config.reranker.model))
    return notes


def _missing(opened: Callable[[], object]) -> list[str]:
    try:
        opened()
    except UnknownArgument:
        raise
    except (PinciteError, OSError) as problem:
        return [f"a model cannot be opened here: {problem}"]
    return []
