"""Links: where a person can open a cited place."""

from __future__ import annotations

from urllib.parse import quote

from pincite.settings.serve import ServeSettings

ELEMENTS = "/elements/"


def element_url(settings: ServeSettings, citation: str) -> str:
    """The page of a cited place, `https://host/elements/tenant%2F…`; the citation itself if there is no page.

    Never empty: clients of the deep-research pair drop a result without a URL. The path after `/elements/`, decoded
    once, is the citation without its scheme.
    """
    if not settings.public_url:
        return citation
    return settings.public_url.rstrip("/") + ELEMENTS + quote(citation.removeprefix("pincite:"), safe="")
