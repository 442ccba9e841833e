"""Named: which work a reference belongs to. "Article 5 GDPR" in a contract is not its own Article 5."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.kinds.documents.references.find import Mention
from pincite.kinds.documents.works import KINDS

_DATE = r"\d{1,2}\.\s?[A-ZÄ]\w{2,9}\s\d{4}"
_ABBREVIATION = re.compile(
    r"[\s\u00a0]*(?:,\s)?(?P<name>(?!(?:I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII)\b)"
    r"[^\W\d_]*[A-ZÄÖÜ][^\W\d_]*[A-ZÄÖÜ][^\W\d_]*(?:-[A-Z][^\W_]*)?|Cst\.|Cost\.|BauG|VwVG)(?![\w-])"
)
_GERMAN = re.compile(
    r"\s+(?:des|der|dem|vom|zum|zur|von|im|in\s+der)\s+(?P<name>(?:(?:[a-zäöü]+en|[A-ZÄÖÜ][a-zäöü]+en)\s+){0,2}"
    r"(?:Gesetzes|Verordnung|Verfassung|Reglements|Übereinkommens|Abkommens|Protokolls|Vertrags|Anhangs\s\w+"
    r"|[A-ZÄÖÜ]\w*(?:gesetzbuche?s?|gesetz(?:es)?|verordnung|verfassung|[a-z]ordnung|rechts?|abkommens?|übereinkommens?"
    r"|übereinkunft|konvention|protokolls?|richtlinie|reglements?|kodex|statuts?|vertrags?))\b"
    rf"(?:\s+vom\s+{_DATE})?)"
)
_GERMAN_WORD = re.compile(
    r"\s+(?:des|der|dem|vom|zum|zur)\s+(?P<name>(?:Gesetzes|Abkommens|[ÜU]bereinkommens|Verordnung|Konvention|Reglements?|Vertrags?)"
    rf"\s+(?:vom\s+{_DATE}|\((?:EU|EG)\)(?:\s+Nr\.)?\s[\d/]+))"
)
_ENGLISH = re.compile(
    r",?\s+(?:of|in|to|under)\s+(?:the\s+|our\s+|your\s+)?(?P<name>(?:[A-Z][\w’'.&-]*\s+(?:(?:of|and|for|on|the|to)\s+)*){0,7}"
    r"(?:Act|Code|Regulations?|Directive|Convention|Constitution|Treaty|Statute|Ordinance|Agreement|Terms(?:\sof\s[A-Z]\w+)?|Policy"
    r"|Policies|Rules|Protocol|Law|Addendum|Statement|Guidelines)(?:\s+(?:of\s+)?\d{4}(?:/\d+)?|\s+\((?:EU|EC)\)\s[\d/]+)?"
    r"|title\s+\d+|[A-Z]{3,}|U\.S\.\sCode)(?![\w-])"
)
_CAPITALISED = (
    r"(?!(?:Sections?|Articles?|Clauses?|Parts?|Paragraphs?|Schedules?|Annex|Appendix|Exhibit)\b)[A-Z][\w’'&-]*"
)
_ENGLISH_TITLE = re.compile(
    rf"\s+of\s+(?:the|our|your)\s+(?P<name>{_CAPITALISED}(?:\s+(?:(?:of|for|on|to|in)\s+(?:the\s+)?|and\s+)?{_CAPITALISED})+"
    rf"(?:\s+(?:of\s+)?\d{{4}})?|(?:{KINDS})\b)(?![\w-])"
)
"""Any title of two or more words with capitals, whatever it ends in: "section 4 of the Harbour Order"."""
_NEXT_WORK = re.compile(rf"(?<=\b)(?:{KINDS})(?<!Terms)(?P<behind>\s+and\s.*)\Z")
_STRUCTURE = re.compile(r"(?:Sections?|Articles?|Clauses?|Parts?|Chapters?|Schedules?|Annex|Appendix|Exhibit|Table)\Z")
_FRENCH = re.compile(
    r"\s+(?:de\s+la|du|de\s+l['’]|des)\s*(?P<name>(?:loi|code|ordonnance|constitution|r[eè]glement|convention|directive|trait[ée]|accord)"
    r"\b(?:\s+(?!(?:est|sont|a|ont|peut|doit|et|ou|qui|que|s['’])\b)[\w’'-]+){0,6})",
    re.IGNORECASE,
)
_ITALIAN = re.compile(
    r"\s+(?:della|del|dell['’]|dello)\s*(?P<name>(?:legge|codice|ordinanza|costituzione|regolamento|convenzione|direttiva|trattato"
    r"|accordo)\b(?:\s+(?!(?:è|sono|ha|hanno|può|deve|e|o|che|si)\b)[\w’'-]+){0,6})",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?P<name>\d{1,3}\sU\.?\s?S\.?\s?C(?:ode|\.)?(?:A\.)?|\d{1,3}\sC\.?F\.?R\.?|(?:[A-Z][\w’'.]+\s+(?:and\s+|of\s+)?){1,5}(?:Code|Act|Regulation|Law)"
    r"|Title\s+\d+(?:\sU\.S\.C\.)?|GDPR|DSGVO|RFC\s?\d{3,5}|ISO(?:/IEC)?\s[\d-]+)(?:\s*\([A-Z]+\))?,?\s*(?:at\s|in\s|under\s)?\Z"
)
_OWN = re.compile(
    r"(?:dies(?:es|er|em|en)|vorliegende[rsnm]?|the\s+present|this|these|pr[ée]sente?s?|ce(?:tte)?|presente|quest[oa])\b",
    re.IGNORECASE,
)
_OWN_BEHIND = re.compile(
    r"\s+(?:of|des|der|in|de|du|della?)\s+(?:la\s+|le\s+|l['’])?(?:this|these|dies(?:es|er|em)|vorliegende[rsn]|(?:la\s+)?pr[ée]sente?|presente)\b",
    re.IGNORECASE,
)
_CASES = re.compile(
    r"(?<=buch)e?s\Z|(?<=gesetz)es\Z|(?<=recht)s\Z|(?<=ommen)s\Z|(?<=vertrag)s\Z|(?<=reglement)s\Z|(?<=protokoll)s\Z"
)
_NO_WORK = frozenset(
    {"UND", "ODER", "AND", "OR THE", "NOT", "SHALL", "AS", "EUR", "CHF", "USD", "EU", "US", "USA", "GitHub", "PDF"}
)


@dataclass(frozen=True, slots=True)
class Work:
    """A work that is named beside a reference."""

    name: str
    end: int
    """Where the name ends, so that the mention covers it."""
    start: int = -1
    """Where it begins, if it stands before the reference."""


def work_of(text: str, mention: Mention) -> Work | None:
    """The other work that is named right beside the mention; None where it belongs to the document itself."""
    if _OWN_BEHIND.match(text, mention.end):
        return None
    titled = _titled(text, mention)
    for pattern in (_ABBREVIATION, _GERMAN, _GERMAN_WORD, _ENGLISH, _FRENCH, _ITALIAN):
        match = pattern.match(text, mention.end)
        if match and not _OWN.match(match["name"]) and match["name"] not in _NO_WORK:
            if pattern is _ABBREVIATION and _shouts(text, match):
                continue
            if titled and titled.end > match.end():
                break
            return _in_short(text, match) or Work(_base_form(match["name"]), match.end())
    if titled:
        return titled
    before = _BEFORE.search(text, max(0, mention.start - 80), mention.start)
    if before and not _OWN.match(before["name"]):
        return Work(" ".join(before["name"].split()), mention.end, start=before.start("name"))
    return None


def _titled(text: str, mention: Mention) -> Work | None:
    """The title that follows, up to where another work is named; a schedule is a part of the document itself."""
    match = _ENGLISH_TITLE.match(text, mention.end)
    if match is None:
        return None
    name = match["name"]
    if following := _NEXT_WORK.search(name):
        name = name[: following.start("behind")]
    if _STRUCTURE.search(name):
        return None
    return Work(" ".join(name.split()), match.start("name") + len(name))


_IN_SHORT = re.compile(
    r"(?:\s+(?:über|betreffend|zum|zur|zu|für|on|sur|su)\s[^.;:()\n]{3,90}?)?\s*\((?P<name>[A-ZÄÖÜ][\w-]{1,11})\)"
)


def _in_short(text: str, match: re.Match[str]) -> Work | None:
    """The abbreviation that follows a name in brackets: "des Fusionsgesetzes vom 3. Oktober 2003 (FusG)"."""
    short = _IN_SHORT.match(text, match.end())
    if short and sum(char.isupper() for char in short["name"]) >= 2:
        return Work(short["name"], short.end())
    return None


def _shouts(text: str, match: re.Match[str]) -> bool:
    """Whether the words around are all in capitals, so that one in capitals says nothing."""
    around = [word for word in text[match.end() : match.end() + 30].split()[:2] if word.isalpha() and len(word) > 2]
    return bool(around) and all(word.isupper() for word in around)


def _base_form(name: str) -> str:
    """German genitives as a title would say them: "des Strafgesetzbuchs" is the Strafgesetzbuch."""
    head, _, rest = name.partition(" vom ")
    words = head.split()
    words[-1] = _CASES.sub("", words[-1])
    base = " ".join(words)
    return f"{base} vom {rest}" if rest else base
