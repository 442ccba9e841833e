"""Columns on disk: one file of aligned arrays, one header that says where they lie and what they must sum to.

Opening checks the header and the file's size, because reading past the end of a truncated map kills the process. Block
checksums are verified by `verify` (doctor, merge), not on every read.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.advice import by_operator, place, repair
from pincite.durable import sync_folder
from pincite.errors import Damaged

Array = NDArray[Any]

FORMAT = 2
"""2: rows carry the key of their vectors."""
BLOCK = 1 << 20
ALIGN = 64
COLUMNS_FILE = "columns.bin"
HEADER_FILE = "header.json"


@dataclass(frozen=True, slots=True)
class Columns:
    """The arrays of a segment, mapped read-only, and the small facts of its header."""

    folder: Path
    arrays: Mapping[str, Array]
    facts: Mapping[str, Any]
    size: int

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]


class ColumnWriter:
    """Writes a segment folder. Columns are appended one after the other, each in as many pieces as it takes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._file = (folder / COLUMNS_FILE).open("wb")
        self._table: dict[str, dict[str, Any]] = {}
        self._checksums: list[int] = []
        self._block = 0
        self._filled = 0
        self._size = 0

    def add(self, name: str, array: Array) -> None:
        """A whole column."""
        with self.column(name, array.dtype) as append:
            append(array)

    @contextmanager
    def column(self, name: str, dtype: Any) -> Iterator[Any]:
        """A column in pieces: `append(array)` as often as needed."""
        kind = np.dtype(dtype).newbyteorder("<")
        self._write(bytes(-self._size % ALIGN))
        start, count = self._size, 0

        def append(piece: Array) -> None:
            nonlocal count
            self._write(np.ascontiguousarray(piece, kind).tobytes())
            count += piece.size

        yield append
        self._table[name] = {"dtype": kind.str, "offset": start, "count": count}

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._size += len(data)
        view = memoryview(data)
        while view:
            piece = view[: BLOCK - self._filled]
            self._block = zlib.crc32(piece, self._block)
            self._filled += len(piece)
            view = view[len(piece) :]
            if self._filled == BLOCK:
                self._checksums.append(self._block)
                self._block = self._filled = 0

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Flush to the disk and write the header, last."""
        if self._filled:
            self._checksums.append(self._block)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        header = {"size": self._size, "columns": self._table, "checksums": self._checksums, "facts": dict(facts)}
        write_sealed(self._folder / HEADER_FILE, header)
        sync_folder(self._folder)

    def abandon(self) -> None:
        self._file.close()


def open_columns(folder: Path) -> Columns:
    """Map a segment. Raises FileNotFoundError if it is gone, `Damaged` if it cannot be trusted."""
    header = read_sealed(folder / HEADER_FILE)
    path = folder / COLUMNS_FILE
    size = path.stat().st_size
    if size != header["size"]:
        raise Damaged(f"{place(path)} has {size} bytes, its header says {header['size']}; {repair()}")
    data = np.memmap(path, np.uint8, "r") if size else np.empty(0, np.uint8)
    arrays: dict[str, Array] = {}
    for name, column in header["columns"].items():
        dtype = np.dtype(column["dtype"])
        start, length = column["offset"], column["count"] * dtype.itemsize
        if start + length > size:
            raise Damaged(f"{place(path)}: column {name!r} reaches past the end of the file; {repair()}")
        # A plain view: np.memmap's own subclass makes every slice several times slower.
        arrays[name] = np.asarray(data[start : start + length]).view(dtype)
    return Columns(folder, arrays, header["facts"], size)


def verify(folder: Path) -> str:
    """What is wrong with a segment's bytes, or ""."""
    try:
        header = read_sealed(folder / HEADER_FILE)
        path = folder / COLUMNS_FILE
        if path.stat().st_size != header["size"]:
            return f"{path.name} of {folder.name} has the wrong size"
        with path.open("rb") as file:
            for number, expected in enumerate(header["checksums"]):
                if zlib.crc32(file.read(BLOCK)) != expected:
                    names = ", ".join(_columns_in(header["columns"], number)) or "padding"
                    return f"{path.name} of {folder.name} is damaged in block {number} (columns: {names})"
    except Damaged as damage:
        return damage.message
    except OSError as error:
        return f"{folder.name} cannot be read: {error.strerror or error}"
    return ""


def _columns_in(columns: Mapping[str, Any], block: int) -> list[str]:
    low, high = block * BLOCK, (block + 1) * BLOCK
    return [
        name
        for name, column in columns.items()
        if column["offset"] < high and column["offset"] + column["count"] * np.dtype(column["dtype"]).itemsize > low
    ]


# --- small sealed files: header, manifest ---------------------------------------------------------------------


def write_sealed(path: Path, value: Mapping[str, Any]) -> None:
    """JSON with its own checksum, replaced atomically and on disk when this returns."""
    body = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    sealed = json.dumps({"format": FORMAT, "crc32": zlib.crc32(body.encode()), "body": body}, ensure_ascii=False)
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(sealed)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def read_sealed(path: Path) -> dict[str, Any]:
    """The value of a sealed file. FileNotFoundError if absent, `Damaged` if altered or of an unknown format."""
    try:
        sealed = json.loads(path.read_text(encoding="utf-8"))
        known, body = sealed["format"], sealed["body"]
        if known != FORMAT:
            advice = by_operator("rebuild it with", "pincite rebuild")
            raise Damaged(f"{place(path)} has format {known}, this Pincite reads {FORMAT}; {advice}")
        if zlib.crc32(body.encode()) != sealed["crc32"]:
            raise Damaged(f"{place(path)} fails its checksum; {repair()}")
        value: dict[str, Any] = json.loads(body)
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{place(path)} is not readable ({error}); {repair()}") from error
    return value
