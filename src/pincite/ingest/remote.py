"""One file from an https address, as if it lay in a folder. Unchanged since last time, it costs one request.

Limits: the size that its kind declares, a deadline, five redirects that stay encrypted and public. Proxies and
credentials of the environment are not used: what is fetched must not depend on who fetches it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urljoin, urlunsplit

from pincite.bookkeeping import SourceItem
from pincite.errors import InvalidArgument, Unavailable
from pincite.ingest.addresses import parse_url, resolve
from pincite.ingest.sources import FileFound, Scan, Source, empty_is_meant, scan
from pincite.protocols.kind import Declaration

if TYPE_CHECKING:
    import httpx2

MAX_REDIRECTS = 5
SECONDS = 120.0
"""For the whole file."""
SILENCE_SECONDS = 15.0
"""Without a byte, the server is gone."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})


@contextmanager
def gathered(
    source: Source,
    declares: Declaration,
    before: Mapping[str, SourceItem],
    is_current: Callable[[SourceItem], bool],
) -> Iterator[Scan]:
    """What the source holds now. A remote file is there for as long as the block lasts.

    `before` is what the last ingest saw; only what `is_current` may be answered with "not modified".
    """
    if not source.url:
        yield scan(source, declares)
        return
    with TemporaryDirectory(prefix="pincite-") as folder:
        known = before.get(name_of(source.url))
        yield _fetched(source, declares, known if known and is_current(known) else None, Path(folder))


def name_of(url: str) -> str:
    """What the file is called: its address without the scheme."""
    parts = parse_url(url, allow_private=True)
    path = unquote(parts.path)
    readable = (path if path.isprintable() else parts.path).strip("/")
    host = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    return f"{host}/{readable}" + (f"?{parts.query}" if parts.query else "")


def _fetched(source: Source, declares: Declaration, known: SourceItem | None, folder: Path) -> Scan:
    import httpx2

    name = name_of(source.url)
    deadline = time.monotonic() + SECONDS
    try:
        with (
            httpx2.Client(timeout=SILENCE_SECONDS, trust_env=False, follow_redirects=False) as client,
            _answer(client, source, known) as response,
        ):
            if response.status_code in _GONE and source.may_be_gone:
                return Scan()
            if response.status_code == 304 and known is not None:
                path = folder / f"unchanged{json.loads(known.validator)['suffix']}"
                return Scan([FileFound(path, name, known.size, known.mtime_ns, known.validator)])
            if response.status_code != 200:
                raise Unavailable(_refusal(source.url, response.status_code))
            suffix = _suffix(source.url, response, declares)
            path = folder / f"file{suffix}"
            size = _save(response, path, deadline, declares.max_bytes)
            return Scan([FileFound(path, name, size, time.time_ns(), _validator(response, suffix))])
    except httpx2.TimeoutException as error:
        raise Unavailable(f"{source.url} did not answer within {SILENCE_SECONDS:g} s; try again later") from error
    except httpx2.HTTPError as error:
        raise Unavailable(f"{source.url} cannot be fetched: {error}") from error


@contextmanager
def _answer(client: httpx2.Client, source: Source, known: SourceItem | None) -> Iterator[httpx2.Response]:
    """The last answer of a chain of redirects, every stop of it checked."""
    url = source.url
    for _ in range(MAX_REDIRECTS + 1):
        parts = parse_url(url, allow_private=source.allow_private)
        with _asked(client, parts, source.allow_private, _conditions(known)) as response:
            target = response.headers.get("location", "")
            if response.status_code not in _REDIRECTS or not target:
                yield response
                return
        url = urljoin(url, target)
    raise Unavailable(f"{source.url} redirects more than {MAX_REDIRECTS} times; ingest the final address")


@contextmanager
def _asked(
    client: httpx2.Client, parts: SplitResult, allow_private: bool, headers: Mapping[str, str]
) -> Iterator[httpx2.Response]:
    """The answer to one request, sent to the very address that was checked: a name may resolve otherwise next time."""
    import httpx2

    host = parts.hostname or ""
    addresses = resolve(host, parts.port or (443 if parts.scheme == "https" else 80), allow_private=allow_private)
    for number, address in enumerate(addresses, 1):
        at = f"[{address}]" if ":" in address else address
        url = urlunsplit((parts.scheme, f"{at}:{parts.port}" if parts.port else at, parts.path or "/", parts.query, ""))
        request = client.build_request(
            "GET",
            url,
            headers={"Host": parts.netloc, "Accept-Encoding": "identity", "User-Agent": "pincite", **headers},
            extensions={"sni_hostname": host},
        )
        try:
            response = client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            if number == len(addresses):
                raise
            continue
        try:
            yield response
        finally:
            response.close()
        return


def _conditions(known: SourceItem | None) -> dict[str, str]:
    stated: dict[str, str] = json.loads(known.validator) if known and known.validator else {}
    names = {"etag": "If-None-Match", "modified": "If-Modified-Since"}
    return {names[key]: value for key, value in stated.items() if key in names}


def _validator(response: httpx2.Response, suffix: str) -> str:
    """What to ask with next time; "" if the server says nothing of the kind."""
    stated = {"etag": response.headers.get("etag"), "modified": response.headers.get("last-modified")}
    kept = {key: value for key, value in stated.items() if value}
    return json.dumps({**kept, "suffix": suffix}) if kept else ""


def _suffix(url: str, response: httpx2.Response, declares: Declaration) -> str:
    """By the address, else by what the server says the file is."""
    suffix = declares.suffix_of(parse_url(url, allow_private=True).path)
    if suffix:
        return suffix
    stated = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if stated not in declares.media_types:
        known = ", ".join(declares.suffixes)
        raise InvalidArgument(
            f"{url} is {stated or 'a file of unknown type'}, which is not supported; known: {known}", field="source"
        )
    return declares.media_types[stated]


def _save(response: httpx2.Response, path: Path, deadline: float, max_bytes: int) -> int:
    if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
        raise Unavailable("the server sent compressed data although asked not to; download the file and ingest it")
    size = 0
    with path.open("wb") as file:
        for piece in response.iter_raw():
            size += len(piece)
            if size > max_bytes:
                raise InvalidArgument(f"larger than {max_bytes:,} bytes; split the file", field="source")
            if time.monotonic() > deadline:
                raise Unavailable(f"not complete after {SECONDS:g} s; download the file and ingest it")
            file.write(piece)
    return size


def _refusal(url: str, status: int) -> str:
    if status in _GONE:
        return f"{url} was not found ({status}); to remove what came from it, {empty_is_meant()}"
    if status in (401, 403):
        return f"{url} needs a login ({status}); download the file and ingest it"
    return f"{url} answered with status {status}; try again later"
