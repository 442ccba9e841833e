"""Checked: settings out of YAML against their model; what is unknown is refused by its nearest name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from pincite.errors import InvalidArgument, UnknownArgument

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]


def checked(model: type[Model], values: Mapping[str, Any]) -> Model:
    """The values as the model holds them. The first problem is named with the way to it."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        # A misspelt name is unknown and leaves another missing: the spelling is what is to be mended.
        first = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise UnknownArgument.named("setting", where, _known(model, first["loc"])) from error
        if first["type"] == "missing":
            raise InvalidArgument(f"setting {where!r} is missing", field=where) from error
        said = first["msg"][:1].lower() + first["msg"][1:]
        given = "" if isinstance(first["input"], Mapping | list | BaseModel) else f", given {first['input']!r}"
        raise InvalidArgument(f"setting {where!r}: {said}{given}" if where else said, field=where) from error


def _known(model: type[BaseModel], location: Location) -> list[str]:
    """Names that are valid where an unknown one stands, with the way to them."""
    place: Any = model
    for part in location[:-1]:
        place = _below(place, part)
    prefix = ".".join(str(part) for part in location[:-1])
    return [f"{prefix}.{name}" if prefix else name for name in place.model_fields] if _is_model(place) else []


def _below(place: Any, part: int | str) -> Any:
    """What stands under a name of a model, a key of a mapping or a place of a list."""
    if _is_model(place):
        return _plain(place.model_fields[str(part)].annotation)
    inside = get_args(place)
    return _plain(inside[-1 if get_origin(place) is dict else 0]) if inside else None


def _plain(annotation: Any) -> Any:
    """The model in `Model | None` and `Annotated[Model, …]`; anything else as it is."""
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in (dict, list, tuple) or _is_model(annotation):
        return annotation
    return next((part for part in map(_plain, get_args(annotation)) if _is_model(part)), annotation)


def _is_model(place: Any) -> bool:
    return isinstance(place, type) and issubclass(place, BaseModel)
