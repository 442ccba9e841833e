"""Which of these tools fits this request? Tools of agents, ranked by the engine that ranks passages.

index = ToolIndex(mcp_or_openai_list)
index.search("what will the weather be tomorrow?", limit=5)
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, overload

from pincite.errors import InvalidArgument, NotFound
from pincite.kinds.tools import Tool, element, element_id, load_tools_file, parse_tools
from pincite.kinds.tools.live import list_tools
from pincite.library import Library, open_library
from pincite.search.query import Answer, Hit
from pincite.text.stopwords import QUERY_STOPWORDS
from pincite.text.words import folded_words, stem
from pincite.types import Change, RemoveElement

REPOSITORY = "tools"
MAX_WORDS = 6
"""Of the request that an explanation names."""


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """A tool that fits a request, with why."""

    name: str
    score: float
    """0 to 1, as of every answer (docs/answers.md)."""
    why: str
    title: str = ""
    description: str = ""
    server: str = ""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """What meaning (`semantic`), words (`keyword`) and names (`exact`) say."""
    definition: Mapping[str, Any] = field(default_factory=dict)
    """As it was given: what an agent puts into its next request."""


@dataclass(frozen=True, slots=True)
class ToolMatches(Sequence[ToolMatch]):
    """Matches, best first, with notes for the reader: a leg that could not answer, for example."""

    matches: tuple[ToolMatch, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.matches)

    @overload
    def __getitem__(self, at: int) -> ToolMatch: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[ToolMatch, ...]: ...
    def __getitem__(self, at: int | slice) -> ToolMatch | tuple[ToolMatch, ...]:
        return self.matches[at]


class ToolIndex:
    """Tools in a library of their own: a temporary one, removed by `close`, or the given folder, kept.

    `tools`: an MCP `tools/list` result, a list of functions as OpenAI takes them, or `Tool`s. A folder is brought in
    line with them: what it held and is not among them goes. Without `tools` the folder is read as it is.
    """

    def __init__(
        self,
        tools: object = None,
        *,
        folder: str | Path = "",
        dense: str = "",
        embedding_model: str = "",
    ) -> None:
        settings: dict[str, Any] = {"repository": REPOSITORY}
        settings |= {"dense": dense} if dense else {}
        settings |= {"embedding": {"model": embedding_model}} if embedding_model else {}
        with ExitStack() as held:
            place = Path(folder) if folder else Path(held.enter_context(_temporary())) / "library"
            self.library: Library = held.enter_context(open_library(place, **settings))
            self.library.catalog.repositories.ensure(self.library.scope())
            if tools is not None:
                self._bring_in_line(_tools(tools))
            self._held = held.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the files; a temporary library is removed."""
        self._held.close()

    def __len__(self) -> int:
        return len(self.names())

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self) -> tuple[str, ...]:
        """Ids of the tools, in order: the name, under its server where one was given."""
        return self.library.elements()

    def add(self, tools: object) -> int:
        """Put tools in, or change those of the same name; how many are new or changed."""
        return self._commit([element(tool) for tool in _tools(tools)])

    def remove(self, *names: str) -> None:
        """Take tools out, by name."""
        known = set(self.names())
        for name in names:
            if name not in known:
                raise NotFound(f"there is no tool {name!r}", field="name", suggestions=sorted(known)[:10])
        self._commit([RemoveElement(name) for name in names])

    def search(self, request: str, limit: int = 5) -> ToolMatches:
        """The tools that fit a request in words, best first."""
        answer = self.library.search(
            request, repository=REPOSITORY, limit=limit, filters={"kind": "tool"}, group="chunk"
        )
        return ToolMatches(tuple(_match(hit, request) for hit in answer.hits), _notes(answer))

    def _bring_in_line(self, tools: Sequence[Tool]) -> None:
        changes: list[Change] = [element(tool) for tool in tools]
        stale = set(self.names()) - {element_id(tool) for tool in tools}
        self._commit([*changes, *map(RemoveElement, sorted(stale))])

    def _commit(self, changes: Sequence[Change]) -> int:
        """One commit, indexed and embedded before anything is asked: the same tools give the same answer."""
        scope = self.library.scope()
        if not changes:
            return 0
        made = self.library.apply(changes, message="tools", embedding=False)
        if self.library.config.dense != "off":
            self.library.embed(scope.repository)
        return sum(outcome.status == "applied" for outcome in made.outcomes)


