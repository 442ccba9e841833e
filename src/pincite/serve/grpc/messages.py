"""Messages: a request as the arguments of an operation, wire JSON as a message.

The proto uses the field names of the wire, so both directions follow the message's descriptor: null becomes unset,
`hybrid` becomes SEARCH_MODE_HYBRID, a span [3, 9] becomes a message with two fields. Nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf import struct_pb2
from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.json_format import Error as JsonError
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.wire import Json

STRUCT = struct_pb2.Struct.DESCRIPTOR.full_name
UNSPECIFIED = "UNSPECIFIED"

M = TypeVar("M", bound=Message)


# --- requests -------------------------------------------------------------------------------------------------


def arguments_of(request: Message) -> Json:
    """The set fields of a request, as arguments in the form of the other doors.

    A field known only to a newer proto is refused: ignoring a filter would answer a different question.
    """
    unknown = [field.field_number for field in UnknownFieldSet(request)]
    if unknown:
        raise UnknownArgument(
            f"{request.DESCRIPTOR.name} has no field number {unknown[0]} on this server, whose proto is older than the"
            " client's; leave the field unset, or update the server",
            field=str(unknown[0]),
        )
    return {field.name: _argument(field, value) for field, value in request.ListFields()}


def _argument(field: FieldDescriptor, value: Any) -> object:
    if field.message_type is not None:
        return _plain(field, value) if field.message_type.full_name == STRUCT else arguments_of(value)
    if field.enum_type is not None:
        return _word(field, value)
    return list(value) if field.is_repeated else value


def _plain(field: FieldDescriptor, given: struct_pb2.Struct) -> object:
    """A Struct has no integers, so 3.0 is read as 3. Values that JSON does not have (NaN, infinity) are refused."""
    try:
        return _whole(MessageToDict(given))
    except (ValueError, JsonError):
        raise InvalidArgument(
            f"{field.name} contains NaN or an infinite number, which JSON does not support; remove it",
            field=field.name,
        ) from None


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _word(field: FieldDescriptor, number: int) -> str:
    """`hybrid` for SEARCH_MODE_HYBRID."""
    enum = field.enum_type
    known = enum.values_by_number.get(number)
    if known is None:
        names = [value.name for value in enum.values if value.number]
        raise InvalidArgument(
            f"{field.name} is {number}, which is not a value of {enum.name}; known: {', '.join(names)}",
            field=field.name,
            suggestions=names,
        )
    return str(known.name).removeprefix(_prefix(enum)).lower()


# --- answers --------------------------------------------------------------------------------------------------


def message_of(kind: type[M], body: Json) -> M:
    """The JSON as a message."""
    message: M = kind()
    _fill(message, body)
    return message


def _fill(message: Any, body: Mapping[str, Any]) -> None:
    for field in message.DESCRIPTOR.fields:
        value = body.get(field.name)
        if value is None:
            continue
        if _is_map(field):
            _fill_map(field, getattr(message, field.name), value)
        elif field.is_repeated:
            _fill_list(field, getattr(message, field.name), value)
        elif field.message_type is not None:
            _fill_part(field, getattr(message, field.name), value)
        else:
            setattr(message, field.name, _scalar(field, value))


def _fill_map(field: FieldDescriptor, target: Any, given: Mapping[str, Any]) -> None:
    of = field.message_type.fields_by_name["value"]
    for key, value in given.items():
        if of.message_type is not None:
            _fill_part(of, target[_text(key)], value)
        else:
            target[_text(key)] = _scalar(of, value)


def _fill_list(field: FieldDescriptor, target: Any, given: list[Any]) -> None:
    if field.message_type is None:
        target.extend(_scalar(field, value) for value in given)
        return
    for value in given:
        _fill_part(field, target.add(), value)


def _fill_part(field: FieldDescriptor, target: Any, given: Any) -> None:
    target.SetInParent()
    if field.message_type.full_name == STRUCT:
        target.update(_clean(given))
    elif isinstance(given, list):  # a span
        _fill(target, dict(zip((part.name for part in field.message_type.fields), given, strict=True)))
    else:
        _fill(target, given)


def _scalar(field: FieldDescriptor, value: Any) -> Any:
    if field.enum_type is not None:
        known = field.enum_type.values_by_name.get(_prefix(field.enum_type) + value.upper())
        return known.number if known else 0
    return _text(value) if isinstance(value, str) else value


def _clean(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_text(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return _text(value) if isinstance(value, str) else value


def _text(given: str) -> str:
    """The text as protobuf accepts it: a lone surrogate, which a broken file may contain, is escaped."""
    return given if given.isascii() else given.encode("utf-8", "backslashreplace").decode("utf-8")


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _prefix(enum: EnumDescriptor) -> str:
    """`SEARCH_MODE_`, taken from the name of the value 0."""
    return str(enum.values_by_number[0].name).removesuffix(UNSPECIFIED)
