"""What the index of a library does not promise (`queries.IndexFeatures`), and what becomes of a question that needs it.

    replay            no token (`replay.py`)
    score_isolation   a note
    phrases           an error; `verify` looks for the words of a quote one by one, and says so where it finds nothing
    prefixes          an error
    scoring           a note where the settings ask for more than boosts
    stand_ins         no related words: that leg says why (`related.py`); no words of a glossary: a note
    fields            words in a field of a kind count as content: a note where a query names such a field
    condenses         all words of a long query are searched: a note
    explains          no words in explanations: a note
    ever              `verify` does not look among earlier versions, and says so where it finds nothing
    among             one passage of each element: a note
    dense             no dense leg: it says why (`legs.py`)
    exact_scan        an error where a full scan is asked for

An error where the answer would be to another question, a note where it is less than it could be. Nothing is passed over
in silence, and no engine is asked what it does not declare.
"""

from __future__ import annotations

from dataclasses import replace

from pincite.advice import either
from pincite.errors import InvalidArgument
from pincite.fields import STRUCTURAL
from pincite.queries import All, IndexFeatures, Maybe, Node, Not, Phrase, Prefix, Scoring, Some
from pincite.search.query import Query, Reader
from pincite.search.understand import Plan, condensed_note

NOT_ISOLATED = (
    "scores and their order are computed over all that the index holds, including what you may not read;"
    " index: segments counts only what you may"
)
NO_MEANING = "the index of this library has no vectors"
NO_STAND_INS = "the index of this library cannot search for words that stand in for others"
NO_FIELDS = "the index of this library keeps words of other fields than its own with the text: they are searched there"
ONE_PASSAGE = "one passage of each element is shown: the index of this library cannot be asked for the others"
UNEXPLAINED = "the index of this library does not say which words matched"
OWN_SCORING = "of the settings under keyword: only boosts count with the index of this library"
ALL_WORDS = "the index of this library does not look for the rarest words of a long query: all of them are searched"


def within(plan: Plan, query: Query, features: IndexFeatures) -> Plan:
    """The plan without what the index cannot do; `InvalidArgument` where it would be another question then."""
    nodes = list(_nodes(plan.words))
    phrase = next((node for node in nodes if isinstance(node, Phrase)), None)
    if phrase and not features.phrases:
        way_out = "use another mode" if query.mode == "exact" else "leave the quotation marks out"
        raise _refused(f"words side by side ({phrase.text!r})", way_out, "query")
    prefix = next((node for node in nodes if isinstance(node, Prefix)), None)
    if prefix and not features.prefixes:
        raise _refused(f"beginnings of words ({prefix.text + '*'!r})", "write the word out", "query")
    if query.exact and not features.exact_scan:
        raise _refused("all vectors one by one", either("leave --exact out", "leave exact out"), "exact")
    if plan.expansions and not features.stand_ins:
        plan = replace(plan, expansions={}, notes=(*plan.notes, NO_STAND_INS))
    own = next((node for node in nodes if getattr(node, "field", "") not in ("", *STRUCTURAL)), None)
    if own is not None and not features.fields:
        plan = replace(plan, notes=(*plan.notes, NO_FIELDS))
    if plan.max_words is None or features.condenses:
        return plan
    kept = [note for note in plan.notes if note != condensed_note(plan.text)]
    return replace(plan, max_words=None, notes=(*kept, ALL_WORDS))


def _refused(what: str, way_out: str, field: str) -> InvalidArgument:
    return InvalidArgument(
        f"the index of this library cannot search {what}; {way_out}, or choose index: segments", field=field
    )


def _nodes(node: Node) -> list[Node]:
    """A tree of words, flat."""
    if isinstance(node, All | Some):
        return [node, *(inner for part in node.parts for inner in _nodes(part))]
    return [node, *_nodes(node.part)] if isinstance(node, Maybe | Not) else [node]


def promise_notes(reader: Reader, query: Query) -> list[str]:
    """What an answer says of the index that it was computed from."""
    features, plain = reader.index.features, Scoring()
    asks_more = replace(reader.scoring, boosts=plain.boosts) != plain
    return [
        note
        for note, is_due in (
            (NOT_ISOLATED, not features.score_isolation),
            (OWN_SCORING, asks_more and not features.scoring),
            (UNEXPLAINED, query.explain and not features.explains),
            (ONE_PASSAGE, query.group == "element" and query.passages > 1 and not features.among),
        )
        if is_due
    ]


def verify_limits(features: IndexFeatures) -> str:
    """What keeps a quote from being found that stands, or stood, in the library; "" where nothing does."""
    missing = [
        what
        for what, is_there in (("for words side by side", features.phrases), ("among earlier versions", features.ever))
        if not is_there
    ]
    return f"; the index of this library cannot look {' or '.join(missing)}" if missing else ""
