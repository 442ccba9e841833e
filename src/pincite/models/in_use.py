"""Which model a library is searched with: the one recorded in its catalog, otherwise the one named in the settings.

A model switch (`reembed.py`) writes the record. Every question reads it, because another process may have switched.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pincite.advice import either
from pincite.bookkeeping import EmbeddingModel
from pincite.errors import PinciteError
from pincite.models.registry import open_embedder
from pincite.protocols import Catalog, Embedder


@dataclass(frozen=True, slots=True)
class Choice:
    embedder: Embedder | None
    """None if the recorded model cannot be opened here; the note says why."""
    note: str = ""
    """What a reader of an answer should know about this choice; usually empty."""


class ModelInUse:
    """The model of a library; thread-safe. Opening an embedder loads nothing, and each is opened once."""

    def __init__(self, catalog: Catalog, configured: str, *, stated: bool, threads: int = 1) -> None:
        """`stated`: the configured model was set explicitly; it is not just the default."""
        self._catalog = catalog
        self._configured = configured
        self._stated = stated
        self._threads = threads
        self._opened: dict[str, Embedder] = {}
        self._guard = threading.Lock()
        self.loading = ""
        """Name of the model being loaded before the first question; usually empty."""

    @property
    def name(self) -> str:
        """The name by which the model is opened; available without opening it."""
        record = self.recorded()
        return record.name if record else self._configured

    def recorded(self) -> EmbeddingModel | None:
        """The model that the library was switched to last; None: the settings decide."""
        with self._catalog.operator() as operator:
            return operator.models.in_use()

    def choose(self) -> Choice:
        """The model to search with."""
        record = self.recorded()
        if record is None:
            try:
                return Choice(self.open(self._configured))
            except (PinciteError, OSError) as problem:
                return Choice(None, f"the embedding model {self._configured} cannot be opened: {problem}")
        differs = self._stated and record.name != self._configured
        if differs and (own := self._opens_as(self._configured, record.fingerprint)):
            return Choice(own)  # the same model in another place
        try:
            found = self.open(record.name)
            is_other = found.fingerprint != record.fingerprint
        except (PinciteError, OSError) as problem:
            return Choice(None, _missing(record.name, problem))
        said = f"the settings name {self._configured}, but this library is searched with {record.name}"
        if differs:
            return Choice(found, f"{said}; {_move(self._configured)}")
        said = f"the vectors of this library were made with a different version of {record.name} than the installed one"
        return Choice(found, f"{said}; {_move(record.name)}" if is_other else "")

    def note(self) -> str:
        """The note on the choice. Opens nothing while there is no record."""
        return self.choose().note if self.recorded() else ""

    def current(self) -> EmbeddingModel | None:
        """The model in use with its fingerprint; None if none is recorded and the configured one cannot be opened."""
        record = self.recorded()
        if record is None:
            with suppress(PinciteError, OSError):
                found = self.open(self._configured)
                return EmbeddingModel(lasting_name(found.name), found.fingerprint)
        return record

    def behind(self, fingerprint: str) -> Embedder | None:
        """The model used to compute an answer; None if it cannot be opened here."""
        with self._catalog.operator() as operator:
            history = operator.models.history()
        names = [model.name for model in history if model.fingerprint == fingerprint]
        found = (self._opens_as(name, fingerprint) for name in (self._configured, *reversed(names)))
        return next((embedder for embedder in found if embedder), None)

    def open(self, name: str) -> Embedder:
        """A model by name."""
        with self._guard:
            if name not in self._opened:
                self._opened[name] = open_embedder(name, threads=self._threads)
            return self._opened[name]

    def load(self, use: Callable[[Embedder], None]) -> threading.Thread | None:
        """Load the model in the background by using it once; `loading` names it until that is done.

        None if there is nothing to load or loading is under way.
        """
        embedder = self.choose().embedder
        with self._guard:
            if embedder is None or self.loading:
                return None
            self.loading = embedder.name

        def work() -> None:
            try:
                with suppress(PinciteError):  # the first question that needs it gets the same error and reports it
                    use(embedder)
            finally:
                self.loading = ""

        thread = threading.Thread(target=work, name="pincite-load", daemon=True)
        thread.start()
        return thread

    def _opens_as(self, name: str, fingerprint: str) -> Embedder | None:
        with suppress(PinciteError, OSError):
            found = self.open(name)
            return found if found.fingerprint == fingerprint else None
        return None


class FixedModel(ModelInUse):
    """A fixed choice of model, to evaluate it before it is in use."""

    def __init__(self, catalog: Catalog, embedder: Embedder) -> None:
        super().__init__(catalog, embedder.name, stated=False)
        self._embedder = embedder

    @property
    def name(self) -> str:
        return self._embedder.name

    def choose(self) -> Choice:
        return Choice(self._embedder)


def _move(to: str) -> str:
    return either(f"switch it with: pincite reindex --embeddings --model {to}", "the server's operator can switch it")


def _missing(name: str, problem: Exception) -> str:
    advice = either(
        "set its path in the settings (embedding.model), or choose another model with: pincite reindex --embeddings"
        " --model M",
        "the server's operator can set its path in the settings (embedding.model) or choose another",
    )
    return f"this library is searched with {name}, which cannot be opened here ({problem}); {advice}"


def lasting_name(name: str) -> str:
    """A name that works from any folder: the record outlives the current directory."""
    kind, _, rest = name.partition(":")
    return f"{kind}:{Path(rest).resolve()}" if kind == "onnx" else name
