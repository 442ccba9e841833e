"""The OpenAPI document as published in docs/openapi.json, independent of any library."""

from __future__ import annotations

import json
from tempfile import TemporaryDirectory

from pincite.library import open_library
from pincite.serve.desk import Desk
from pincite.serve.http.app import create_app


def published() -> str:
    """The document as text."""
    with TemporaryDirectory(prefix="pincite-openapi-") as folder, open_library(folder) as library:
        document = create_app(Desk(library), with_mcp=False).openapi()
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
