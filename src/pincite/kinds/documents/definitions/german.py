"""How German defines: Als X gilt …, „X“ bedeutet …, Unter X ist … zu verstehen, Im Sinne dieses Gesetzes ist X …"""

from __future__ import annotations

import re

from pincite.kinds.documents.definitions.forms import Forms, pattern

_TERM = r"(?P<term>(?!solche|folgend)[^.;:!?\n]{2,90}?)"
_DETERMINER = (
    r"(?:der|die|das|ein|eine|jede|jeder|jedes|alle|diejenigen?|derjenige|dasjenige|wer|natürliche|juristische)"
)
_WORK = (
    r"(?:Gesetz|Verordnung|Kapitel|Titel|Artikel|Abschnitt|Unterabschnitt|Abs[aä]tz|Vertrag|Bestimmung|Erlass|Reglement"
    r"|Richtlinie|Teil|Buch|Paragra|Vereinbarung|Statut|Ordnung|Weisung|Konvention|Übereinkommen)\w*"
)
_HERE = rf"(?:(?:[Ii]m Sinne|[Ii]n|[Nn]ach|[Ff]ür die Zwecke) dies(?:es|er|em|en) {_WORK},? )"

FORMS = Forms(
    marked=pattern(
        r"(?:\s*\([^()\n]{1,60}\))?(?: im Sinne [^.;:\n]{1,60}?)?"
        r" (?:bedeute[nt]|bezeichne[nt]|meint|steht für|stehen für|ist definiert als"
        r"|sind definiert als)(?!\w)(?!,? dass)(?!\s*\?)"
    ),
    marked_opening=pattern(r"(?: im Sinne [^.;:\n]{1,60}?)? (?:ist|sind) (?:jede[rs]?|die|der|das|eine?|alle)\b"),
    marked_listed=pattern(r" (?:ist|sind|umfass(?:t|en)|gilt|gelten)\b"),
    openings=(
        pattern(rf"Als {_TERM}(?:\s*\[\^\w+\])? (?:im Sinne [^.;:\n]{{1,60}}? )?(?:gilt|gelten)(?!\w)(?! wollen)"),
        pattern(
            rf"Unter (?:dem Begriff |der Bezeichnung )?{_TERM} (?:ist|sind|wird|werden) [^.;]{{1,400}}verst(?:ehen"
            rf"|anden)"
        ),
        pattern(rf"Unter (?:dem Begriff |der Bezeichnung )?{_TERM} versteht man\b"),
        pattern(
            rf"{_HERE}(?:ist|sind|bedeute[nt]|bezeichne[nt]|gilt als|gelten als) "
            rf"(?P<term>[\"“„«*_]*[^\s.;:,]+(?: [^\s.;:,]+){{0,4}}?),? {_DETERMINER}\b"
        ),
    ),
    plain=None,
    titled=pattern(
        r"(?!(?:Der|Das|Eine?) [^.;:]{1,80}? (?:sind|umfassen)\b)"
        r"(?:Eine? |Der |Die |Das )?(?P<term>[^\W\d_][\w-]*(?: [\w-]+){0,5}?)"
        r" (?:(?:ist|sind),? (?:jede[rs]?|der|die|das|eine?|alle|wer|Gegenstände|Personen)\b|umfass(?:t|en)\b)"
    ),
    copula=pattern(
        r"(?!De[mnr]s? )(?:Eine? |Die |Das )?(?P<term>[A-ZÄÖÜ][\w-]*(?: [\w-]+){0,5}?)"
        r" (?:ist|sind|umfass(?:t|en))(?! (?:nicht|zu|auch|nur|verboten|erlaubt|zulässig"
        r"|nichtig|verpflichtet|befugt)\b)\b"
    ),
    introduction=pattern(
        rf"(?:{_HERE}|[Bb]ei der Anwendung [^,.;]{{1,80}}, )?(?:(?:[Dd]er|[Dd]ie"
        rf"|[Dd]as|[Ee]ine?) )?(?:(?:Begriff|Ausdruck|Bezeichnung) )?"
    ),
    lead_in=pattern(
        r"(?i:(?:\bdies(?:es|er|em|en) \w+|\bfolgend\w*|\bnachstehend\w*)[^.\n]{0,80}"
        r"\b(?:bedeute[nt]|gelten als|gilt als|bezeichne[nt]|sind|ist|versteht man unter"
        r"|verstanden|begriffe\w*|definitionen)\s*:\Z"
        r"|\bes bedeuten\s*:\Z|\bfolgende (?:begriffe|definitionen)[^.\n]{0,60}:\Z)"
    ),
    exception=pattern(
        r"(?i:\b(?:mit ausnahme|ausgenommen|ausser|außer|nicht (?:als|dazu|darunter|inbegriffen|erfasst)|gelten nicht"
        r"|gilt nicht|umfass(?:t|en)|gleichgestellt|davon ausgeschlossen)\b)"
    ),
    glossary=pattern(
        r"(?i:(?:\w+\.? (?:abschnitt|kapitel|titel|teil): )?"
        r"(?:begriffe?|begriffsbestimmungen?|begriffsdefinitionen?|definitionen?"
        r"|glossar|abkürzungen|abkürzungsverzeichnis"
        r"|begriffserklärungen?|begrifflichkeiten)(?: und (?:abkürzungen|definitionen|begriffe))?)"
    ),
    among=pattern(r"(?i:\b(?:begriffe|begriffsbestimmungen|definitionen|glossar)\b)"),
    part=pattern(
        r"(?i:\bdies(?:es|er|em|en) (?:kapitels?|titels?|teils?|teiles|abschnitts?"
        r"|abschnittes|buche?s?|unterabschnitts?)\b)"
    ),
    section=pattern(
        r"(?i:\bdies(?:es|er|em|en) (?:artikels?|paragra(?:f|ph)en|bestimmung|ziffer|klausel|absatze?s?)\b)"
    ),
    articles=re.compile(r"(?:der|die|das|den|dem|ein|eine|einen)\s+", re.IGNORECASE),
    labels=frozenset(
        (
            *(
                "hinweis",
                "hinweise",
                "achtung",
                "warnung",
                "wichtig",
                "beispiel",
                "beispiele",
                "anmerkung",
                "bemerkung",
            ),
            *("tipp", "ergebnis", "siehe", "siehe auch", "quelle", "frage", "antwort", "stand", "version", "kontakt"),
            *("zusammenfassung", "ausnahme", "ausnahmen", "merke", "fazit"),
        )
    ),
    triggers=pattern(
        r"(?i:\b(?:als|unter|bedeute[nt]|bezeichne[nt]|im sinne|ist|sind|meint|steht für"
        r"|stehen für|umfass(?:t|en))\b)|[\"“„«*_]"
    ),
)
