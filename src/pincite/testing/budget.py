"""How many calls of a catalog something makes: on a server each is a round trip, so their number has a budget.

calls = Calls()
ingest(calls.counted(catalog), …)
assert calls.total <= 5, calls
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from pincite.protocols import Catalog, Session

PARTS = frozenset(
    {
        "repositories", "commits", "elements", "relations", "baselines", "feed",
        "vectors", "queue", "models", "contexts", "usage", "sources",
    }
)  # fmt: skip
"""Parts of a catalog and of a session whose methods are calls."""


class Calls:
    """Calls that were made of a catalog, of its sessions and of its operator, by name: `elements.get`."""

    def __init__(self) -> None:
        self.by_name: Counter[str] = Counter()

    @property
    def total(self) -> int:
        return self.by_name.total()

    def besides(self, *names: str) -> int:
        """How many calls there were of anything else."""
        return self.total - sum(self.by_name[name] for name in names)

    def counted(self, catalog: Catalog) -> Catalog:
        """The same catalog, whose calls are counted here; what a session or the operator is asked counts as well."""
        return cast("Catalog", _Counted(catalog, self.by_name))

    def __repr__(self) -> str:
        return f"{self.total} calls: " + ", ".join(f"{name} {count}" for name, count in self.by_name.most_common())


class _Counted:
    """A catalog or a session; opening a session is not a call of its own."""

    def __init__(self, inner: Catalog | Session, by_name: Counter[str]) -> None:
        self._inner, self._by_name = inner, by_name

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name in PARTS:
            return _CountedPart(found, name, self._by_name)
        return self._opening(found) if name in ("session", "operator") else found

    def _opening(self, opener: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def opened(*given: Any) -> Iterator[Any]:
            with opener(*given) as session:
                yield _Counted(session, self._by_name)

        return opened


class _CountedPart:
    def __init__(self, inner: object, part: str, by_name: Counter[str]) -> None:
        self._inner, self._part, self._by_name = inner, part, by_name

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        def call(*given: Any, **named: Any) -> Any:
            self._by_name[f"{self._part}.{name}"] += 1
            return method(*given, **named)

        return call
