"""Expansions: words of a kind's glossary stand in for words of the query; they count less, and the answer says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pincite.queries import All, Maybe, Node, Not, Phrase, Prefix, Some, Word
from pincite.search.understand import Plan
from pincite.text.words import tokens

WEIGHT = 0.6
"""Share of its worth that a stand-in counts: less than the word that was typed, and more than a chance match."""
MOST = 24
"""Stand-ins of one query; a glossary must not drown it."""


def with_stand_ins(plan: Plan) -> Plan:
    """The plan with stand-ins beside its words: never demanded where it demands something, else some of many.

    They do not count among the words that make a full score.
    """
    tree = plan.words
    typed = [leaf for leaf in _positive(tree) if not (isinstance(leaf, Word) and leaf.stop)]
    known = {token.casefold() for leaf in typed for token in tokens(leaf.text)}
    stand_ins: dict[str, None] = {}
    notes = []
    for word, others in plan.expansions.items():
        said = [other for other in others if not {t.casefold() for t in tokens(other)} <= known]
        fresh = [token for other in said for token in tokens(other) if token.casefold() not in known]
        if fresh and len(stand_ins) + len(fresh) <= MOST:
            stand_ins |= dict.fromkeys(fresh)
            notes.append(f"{word!r} is also searched as {', '.join(map(repr, said))}")
    if not stand_ins or not typed:
        return plan
    beside = Some(tuple(Word(text, weight=WEIGHT) for text in stand_ins))
    demands = isinstance(tree, All | Not | Phrase)
    whole = All((tree, Maybe(beside))) if demands else Some((tree, *beside.parts))
    return replace(plan, words=whole, expected=len(typed), notes=(*plan.notes, *notes))


def _positive(node: Node) -> Iterator[Word | Phrase | Prefix]:
    """What is looked for, also where it is not demanded; nothing that is forbidden."""
    if isinstance(node, Word | Phrase | Prefix):
        yield node
    elif isinstance(node, Maybe):
        yield from _positive(node.part)
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from _positive(part)
