"""From what a caller asks for (head, a baseline, an instant, a revision) to the one view that every leg applies."""

from __future__ import annotations

import difflib
import re
import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from pincite.advice import either
from pincite.errors import InvalidArgument, NotFound, NotIndexedYet, UnknownArgument
from pincite.protocols import Session
from pincite.types import Baseline, ReadContext, RepositoryInfo, Revision, Scope, View

SELECTORS = ("head", "published", "baseline_id", "as_of", "revision")
FIELDS = ("selector", "baseline_id", "as_of", "revision", "baseline_ref", "version_ref")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_GERMAN_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_REVISION = re.compile(r"(?:rev:)?([0-9]{1,18})")


Clock = Callable[[], int]


def now_us() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True)
class AskedState:
    """Which state of one repository somebody asks for."""

    repository: RepositoryInfo
    context: ReadContext | None
    reached: int
    """The revision that the index has reached."""
    valid_at: date | None = None

    @property
    def scope(self) -> Scope:
        return self.repository.scope


@dataclass(frozen=True, slots=True)
class Resolved:
    """The view to read, with its repository's record, and what the answer says about it."""

    view: View
    echo: dict[str, object]

    @property
    def repository(self) -> RepositoryInfo:
        assert self.view.repository is not None
        return self.view.repository


# --- what a caller writes -------------------------------------------------------------------------------------


def parse_read_context(value: Mapping[str, object] | str | None) -> ReadContext | None:
    """The read context on the wire or on the command line; None when nothing was asked for.

    `{"selector": "baseline_id", "baseline_id": "v1"}`, `{"as_of": "2026-01-31T12:00Z"}`, `{"revision": 12}`;
    `baseline_ref` is another word for `baseline_id`; `version_ref` is a revision (`12`, `"rev:12"`), an instant, or
    else a baseline's name. As text: `head`, `published`, `baseline:NAME`, `as_of:INSTANT`, `revision:12`.
    """
    if isinstance(value, str):
        return _parse_text(value.strip())
    given = {key: v for key, v in (value or {}).items() if v is not None and v != ""}
    for key in given:
        if key not in FIELDS:
            raise UnknownArgument.named("read context field", key, FIELDS)
    selector = given.pop("selector", None)
    if selector is not None and selector not in SELECTORS:
        raise UnknownArgument.named("selector", str(selector), SELECTORS)
    if len(given) > 1:
        raise InvalidArgument(
            f"a read context chooses one state, this one sets {' and '.join(sorted(given))}; keep only one",
            field=sorted(given)[1],
        )
    if not given:
        return _without_field(selector)
    ((field, raw),) = given.items()
    context = _from_field(field, raw)
    if selector is not None and selector != context.selector:
        raise InvalidArgument(
            f"selector {selector!r} does not match {field}; leave the selector out or set it to {context.selector!r}",
            field=field,
        )
    return context


def parse_date(text: str) -> date:
    """A day, written `2024-12-31` or `31.12.2024`."""
    german = _GERMAN_DATE.fullmatch(text.strip())
    try:
        if german:
            day, month, year = (int(part) for part in german.groups())
            return date(year, month, day)
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text.strip()):  # fromisoformat also reads weeks and bare digits
            raise ValueError
        return date.fromisoformat(text.strip())
    except ValueError:
        raise InvalidArgument(f"{text!r:.80} is not a date; write it as 2024-12-31 or 31.12.2024") from None


def from_iso(text: str) -> int:
    """Microseconds since 1970 UTC. An instant without an offset is UTC; a bare day means its END in UTC.

    `as_of: 2026-01-31` therefore includes everything committed on that day; today ends now.
    """
    text = text.strip()
    try:
        day = parse_date(text)
    except InvalidArgument:
        return _microseconds(_instant(text))
    end = datetime(day.year, day.month, day.day, 23, 59, 59, 999_999, tzinfo=UTC)
    now = datetime.now(UTC)
    return _microseconds(now if day == now.date() else end)


def to_iso(us: int) -> str:
    """`2026-01-31T12:00:00.000000Z`."""
    instant = _EPOCH + timedelta(microseconds=us)
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


# --- what it means here ---------------------------------------------------------------------------------------


def resolve(
    catalog: Session,
    scope: Scope,
    context: ReadContext | None,
    *,
    reached: int,
    default: Literal["head", "published"] = "head",
    roles: frozenset[str] | None = None,
    valid_at: date | None = None,
    clock: Clock = now_us,
) -> Resolved:
    """The view that the context selects in this repository. `reached` is the revision that the index has reached."""
    with catalog.session(scope.tenant) as session:
        asked = AskedState(require_repository(session, scope), context, reached, valid_at)
        return resolve_each(session, [asked], default=default, roles=roles, clock=clock)[0]


