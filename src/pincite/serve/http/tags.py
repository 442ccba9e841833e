"""Entity tags of elements: a client that already has this version of the passage gets a 304 without a body.

The tag is weak: it identifies the version and the part that was read, not the revision, which every commit to the
repository changes.
"""

from __future__ import annotations

import hashlib
import json

from pincite.wire import Json


def tag_of(element: Json) -> str:
    """`W/"version.digest"`."""
    kept = {name: value for name, value in element.items() if name != "read_context"}
    digest = hashlib.blake2b(json.dumps(kept, sort_keys=True).encode("utf-8", "backslashreplace"), digest_size=8)
    return f'W/"{element["version_id"]}.{digest.hexdigest()}"'


def is_known(tag: str, if_none_match: str) -> bool:
    """Whether an If-None-Match header contains the tag; compared weakly, as RFC 9110 requires."""
    given = [item.strip().removeprefix("W/") for item in if_none_match.split(",")]
    return "*" in given or tag.removeprefix("W/") in given
