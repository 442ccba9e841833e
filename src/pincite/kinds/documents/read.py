"""A file becomes a document: decoded, named, its language and front matter read. The text itself is never changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from pincite.errors import InvalidArgument
from pincite.kinds.documents import front_matter
from pincite.kinds.documents.convert import CONVERTERS, ConversionFailed, convert, fingerprint, require_packages
from pincite.kinds.documents.decode import decode
from pincite.kinds.documents.outline import outline
from pincite.text.language import identify
from pincite.types import Content, JsonValue

TEXT_SUFFIXES: Mapping[str, str] = {".md": "md", ".markdown": "md", ".txt": "txt", ".text": "txt"}
"""Read as they are."""
SUFFIXES: Mapping[str, str] = {**TEXT_SUFFIXES, **{suffix: made.file_type for suffix, made in CONVERTERS.items()}}
"""File types by suffix."""

MAX_BYTES = 50 * 1024 * 1024

_APART = frozenset({"title", "language", "lang", "valid_from", "valid_to", "roles"})
"""Keys of front matter that have a field of their own and are not repeated in the metadata."""
_MISSPELT = {"roles": "roles", "role": "roles", "valid_from": "valid_from", "valid_to": "valid_to"}
"""Other spellings of what decides who may read a document and when: to pass them over would be to decide."""
_GUARDED = re.compile(r"^(roles|valid_from|valid_to)[ \t]*:", re.MULTILINE)


class UnreadableFile(InvalidArgument):
    """A file from which no document can be made; the message says why and what to do."""


class EmptyFile(UnreadableFile):
    """A file without text: nothing in it can be cited."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file as read: its content, who may read it and when it is in force, and what the reader should know."""

    content: Content
    valid_from: date | None = None
    valid_to: date | None = None
    roles: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def read_document(path: Path, element_id: str, max_bytes: int = MAX_BYTES) -> Document:
    """The document in a file; UnreadableFile if there is none in it, MissingExtra if nothing here can read it."""
    file_type = SUFFIXES.get(path.suffix.lower())
    if file_type is None:
        known = ", ".join(SUFFIXES)
        raise UnreadableFile(f"{element_id}: cannot read {path.suffix or 'files without a suffix'}; known: {known}")
    if path.suffix.lower() in CONVERTERS:
        return _converted(path, element_id, file_type, max_bytes)
    text = _decode(_read_bytes(path, element_id, max_bytes), element_id)
    head = front_matter.parse(text) if file_type == "md" else front_matter.FrontMatter()
    if guarded := _GUARDED.search(head.rejected):
        # Left as text, the block would open the document to everyone, or put it in force for ever.
        raise UnreadableFile(f"{element_id}: {head.note}, yet it sets {guarded.group(1)}; correct the YAML")
    if not text[head.end :].strip():
        raise EmptyFile(f"{element_id}: no text; remove the file or fill it")
    metadata, notes = _metadata(head.values)
    content = Content(
        kind="document",
        element_type="document",
        name=_name(head.values, text, file_type, path),
        text=text,
        language=_language(head.values, text[head.end :]),
        metadata={**metadata, "source_path": element_id, "file_type": file_type},
    )
    valid_from = _date(head.values, "valid_from", element_id)
    valid_to = _date(head.values, "valid_to", element_id)
    if valid_from and valid_to and valid_from >= valid_to:
        raise UnreadableFile(f"{element_id}: valid_to {valid_to} is not after valid_from {valid_from}; correct one")
    roles = _roles(head.values, element_id)
    return Document(content, valid_from, valid_to, roles, tuple(note for note in (head.note, *notes) if note))


