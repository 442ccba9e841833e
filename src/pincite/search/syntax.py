"""The query language: plain words, "phrases", prefix*, AND OR NOT, + and -, field:word, parentheses.

Plain words are a question: any of them may match, more score higher. A phrase is demanded where nothing else is asked
for; among other words it weighs, together with its own words. Operators count only where they can be meant: in
capitals, between two operands, in a query that is neither all capitals nor a question. OR is also the Swiss Code of
Obligations: alone it is a word, and it stays one after a number ("Art. 41 OR"). A hyphen after "und" or a comma is
half of a compound ("Netzarchitektur und -design"). Nothing here fails: what cannot be read as syntax is read as words,
and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, zip_longest

from pincite.fields import STRUCTURAL
from pincite.queries import All, Maybe, Node, Not, Phrase, Prefix, Some, Word
from pincite.search.exclusion import exclusion_in
from pincite.search.suspended import completed_end, completed_start, is_joining

READING = 2
"""Part of replay tokens: raised when the same query is read in another way."""
_READ_DIFFERENTLY = re.compile(r"""["“„«]|(?<!\S)-\w|\w-(?!\S)""")
"""What the second reading changed, besides exclusion in words: phrases among other words, and half compounds."""
MAX_DEPTH = 20
PHRASE_WEIGHT = 0.5
"""What a phrase adds to its own words, as a share of its worth, where it stands among other words."""
COMPLETED_WEIGHT = 0.99
"""Of a compound that was completed: it was not typed, and counts only where it occurs."""

_ITEM = re.compile(
    r"""(?P<sign>(?<!\S)[+-](?=["“„«(]))|(?P<quoted>"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»)"""
    r"""|(?P<open>\()|(?P<close>\))|(?P<word>[^\s"“”„«»()]+)"""
)
_OTHER_NAMES = {"text": "content", "heading": "headings", "title": "headings", "term": "terms", "sec": "section"}
_REFERENCE = re.compile(
    r"§*\d+[a-z]{0,2}(?:bis|ter|quater)?\.?|(?:art|abs|lit|ziff|al|let|cpv|lett|bst)\.?", re.IGNORECASE
)


def is_read_alike(text: str, reading: int) -> bool:
    """Whether a query means now what it meant under an older reading."""
    return reading == READING or not (_READ_DIFFERENTLY.search(text) or exclusion_in(text))


@dataclass(frozen=True, slots=True)
class Parsed:
    tree: Node
    phrases: tuple[str, ...]
    """What stands in quotes."""
    explicit: bool
    """Whether the query uses syntax beyond plain words."""
    forbidden: tuple[str, ...]
    """What stands under a NOT: never to be looked up."""
    demanded: tuple[str, ...] = ()
    """What every passage must hold, as typed."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Item:
    kind: str
    text: str


_SIGNS = {"+": _Item("plus", "+"), "-": _Item("minus", "-")}


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields that a query can name."""

    names: Mapping[str, str]
    """As typed, in lower case → the field."""
    pattern: re.Pattern[str]

    def read(self, word: str) -> tuple[str, str] | None:
        """The field that a word is restricted to, and the rest of it."""
        match = self.pattern.fullmatch(word)
        return (self.names[match["field"].lower()], match["rest"]) if match else None


@lru_cache(maxsize=64)
def _fields(names: tuple[str, ...]) -> _Fields:
    known = {**_OTHER_NAMES, **{name: name for name in names}}
    either = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    return _Fields(known, re.compile(rf"(?P<field>{either}):(?P<rest>.*)", re.IGNORECASE | re.DOTALL))


