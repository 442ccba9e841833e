"""How English defines: “X” means …, X refers to …, (the “X”), by “X” we mean …"""

from __future__ import annotations

import re

from pincite.kinds.documents.definitions.forms import QUOTED, Forms, pattern

_ADVERB = r"(?: (?:here|also|hereby|further|in this \w+))?"
_ASIDE = r"(?:\s*\([^()\n]{1,60}\)|,[^,;.\n]{1,60},)?"
_STRONG = (
    r"(?:(?:shall|will) )?(?:means?|refers?(?:,? collectively,?)? to|(?:is|are) defined as(?! follows)"
    r"|(?:has|have) the (?:same )?meanings?|denotes?|stands? for)(?!\w)(?!\s*\?)"
)

_COPULA = pattern(
    r"(?:The |An? )?(?P<term>[^\W\d_][\w’'-]*(?: [\w’'-]+){0,5}?) (?:is|are|includes?) (?:an?|any|the|every|all)\b"
)

FORMS = Forms(
    marked=pattern(rf"{_ASIDE}{_ADVERB}\s*:?,?\s*{_STRONG}"),
    marked_opening=pattern(r" (?:is|are) (?:an?|any|the(?! (?:default|only|same|first|last))|each|every|all|those)\b"),
    marked_listed=pattern(r"(?: also)? (?:is|are|includes?|represents?|comprises?|covers?)\b"),
    openings=(
        pattern(rf"(?:\w+ ){{0,12}}?[Bb]y (?P<term>{QUOTED}),? we (?:also )?means?\b"),
        pattern(rf"[^\n]*?\breferred to (?:\w+ ){{0,3}}as (?:the |an? )?(?P<term>{QUOTED})"),
    ),
    plain=pattern(
        r"(?P<article>(?:The|An?) )?(?P<term>[^\W\d_][\w’'&/-]*(?: [^\W\d_][\w’'&/-]*){0,4}?)"
        rf" (?P<verb>(?!refer to\b|(?:shall )?have\b){_STRONG})(?! (?:that|neither|not|nothing|more)\b)"
    ),
    titled=_COPULA,
    copula=_COPULA,
    introduction=pattern(
        r"(?:(?:For the purposes? of|In|Under|Throughout|As used in|Within|When used in)\b[^.;:]{1,160}?[,—–-]\s*)?"
        r"(?i:(?:the|an?|each) )?(?i:(?:terms?|words?|expressions?|phrase) )?"
    ),
    lead_in=pattern(
        r"(?i:(?:following (?:terms|words|expressions|definitions|meanings)|definitions apply"
        r"|meanings? (?:set (?:forth|out)"
        r"|given) below)[^.\n]{0,80}[:—–-]\Z|(?:have|has) the following meanings?[^.\n]{0,40}[:.—–-]?\Z"
        r"|^\W*in this (?:act|agreement|contract|policy|regulation|document|part|section|chapter|clause)"
        r"(?:, unless [^:\n]{1,60})?[:—–-]\Z)"
    ),
    exception=pattern(
        r"(?i:\b(?:(?:do|does|shall|will) not include|not including|exclud(?:es?|ing)|except(?:ion)?s?|other than"
        r"|(?:also )?includes?)\b)"
    ),
    glossary=pattern(
        r"(?i:(?:key |list of |glossary of )?(?:definitions?|glossary|defined terms|terminology|interpretation"
        r"|key terms|terms and definitions|terms used(?: in [\w ]+)?|abbreviations|acronyms)"
        r"(?: (?:and|&) (?:interpretation|definitions|abbreviations|acronyms|construction|terms)| of terms)?)"
    ),
    among=pattern(r"(?i:\b(?:definitions|glossary|defined terms)\b)"),
    part=pattern(r"(?i:\bthis (?:part|chapter|division|subdivision|title|schedule)\b)"),
    section=pattern(r"(?i:\bthis (?:section|clause|article|paragraph|subsection|rule)\b)"),
    articles=re.compile(r"(?:the|an?)\s+", re.IGNORECASE),
    labels=frozenset(
        (
            *("note", "notes", "nb", "warning", "caution", "danger", "important", "tip", "tips", "hint", "remember"),
            *("example", "examples", "for example", "for instance", "result", "results", "summary", "in short"),
            *("short version", "see", "see also", "source", "sources", "question", "answer", "q", "a", "info", "tools"),
            *(
                "step",
                "steps",
                "prerequisites",
                "contact",
                "owner",
                "version",
                "date",
                "effective date",
                "last updated",
            ),
        )
    ),
    triggers=pattern(r"(?i:\b(?:mean|means|refers?|referred|defined|meanings?|denotes?|stands? for)\b)|[\"“„«(*_]"),
)
