"""What passes between the two processes: pickled values with their length before them.

The parent takes only the plain nouns of this package out of an answer: a process that a hostile file has got hold of
cannot make it call something.
"""

from __future__ import annotations

import io
import pickle
import struct
from typing import IO, Any

_LENGTH = struct.Struct(">Q")
_NOUNS = {
    "datetime": {"date", "datetime", "timezone", "timedelta"},
    "pincite.reading": {"ReadElement", "ReadState", "Unread"},
    "pincite.types": {"Alias", "Chunk", "Content", "Definition", "Derivation", "Relation", "Span"},
}
"""Modules and the classes in them that an answer may hold, beside what Python has built in."""
_BUILT_IN = {"frozenset", "set"}


class TooLong(Exception):
    """An answer beyond the limit."""


class Unexpected(pickle.UnpicklingError):
    """An answer that holds something else than nouns."""


def write(stream: IO[bytes], value: object) -> None:
    """Send a value."""
    data = pickle.dumps(value, protocol=5)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read(stream: IO[bytes], max_bytes: int) -> bytes:
    """The next message; `EOFError` where there is none, `TooLong` before one beyond the limit is taken in."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    if length > max_bytes:
        raise TooLong
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def nouns(data: bytes) -> Any:
    """The value in a message from the process that reads foreign files."""
    return _Nouns(io.BytesIO(data)).load()


class _Nouns(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in _NOUNS.get(module, ()) or (module == "builtins" and name in _BUILT_IN):
            return super().find_class(module, name)
        raise Unexpected(f"{module}.{name} in an answer")
