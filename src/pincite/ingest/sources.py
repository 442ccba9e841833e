"""Which files a source holds, and which of them cannot be taken."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from pincite.advice import either
from pincite.errors import InvalidArgument, NotFound
from pincite.ingest.addresses import parse_url
from pincite.protocols.kind import Declaration

DEFAULT_KIND = "documents"
"""The kind that reads a source unless another one is named."""
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
"""Passed over without a word, like everything whose name begins with a dot."""
DELIVERED = "delivered://"
"""The one source of all files that are handed over: the folder in which they come is gone afterwards."""


@dataclass(frozen=True, slots=True)
class FileFound:
    """A file that can be read, named by its path below the source."""

    path: Path
    name: str
    size: int
    mtime_ns: int
    """When content or status last changed: a tool that sets times back cannot hide a change."""
    validator: str = ""
    """What the server said of a remote file, to ask with next time."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not taken, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """What goes with files that are handed over."""

    withdrawn: frozenset[str] = frozenset()
    """Names of files handed over earlier that are taken back."""


@dataclass(frozen=True, slots=True)
class Source:
    """A folder or a single file, by its absolute path; or a remote file, by its address."""

    root: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    url: str = ""
    allow_private: bool = False
    """Whether the address may lie in a private network."""
    may_be_gone: bool = False
    """Whether what is no longer there is to be removed."""
    delivery: Delivery | None = None
    """Files that are handed over, not found: what was handed over before stays."""
    kind: str = DEFAULT_KIND
    """Which kind reads it. What two kinds read of one folder is two sources: neither misses the files of the other."""

    @property
    def key(self) -> str:
        """How the library remembers it."""
        return DELIVERED if self.delivery is not None else _key(self.url or str(self.root), self.kind)


def remembered_as(given: str | Path, kind: str = DEFAULT_KIND) -> str:
    """How the library remembers a source that may no longer be there: by its place, or as a message named it."""
    place = str(given).removeprefix(f"{kind}:") if kind != DEFAULT_KIND else str(given)
    if "://" in place:
        return _key(urlunsplit(urlsplit(place)._replace(fragment="")), kind)
    return _key(str(Path(place).expanduser().resolve()), kind)


def _key(place: str, kind: str) -> str:
    return place if kind == DEFAULT_KIND else f"{kind}:{place}"


def empty_is_meant() -> str:
    """How to say that a source which gives nothing any more is to be taken at its word."""
    return either("add --allow-empty", "send allow_empty: true")


def deliver(folder: Path, withdrawn: Sequence[str] = ()) -> Source:
    """The files of a folder as a delivery."""
    return Source(folder.resolve(), delivery=Delivery(frozenset(withdrawn)))


@dataclass(slots=True)
class Scan:
    """What a walk through a source met. Nothing below `unseen` folders may be taken for deleted."""

    files: list[FileFound] = field(default_factory=list)
    failed: list[Skipped] = field(default_factory=list)
    """Should have been read and could not: what the library holds of them stays."""
    skipped: list[Skipped] = field(default_factory=list)
    """Not meant for the library."""
    unseen: list[str] = field(default_factory=list)

    def gone(self, names: Iterable[str]) -> list[str]:
        """Which of these files, known from the last ingest, are really no longer there."""
        there = {file.name for file in self.files} | {item.path for item in self.failed}
        hidden = tuple(f"{folder}/" for folder in self.unseen)
        return [name for name in names if name not in there and not name.startswith(hidden)]


def open_source(
    given: str | Path,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    *,
    may_be_gone: bool = False,
    allow_private: bool = False,
    kind: str = DEFAULT_KIND,
) -> Source:
    """The source at a path or address. `NotFound` when no file is there, unless what it gave is to be removed."""
    if "://" in str(given):
        if include or exclude:
            raise InvalidArgument("an address is one file; include and exclude are for folders", field="include")
        url = urlunsplit(parse_url(str(given), allow_private=allow_private)._replace(fragment=""))
        return Source(Path(), url=url, allow_private=allow_private, may_be_gone=may_be_gone, kind=kind)
    path = Path(given).expanduser()
    if not path.exists() and not may_be_gone:
        raise NotFound(
            f"there is no file or folder {str(given)!r}; if it is gone for good and its elements should be removed too,"
            f" {empty_is_meant()}",
            field="source",
        )
    return Source(path.resolve(), tuple(include), tuple(exclude), kind=kind)


def scan(source: Source, declares: Declaration) -> Scan:
    """Readable files in order of their names, and everything that was passed over with its reason."""
    out = Scan()
    base = source.root.parent if source.root.is_file() else source.root
    for path in _walk(source, base, out):
        name = path.relative_to(base).as_posix()
        if not _is_text(name):
            out.skipped.append(Skipped(ascii(name), "its name is not valid UTF-8; rename it"))
        elif _wanted(name, source):
            _look(path, name, source, declares, out)
    out.files.sort(key=lambda file: file.name)
    out.failed.sort(key=lambda item: item.path)
    out.skipped.sort(key=lambda item: item.path)
    return out


def _look(path: Path, name: str, source: Source, declares: Declaration, out: Scan) -> None:
    if not declares.suffix_of(path.name):
        what = f"{path.suffix} is not a known type" if path.suffix else "it has no suffix to tell its type by"
        newer = declares.save_as.get(path.suffix.lower(), "")
        advice = f"save it as {newer}" if newer else f"known: {', '.join(declares.suffixes)}"
        out.skipped.append(Skipped(name, f"{what}; {advice}"))
        return
    try:
        if path.is_symlink() and not path.resolve(strict=True).is_relative_to(source.root):
            out.failed.append(Skipped(name, "a link to a place outside the source; copy the file, or exclude it"))
            return
        status = path.stat()
    except FileNotFoundError:
        out.failed.append(Skipped(name, "a broken link"))
    except OSError as error:
        out.failed.append(Skipped(name, error.strerror or str(error)))
    else:
        if stat.S_ISREG(status.st_mode):
            out.files.append(FileFound(path, name, status.st_size, max(status.st_mtime_ns, status.st_ctime_ns)))
        else:
            out.skipped.append(Skipped(name, "not a regular file"))


def _walk(source: Source, base: Path, out: Scan) -> Iterator[Path]:
    if source.root.is_file():
        yield source.root
        return

    def unreadable(error: OSError) -> None:
        name = Path(error.filename).relative_to(base).as_posix()
        out.unseen.append(name)
        out.failed.append(Skipped(name, f"the folder cannot be read: {error.strerror}"))

    for folder, folders, files in os.walk(source.root, onerror=unreadable):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS)
        for link in [here / name for name in folders if (here / name).is_symlink()]:
            shown = link.relative_to(base).as_posix()
            out.skipped.append(Skipped(shown if _is_text(shown) else ascii(shown), "a linked folder is not followed"))
        yield from (here / name for name in sorted(files) if not name.startswith("."))


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _wanted(name: str, source: Source) -> bool:
    if source.include and not any(_matches(name, pattern) for pattern in source.include):
        return False
    return not any(_matches(name, pattern) for pattern in source.exclude)


def _matches(name: str, pattern: str) -> bool:
    """Globs as people write them: `*.md`, `drafts`, `drafts/`, `drafts/*.md`, `**/old/*`.

    Without a slash a pattern is held against the file's name and every folder above it, otherwise against the path.
    """
    bare = pattern.removeprefix("./").removeprefix("**/").rstrip("/")
    parts = name.split("/")
    if "/" not in bare:
        own = parts[:-1] if pattern.endswith("/") else parts
        return any(fnmatch.fnmatchcase(part, bare) for part in own)
    tails = ["/".join(parts[at:]) for at in range(len(parts))] if pattern.startswith("**/") else [name]
    return any(fnmatch.fnmatchcase(tail, form) for tail in tails for form in (bare, f"{bare}/*"))
