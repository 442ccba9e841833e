"""Works: the short names by which a document is cited ("OR", "GDPR"), as its front matter or its title gives them."""

from __future__ import annotations

import re

from pincite.types import Content, JsonValue

_KEYS = re.compile(r"(?:short_title|short_name|abbr|abbreviation|acronym|alias|aliases)(?:_[a-z]{2})?\Z")
_IN_TITLE = re.compile(r"\(([^\W\d_][\w.&/-]{1,11})\)\s*\Z")
MAX_WORDS = 8


def short_names(content: Content) -> tuple[str, ...]:
    """What the work is called for short: stated in the metadata, or in brackets at the end of its title."""
    names = [name for key, value in content.metadata.items() if _KEYS.match(key) for name in _texts(value)]
    behind = _IN_TITLE.search(content.name)
    if behind and sum(char.isupper() for char in behind[1]) >= 2:
        names.append(behind[1])
    return tuple(dict.fromkeys(name for name in names if 0 < len(name.split()) <= MAX_WORDS))


def _texts(value: JsonValue) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [" ".join(item.split()) for item in values if isinstance(item, str) and item.strip()]


_GERMAN_NOUN = re.compile(
    r"\A(?:(?:Schweizerische|Eidgenössische)[srn]?\s+)?(?P<noun>[A-ZÄÖÜ]\w*(?:gesetzbuch|verfassung|ordnung))\b"
)
_BEHIND_COLON = re.compile(r":\s*(?P<noun>[A-ZÄÖÜ]\w*recht)\)\s*\Z")
_DATED = re.compile(r"\A(?P<head>[A-ZÄÖÜ]\w+ vom \d{1,2}\. [A-ZÄ]\w+ \d{4})\b")


_YEAR = re.compile(r",?\s+(?:of\s+)?(?:1[5-9]|20)\d\d\Z")
_BESIDE = re.compile(r"\s*[,:(–—]|\s-\s")
KINDS = (
    r"Act|Agreement|Addendum|Bill|By-?laws?|Charter|Code|Constitution|Contract|Convention|Declaration|Decree|Deed|Directive"
    r"|Guide|Guidelines?|Handbook|Instrument|Law|Lease|Licen[cs]e|Manual|Memorandum|Order|Ordinance|Polic(?:y|ies)|Protocol"
    r"|Regulations?|Resolution|Rules|Scheme|Specification|Standard|Statement|Statute|Terms|Treaty"
)
"""Words that say what a work is. Alone, "the Act" is the work in hand if that is an act, else another one."""
_KIND = re.compile(rf"\b(?:{KINDS})\b")


def kind(name: str) -> str:
    """The last word of a title that says what the work is: the Harbour Act Regulations are regulations; "" if none."""
    found: list[str] = _KIND.findall(name)
    return re.sub(r"ies\Z", "y", found[-1].casefold()).removesuffix("s") if found else ""


def head_of(title: str) -> str:
    """The title without its year, and without what stands beside it: "Employee Handbook, Part 4: Leave"."""
    return _YEAR.sub("", _BESIDE.split(title, maxsplit=1)[0].strip())


def long_names(content: Content) -> tuple[str, ...]:
    """How others spell the work out: its title, also without the year; its noun; kind and date of a German one."""
    title = _IN_TITLE.sub("", content.name).strip()
    found = [title, _YEAR.sub("", title)]
    for pattern, group in ((_GERMAN_NOUN, "noun"), (_BEHIND_COLON, "noun"), (_DATED, "head")):
        if match := pattern.search(title):
            found.append(match[group])
    return tuple(dict.fromkeys(name for name in found if name))
