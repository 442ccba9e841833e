"""Maintaining a library: status, health, backup, rebuilding."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pincite.catalog.open import old_keys
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
        """The contents of each repository and how far its index is; counts are for the owner."""
        self._require_owner("see the status")
        return tuple((info, self.index.status(info.scope)) for info in self._repositories(repository))

    def health(self, *, deep: bool = False) -> Health:
        """Run real queries against every leg, after catching up; with `deep` also verify every checksum."""
        self._require_owner("examine it")
        with suppress(PinciteError):  # the checks report what keeps it from catching up
            self._catch_up(())
        home, problem = self._home, ""
        if self is home:
            problem = home._upkeep_problem or (home._worker.problem if home._worker else "")
        meaning = self._meaning(required=False)
        infos, whole = self.repositories(), self is home
        return examine(
            self.catalog,
            self.index,
            infos,
            deep=deep,
            meaning=meaning,
            upkeep_problem=problem,
            kind_problems=self.kinds.problems,
            whole=whole,
        )

    def freshness(self) -> tuple[tuple[RepositoryInfo, int], ...]:
        """Each repository and the revision that its index has reached, which every reader may know."""
        return tuple((info, self.index.reached(info.scope)) for info in self.repositories())

    def rebuild(self, repository: str = "") -> tuple[IndexStatus, ...]:
        """Build a new index from the catalog and switch to it; for all repositories or for one.

        If a gate is configured and the golden queries get worse, the old index stays in use.
        """
        self._require_owner("rebuild its index")
        out = []
        for info in self._repositories(repository):
            self.index.rebuild(info.scope, accept=self._gate_generation(info.scope))
            out.append(self.index.status(info.scope))
        return tuple(out)

    def take_over_keys(self, path: str | Path) -> int:
        """Take in API keys that an earlier version stored in a file, if there is one; how many are new."""
        return sum(self.catalog.server.keys.add(key) for key in old_keys(Path(path).expanduser()))

    def backup(self, target: str | Path) -> Backup:
        """A consistent copy of catalog and index, while others read and write."""
        self._require_all("copy the library")
        return create_backup(self.catalog, self.config, Path(target).expanduser())
