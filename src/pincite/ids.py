"""Ids computed from content: version ids, text hashes, erasure keys."""

from __future__ import annotations

import hashlib
import json
import unicodedata

from pincite.types import Content, Scope


def version_id(content: Content) -> str:
    """Hash of the canonical content; the same content always gets the same id. 32 hex digits (128 bits)."""
    canonical = json.dumps(
        {
            "kind": content.kind,
            "element_type": content.element_type,
            "name": content.name,
            "text": content.text,
            "language": content.language,
            "metadata": dict(content.metadata),
        },
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    )
    return _digest(canonical)


def text_hash(text: str) -> str:
    """Hash of an embedded or cached text."""
    return _digest(text)


def embedded_hash(context: str, passage: str) -> str:
    """Hash of a passage as it is embedded: the key of its vectors in catalog and index."""
    return text_hash(f"{context}\n\n{passage}" if context else passage)


def erasure_key(scope: Scope, element_id: str) -> str:
    """What a tombstone stores instead of the id, which may name a person."""
    return _digest("\x00".join(("erased", scope.tenant, scope.organization, scope.repository, element_id)))


def normalise_id(raw: str) -> str:
    """Ids are compared in NFC."""
    return unicodedata.normalize("NFC", raw)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
