"""Everything that can go wrong, as one tree.

    PinciteError
    ├── InvalidArgument          a value that cannot be used           (code invalid_argument)
    │   ├── UnknownArgument      a name that does not exist            (unknown_argument, with the closest names)
    │   └── Mistakes             several errors in one settings file   (lists each one with its field)
    ├── NotFound                 nothing with this id                  (not_found)
    │   └── Erased               it existed and was purged             (not_found)
    ├── Unauthenticated          the caller is unknown                 (unauthenticated)
    ├── PermissionDenied         the caller may not do this            (permission_denied)
    │   └── InsufficientScope    the token lacks the required scope
    ├── Conflict                 the state of the library forbids it   (conflict)
    │   ├── HeadMoved            another commit came first
    │   └── Refused              a gate failed: golden queries would get worse
    ├── Unavailable              cannot be answered now                (unavailable)
    │   ├── NotIndexedYet        committed, but not yet in the index
    │   ├── Locked               another process is writing
    │   ├── StorageFull          the disk is full
    │   ├── Damaged              a file fails its checks
    │   ├── SchemaTooNew         written by a newer Pincite
    │   └── RateLimited          too many requests; says when to retry
    ├── DeadlineExceeded         the caller's time limit has passed         (deadline_exceeded)
    ├── EmbeddingFailed          a model returned no usable vector          (unavailable)
    ├── ServiceFailed            a model service returned no usable answer  (unavailable)
    └── MissingExtra             a feature needs `pip install "pincite[…]"` (unavailable)

An error says what went wrong, why, and what to do. `code` is its code on the wire; `exit_code` is the exit status of
the command line.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Literal

from pincite.advice import either

Unproven = Literal["authentication required", "invalid token", "invalid audience"]
"""Why a caller is unknown, worded the same at every door."""


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
        """An error that suggests the closest valid names. `field` says where the wrong value is."""
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
    """Several errors in one file. All are listed, so they can be fixed in one go."""

    def __init__(self, mistakes: Sequence[PinciteError]) -> None:
        listed = "".join(f"\n- {mistake.message}" for mistake in mistakes)
        first = mistakes[0]
        super().__init__(f"{len(mistakes)} mistakes:{listed}", field=first.field, suggestions=first.suggestions)
        self.mistakes = tuple(mistakes)

    def to_wire(self) -> dict[str, object]:
        """The usual shape, with every single error in `mistakes`."""
        first = super().to_wire()["error"]
        assert isinstance(first, dict)
        return {"error": first | {"mistakes": [mistake.to_wire()["error"] for mistake in self.mistakes]}}


def raise_all(mistakes: Sequence[PinciteError]) -> None:
    """Raise a single error as it is and several as `Mistakes`; do nothing if there are none."""
    flat = [each for mistake in mistakes for each in getattr(mistake, "mistakes", (mistake,))]
    if flat:
        raise flat[0] if len(flat) == 1 else Mistakes(flat)


class NotFound(PinciteError):
    code = "not_found"
    exit_code = 3


class Erased(NotFound):
    """The element was purged; only a tombstone is left."""


class PermissionDenied(PinciteError):
    code = "permission_denied"
    exit_code = 4


class InsufficientScope(PermissionDenied):
    """The caller is known, but its token lacks the scope."""

    def __init__(self, operation: str, scope: str) -> None:
        super().__init__(f"{operation} needs the scope {scope!r}, which your token lacks", field="scope")
        self.scope = scope


class Unauthenticated(PinciteError):
    """The caller is unknown. Only the reason is given: details about a bad token would help a forger."""

    code = "unauthenticated"
    exit_code = 4

    def __init__(self, reason: Unproven) -> None:
        advice = "send `Authorization: Bearer TOKEN`" if reason == "authentication required" else "get a new one"
        super().__init__(f"{reason}; {advice}")
        self.reason = reason


class Conflict(PinciteError):
    code = "conflict"
    exit_code = 1


class HeadMoved(Conflict):
    """The repository has moved past the head that a commit expected; nothing was changed."""

    def __init__(self, repository: str, *, expected: int, found: int) -> None:
        super().__init__(
            f"the head of {repository!r} is revision {found}, but the changes were made for revision {expected};"
            " nothing was changed; read the current state and try again",
            field="expected_head",
        )
        self.expected, self.found = expected, found


class Refused(Conflict):
    """A gate failed; the message says which bound was missed and which queries moved."""


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
        """`retry_after`: seconds until the next request is accepted."""
        super().__init__(f"too many requests; retry in {math.ceil(retry_after)} s")
        self.retry_after = retry_after


class DeadlineExceeded(PinciteError):
    code = "deadline_exceeded"
    exit_code = 4


class EmbeddingFailed(Unavailable):
    """A model could not embed a text or returned an unusable vector. It is not stored; the reason is reported."""


class ServiceFailed(Unavailable):
    """A model service could not be reached, refused the call, or returned an unusable answer.

    `hopeless`: further calls would fail too (no key, no such model), so none should be made.
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
