"""The models of a library: embedding, moving to another model."""

from __future__ import annotations

import threading
from dataclasses import replace

from pincite.errors import (
    Conflict,
)
from pincite.ingest.embed import EmbedOptions, EmbedReport, embed
from pincite.ingest.embed_batches import probe
from pincite.ingest.report import Progress, silent
from pincite.library.gates import Gated
from pincite.upkeep.reembed import Dropped, ReindexReport, drop_all_but, move, require_droppable


class Modelling(Gated):
    """`embed`, `reindex_embeddings`, `drop_old_embeddings`."""

    def embed(
        self, repository: str = "", *, model: str = "", retry_parked: bool = False, progress: Progress = silent
    ) -> EmbedReport:
        """Compute all missing vectors and make them searchable; for all repositories or for one.

        `model`: a model other than the one in use, to prepare a change of model (`reindex_embeddings`).
        """
        self._require_owner("embed its texts")
        self._stop_embedding()
        scopes = [info.scope for info in self._repositories(repository)]
        embedder = self.model.open(model) if model else self.embedder
        options = EmbedOptions(retry_parked=retry_parked)
        return embed(self.catalog, self.index, scopes, embedder, options, progress, lexicon=self.lexicon)

    def reindex_embeddings(
        self,
        model: str,
        *,
        repository: str = "",
        progress: Progress = silent,
        force: bool = False,
        drop_old: bool = False,
    ) -> ReindexReport:
        """Move the whole library to another embedding model, without a gap; `reembed.py` says how.

        The old model stays in use if texts lack vectors (unless `force`) or golden queries get worse (`Refused`); with
        `repository` only that one is embedded, as preparation. `drop_old` then removes the vectors of all other models.
        """
        self._require_all("choose the embedding model")
        if self.config.dense == "off":
            raise Conflict("no model is used while the settings say dense: off; set dense: auto")
        self._stop_embedding()
        embedder, before = self.model.open(model), self.model.current()
        if drop_old and not force:
            require_droppable(self.catalog, {embedder.fingerprint}, before)
        infos = self._repositories(repository) if repository else self.every_repository()
        scopes = [info.scope for info in infos]
        made = move(
            self.catalog,
            self.index,
            self.lexicon,
            scopes,
            embedder,
            before,
            self._judge_model,
            force=force,
            progress=progress,
        )
        return replace(made, dropped=self.drop_old_embeddings(force=force)) if drop_old and made.in_use else made

    def drop_old_embeddings(self, *, force: bool = False) -> tuple[Dropped, ...]:
        """Remove the vectors and jobs of all models except the one in use.

        `Conflict` while there are baselines from the time of one of them, unless `force`.
        """
        self._require_all("remove vectors")
        used = self.model.choose().embedder
        recorded = self.model.recorded()
        kept = {model.fingerprint for model in (used, recorded) if model is not None}
        if not force:
            require_droppable(self.catalog, kept, self.model.current())
        return drop_all_but(self.catalog, self.index, self.lexicon, kept)

    def warm_up(self) -> threading.Thread | None:
        """Load the embedding model in the background, for a process that will answer many questions.

        Questions do not wait for it: until then words answer them, and their legs say so. A model that cannot be loaded
        is reported by the first question that needs it. Returns the thread, for callers that want to wait.
        """
        return self.model.load(probe) if self.config.dense != "off" else None

    def model_note(self) -> str:
        """A note on the choice of the embedding model, e.g. that the settings name another one."""
        return self.model.note() if self.config.dense != "off" else ""
