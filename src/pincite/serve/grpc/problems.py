"""Problems: an error as a gRPC status, with details that a program can act on.

pincite.semantic.v1.Error   code, message, field and suggestions, as at every other door
google.rpc.ErrorInfo        the code as `reason`; the missing scope, or why a token was refused
google.rpc.BadRequest       the wrong field
google.rpc.RetryInfo        when to retry
"""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from pincite.errors import InsufficientScope, InvalidArgument, PinciteError, RateLimited, Unauthenticated
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.grpc.messages import message_of

DOMAIN = "pincite"
CODES = {
    "invalid_argument": grpc.StatusCode.INVALID_ARGUMENT,
    "unknown_argument": grpc.StatusCode.INVALID_ARGUMENT,
    "not_found": grpc.StatusCode.NOT_FOUND,
    "unauthenticated": grpc.StatusCode.UNAUTHENTICATED,
    "permission_denied": grpc.StatusCode.PERMISSION_DENIED,
    "conflict": grpc.StatusCode.FAILED_PRECONDITION,
    "unavailable": grpc.StatusCode.UNAVAILABLE,
    "deadline_exceeded": grpc.StatusCode.DEADLINE_EXCEEDED,
    "cancelled": grpc.StatusCode.CANCELLED,
}
"""By the code on the wire; anything else is INTERNAL."""
MAX_CHARACTERS = 500
"""Maximum length of a message or suggestion: a status travels in headers, and clients refuse more than 8 KB of them."""
MAX_BYTES = 4_096
"""Maximum size of all details; beyond it, the suggestions are left out."""


def code_of(error: PinciteError) -> grpc.StatusCode:
    if isinstance(error, RateLimited):
        return grpc.StatusCode.RESOURCE_EXHAUSTED
    return CODES.get(error.code, grpc.StatusCode.INTERNAL)


def status_of(error: PinciteError) -> Any:
    """The arguments for aborting a call: code, details, and trailing metadata with the rest."""
    code, message = code_of(error), _short(error.message)
    packed = [_packed(item) for item in _details(error, error.suggestions)]
    if sum(item.ByteSize() for item in packed) > MAX_BYTES:
        packed = [_packed(item) for item in _details(error, ())]
    return rpc_status.to_status(Status(code=code.value[0], message=message, details=packed))


def told(event: dict[str, Any]) -> PinciteError:
    """The error in the last event of a stream, restored from its wire form."""
    error = PinciteError(event["message"], field=event["field"] or "", suggestions=event["suggestions"])
    error.code = event["code"]
    return error


def _details(error: PinciteError, suggestions: tuple[str, ...]) -> list[Message]:
    field, message = _short(error.field), _short(error.message)
    same = {"code": error.code, "message": message, "field": field or None}
    details: list[Message] = [
        message_of(pb.Error, same | {"suggestions": [_short(item) for item in suggestions]}),
        ErrorInfo(reason=_reason(error), domain=DOMAIN, metadata=_metadata(error)),
    ]
    if isinstance(error, InvalidArgument) and field:
        violation = BadRequest.FieldViolation(field=field, description=message)
        details.append(BadRequest(field_violations=[violation]))
    if isinstance(error, RateLimited):
        retry = RetryInfo()
        retry.retry_delay.FromMilliseconds(max(1, round(error.retry_after * 1000)))
        details.append(retry)
    return details


def _reason(error: PinciteError) -> str:
    if isinstance(error, RateLimited):
        return "RATE_LIMITED"
    return "INSUFFICIENT_SCOPE" if isinstance(error, InsufficientScope) else error.code.upper()


def _metadata(error: PinciteError) -> dict[str, str]:
    if isinstance(error, InsufficientScope):
        return {"scope": error.scope}
    return {"reason": error.reason} if isinstance(error, Unauthenticated) else {}


def _packed(message: Message) -> Packed:
    packed = Packed()
    packed.Pack(message)
    return packed


def _short(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"
