"""Which sources may be ingested over a door: only those named in the settings, and everything below them.

A door that accepted any path would expose every file of the server to callers who may ingest. The folders belong to the
operator; callers of another tenant or organization upload their files.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from pincite.errors import PermissionDenied
from pincite.settings.serve import ServeSettings


def check_source(settings: ServeSettings, source: str, *, is_at_home: bool, field: str = "source") -> None:
    """`PermissionDenied` unless the source is below one of `ingest_roots` and the caller belongs to the operator."""
    if not is_at_home or not any(_lies_below(source, root) for root in settings.ingest_roots):
        raise PermissionDenied(
            f"{source!r:.200} may not be ingested from here; upload the files, or ask the server's operator to add"
            " their folder to the setting serve.ingest_roots",
            field=field,
        )


def _lies_below(source: str, root: str) -> bool:
    if "://" in source or "://" in root:
        return _is_below_address(source, root)
    return Path(source).expanduser().resolve().is_relative_to(Path(root).expanduser().resolve())


def _is_below_address(source: str, root: str) -> bool:
    given, allowed = urlsplit(source), urlsplit(root)
    if (given.scheme.lower(), given.netloc.lower()) != (allowed.scheme.lower(), allowed.netloc.lower()):
        return False
    parts, wanted = unquote(given.path).split("/"), unquote(allowed.path).rstrip("/").split("/")
    return ".." not in parts and parts[: len(wanted)] == wanted
