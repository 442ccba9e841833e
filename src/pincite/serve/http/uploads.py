"""Uploads: files sent with a request wait in a folder of the library until their job has read them.

They are added to earlier uploads. The folder is deleted when the job ends, so that no second copy outlives a purge. The
prefix plus a file's name is its element id.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path, PurePosixPath

from pydantic import Field
from starlette.datastructures import FormData, UploadFile

from pincite import wire
from pincite.errors import InvalidArgument, UnknownArgument
from pincite.library import Library
from pincite.serve.http.ledger import Ledger
from pincite.serve.operations import WRITE, Operation, Progress, silent
from pincite.serve.requests import OneName, Request
from pincite.wire import Json

FOLDER = "uploads"
FILE_FIELD = "file"
MAX_FILES = 1_000
MAX_NAME_BYTES = 200
"""Maximum length of each part of a path; most file systems allow 255."""
MAX_PARTS = 20
UNKNOWN_AFTER_SECONDS = 3_600.0
"""A folder of this age without a job was left by an aborted request."""
_COPY_BYTES = 1024 * 1024


class Deliver(Request):
    """Add uploaded files to a repository."""

    folder: str = Field(min_length=1, exclude=True)
    """Where the files are; set by this door, never by a caller."""
    repository_id: OneName = ""
    withdraw: list[str] = Field(
        default_factory=list, max_length=MAX_FILES, description="Names of earlier uploads to remove."
    )
    message: str = Field(default="", max_length=2_000, description="The reason, kept in the history.")


def deliver(library: Library, asked: Deliver, progress: Progress = silent) -> Json:
    """Ingest the uploaded files."""
    report = library.deliver(
        asked.folder,
        repository=asked.repository_id,
        withdrawn=asked.withdraw,
        message=asked.message,
        progress=progress,
    )
    return wire.ingest_report(report)


DELIVER = Operation("ingestUpload", WRITE, Deliver, deliver)
"""Not an operation of every door: only this one accepts files."""


def folder_of(library: Path, job_id: str) -> Path:
    return library / FOLDER / job_id


def arguments_of(form: FormData) -> tuple[Json, list[tuple[str, UploadFile]]]:
    """The fields of an upload and its files, each under its final name."""
    fields: dict[str, list[str]] = {}
    files: list[UploadFile] = []
    for name, value in form.multi_items():
        if isinstance(value, str):
            fields.setdefault(name, []).append(value)
        elif name == FILE_FIELD:
            files.append(value)
        else:
            raise InvalidArgument(f"files go into the field {FILE_FIELD!r}, not {name!r:.80}", field=name)
    known = ("prefix", "withdraw", "repository_id", "message")
    for name in fields:
        if name == FILE_FIELD:
            raise InvalidArgument(f"the field {FILE_FIELD!r} contains text; send a file with a file name", field=name)
        if name not in known:
            raise UnknownArgument.named("field", name, known)
    prefix = fields.pop("prefix", [""])[-1]
    withdraw = [safe_name(name) for name in fields.pop("withdraw", []) if name]
    arguments: Json = {name: values[-1] for name, values in fields.items()} | {"withdraw": withdraw}
    if not files and not withdraw:
        raise InvalidArgument(f"there is nothing to upload; send files in the field {FILE_FIELD!r}", field=FILE_FIELD)
    named = [(safe_name(prefix + (file.filename or "")), file) for file in files]
    if len({name for name, _ in named}) < len(named):
        raise InvalidArgument("two files have the same name; names must differ", field=FILE_FIELD)
    return arguments, named


def safe_name(given: str) -> str:
    """A path that stays inside the folder and works on every system; otherwise `InvalidArgument`."""
    parts = PurePosixPath(given.replace("\\", "/")).parts
    if not 0 < len(parts) <= MAX_PARTS or not all(_is_storable(part) for part in parts):
        raise InvalidArgument(
            f"{given!r:.200} is not a valid file name; use a relative path like handbook/leave.md", field=FILE_FIELD
        )
    return "/".join(parts)


def _is_storable(part: str) -> bool:
    """Whether a part of a path can be stored. Hidden names cannot, because an ingest skips them."""
    signs = all(ord(sign) >= 32 and not 0xD800 <= ord(sign) < 0xE000 and sign not in "/:" for sign in part)
    return signs and not part.startswith(".") and len(part.encode("utf-8", "replace")) <= MAX_NAME_BYTES


def keep(folder: Path, files: list[tuple[str, UploadFile]]) -> None:
    """Save the files where their job will read them."""
    folder.mkdir(parents=True)
    try:
        for name, file in files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as out:
                shutil.copyfileobj(file.file, out, _COPY_BYTES)
                out.flush()
                os.fsync(out.fileno())  # an accepted job must survive a power cut
    except (FileExistsError, NotADirectoryError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InvalidArgument("the name of one file is the folder of another; rename one", field=FILE_FIELD) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def sweep(library: Path, ledger: Ledger) -> None:
    """Delete what finished jobs and aborted requests have left."""
    for folder in (library / FOLDER).glob("*"):
        job = ledger.job(folder.name)
        unknown = job is None and time.time() - folder.stat().st_mtime > UNKNOWN_AFTER_SECONDS
        if unknown or (job is not None and job.state not in ("queued", "running")):
            shutil.rmtree(folder, ignore_errors=True)
