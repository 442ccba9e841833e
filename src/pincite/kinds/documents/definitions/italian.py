"""How Italian defines: «X» indica …, per X si intende …, si intendono per X …, è considerato X …"""

from __future__ import annotations

import re

from pincite.kinds.documents.definitions.forms import Forms, pattern

_WHOLE = "".join(
    rf"(?<!\s{word})" for word in ("di", "a", "da", "in", "con", "su", "per", "tra", "fra", "e", "o", "secondo")
)
"""What cannot be the last word of a term: the article behind it belongs to the term, too."""
_DETERMINER = (
    r"il|lo|la|i|gli|le|un|uno|una|chi|chiunque|ogni|qualsiasi|qualunque|tutt[ie]|ciò|quell[aoie]|colui|coloro"
)
_ENDS_TERM = rf"{_WHOLE}(?=,? (?:{_DETERMINER})(?!\w)|,? (?:l|un|tutt|quell)['’])"
_HERE = r"(?:(?:[Aa]i sensi|[Aa]i fini|[Aa]gli effetti|[Nn]ell[ao]?|[Nn]el) [^.;:\n]{1,80}?,? )"
_MEANT = r"(?:si intend(?:e|ono)|s['’]intend(?:e|ono))"

_COPULA = pattern(
    r"(?:Il |Lo |La |I |Gli |Le |L['’]|Un[oa]? )?(?P<term>[^\W\d_][\w’'-]*(?: [\w’'-]+){0,5}?)"
    r" (?:è|sono) (?:il|lo|la|i|gli|le|un[oa]?|ogni|tutt[ie]|chi)\b"
)

FORMS = Forms(
    marked=pattern(
        r"(?:\s*\([^()\n]{1,60}\))?,? (?:indica(?:no)?|significa(?:no)?|designa(?:no)?"
        rf"|{_MEANT}|(?:è|sono) definit[oaie] come)(?!\w)(?! che\b)"
    ),
    marked_opening=pattern(r" (?:è|sono) (?:il|lo|la|i|gli|le|l['’]|un[oa]?|ogni|tutt[ie])\b"),
    marked_listed=pattern(r" (?:è|sono|comprende|comprendono|include|includono)\b"),
    openings=(
        pattern(rf"(?:{_HERE})?[Pp]er (?P<term>[^.;:,\n]{{2,90}}?),? {_MEANT}\b"),
        pattern(rf"(?:{_HERE})?(?:[Ss]i|[Ss]['’])\s*intend(?:e|ono) per (?P<term>[^.;:\n]{{2,90}}?){_ENDS_TERM}"),
        pattern(
            rf"(?:{_HERE})?(?:[ÈE]['’]?|è|[Ss]ono) (?:considerat[oaie]|reputat[oaie]) "
            rf"(?P<term>(?!\w+ se )[^.;:,\n]{{2,60}}?){_ENDS_TERM}"
        ),
    ),
    plain=None,
    titled=_COPULA,
    copula=_COPULA,
    introduction=pattern(
        rf"{_HERE}?(?:(?:[Ii]l|[Ll]o|[Ll]a|[Ii]|[Gg]li|[Ll]e|[Uu]n[oa]?) |[Ll]['’])?(?:(?:termin[ei]"
        rf"|parol[ae]|espression[ei]) )?"
    ),
    lead_in=pattern(
        rf"(?i:\b{_MEANT} per\s*:\Z|\bper [^.\n]{{0,40}}{_MEANT}\s*:\Z|\bsono considerat[ei]\s*:\Z"
        r"|(?:definizioni|termini|espressioni) (?:seguenti|che seguono)[^.\n]{0,80}:\Z"
        r"|\bseguenti (?:definizioni|termini)[^.\n]{0,80}:\Z)"
    ),
    exception=pattern(
        r"(?i:\b(?:ad eccezione|ad esclusione|esclus[oaie]|salvo|tranne|eccetto|non (?:comprende"
        r"|comprendono|include|sono considerat\w+)"
        r"|parificat[oaie]|equiparat[oaie])\b)"
    ),
    glossary=pattern(
        r"(?i:(?:definizion[ei]|glossario|terminologia|nozion[ei]|abbreviazioni|termini definiti)"
        r"(?: e (?:abbreviazioni|definizioni|interpretazione))?)"
    ),
    among=pattern(r"(?i:\b(?:definizioni|glossario|terminologia)\b)"),
    part=pattern(
        r"(?i:\bpresente (?:capitolo|titolo|parte|libro|sezione)\b|\bquest[oa] (?:capitolo|titolo|parte|sezione)\b)"
    ),
    section=pattern(
        r"(?i:\bpresente (?:articolo|capoverso|comma|paragrafo|disposizione|clausola)\b|\bquest['’]articolo\b)"
    ),
    articles=re.compile(r"(?:il\s+|lo\s+|la\s+|i\s+|gli\s+|le\s+|l['’]|un[oa]?\s+|un['’])", re.IGNORECASE),
    labels=frozenset(
        (
            *("nota", "note", "nb", "attenzione", "avvertenza", "importante", "esempio", "esempi", "osservazione"),
            *("consiglio", "risultato", "vedi", "vedi anche", "fonte", "domanda", "risposta", "versione", "contatto"),
            *("riassunto",),
        )
    ),
    triggers=pattern(
        r"(?i:\b(?:indica|indicano|significa|significano|designa|designano|intende"
        r"|intendono|considerat|reputat|è|sono))|[\"“„«*_]|[sS]['’]intend"
    ),
)