def resolve_each(
    catalog: Session,
    asked: Sequence[AskedState],
    *,
    default: Literal["head", "published"] = "head",
    roles: frozenset[str] | None = None,
    clock: Clock = now_us,
) -> list[Resolved]:
    """The views that the contexts select, in order; the catalog is asked at most twice, however many there are."""
    now = clock()
    lookups = _Lookups.of(catalog, asked, default, now)
    echoes = []
    for item in asked:
        echo = _select(catalog, item, lookups, default, now)
        if _revision_in(echo) > item.reached:
            raise NotIndexedYet(
                f"revision {echo['revision']} of {item.scope.repository!r} is committed, its index has reached"
                f" {item.reached}; {either('wait a moment, or run: pincite index', 'wait a moment')}"
            )
        echoes.append(echo)
    times = _times(catalog, asked, echoes, lookups)
    return [
        _resolved(item, echo, times.get(item.scope), roles, clock) for item, echo in zip(asked, echoes, strict=True)
    ]


def _resolved(
    item: AskedState, echo: dict[str, object], committed: int | None, roles: frozenset[str] | None, clock: Clock
) -> Resolved:
    in_force = item.valid_at or (_EPOCH + timedelta(microseconds=clock() if committed is None else committed)).date()
    echo |= {
        "as_of": None if committed is None else to_iso(committed),
        "valid_at": in_force.isoformat(),
        "repository_id": item.scope.repository,
        "head": item.repository.head,
    }
    return Resolved(View(item.scope, _revision_in(echo), in_force, roles, item.repository), echo)


def _revision_in(echo: Mapping[str, object]) -> int:
    revision = echo["revision"]
    assert isinstance(revision, int)
    return revision


@dataclass(frozen=True, slots=True)
class _Lookups:
    """What the catalog says of the states that are asked for, read for all repositories at once."""

    baselines: Mapping[Scope, Baseline]
    """The one that is named, or the published one."""
    instants: Mapping[Scope, Revision]
    """The last revision by the instant asked for."""

    @classmethod
    def of(cls, catalog: Session, asked: Sequence[AskedState], default: str, now: int) -> _Lookups:
        names: dict[str | None, list[Scope]] = {}
        times: dict[int, list[Scope]] = {}
        for item in asked:
            context = item.context or ReadContext("published" if default == "published" else "head")
            if context.selector == "published":
                names.setdefault(None, []).append(item.scope)
            elif context.selector == "baseline_id":
                names.setdefault(context.baseline_id, []).append(item.scope)
            elif context.selector == "as_of" and context.as_of is not None and context.as_of <= now:
                times.setdefault(context.as_of, []).append(item.scope)
        baselines = [catalog.baselines.of_each(scopes, name) for name, scopes in names.items()]
        instants = [catalog.commits.revision_of_each_at(scopes, time) for time, scopes in times.items()]
        return cls(ChainMap({}, *baselines), ChainMap({}, *instants))


def _times(
    catalog: Session, asked: Sequence[AskedState], echoes: Sequence[Mapping[str, object]], lookups: _Lookups
) -> dict[Scope, int | None]:
    """When the revisions were committed; that of a head is in the repository's record."""
    out: dict[Scope, int | None] = {scope: found.time for scope, found in lookups.instants.items()}
    others = {}
    for item, echo in zip(asked, echoes, strict=True):
        number = _revision_in(echo)
        if number == item.repository.head:
            out[item.scope] = item.repository.committed
        elif number and item.scope not in out:
            others[item.scope] = number
    found = catalog.commits.revision_of_each(others) if others else {}
    return out | {scope: revision.time for scope, revision in found.items()}


def _select(
    catalog: Session, item: AskedState, lookups: _Lookups, default: Literal["head", "published"], now: int
) -> dict[str, object]:
    """Selector, revision and, where they apply, baseline and note."""
    scope, head = item.scope, item.repository.head
    at_head: dict[str, object] = {"selector": "head", "revision": min(head, item.reached)}
    baseline = lookups.baselines.get(scope)
    if item.context is None and default == "published" and baseline is None:
        return at_head | {"note": "nothing is published yet"}
    asked = item.context or ReadContext(default)
    match asked.selector:
        case "head":
            return at_head
        case "published":
            if baseline is None:
                raise NotFound(
                    f"nothing is published in {scope.repository!r}; publish a baseline, or read head",
                    field="selector",
                    suggestions=("head",),
                )
            return {"selector": "published", "revision": baseline.revision, "baseline_id": baseline.name}
        case "baseline_id":
            if baseline is None:
                known = (b.name for b in catalog.baselines.list(scope))
                raise _unknown("baseline", asked.baseline_id, known, f" in {scope.repository!r}")
            return {"selector": "baseline_id", "revision": baseline.revision, "baseline_id": baseline.name}
        case "as_of":
            return _select_instant(lookups.instants.get(scope), asked.as_of, now)
        case "revision":
            if asked.revision is None or not 0 <= asked.revision <= head:
                raise InvalidArgument(
                    f"{scope.repository!r} has no revision {asked.revision}; its head is {head}", field="revision"
                )
            return {"selector": "revision", "revision": asked.revision}


