"""What a caller sent, read within its limits and checked against its declared shape."""

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from io import BytesIO
from typing import TypeVar

import msgspec
from msgspec import Struct, inspect
from starlette.datastructures import QueryParams
from starlette.requests import Request

from chatd.api.failures import BodyTooLarge, BodyTooSlow
from chatd.api.serving.explain import QUOTED_LENGTH_MAX, explained, suggestion
from chatd.errors import BadInput
from chatd.kit.codec import Decoder, without_strings
from chatd.kit.text import is_plain, shortened

T = TypeVar("T")
Q = TypeVar("Q", bound=Struct)

BODY_BYTES_MAX = 256 * 1024
# A whole chat in one body.
IMPORT_BYTES_MAX = 8 * 1024 * 1024
# A code or a token, of a caller who is not known yet.
SIGN_IN_BYTES_MAX = 8 * 1024
# Of one body, however deep they are: while they are read, nothing else happens. A body of 8 MiB could have
# two million, which took seconds; a chat that people use has a few thousand.
JSON_VALUES_MAX = 250_000
STRANGERS_NAMED_MAX = 10
# How long a caller may take to send one.
BODY_SECONDS = 30.0


async def read_body(
    request: Request, bytes_max: int, *, count: Callable[[int], None], seconds: float = BODY_SECONDS
) -> bytes:
    """The whole body."""
    # Not a bytearray: what it has would be copied in the end.
    body = BytesIO()
    await receive_body(request, bytes_max, body.write, count=count, seconds=seconds)
    return body.getvalue()


async def receive_body(
    request: Request,
    bytes_max: int,
    take: Callable[[bytes], object],
    *,
    count: Callable[[int], None],
    seconds: float = BODY_SECONDS,
) -> None:
    """Every piece of the body. Stops when it is too large, whatever its sender announced, or too slow.

    `count` is told of every piece before it is taken, and may refuse it.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > bytes_max:
        raise too_large(bytes_max)
    try:
        async with asyncio.timeout(seconds):
            size = 0
            async for chunk in request.stream():
                count(len(chunk))
                size += len(chunk)
                if size > bytes_max:
                    raise too_large(bytes_max)
                take(chunk)
    except TimeoutError as error:
        raise BodyTooSlow(
            "body_too_slow",
            f"The body did not arrive within {seconds:.0f} s.",
            hint="Send it again, at once.",
        ) from error


def decoded(body: bytes, decoder: Decoder[T], expected: type[T]) -> T:
    """Raises BadInput when the body is not JSON, or not the JSON we expect."""
    if not body:
        raise BadInput("no_body", "The request has no body.", hint="Send a JSON object.")
    if _values_in(body) > JSON_VALUES_MAX:
        raise BadInput("too_many_values", f"The body has more than {JSON_VALUES_MAX} values.")
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise explained(error, expected) from error
    except RecursionError as error:
        raise BadInput("too_deep", "The body is nested too deeply.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(
            "malformed_json", f"The body is not valid JSON: {error}.", hint="Send JSON in UTF-8."
        ) from error


def _values_in(body: bytes) -> int:
    """How many values a JSON text has, about: what separates and what opens them, outside of strings."""
    if len(body) <= JSON_VALUES_MAX or _marks_in(body) <= JSON_VALUES_MAX:
        return 0
    return _marks_in(without_strings(body))


def _marks_in(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def parameters(query: QueryParams, expected: type[Q]) -> Q:
    """The query parameters in their declared types. An error names all unknown parameters at once."""
    repeatable = _parameters_of(expected)
    strangers = [name for name in query if name not in repeatable]
    # A caller that is sent here by others brings what they give it.
    if strangers and expected.__struct_config__.forbid_unknown_fields:
        strangers = [shortened(name, QUOTED_LENGTH_MAX) for name in strangers[:STRANGERS_NAMED_MAX]]
        names = ", ".join(f"`{name}`" for name in strangers)
        raise BadInput(
            "unknown_parameter",
            f"There is no query parameter {names} here.",
            field=strangers[0],
            hint=suggestion(strangers[0], list(repeatable)),
        )
    given = {name: _value(query, name, repeatable) for name in query if name in repeatable}
    try:
        return msgspec.convert(given, expected, strict=False)
    except msgspec.ValidationError as error:
        raise explained(error, expected) from error


def _value(query: QueryParams, name: str, repeatable: Mapping[str, bool]) -> str | list[str]:
    values = query.getlist(name)
    if not all(is_plain(value) for value in values):
        raise BadInput("bad_value", f"`{name}` contains control characters.", field=name)
    if repeatable[name]:
        return values
    if len(values) > 1:
        raise BadInput("repeated_parameter", f"`{name}` is given more than once.", field=name)
    return values[0]


@cache
def _parameters_of(expected: type[Struct]) -> Mapping[str, bool]:
    """By name, whether each may be given more than once. There are as many types as routes."""
    info = inspect.type_info(expected)
    assert isinstance(info, inspect.StructType)
    return {field.name: _repeatable(field) for field in info.fields}


def _repeatable(field: inspect.Field) -> bool:
    type_ = field.type.type if isinstance(field.type, inspect.Metadata) else field.type
    return isinstance(type_, inspect.VarTupleType)


def too_large(bytes_max: int) -> BodyTooLarge:
    return BodyTooLarge(
        "body_too_large",
        f"The body is larger than {bytes_max // 1024} KiB.",
        limit=bytes_max,
        hint="Attach long texts as files." if bytes_max == BODY_BYTES_MAX else None,
    )