def _read_bytes(path: Path, element_id: str, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise UnreadableFile(f"{element_id}: {error.strerror or error}") from error
    if len(data) > max_bytes:
        raise UnreadableFile(f"{element_id}: larger than {max_bytes:,} bytes; split the file")
    return data


def _decode(data: bytes, element_id: str) -> str:
    try:
        return decode(data)
    except ValueError as error:
        raise UnreadableFile(f"{element_id}: {error}") from error


def _converted(path: Path, element_id: str, file_type: str, max_bytes: int) -> Document:
    """The document in a file that is not text; its stored text is what the converter made of it."""
    suffix = path.suffix.lower()
    require_packages(suffix)
    size = path.stat().st_size
    if size > max_bytes:
        raise UnreadableFile(f"{element_id}: larger than {max_bytes:,} bytes; split the file")
    if not size:
        raise EmptyFile(f"{element_id}: no text; remove the file or fill it")
    try:
        made = convert(path, suffix)
    except ConversionFailed as error:
        raise UnreadableFile(f"{element_id}: {error.message}") from error
    if not made.text.strip():
        raise EmptyFile(f"{element_id}: no text in it; remove the file or fill it")
    metadata = {"source_path": element_id, "file_type": file_type, "converter": fingerprint(suffix)}
    # The first heading of a PDF is its title only where the converter says so; a page has no other title line.
    name = made.title or (path.stem if file_type == "pdf" else _name({}, made.text, file_type, path))
    content = Content("document", "document", name, made.text, identify(made.text), metadata)
    return Document(content, notes=made.notes)


def _name(values: Mapping[str, object], text: str, file_type: str, path: Path) -> str:
    """The title of the front matter, else the first level-1 heading of Markdown, else the file's stem."""
    title = values.get("title")
    if isinstance(title, str | int | float) and str(title).strip():
        return str(title).strip()
    if file_type != "txt":
        for section in outline(text, file_type):
            if section.level == 1:
                return section.title
    return path.stem


def _language(values: Mapping[str, object], text: str) -> str:
    """The language that the front matter states ("de-CH" is "de"), else the one the text is written in."""
    stated = values.get("language", values.get("lang"))
    if isinstance(stated, str) and re.fullmatch(r"[A-Za-z]{2}(?:[-_].*)?", stated.strip()):
        return stated.strip()[:2].lower()
    return identify(text)


def _metadata(values: Mapping[str, object]) -> tuple[dict[str, JsonValue], list[str]]:
    """Scalars and lists of the front matter, and a note for each value that is neither."""
    metadata: dict[str, JsonValue] = {}
    notes: list[str] = []
    for key, value in values.items():
        if key in _APART:
            continue
        meant = _MISSPELT.get(key.casefold().replace("-", "_").replace(" ", "_"))
        if meant:
            raise UnreadableFile(f"front matter has {key!r}; write {meant!r}, or it would be open to everyone")
        try:
            metadata[key] = front_matter.to_json(value)
            if key == "date":
                metadata[key] = _iso_day(str(metadata[key]), notes)
        except TypeError as error:
            notes.append(f"front matter {key!r} was left out: {error} is neither a scalar nor a list of scalars")
    return metadata, notes


def _iso_day(text: str, notes: list[str]) -> str:
    """The document's date in the form that filters compare; one that cannot be read is kept and noted."""
    day = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", text.strip())
    try:
        iso = f"{day[3]}-{int(day[2]):02d}-{int(day[1]):02d}" if day else text.strip()
        datetime.fromisoformat(iso)
    except ValueError:
        notes.append(f"date {text!r} is not a date; filters and sorting by date ignore it")
        return text
    return iso


def _date(values: Mapping[str, object], key: str, element_id: str) -> date | None:
    value = values.get(key)
    if isinstance(value, datetime):
        return value.date()
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value).strip())
    except ValueError as error:
        raise UnreadableFile(
            f"{element_id}: front matter {key}: {value!r} is not a date; write 2024-12-31", field=key
        ) from error


def _roles(values: Mapping[str, object], element_id: str) -> frozenset[str]:
    value = values.get("roles")
    names = [value] if isinstance(value, str) else value
    if names is None and "roles" not in values:
        return frozenset()
    # A misread list of roles must not open the document to everyone.
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise UnreadableFile(
            f"{element_id}: front matter roles must be a list of names, not {value!r}; write [editor, legal]"
        )
    return frozenset(name.strip() for name in names)