def _select_instant(found: Revision | None, as_of: int | None, now: int) -> dict[str, object]:
    if as_of is None:
        raise InvalidArgument("selector 'as_of' needs the field as_of, such as 2026-01-31T12:00Z", field="as_of")
    if as_of > now:
        raise InvalidArgument(
            f"as_of {to_iso(as_of)} lies in the future; what will be committed by then is unknown, read head instead",
            field="as_of",
        )
    if found is None:
        return {"selector": "as_of", "revision": 0, "note": "nothing had been committed by then"}
    return {"selector": "as_of", "revision": found.number}


def require_repository(catalog: Session, scope: Scope) -> RepositoryInfo:
    """The record of a repository; one that does not exist is `NotFound`, with names that were perhaps meant."""
    found = catalog.repositories.get(scope)
    if found is None:
        raise _unknown_repository(catalog, scope)
    return found


def require_repositories(
    catalog: Session, tenant: str, organization: str, names: Sequence[str]
) -> list[RepositoryInfo]:
    """The records of the named repositories in that order, or of all. A name that does not exist is `NotFound`."""
    asked = tuple(dict.fromkeys(names))
    found = {info.scope.repository: info for info in catalog.repositories.list(tenant, organization, asked or None)}
    for name in asked:
        if name not in found:
            raise _unknown_repository(catalog, Scope(tenant, organization, name))
    return [found[name] for name in asked or found]


def _unknown_repository(catalog: Session, scope: Scope) -> NotFound:
    """The error for a repository that does not exist, as far as the caller may know."""
    listed = catalog.repositories.list(scope.tenant, scope.organization)
    return _unknown("repository", scope.repository, (info.scope.repository for info in listed))


def _unknown(what: str, given: str, known: Iterable[str], where: str = "") -> NotFound:
    names = list(known)
    near = difflib.get_close_matches(given, names, n=3, cutoff=0.5)
    if near:
        hint = f"did you mean {' or '.join(repr(n) for n in near)}?"
    else:
        hint = f"known: {', '.join(repr(n) for n in names[-10:]) or 'none'}"
    field = "baseline_id" if what == "baseline" else "repository_id"
    return NotFound(f"there is no {what} {given!r}{where}; {hint}", field=field, suggestions=near or names[-10:])


# --- reading values -------------------------------------------------------------------------------------------


def _parse_text(text: str) -> ReadContext | None:
    if not text:
        return None
    if text in ("head", "published"):
        return _without_field(text)
    form, colon, rest = text.partition(":")
    fields = {"baseline": "baseline_id", "baseline_id": "baseline_id", "as_of": "as_of", "revision": "revision"}
    if not colon or form not in fields:
        forms = ("head", "published", "baseline:NAME", "as_of:INSTANT", "revision:NUMBER")
        raise UnknownArgument.named("read context", text, forms)
    return parse_read_context({"selector": fields[form], fields[form]: rest})


def _without_field(selector: object) -> ReadContext | None:
    match selector:
        case None:
            return None
        case "head":
            return ReadContext("head")
        case "published":
            return ReadContext("published")
        case _:
            raise InvalidArgument(f"selector {selector!r} needs the field {selector}", field=str(selector))


def _from_field(field: str, raw: object) -> ReadContext:
    if field == "version_ref":
        field, raw = _kind_of_version_ref(raw)
    if field == "revision":
        return ReadContext("revision", revision=_revision(raw))
    if not isinstance(raw, str):
        raise InvalidArgument(f"{field} must be a text, not {raw!r:.80}", field=field)
    if field == "as_of":
        try:
            return ReadContext("as_of", as_of=from_iso(raw))
        except InvalidArgument as error:
            raise InvalidArgument(error.message, field="as_of") from None
    return ReadContext("baseline_id", baseline_id=raw)


def _kind_of_version_ref(raw: object) -> tuple[str, object]:
    """By its form alone, so that the same reference never changes its meaning with what is stored."""
    if isinstance(raw, int) or (isinstance(raw, str) and _REVISION.fullmatch(raw.strip())):
        return "revision", raw
    try:
        from_iso(str(raw))
    except InvalidArgument:
        return "baseline_id", raw
    return "as_of", raw


def _revision(raw: object) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return raw
    match = _REVISION.fullmatch(raw.strip()) if isinstance(raw, str) else None
    if match is None:
        raise InvalidArgument(f"revision must be a whole number from 0, not {raw!r:.80}", field="revision")
    return int(match[1])


def _instant(text: str) -> datetime:
    try:
        if not re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}", text):
            raise ValueError
        instant = datetime.fromisoformat(text)
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant
    except ValueError:
        raise InvalidArgument(
            f"{text!r:.80} is not a point in time; write it as 2026-01-31T12:00Z, or 2026-01-31 for the end of that day"
        ) from None


def _microseconds(instant: datetime) -> int:
    return (instant - _EPOCH) // _MICROSECOND
