"""Shapes of all requests and of all errors."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

# Told, and not checked by the shape: `checks.py` has better words for a message without parts.
SOMETHING = {"minItems": 1}


class RequestBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Nothing(RequestBody, frozen=True, kw_only=True):
    """No parameters, or no body."""


class Health(Struct, frozen=True, kw_only=True):
    status: Literal["ok", "ready"]


class ErrorDetail(Struct, frozen=True, kw_only=True, omit_defaults=True):
    code: Annotated[str, Meta(description="For programs.")]
    message: Annotated[str, Meta(description="For people.")]
    field: Annotated[str | None, Meta(description="Where in the request the problem is.")] = None
    hint: Annotated[str | None, Meta(description="What to do next.")] = None


class ErrorBody(Struct, frozen=True, kw_only=True):
    error: ErrorDetail
