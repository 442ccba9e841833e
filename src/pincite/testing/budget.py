"""How often a catalog may be asked, counted: on a network every call is a wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

from pincite.protocols import Catalog

PARTS = (
    "repositories", "commits", "elements", "relations", "baselines", "feed",
    "vectors", "queue", "models", "contexts", "usage", "sources",
)  # fmt: skip


@contextmanager
def counted(catalog: Catalog) -> Iterator[Counter[str]]:
    """How often each method of the catalog's parts is called in the block, in a session or outside one."""
    calls: Counter[str] = Counter()
    own = vars(catalog)
    before = {name: own[name] for name in (*PARTS, "session", "operator") if name in own}
    begin = {name: getattr(catalog, name) for name in ("session", "operator")}
    try:
        for name in PARTS:
            if hasattr(catalog, name):
                setattr(catalog, name, _Counted(getattr(catalog, name), name, calls))
        for name, method in begin.items():
            setattr(catalog, name, _counted_begin(method, calls))
        yield calls
    finally:
        for name in (*PARTS, *begin):
            own.pop(name, None)
        own.update(before)


def _counted_begin(begin: Callable[..., AbstractContextManager[Any]], calls: Counter[str]) -> Callable[..., Any]:
    @contextmanager
    def begun(*given: Any) -> Iterator[Any]:
        with begin(*given) as session:
            yield _CountedSession(session, calls)

    return begun


class _CountedSession:
    """A session whose parts count; a session begun within it is counted as well."""

    def __init__(self, session: Any, calls: Counter[str]) -> None:
        self._session = session
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._session, name)
        if name in PARTS:
            return _Counted(found, name, self._calls)
        return _counted_begin(found, self._calls) if name in ("session", "operator") else found


class _Counted:
    """A part of a catalog that counts what is asked of it."""

    def __init__(self, part: Any, name: str, calls: Counter[str]) -> None:
        self._part = part
        self._name = name
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._part, name)
        if not callable(method):
            return method

        @wraps(method)
        def asked(*given: Any, **named: Any) -> Any:
            self._calls[f"{self._name}.{name}"] += 1
            return method(*given, **named)

        return asked