def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pincite-tools-")


def read_tools(
    places: Sequence[str], *, headers: Mapping[str, str] | None = None, timeout_seconds: float = 30.0
) -> tuple[Tool, ...]:
    """Tools from JSON files, MCP servers at URLs, and servers that commands start; nothing of them is called.

    Where there are several, each tool is under the name of its server or file: two may have a tool of the same name.
    """
    found: list[Tool] = []
    for place in places:
        path = Path(place).expanduser()
        if _is_file(path):
            name, tools = path.stem, load_tools_file(path)
        else:
            listed = list_tools(place, headers=headers, timeout_seconds=timeout_seconds)
            name, tools = listed.server or place, listed.tools
        found += [replace(tool, server=name) for tool in tools] if len(places) > 1 else tools
    return _distinct(found)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file() or path.suffix.lower() == ".json"
    except OSError:  # a command with many arguments is too long a name
        return False


def _tools(given: object) -> tuple[Tool, ...]:
    """`Tool`s as they are, anything else as the lists that agents use."""
    if isinstance(given, Tool):
        return (given,)
    if isinstance(given, Iterable) and not isinstance(given, Mapping | str | bytes):
        items = list(given)
        ready = [item for item in items if isinstance(item, Tool)]
        if len(ready) == len(items):
            return _distinct(ready)
        given = items
    return parse_tools(given)


def _distinct(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    seen: set[str] = set()
    for tool in tools:
        if element_id(tool) in seen:
            raise InvalidArgument(f"two tools are called {element_id(tool)!r}; names must differ", field="tools")
        seen.add(element_id(tool))
    return tuple(tools)


def _match(hit: Hit, request: str) -> ToolMatch:
    content = hit.passage.content
    definition = json.loads(content.text)
    (tool,) = parse_tools(definition)
    leg_names = {"semantic": "dense", "keyword": "keyword", "exact": "exact"}
    scores = {name: hit.legs[leg].score if leg in hit.legs else None for name, leg in leg_names.items()}
    return ToolMatch(
        name=content.name,
        score=hit.score,
        why=_why(hit, request),
        title=tool.title,
        description=tool.description,
        server=str(content.metadata.get("server", "")),
        scores=scores,
        definition=definition,
    )


def _why(hit: Hit, request: str) -> str:
    """In a few words what spoke for the tool."""
    said = []
    if "exact" in hit.legs:
        said.append("the request names it")
    if words := _shared(hit, request):
        said.append(f"words: {', '.join(words[:MAX_WORDS])}")
    if hit.signals.get("related"):
        said.append("words that mean nearly the same")
    if hit.signals.get("dense"):
        said.append(f"meaning: {hit.legs['dense'].score:.2f}")
    return "; ".join(said)


def _shared(hit: Hit, request: str) -> list[str]:
    """Words of the request that the tool's passage holds in some form, without those that say nothing."""
    language = hit.passage.language
    held = {stem(word, language) for word in folded_words(hit.passage.text)}
    idle = QUERY_STOPWORDS.get(language, frozenset())
    words = (word for word in folded_words(request) if word not in idle and stem(word, language) in held)
    return list(dict.fromkeys(words))


def _notes(answer: Answer) -> tuple[str, ...]:
    """What the answer says of itself, and legs that should have answered and could not."""
    broken = [f"{leg.name}: {leg.reason}" for leg in answer.legs if leg.status in ("partial", "unavailable")]
    return (*answer.notes, *broken)
