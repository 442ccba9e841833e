"""How French defines: « X » désigne …, on entend par X …, par X, on entend …, est réputé X …"""

from __future__ import annotations

import re

from pincite.kinds.documents.definitions.forms import Forms, pattern

_WHOLE = "".join(
    rf"(?<!\s{word})"
    for word in ("de", "à", "au", "sur", "par", "pour", "dans", "avec", "en", "et", "ou", "selon", "sens")
)
"""What cannot be the last word of a term: the article behind it belongs to the term, too."""
_DETERMINER = r"une?|les?|la|toute?s?|tous|ce|celui|celles?|ceux|quiconque"
_BEFORE_NOUN = rf"{_WHOLE}(?<!ant)(?=,? (?:{_DETERMINER})(?!\w)|,? l['’])"
_ENDS_TERM = rf"{_WHOLE}(?=,? (?:{_DETERMINER}|des|du)(?!\w)|,? l['’])"
_HERE = r"(?:(?:[Aa]u sens|[Aa]ux fins|[Dd]ans|[Ee]n vertu) [^.;:\n]{1,80}?, )"

_COPULA = pattern(
    r"(?:L['’]|Les? |La |Une? )?(?P<term>[^\W\d_][\w’'-]*(?: [\w’'-]+){0,5}?) (?:est"
    r"|sont) (?:une?|les?|la|l['’]|toute?s?|tous)"
)

FORMS = Forms(
    marked=pattern(
        r"(?:\s*\([^()\n]{1,60}\))?,? (?:désigne(?:nt)?|signifie(?:nt)?|s['’]entend(?:ent)? (?:de"
        r"|d['’]|du|des|comme|par)"
        r"|(?:est|sont) définie?s? comme)(?!\w)(?! que\b)(?! qu['’])"
    ),
    marked_opening=pattern(r" (?:est|sont) (?:une?|les?|la(?! valeur)|l['’]|toute?s?|tous|des)\b"),
    marked_listed=pattern(r" (?:est|sont|comprend|comprennent|inclut|incluent|englobe)\b"),
    openings=(
        pattern(rf"(?:{_HERE})?[Oo]n entend par (?P<term>[^.;:\n]{{2,90}}?){_ENDS_TERM}"),
        pattern(rf"(?:{_HERE})?[Pp]ar (?P<term>[^.;:,\n]{{2,90}}), (?:on|il faut|il y a lieu d['’]) ?enten(?:d|dre)\b"),
        pattern(
            rf"(?:{_HERE})?(?:[Ee]st|[Ss]ont) (?:réputée?s?|considérée?s? comme) "
            rf"(?P<term>[^.;:\n]{{2,90}}?){_BEFORE_NOUN}"
        ),
    ),
    plain=None,
    titled=_COPULA,
    copula=_COPULA,
    introduction=pattern(
        rf"{_HERE}?(?:(?:[Ll]es?|[Ll]a|[Uu]ne?) |[Ll]['’])?(?:(?:termes?|mots?|expressions?|notion) )?"
    ),
    lead_in=pattern(
        r"(?i:\bon entend par\s*:\Z|\b(?:sont|est) réputée?s?\s*:\Z|(?:définitions"
        r"|termes|expressions) (?:suivant\w*|ci-après)[^.\n]{0,80}:\Z"
        r"|\bil faut entendre par\s*:\Z)"
    ),
    exception=pattern(
        r"(?i:\b(?:à l['’]exception|à l['’]exclusion|sauf|hormis|sans les?|(?:est"
        r"|sont) exclu\w*|ne (?:comprend|comprennent|vise)"
        r"|assimilée?s?|y compris)\b)"
    ),
    glossary=pattern(
        r"(?i:(?:définitions?|glossaire|terminologie|notions?|abréviations?|lexique|termes définis)"
        r"(?: et (?:abréviations|définitions|interprétation))?)"
    ),
    among=pattern(r"(?i:\b(?:définitions|glossaire|terminologie)\b)"),
    part=pattern(
        r"(?i:\b(?:du|le|de la|la|au) présente? (?:chapitre|titre|partie|livre|section)\b"
        r"|\bce(?:tte)? (?:chapitre|titre|partie|section)\b)"
    ),
    section=pattern(
        r"(?i:\b(?:du|le|de la|la|au) présente? (?:article|alinéa|paragraphe|disposition"
        r"|clause)\b|\bcet(?:te)? (?:article|clause)\b)"
    ),
    articles=re.compile(r"(?:les?\s+|la\s+|l['’]|une?\s+|des\s+)", re.IGNORECASE),
    labels=frozenset(
        (
            *("note", "notes", "nb", "remarque", "remarques", "attention", "avertissement", "important", "exemple"),
            *("exemples", "conseil", "résultat", "voir", "voir aussi", "source", "question", "réponse", "version"),
            *("contact", "résumé"),
        )
    ),
    triggers=pattern(
        r"(?i:\b(?:désigne|désignent|signifie|signifient|entend|entendent|entendre"
        r"|réputé|considéré|défini|est|sont))|[\"“„«*_]"
    ),
)
