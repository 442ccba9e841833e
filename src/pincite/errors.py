"""Everything that can go wrong, as one tree.

    PinciteError
    ├── InvalidArgument          a value that cannot be used           (code invalid_argument)
    │   ├── UnknownArgument      a name that does not exist            (unknown_argument, nearest names)
    │   └── Mistakes             several of them in one settings file  (all of them, each with its own names)
    ├── NotFound                 nothing has this id here              (not_found)
    │   └── Erased               it was here and has been purged       (not_found, says so)
    ├── Unauthenticated          who asks is not known                 (unauthenticated)
    ├── PermissionDenied         the caller may not do this               (permission_denied)
    │   └── InsufficientScope    the token does not carry the scope that this needs
    ├── Conflict                 the state of the library forbids it   (conflict)
    │   └── Refused              golden queries would fall: a gate was not passed
    ├── Unavailable              cannot be answered now                (unavailable)
    │   ├── NotIndexedYet        committed, the index has not reached it
    │   ├── Locked               another process is writing
    │   ├── StorageFull          the disk is full
    │   ├── Damaged              a file fails its checks
    │   ├── SchemaTooNew         written by a newer Pincite
    │   └── RateLimited          too many requests; says when to come again
    ├── DeadlineExceeded         the time that the caller gave is over      (deadline_exceeded)
    ├── EmbeddingFailed          a model gave no usable vector for a text   (unavailable)
    ├── ServiceFailed            a model service gave no usable answer      (unavailable)
    └── MissingExtra             a feature needs `pip install "pincite[…]"` (unavailable)

An error says what, why, and what to do. `code` is one of REQUIREMENTS' wire codes; `exit_code` is the command line's.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Literal

from pincite.advice import either

Unproven = Literal["authentication required", "invalid token", "invalid audience"]
"""Why a caller is not known, in the words that every door uses."""


class PinciteError(Exception):
    """Root of all errors that Pincite raises on purpose."""

    code = "internal"
    exit_code = 1

    def __init__(self, message: str, *, field: str = "", suggestions: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.suggestions = tuple(suggestions)

    def to_wire(self) -> dict[str, object]:
        """The one error shape that all doors share."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "field": self.field or None,
                "suggestions": list(self.suggestions),
            }
        }


class InvalidArgument(PinciteError):
    code = "invalid_argument"
    exit_code = 2


class UnknownArgument(InvalidArgument):
    code = "unknown_argument"

    @classmethod
    def named(cls, what: str, given: str, known: Iterable[str], *, field: str = "") -> UnknownArgument:
        """An error that names the nearest valid names. `field` says where a wrong value stands."""
        names = sorted(known)
        by_folded = {name.casefold(): name for name in names}
        near = [by_folded[n] for n in difflib.get_close_matches(given.casefold(), by_folded, n=3, cutoff=0.5)]
        hint = (
            f"; did you mean {' or '.join(repr(n) for n in near)}?"
            if near
            else f"; known: {', '.join(names) or 'none'}"
        )
        return cls(f"unknown {what} {given!r}{hint}", field=field or given, suggestions=near or names[:10])


class Mistakes(InvalidArgument):
    """Several things are wrong at once, in one file: all are named, so that they can be mended at once."""

    def __init__(self, mistakes: Sequence[PinciteError]) -> None:
        listed = "".join(f"\n- {mistake.message}" for mistake in mistakes)
        first = mistakes[0]
        super().__init__(f"{len(mistakes)} mistakes:{listed}", field=first.field, suggestions=first.suggestions)
        self.mistakes = tuple(mistakes)

    def to_wire(self) -> dict[str, object]:
        """As any other, with each of them in `mistakes`."""
        told = super().to_wire()["error"]
        assert isinstance(told, dict)
        return {"error": told | {"mistakes": [mistake.to_wire()["error"] for mistake in self.mistakes]}}


def raise_all(mistakes: Sequence[PinciteError]) -> None:
    """Raise what is wrong: one as it is, several as `Mistakes`, none not at all."""
    flat = [each for mistake in mistakes for each in getattr(mistake, "mistakes", (mistake,))]
    if flat:
        raise flat[0] if len(flat) == 1 else Mistakes(flat)


class NotFound(PinciteError):
    code = "not_found"
    exit_code = 3


class Erased(NotFound):
    """The element was purged; a tombstone is all that is left."""


class PermissionDenied(PinciteError):
    code = "permission_denied"
    exit_code = 4


class InsufficientScope(PermissionDenied):
    """The caller is known, but its token does not carry the scope."""

    def __init__(self, operation: str, scope: str) -> None:
        super().__init__(f"{operation} needs the scope {scope!r}, which your token does not carry", field="scope")
        self.scope = scope


class Unauthenticated(PinciteError):
    """Who asks is not known. The reason is all that is told: what is wrong with a token helps whoever forges one."""

    code = "unauthenticated"
    exit_code = 4

    def __init__(self, reason: Unproven) -> None:
        advice = "send `Authorization: Bearer TOKEN`" if reason == "authentication required" else "get a new one"
        super().__init__(f"{reason}; {advice}")
        self.reason = reason


class Conflict(PinciteError):
    code = "conflict"
    exit_code = 1


class Refused(Conflict):
    """A gate was not passed; the message says which bound was missed and which queries moved."""


class Unavailable(PinciteError):
    code = "unavailable"
    exit_code = 4


class NotIndexedYet(Unavailable):
    pass


class Locked(Unavailable):
    pass


class StorageFull(Unavailable):
    pass


class Damaged(Unavailable):
    pass


class SchemaTooNew(Unavailable):
    pass


class RateLimited(Unavailable):
    """Too many requests with one key."""

    def __init__(self, retry_after: float) -> None:
        """`retry_after`: seconds until the next request is taken."""
        super().__init__(f"too many requests; come again in {math.ceil(retry_after)} s")
        self.retry_after = retry_after


class DeadlineExceeded(PinciteError):
    code = "deadline_exceeded"
    exit_code = 4


class EmbeddingFailed(Unavailable):
    """A model could not embed a text, or gave a vector without direction; never stored, reported with its reason."""


class ServiceFailed(Unavailable):
    """A model service could not be reached, refused, or answered with what cannot be used.

    `hopeless`: another call would fail too (no key, no such model), so that none should be made.
    """

    def __init__(self, message: str, *, hopeless: bool = False) -> None:
        super().__init__(message)
        self.hopeless = hopeless


class MissingExtra(Unavailable):
    @classmethod
    def for_extra(cls, extra: str, purpose: str) -> MissingExtra:
        line = f'pip install "pincite[{extra}]"'
        where = either(f": {line}", f", which the server's operator can install with `{line}`")
        return cls(f'{purpose} needs the extra "{extra}"{where}')
