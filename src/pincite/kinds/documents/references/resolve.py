"""Resolve: mentions become relations. What the document itself holds is found now; other works are only named.

A relation to another document carries its address or its folded name as `target`; the reader of the relation looks that
up in the state that he reads (`search/references.py`), because a document may come in later or change its name.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.kinds.documents.numbering import heading_number
from pincite.kinds.documents.outline import Section
from pincite.kinds.documents.references.find import Mention, Target, find
from pincite.kinds.documents.references.links import Link, find_links
from pincite.kinds.documents.references.named import Work, work_of
from pincite.kinds.documents.references.readable import Readable, readable
from pincite.kinds.documents.references.relative import Relative, find_relative
from pincite.kinds.documents.works import head_of, kind, long_names, short_names
from pincite.text.identifiers import fold_name, qualified
from pincite.text.section_references import bare_number, join_levels
from pincite.text.titles import slug
from pincite.types import REFERS_TO, Alias, Content, Derivation, JsonValue, Relation, Span

MAX_RANGE = 30
"""Sections of a range that are named one by one."""
_OF_LINK = re.compile(r"\s+(?:of|in|to|der|des|du|de\s+la|del|della)\s+(?:the\s+|our\s+)?\Z", re.IGNORECASE)
_SPREAD = re.compile(r"(\d+)\Z")


def with_references(
    element_id: str, content: Content, derivation: Derivation, sections: Sequence[Section], fences: Sequence[Span]
) -> Derivation:
    """The derivation with a relation for each section or document that the text names."""
    desk = _Desk(element_id, content, derivation, sections, fences)
    return replace(derivation, relations=(*derivation.relations, *desk.relations()))


@dataclass(frozen=True, slots=True)
class _Meant:
    """Where a mention leads: an element or the name of a work, and a section there."""

    target: str
    section: str
    more: tuple[tuple[str, JsonValue], ...] = ()


class _Stretches:
    """Stretches of a text in order, none of which overlap, to be asked what lies where."""

    def __init__(self, given: Iterable[Span | Link]) -> None:
        self._items = list(given)
        self._starts = [item.start for item in self._items]

    def __iter__(self) -> Iterator[Span | Link]:
        return iter(self._items)

    def add(self, span: Span) -> None:
        at = bisect_right(self._starts, span.start)
        self._starts.insert(at, span.start)
        self._items.insert(at, span)

    def overlapping(self, span: Span) -> bool:
        at = bisect_left(self._starts, span.end) - 1
        return at >= 0 and self._items[at].end > span.start

    def first_after(self, at: int) -> Span | Link | None:
        number = bisect_left(self._starts, at)
        return self._items[number] if number < len(self._items) else None


class _Desk:
    """A document laid out to find what its mentions mean."""

    def __init__(
        self,
        element_id: str,
        content: Content,
        derivation: Derivation,
        sections: Sequence[Section],
        fences: Sequence[Span],
    ) -> None:
        self._id = element_id
        self._content = content
        self._sections = sections
        self._shown: Readable = readable(content.text, fences, content.metadata.get("file_type", "md") == "md")
        self._starts = [(section.heading or section.body).start for section in self._sections]
        self._places: dict[str, list[Alias]] = {}
        for alias in derivation.aliases:
            if alias.span:
                self._places.setdefault(alias.section_id, []).append(alias)
        self._by_number = _numbers(self._sections)
        named = heading_number(content.name)
        self._part = named.section_id if named and named.keyword else ""
        self._names = short_names(content)
        self._own = {fold_name(name) for name in (content.name, *self._names, *long_names(content))}
        self._titles = _Stretches(
            section.heading for section in self._sections if section.heading and fold_name(section.title) in self._own
        )

    def relations(self) -> Iterator[Relation]:
        count = 0
        for span, meant in self._mentions():
            home = self._section_at(span.start)
            place = self._place_at(span.start)
            source = place.identifier if place else home.section_id if home else ""
            text = " ".join(self._content.text[span.start : span.end].split())
            for one in dict.fromkeys(meant):
                metadata: dict[str, JsonValue] = {"text": text, "span": [span.start, span.end], **dict(one.more)}
                yield Relation(
                    relation_id=f"{self._id}@{span.start}.{count}",
                    relation_type=REFERS_TO,
                    source=self._id,
                    target=one.target,
                    source_section=source,
                    target_section=one.section,
                    metadata=metadata,
                )
                count += 1

    def _mentions(self) -> list[tuple[Span, list[_Meant]]]:
        """Each mention with where it leads; what lies inside another mention is part of it."""
        text = self._shown.text
        links = _Stretches(find_links(self._shown.source, self._id))
        found: list[tuple[Span, list[_Meant]]] = []
        taken = _Stretches(())
        for mention in find(text):
            span = self._shown.span(mention.start, mention.end)
            if links.overlapping(span):
                continue  # the link says where it leads
            if self._titles.overlapping(span):
                continue  # "Employee Handbook, Part 5" names the document in hand
            link = links.first_after(span.end)
            if isinstance(link, Link) and self._belongs(span, link):
                span = Span(span.start, link.end)
                taken.add(span)
                found.append((span, [self._in_linked(link, target) for target in mention.targets]))
                continue
            work = work_of(text, mention)
            span = self._with_work(span, work)
            taken.add(span)
            found.append((span, self._meant(mention, work, span.start)))
        last: _Meant | None = None
        explicit = iter(found.copy())
        following = next(explicit, None)
        for item in find_relative(text):
            span = self._shown.span(item.start, item.end)
            while following and following[0].end <= span.start:
                last, following = following[1][-1] if following[1] else last, next(explicit, None)
            if not taken.overlapping(span) and (meant := self._relative(item, span.start, last)):
                found.append((span, meant))
                last = meant[-1]
        own = ((Span(link.start, link.end), link) for link in links if isinstance(link, Link))
        found += [(span, self._linked(link)) for span, link in own if not taken.overlapping(span)]
        return sorted(found, key=lambda item: (item[0].start, item[0].end))

    # --- by number --------------------------------------------------------------------------------------------

    def _with_work(self, span: Span, work: Work | None) -> Span:
        if work is None:
            return span
        if work.start >= 0:
            return Span(self._shown.span(work.start, work.start + 1).start, span.end)
        return Span(span.start, self._shown.span(work.end - 1, work.end).end)

    def _meant(self, mention: Mention, work: Work | None, at: int) -> list[_Meant]:
        if work is not None and not self._is_own(work, mention, at):
            more: tuple[tuple[str, JsonValue], ...] = (("work", work.name),)
            return [
                _Meant(fold_name(work.name), join_levels(target.section, target.levels), more)
                for target in mention.targets
            ]
        return [meant for target in mention.targets for meant in self._own_target(target, at)]

    def _is_own(self, work: Work, mention: Mention, at: int) -> bool:
        """Whether the document in hand is meant: by its title, its kind alone ("the Act"), or the head of its title.

        The head may name a whole of which this document is a part, so it must hold the section that is named.
        """
        name = fold_name(work.name)
        if name in self._own:
            return True
        if " " not in work.name and kind(work.name):
            return kind(work.name) == kind(self._content.name)
        is_head = name == fold_name(head_of(self._content.name))
        return is_head and all(self._find(target.section, at) for target in mention.targets)

    def _own_target(self, target: Target, at: int) -> Iterator[_Meant]:
        section = self._find(target.section, at)
        if section is None:
            yield from self._of_the_work(target)
            return
        yield self._inside(section, target)
        if target.upto:
            yield from self._between(section, target, at)

    def _of_the_work(self, target: Target) -> Iterator[_Meant]:
        """A section that this document does not hold: of the work that it is a part of, or unknown."""
        asked = join_levels(target.section, target.levels)
        if not (self._part and self._names):
            yield _Meant(self._id, asked)
            return
        if target.section == self._part:
            yield self._inside(None, target)
            return
        name = self._names[0]
        yield _Meant(qualified(name, target.section), asked if target.levels else "")
        for number in _spread(target.section, target.upto):
            yield _Meant(qualified(name, number), "")

    def _find(self, number: str, at: int) -> Section | None:
        """The section with this number: of several, the one under the same headings, else the outermost.

        Where nothing is called Part 2, the section with that number is meant.
        """
        known = self._by_number.get(number) or self._by_number.get(bare_number(number), [])
        if len(known) <= 1:
            return known[0] if known else None
        home = self._section_at(at)
        above = home.chain if home else ()
        return min(known, key=lambda section: (-_shared(section.chain[:-1], above), len(section.chain)))

    def _inside(self, section: Section | None, target: Target) -> _Meant:
        """The innermost place that there is; what was asked for beside it, if that is another."""
        home = section.section_id if section else ""
        for depth in range(len(target.levels), 0, -1):
            identifier = join_levels(target.section, target.levels[:depth])
            if any(place.identifier == identifier for place in self._places.get(home, ())):
                return self._deep(home, identifier, target, depth)
            if identifier in self._by_number:
                return self._deep(home, self._by_number[identifier][0].section_id, target, depth)
        return self._deep(home, home or target.section, target, 0)

    def _deep(self, _home: str, identifier: str, target: Target, depth: int) -> _Meant:
        if depth == len(target.levels):
            return _Meant(self._id, identifier)
        return _Meant(self._id, identifier, (("asked", join_levels(target.section, target.levels)),))

    def _between(self, first: Section, target: Target, at: int) -> Iterator[_Meant]:
        """The sections or places of a range that are not its ends."""
        if target.upto.startswith("("):
            last = (*target.levels[:-1], target.upto.strip("()"))
            ends = (join_levels(target.section, target.levels), join_levels(target.section, last))
            ids = [place.identifier for place in self._places.get(first.section_id, ())]
            depth = len(target.levels)
            if all(end in ids for end in ends):
                inside = ids[ids.index(ends[0]) + 1 : ids.index(ends[1])]
                yield from (
                    _Meant(self._id, one) for one in inside[:MAX_RANGE] if one.count("(") == ends[0].count("(") == depth
                )
            return
        section = self._find(target.upto, at)
        if section is None:
            return
        start, end = self._sections.index(first), self._sections.index(section)
        inside_sections = [
            s for s in self._sections[start + 1 : end] if heading_number(s.title) and s.level == first.level
        ]
        yield from (_Meant(self._id, section.section_id) for section in inside_sections[:MAX_RANGE])

    # --- relative ---------------------------------------------------------------------------------------------

    def _relative(self, item: Relative, at: int, last: _Meant | None) -> list[_Meant]:
        home = self._section_at(at)
        if item.whither == "here":
            return [_Meant(self._id, home.section_id)] if home and home.section_id else self._here()
        if item.whither in ("paragraph", "innermost"):
            return self._this_place(at, 1 if item.whither == "paragraph" else 0)
        if item.whither in ("before", "after"):
            return self._beside(home, -1 if item.whither == "before" else 1)
        if item.of_that:
            return [replace(last, section=join_levels(last.section, levels)) for levels in item.levels] if last else []
        number = self._number(home)
        if not number:
            return []
        if item.weak and not self._places.get(home.section_id if home else ""):
            return []
        own = self._levels_at(at)
        meant = [self._by_levels(home, number, levels, own, outer=item.outer) for levels in item.levels]
        if item.is_range and len(item.levels) == 2 and home:
            levels = tuple(re.findall(r"\(([^()]+)\)", meant[0].section))
            upto = f"({item.levels[1][-1]})"
            meant[1:1] = self._between(home, Target(number, levels, upto), at) if levels else ()
        return meant

    def _here(self) -> list[_Meant]:
        return [_Meant(self._id, self._part)] if self._part else []

    def _this_place(self, at: int, depth: int) -> list[_Meant]:
        """The place in which something stands: at this depth, or the innermost."""
        inside = self._places_at(at)
        chosen = [place for place in inside if not depth or place.identifier.count("(") == depth]
        return [_Meant(self._id, max(chosen, key=lambda p: p.identifier.count("(")).identifier)] if chosen else []

    def _beside(self, home: Section | None, step: int) -> list[_Meant]:
        """The section before or after this one, among those of its level."""
        if self._part and self._names:
            number = _SPREAD.search(self._part)
            beside = _SPREAD.sub(str(int(number[1]) + step), self._part) if number else ""
            return [_Meant(qualified(self._names[0], beside), "")] if beside else []
        if home is None:
            return []
        same = [section for section in self._sections if section.level == home.level]
        position = same.index(home) + step
        return [_Meant(self._id, same[position].section_id)] if 0 <= position < len(same) else []

    def _by_levels(
        self, home: Section | None, number: str, levels: tuple[str, ...], own: tuple[str, ...], *, outer: bool
    ) -> _Meant:
        section_id = home.section_id if home else ""
        known = {place.identifier for place in self._places.get(section_id, ())}
        depths = range(len(own) + 1) if outer else range(len(own), -1, -1)
        tried = [join_levels(number, (*own[:depth], *levels)) for depth in depths]
        found = next((identifier for identifier in tried if identifier in known), "")
        if not found:  # named by its end alone: "paragraph (2)(B) above" for (a)(2)(B)
            alike = [identifier for identifier in known if identifier.endswith(join_levels("", levels))]
            found = alike[0] if len(alike) == 1 else ""
        return _Meant(self._id, found or join_levels(number, levels))

    # --- links ------------------------------------------------------------------------------------------------

    def _belongs(self, span: Span, link: Link) -> bool:
        """`Section H of our [Terms](…)`: the link names the work of the section before it."""
        return (
            span.end < link.start <= span.end + 20
            and _OF_LINK.match(self._content.text[span.end : link.start]) is not None
        )

    def _in_linked(self, link: Link, target: Target) -> _Meant:
        asked = join_levels(target.section, target.levels)
        return _Meant(link.path or self._id, asked, (("address", link.address),))

    def _linked(self, link: Link) -> list[_Meant]:
        more: tuple[tuple[str, JsonValue], ...] = (("address", link.address),)
        if link.path:
            return [_Meant(link.path, link.fragment, more)]
        wanted = link.fragment.lower()
        for section in self._sections:
            if section.section_id and wanted.strip("-") in (section.section_id.lower(), slug(section.title)):
                return [_Meant(self._id, section.section_id, more)]
        return [_Meant(self._id, link.fragment, more)]

    # --- where something stands -------------------------------------------------------------------------------

    def _section_at(self, at: int) -> Section | None:
        number = bisect_right(self._starts, at) - 1
        return self._sections[number] if number >= 0 else None

    def _places_at(self, at: int) -> list[Alias]:
        home = self._section_at(at)
        known = self._places.get(home.section_id if home else "", ())
        return [place for place in known if place.span and place.span.start <= at < place.span.end]

    def _place_at(self, at: int) -> Alias | None:
        return max(self._places_at(at), key=lambda place: place.identifier.count("("), default=None)

    def _levels_at(self, at: int) -> tuple[str, ...]:
        place = self._place_at(at)
        return tuple(re.findall(r"\(([^()]+)\)", place.identifier)) if place else ()

    def _number(self, home: Section | None) -> str:
        number = heading_number(home.title) if home and home.heading else None
        return number.section_id if number else self._part


def _numbers(sections: Sequence[Section]) -> dict[str, list[Section]]:
    """Sections by their number, and by it together with the one above: `D.4` is 4 under D."""
    found: dict[str, list[Section]] = {}
    for section in sections:
        number = heading_number(section.title)
        if number is None:
            continue
        found.setdefault(number.section_id.lower(), []).append(section)
        above = heading_number(section.chain[-2]) if len(section.chain) > 1 else None
        if above and "." not in number.section_id:
            found.setdefault(f"{above.section_id}.{number.section_id}".lower(), []).append(section)
    return found


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _spread(first: str, upto: str) -> list[str]:
    """The numbers between two plain ones of one kind: art.5 and art.8 → art.6, art.7."""
    low, high = _SPREAD.search(first), _SPREAD.search(upto)
    if not (low and high) or first[: low.start()] != upto[: high.start()]:
        return []
    return [f"{first[: low.start()]}{number}" for number in range(int(low[1]) + 1, int(high[1]))][:MAX_RANGE]
