"""A gRPC client, as tests use it: a real server on a loopback port, a real channel to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from grpc_status import rpc_status

from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.generated import semantic_query_pb2_grpc as generated
from pincite.serve.grpc.running import Running
from pincite.serve.grpc.server import start

VOLATILE = frozenset({"ms", "token", "next_cursor"})
"""What differs between two answers to the same request."""


@dataclass
class Served:
    """A server and a client of it."""

    desk: Desk
    running: Running
    channel: grpc.Channel
    token: str = ""

    @property
    def stub(self) -> Any:
        return generated.SemanticQueryServiceStub(self.channel)

    def ask(self, method: str, request: Message, *, token: str | None = None, **options: Any) -> Any:
        """Call a method with the token; a stream is read to its end."""
        chosen = self.token if token is None else token
        metadata = [("authorization", f"Bearer {chosen}")] if chosen else []
        answer = getattr(self.stub, method)(request, metadata=metadata, timeout=options.pop("timeout", 30), **options)
        return list(answer) if method == "SearchStream" else answer

    def key(self, name: str = "k", **rights: Any) -> str:
        """The token of a new key."""
        chosen = {"tenant": "default", "organization": "default", "scopes": ("search:read",), **rights}
        _, token = self.desk.verifier.keys.create(name, **chosen)
        return token


@contextmanager
def serving(desk: Desk, **options: Any) -> Iterator[Served]:
    running = start(desk, "127.0.0.1:0", **options)
    try:
        with grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
            yield Served(desk, running, channel)
    finally:
        running.stop()


@dataclass(frozen=True)
class Refusal:
    """An error as a client gets it."""

    code: grpc.StatusCode
    message: str
    details: dict[str, Any]
    """By name of the message, e.g. BadRequest."""

    @property
    def error(self) -> pb.Error:
        found = pb.Error()
        self.details["Error"].Unpack(found)
        return found

    def detail(self, kind: type[Message]) -> Any:
        found = kind()
        assert self.details[kind.DESCRIPTOR.name].Unpack(found)
        return found


def refused(call: Callable[[], Any]) -> Refusal:
    """What a call that must fail is refused with."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error: Any = caught.value
    status = rpc_status.from_call(error)
    details = {item.type_url.rpartition(".")[2]: item for item in status.details} if status else {}
    return Refusal(error.code(), error.details(), details)


def plain(message: Message) -> Any:
    """A message in the form that `said` gives to JSON: whatever is empty, zero or volatile is left out."""
    if isinstance(message, Struct):
        return said(dict(message))
    return said({field.name: _value(field, value) for field, value in message.ListFields()})


def _value(field: Any, value: Any) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return {key: _value(field.message_type.fields_by_name["value"], value[key]) for key in value}
    if field.is_repeated:
        return [_one(field, item) for item in value]
    return _one(field, value)


def _one(field: Any, value: Any) -> Any:
    if isinstance(value, pb.Span):
        return [value.start, value.end]
    if field.enum_type is not None:
        prefix = field.enum_type.values[0].name.removesuffix("UNSPECIFIED")
        return field.enum_type.values_by_number[value].name.removeprefix(prefix).lower()
    return plain(value) if isinstance(value, Message) else value


def said(value: Any) -> Any:
    """JSON without what a message cannot tell from absence, and without what changes from call to call."""
    if isinstance(value, dict):
        kept = {key: said(item) for key, item in value.items() if key not in VOLATILE}
        return {key: item for key, item in kept.items() if item not in (None, "", 0, False, [], {})}
    return [said(item) for item in value] if isinstance(value, list | tuple) else value
