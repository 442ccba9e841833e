"""Which calls a catalog has, read from the protocol itself, and for whom each is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from pincite.protocols import Catalog, Operator, Session

SAYS_FOR_WHOM = ("Scope", "View", "CutVersion", "Called", "Around", "Job")
"""Types whose values belong to one tenant; or a parameter is called `tenant`."""
OPERATORS = {
    "operator", "server", "models", "repositories.all", "queue.totals", "traces_pending", "upkeep", "backup", "check",
    "close",
}  # fmt: skip
"""What concerns the library as a whole: only an operator's session, or the catalog itself, has it."""


def calls(protocol: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every method of a protocol and of its parts, as `part.method`."""
    for name, member in inspect.getmembers(protocol):
        if name.startswith("_"):
            continue
        if isinstance(member, property) and member.fget is not None:
            part = get_type_hints(member.fget)["return"]
            if part is not str:
                found = inspect.getmembers(part, inspect.isfunction)
                yield from ((f"{name}.{method}", call) for method, call in found if not method.startswith("_"))
        elif inspect.isfunction(member):
            yield name, member


class TenantContract:
    """Part of `CatalogContract`, which calls all that is listed here for another tenant."""

    def test_every_call_of_a_session_says_for_whom_it_is(self) -> None:
        for name, call in calls(Session):
            given = {key: str(hint) for key, hint in get_type_hints(call).items() if key != "return"}
            says = "tenant" in given or any(kind in hint for hint in given.values() for kind in SAYS_FOR_WHOM)
            assert says, f"{name} does not say for whom it is"

    def test_calls_without_a_tenant_are_the_operators(self) -> None:
        of_a_session = dict(calls(Session)).keys()
        more = (dict(calls(Operator)) | dict(calls(Catalog))).keys() - of_a_session
        assert more, "there are some"
        assert {name for name in more if name.partition(".")[0] not in OPERATORS} <= OPERATORS