@dataclass
class _Parser:
    items: list[_Item]
    is_stop: Callable[[str], bool]
    fields: _Fields
    at: int = 0
    depth: int = 0
    phrases: list[str] = field(default_factory=list)

    def peek(self) -> _Item | None:
        return self.items[self.at] if self.at < len(self.items) else None

    def any_of(self) -> Node:
        parts = [self.all_of()]
        while self._operator("OR"):
            parts.append(self.all_of())
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def all_of(self) -> Node:
        parts = [self.sequence()]
        while self._operator("AND"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def sequence(self) -> Node:
        """Words side by side: demanded and forbidden ones decide, the others only score."""
        demanded: list[Node] = []
        optional: list[Node] = []
        quoted: list[Phrase] = []
        while (item := self.peek()) is not None and item.kind not in ("close", "OR", "AND"):
            node, needed = self.unary()
            if item.kind == "quoted" and isinstance(node, Phrase):
                quoted.append(node)
            else:
                (demanded if needed else optional).append(node)
        if any(not (isinstance(node, Word) and node.stop) for node in optional):
            optional += [part for phrase in quoted for part in self.weighing(phrase)]
        else:
            demanded += quoted
        if not demanded:
            return optional[0] if len(optional) == 1 else Some(tuple(optional))
        if all(isinstance(node, Not) for node in demanded) and optional:
            return All((*demanded, Some(tuple(optional))))
        extra: tuple[Node, ...] = (Maybe(Some(tuple(optional))),) if optional else ()
        return demanded[0] if len(demanded) == 1 and not extra else All((*demanded, *extra))

    def weighing(self, phrase: Phrase) -> Iterator[Node]:
        """A phrase among other words: each of its words, and more where they stand side by side."""
        words = phrase.text.split()
        yield from (Word(word, phrase.field, stop=self.is_stop(word)) for word in words)
        if len(words) > 1:
            yield replace(phrase, weight=PHRASE_WEIGHT)

    def unary(self) -> tuple[Node, bool]:
        item = self.items[self.at]
        self.at += 1
        if item.kind in ("NOT", "minus"):
            forbidden = True
            while (following := self.peek()) is not None and following.kind in ("NOT", "minus"):
                self.at += 1
                forbidden = not forbidden
            inner = self.unary()[0]
            return (Not(inner) if forbidden else inner), True
        if item.kind == "plus":
            return self.unary()[0], True
        if item.kind == "open":
            inner = self.any_of()
            self.at += 1  # the closing parenthesis: balanced before parsing
            return inner, True
        if item.kind == "quoted":
            self.phrases.append(item.text)
            return Phrase(item.text), True
        if item.kind == "completed":
            return Word(item.text, weight=COMPLETED_WEIGHT), False
        return self.word(item.text)

    def word(self, text: str) -> tuple[Node, bool]:
        match = self.fields.read(text)
        name, rest = match or ("", text)
        if match and not rest:
            following = self.peek()
            if following is not None and following.kind == "quoted":
                self.at += 1
                return Phrase(following.text, name), True
            return Word(text), False
        if rest.endswith("*") and len(rest.strip("*")) >= 2:
            return Prefix(rest.rstrip("*"), name), bool(match)
        return Word(rest, name, stop=not match and self.is_stop(rest)), bool(match)

    def _operator(self, kind: str) -> bool:
        item = self.peek()
        if item is None or item.kind != kind:
            return False
        self.at += 1
        return True


def parse(text: str, is_stop: Callable[[str], bool], fields: Iterable[str] = STRUCTURAL) -> Parsed:
    """The tree of a query. `is_stop` tells function words of the query's language; `fields` can be asked by name."""
    known = _fields(tuple(sorted(fields)))
    items, notes = _lex(text)
    items, suspended = _suspended(items)
    notes = (*notes, *suspended)
    # A question is language: "What is NOT allowed?" stresses a word.
    items = _operators(items, known, plain=text.isupper() or text.rstrip().endswith(("?", "？")))
    if any(item.kind == "word" and item.text[1:] == "*" and item.text[0].isalnum() for item in items):
        notes = (*notes, "a prefix needs two characters at least; shorter ones are read as words")
    explicit = any(item.kind not in ("word", "completed") or _is_field_or_prefix(item, known) for item in items)
    if not explicit:
        items = [item if item.kind == "completed" else _Item("word", item.text) for item in items]
    parser = _Parser(items, is_stop, known)
    tree = parser.any_of()
    if parser.at < len(items):  # cannot happen while _lex balances; words are never lost
        tree = Some(tuple(Word(item.text) for item in items))
    forbidden = tuple(leaf.text for leaf in _forbidden(tree))
    phrases = tuple(phrase for phrase in parser.phrases if phrase not in forbidden)
    demanded = tuple(dict.fromkeys(_demanded(tree)))
    return Parsed(tree, phrases, explicit, tuple(dict.fromkeys(forbidden)), demanded, notes)


def _demanded(node: Node) -> Iterator[str]:
    """What holds in every way to match, as a person would write it."""
    if isinstance(node, Phrase):
        yield _written(node.field, f'"{node.text}"')
    elif isinstance(node, All):
        for part in node.parts:
            if isinstance(part, Word | Prefix):
                yield _written(part.field, f"{part.text}*" if isinstance(part, Prefix) else part.text)
            elif isinstance(part, Some):
                yield from _alternatives(part)
            else:
                yield from _demanded(part)
    elif isinstance(node, Word | Prefix) and node.field:
        yield _written(node.field, f"{node.text}*" if isinstance(node, Prefix) else node.text)


def _alternatives(node: Some) -> Iterator[str]:
    texts = [leaf.text for part in node.parts for leaf in _leaves(part) if not (isinstance(leaf, Word) and leaf.stop)]
    if texts:
        yield " or ".join(dict.fromkeys(texts))


def _leaves(node: Node) -> Iterator[Word | Phrase | Prefix]:
    if isinstance(node, Word | Phrase | Prefix):
        yield node
    elif isinstance(node, Maybe):
        yield from _leaves(node.part)
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from _leaves(part)


def _written(field: str, text: str) -> str:
    return f"{field}:{text}" if field else text


def _forbidden(node: Node, under: bool = False) -> Iterator[Word | Phrase | Prefix]:
    if isinstance(node, Word | Phrase | Prefix):
        if under:
            yield node
    elif isinstance(node, Not):
        yield from _forbidden(node.part, not under)
    elif isinstance(node, Maybe):
        yield from _forbidden(node.part, under)
    else:
        for part in node.parts:
            yield from _forbidden(part, under)


def _lex(text: str) -> tuple[list[_Item], tuple[str, ...]]:
    items: list[_Item] = []
    for match in _ITEM.finditer(text):
        if match["sign"]:
            items.append(_SIGNS[match["sign"]])
        elif match["quoted"]:
            inner = match["quoted"][1:-1].strip()
            if inner:
                items.append(_Item("quoted", inner))
            elif items and items[-1] in _SIGNS.values():
                items.pop()
        elif match["open"]:
            items.append(_Item("open", "("))
        elif match["close"]:
            items.append(_Item("close", ")"))
        else:
            items.extend(_signed(match["word"]))
    return _balanced(items)


def _signed(word: str) -> list[_Item]:
    """`+word` demands, `-word` forbids; a dash before a number may be just a dash, a plus is always meant."""
    if len(word) > 1 and (
        (word[0] == "+" and word[1].isalnum()) or (word[0] == "-" and word[1].isalpha() and len(word) > 2)
    ):
        return [_SIGNS[word[0]], _Item("word", word[1:])]
    return [_Item("word", word)]


def _balanced(items: list[_Item]) -> tuple[list[_Item], tuple[str, ...]]:
    """Parentheses that do not match, are empty, nest too deep, or hold an aside are dropped; their words stay."""
    stack: list[int] = []
    drop: set[int] = set()
    operators = list(accumulate((_is_operator(item) for item in items), initial=0))
    for number, item in enumerate(items):
        if item.kind == "open":
            stack.append(number)
            if len(stack) > MAX_DEPTH:
                drop.add(number)
        elif item.kind == "close":
            if not stack:
                drop.add(number)
                continue
            start = stack.pop()
            has_operator = operators[number] > operators[start]
            around = [items[i] for i in (start - 1, number + 1) if 0 <= i < len(items)]
            joined = any(it.kind in ("plus", "minus") or _is_operator(it) for it in around)
            if start in drop or number == start + 1 or not (has_operator or joined):
                drop |= {start, number}
    unmatched = drop | set(stack)
    kept = [item for number, item in enumerate(items) if number not in unmatched]
    odd = len([n for n in stack if n not in drop])
    # A sign whose parenthesis was dropped signs nothing.
    kept = [
        item
        for item, after in zip_longest(kept, kept[1:])
        if item.kind not in ("plus", "minus") or (after is not None and after.kind in ("word", "quoted", "open"))
    ]
    return kept, (("unbalanced parentheses were ignored",) if odd else ())


def _is_operator(item: _Item) -> bool:
    return item.kind == "word" and item.text in ("AND", "OR", "NOT")


def _suspended(items: list[_Item]) -> tuple[list[_Item], tuple[str, ...]]:
    """Halves of compounds completed: "Netzarchitektur und -design" also asks for "Netzdesign" and excludes nothing."""
    out: list[_Item] = []
    notes = []
    for number, item in enumerate(items):
        whole = _word_before(items, number)
        after = items[number + 1] if number + 1 < len(items) else None
        if item.kind == "minus" and whole and after is not None and after.kind == "word":
            notes.append(f"'-{after.text}' is read as the end of a compound, not as an exclusion")
            out += [_Item("completed", word) for word in completed_end(whole, after.text)]
            continue
        out.append(item)
        if item.kind == "word" and item.text.endswith("-") and (whole := _word_after(items, number)):
            out += [_Item("completed", word) for word in completed_start(item.text, whole)]
    return out, tuple(notes)


def _word_before(items: list[_Item], number: int) -> str:
    """The word that a half compound at this place follows, "and" or a comma between them; "" for none."""
    words = [item.text for item in items[max(0, number - 2) : number] if item.kind == "word"]
    if words and words[-1].endswith(",") and len(words[-1]) > 1:
        return words[-1]
    return words[-2] if len(words) == 2 and is_joining(words[-1]) else ""


def _word_after(items: list[_Item], number: int) -> str:
    words = [item.text for item in items[number + 1 : number + 3] if item.kind == "word"]
    return words[1] if len(words) == 2 and is_joining(words[0]) else ""


def _operators(items: list[_Item], fields: _Fields, *, plain: bool) -> list[_Item]:
    """Mark AND, OR, NOT where they can be meant as operators; `plain`: nowhere."""
    if plain:
        return [item for item in items if item.kind not in ("open", "close")]
    has_other = any(
        item.kind != "word" or item.text in ("AND", "NOT") or _is_field_or_prefix(item, fields) for item in items
    )
    out: list[_Item] = []
    for number, item in enumerate(items):
        before = out[-1] if out else None
        after = items[number + 1] if number + 1 < len(items) else None
        kind = item.kind
        if kind == "word" and item.text in ("AND", "OR", "NOT"):
            left = before is not None and before.kind in ("word", "quoted", "close")
            right = after is not None and after.kind in ("word", "quoted", "open", "plus", "minus")
            right = right and not (after is not None and after.kind == "word" and after.text in ("AND", "OR"))
            if item.text == "NOT":
                kind = "NOT" if right else "word"
            elif item.text == "AND":
                kind = "AND" if left and right else "word"
            else:
                cited = before is not None and before.kind == "word" and _REFERENCE.fullmatch(before.text) is not None
                kind = "OR" if left and right and has_other and not cited else "word"
        out.append(_Item(kind, item.text))
    return out


def _is_field_or_prefix(item: _Item, fields: _Fields) -> bool:
    if item.kind != "word":
        return False
    return fields.read(item.text) is not None or (item.text.endswith("*") and len(item.text.strip("*")) >= 2)
