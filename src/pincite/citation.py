"""Citations: URIs that pin repository, element, version and place.

    pincite:tenant/organization/repository/element@version#section;span=120-480

Every part is in NFC and percent-encoded except for unreserved characters (RFC 3986), so a citation survives mail,
Markdown and shells. Version, section and span are optional; without a version the citation follows the head.
A generated passage adds `;rev=N`, the revision at which it was rendered.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

from pincite.errors import InvalidArgument
from pincite.types import Scope, Span

SCHEME = "pincite:"
_URI = re.compile(
    r"pincite:(?P<tenant>[^/@#;]+)/(?P<organization>[^/@#;]+)/(?P<repository>[^/@#;]+)/(?P<element>[^/@#;]+)"
    r"(?:@(?P<version>[0-9A-Fa-f]{8,32}))?(?:#(?P<section>[^#;]+))?(?P<options>(?:;[a-z]+=[0-9-]+)*)"
)


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in the library. Parsing its text gives it back: `Citation.parse(str(c)) == c`."""

    scope: Scope
    element_id: str
    version_id: str = ""
    section_id: str = ""
    span: Span | None = None
    revision: int | None = None

    def __str__(self) -> str:
        scope = self.scope
        parts = "/".join(map(_encode, (scope.tenant, scope.organization, scope.repository, self.element_id)))
        uri = SCHEME + parts
        if self.version_id:
            uri += f"@{self.version_id}"
        if self.section_id:
            uri += f"#{_encode(self.section_id)}"
        if self.revision is not None:
            uri += f";rev={self.revision}"
        if self.span is not None:
            uri += f";span={self.span.start}-{self.span.end}"
        return uri

    @classmethod
    def parse(cls, uri: str) -> Citation:
        """The citation a URI stands for; otherwise `InvalidArgument`, which shows what a citation looks like."""
        match = _URI.fullmatch(uri.strip())
        if match is None:
            raise InvalidArgument(
                f"{uri!r} is not a citation; use the form"
                " pincite:tenant/organization/repository/element@version#section",
                field="citation",
            )
        pairs = [option.split("=", 1) for option in match["options"].split(";") if option]
        options = dict(pairs)
        unknown = sorted(options.keys() - {"span", "rev"})
        if unknown:
            raise InvalidArgument(
                f"{uri!r}: unknown option {unknown[0]!r} in the citation; known: span, rev", field="citation"
            )
        if len(options) < len(pairs):
            raise InvalidArgument(f"{uri!r}: the citation repeats an option; remove one of them", field="citation")
        return cls(
            scope=Scope(_decode(match["tenant"]), _decode(match["organization"]), _decode(match["repository"])),
            element_id=_decode(match["element"]),
            version_id=(match["version"] or "").lower(),
            section_id=_decode(match["section"] or ""),
            span=_span(options["span"], uri) if "span" in options else None,
            revision=_revision(options["rev"], uri) if "rev" in options else None,
        )


def _span(text: str, uri: str) -> Span:
    match = re.fullmatch(r"(\d{1,12})-(\d{1,12})", text)
    if match is None or int(match[1]) > int(match[2]):
        raise InvalidArgument(f"{uri!r}: {text!r} is not a span; use the form span=120-480", field="citation")
    return Span(int(match[1]), int(match[2]))


def _revision(text: str, uri: str) -> int:
    if not re.fullmatch(r"\d{1,18}", text):
        raise InvalidArgument(f"{uri!r}: {text!r} is not a revision; use the form rev=12", field="citation")
    return int(text)


@lru_cache(maxsize=4_096)
def _encode(part: str) -> str:
    try:
        return quote(unicodedata.normalize("NFC", part), safe="")
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"{part!a} contains a lone surrogate and cannot be cited", field="citation") from error


def _decode(part: str) -> str:
    try:
        return unicodedata.normalize("NFC", unquote_to_bytes(part).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{part!r} is not percent-encoded UTF-8", field="citation") from error
