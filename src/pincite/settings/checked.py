"""Checks settings from YAML against their model; an unknown name is refused, with the nearest valid one."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.dataclasses import is_pydantic_dataclass
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from pincite.errors import InvalidArgument, UnknownArgument, raise_all
from pincite.settings.section import UNKNOWN_NAME

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]
MAPPINGS = (dict, Mapping)
HOLDERS = (*MAPPINGS, list, tuple)
"""What may hold settings without names of their own."""
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
"""Pydantic's error types for a name that a section, or a class of options, does not have."""


def checked(model: type[Model], values: Mapping[str, Any]) -> Model:
    """The values as an instance of the model. All mistakes are reported at once, each with its path."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        problems = error.errors()
    raise_all(_mistakes(model, problems))
    raise AssertionError("a validation error must have at least one problem")


def _mistakes(model: type[BaseModel], problems: list[ErrorDetails]) -> list[InvalidArgument]:
    """One problem per place, unknown names first.

    A misspelt name is unknown and leaves another missing; only the spelling is reported. A value that fits none of
    several types has a problem with each; only the first is reported.
    """
    unknown = [problem for problem in problems if problem["type"] in UNKNOWN]
    others: dict[Location, ErrorDetails] = {}
    for problem in problems:
        if problem["type"] not in UNKNOWN and not _is_misspelt(problem, unknown):
            others.setdefault(_place(model, problem["loc"]), problem)
    return [_mistake(model, problem) for problem in (*unknown, *others.values())]


def _is_misspelt(problem: ErrorDetails, unknown: list[ErrorDetails]) -> bool:
    """Whether a name is missing because an unknown one in the same section was probably meant for it."""
    *above, name = problem["loc"] or ("",)
    beside = [str(other["loc"][-1]) for other in unknown if list(other["loc"][:-1]) == above]
    return problem["type"] == "missing" and bool(get_close_matches(str(name), beside, n=1, cutoff=0.5))


def _mistake(model: type[BaseModel], problem: ErrorDetails) -> InvalidArgument:
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] in UNKNOWN:
        return UnknownArgument.named("setting", where, _known(model, problem["loc"]))
    if problem["type"] == UNKNOWN_NAME:
        named, known = problem["ctx"]["name"], problem["ctx"]["known"]
        return UnknownArgument.named("setting", f"{where}.{named}", [f"{where}.{name}" for name in known])
    if problem["type"] == "missing":
        return InvalidArgument(f"setting {where!r} is missing", field=where)
    where = ".".join(str(part) for part in _place(model, problem["loc"]))
    said = problem["msg"][:1].lower() + problem["msg"][1:]
    given = "" if isinstance(problem["input"], Mapping | list | BaseModel) else f", given {problem['input']!r}"
    return InvalidArgument(f"setting {where!r}: {said}{given}" if where else said, field=where)


def _place(model: type[BaseModel], location: Location) -> Location:
    """The part of a location that is in the file; after it come the names of types that were tried."""
    place: Any = model
    for depth, part in enumerate(location):
        is_field = _is_model(place) and part in _fields(place)
        if not is_field and get_origin(place) not in HOLDERS:
            return location[:depth]
        place = _below(place, part)
    return location


def _known(model: type[BaseModel], location: Location) -> list[str]:
    """Valid names in place of an unknown one, with their path."""
    place: Any = model
    for part in location[:-1]:
        place = _below(place, part)
    prefix = ".".join(str(part) for part in location[:-1])
    return [f"{prefix}.{name}" if prefix else name for name in _fields(place)] if _is_model(place) else []


def _below(place: Any, part: int | str) -> Any:
    """The type under a name of a model, a key of a mapping or an index of a list."""
    if _is_model(place):
        return _plain(_fields(place)[str(part)].annotation)
    inside = get_args(place)
    return _plain(inside[-1 if get_origin(place) in MAPPINGS else 0]) if inside else None


def _plain(annotation: Any) -> Any:
    """The model in `Model | None` and `Annotated[Model, …]`; anything else unchanged."""
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in HOLDERS or _is_model(annotation):
        return annotation
    return next((part for part in map(_plain, get_args(annotation)) if _is_model(part)), annotation)


def _is_model(place: Any) -> bool:
    """Whether it is a class with named fields: a section of the settings, or options in one."""
    return isinstance(place, type) and (issubclass(place, BaseModel) or is_pydantic_dataclass(place))


def _fields(model: Any) -> dict[str, FieldInfo]:
    found: dict[str, FieldInfo] = model.model_fields if issubclass(model, BaseModel) else model.__pydantic_fields__
    return found
