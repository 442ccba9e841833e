"""Looking after a library: status, health, backup, rebuilding."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pincite.errors import (
    PinciteError,
)
from pincite.library.gates import Gated
from pincite.queries import IndexStatus
from pincite.types import RepositoryInfo
from pincite.upkeep.archive import Backup, create_backup
from pincite.upkeep.health import Health, examine


class LookingAfter(Gated):
    """`status`, `health`, `backup`, `rebuild`."""

    def status(self, repository: str = "") -> tuple[tuple[RepositoryInfo, IndexStatus], ...]:
        """What each repository holds and how far its index is; counts are the owner's."""
        self._require_owner("see the status")
        return tuple((info, self.index.status(info.scope)) for info in self._repositories(repository))

    def health(self, *, deep: bool = False) -> Health:
        """Real queries against every leg, brought up to date; with `deep` also every checksum."""
        self._require_owner("examine it")
        with suppress(PinciteError):  # what keeps it from catching up is what the examination finds
            self._catch_up(())
        home, problem = self._home, ""
        if self is home:
            problem = home._upkeep_problem or (home._worker.problem if home._worker else "")
        meaning = self._meaning(required=False)
        infos, whole = self.repositories(), self is home
        return examine(self.catalog, self.index, infos, deep=deep, meaning=meaning, upkeep_problem=problem, whole=whole)

    def freshness(self) -> tuple[tuple[RepositoryInfo, int], ...]:
        """Each repository, and the revision that its index has reached: what every reader of it may know."""
        return tuple((info, self.index.reached(info.scope)) for info in self.repositories())

    def rebuild(self, repository: str = "") -> tuple[IndexStatus, ...]:
        """Build the index anew from the catalog, beside the old one, and switch; of all repositories or of one.

        Where a gate is configured, the old one stays if the golden queries fall.
        """
        self._require_owner("rebuild its index")
        out = []
        for info in self._repositories(repository):
            self.index.rebuild(info.scope, accept=self._gate_generation(info.scope))
            out.append(self.index.status(info.scope))
        return tuple(out)

    def backup(self, target: str | Path) -> Backup:
        """A consistent copy of catalog and index, while others read and write."""
        self._require_all("copy the library")
        return create_backup(self.catalog, self.config, Path(target).expanduser())
