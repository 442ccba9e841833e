"""The web page: the static files in `serve/web`, unchanged. No build step, nothing from other servers."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pincite.serve.links import ELEMENTS

WEB = Path(__file__).parent.parent / "web"
ASSETS = "/web"
"""Where the page finds its script and style; `index.html` names them by this path."""
INDEX = "index.html"
NO_CACHE = {"Cache-Control": "no-cache"}
"""Browsers revalidate each time and get a 304: an upgraded server must not run with an old script."""


def page_routes(folder: Path = WEB) -> list[BaseRoute]:
    """Routes for the page at `/` and at every element's URL, and for its files; none if it is not installed."""
    if not (folder / INDEX).is_file():
        return []

    async def page(_request: Request) -> Response:
        return FileResponse(folder / INDEX, headers=NO_CACHE, media_type="text/html; charset=utf-8")

    return [
        Route("/", page, methods=["GET"]),
        Route(ELEMENTS + "{citation:path}", page, methods=["GET"]),
        Mount(ASSETS, _Assets(directory=folder), name="web"),
    ]


class _Assets(StaticFiles):
    def file_response(self, full_path: object, stat_result: object, scope: Scope, status_code: int = 200) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)  # type: ignore[arg-type]
        response.headers.update(NO_CACHE)
        return response
