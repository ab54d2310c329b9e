"""What a tool takes: the JSON schema that models are shown, and the check of what a model wrote (pure).

Nothing is guessed. A model that is told precisely what is wrong writes it right the next time; a
tool that runs with half its arguments does something that was not asked for.
"""

import json
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, NoReturn, TypeVar

import msgspec
from msgspec import Struct

from chatd.domain.part import Json
from chatd.tools.json_schema import Mismatch, as_object, check_against, is_closed, lookalike, schema_of

# How many values an explanation lists.
_ALLOWED_SHOWN_MAX = 20

Args = TypeVar("Args")
Fields = TypeVar("Fields", bound=Struct)


class UnfitError(Exception):
    """The arguments do not fit. Says which one, what is wrong with it, and what the tool takes."""


class Arguments(Struct, Generic[Args], frozen=True):
    """`check` makes what `run` is given of parsed JSON. It raises Mismatch with what is wrong and where."""

    schema: Json
    check: Callable[[Json], Args]


def typed(fields: type[Fields]) -> Arguments[Fields]:
    """The arguments of a tool of ours: schema and check follow from one struct type.

    No name is taken that the struct does not have. So what a rule looked at is what the tool is given, and a
    name in another case is no way around it.
    """
    schema = _closed_schema(fields)

    def check(value: Json) -> Fields:
        try:
            return msgspec.convert(value, fields)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise Mismatch(lookalike(schema, value) or str(error)) from error

    return Arguments(schema, check)


@cache
def _closed_schema(fields: type[Struct]) -> Json:
    schema = schema_of(fields)
    assert is_closed(schema), (
        f"{fields.__name__} would ignore arguments: forbid unknown fields, at all depths"
    )
    return schema


def by_schema(schema: Json) -> Arguments[dict[str, Json]]:
    """The arguments of a tool whose schema comes from outside, as an MCP server's does.

    Its `run` is given the JSON object. `json_schema.py` says what is checked here; the rest is for the
    server that wrote the schema.
    """
    shown = as_object(schema)

    def check(value: Json) -> dict[str, Json]:
        check_against(shown, value)
        assert isinstance(value, dict), "the schema is that of an object"
        return value

    return Arguments(shown, check)


def fitting(name: str, arguments: Arguments[Args], args: Json) -> Args:
    """The arguments as the tool of this name wants them. Raises UnfitError with what to correct.

    `args` is the object that the model wrote, the text of it when it is no good JSON, or None.
    """
    try:
        value = _read(args) if isinstance(args, str) else args
        return arguments.check({} if value is None else value)
    except (Mismatch, RecursionError) as error:
        raise UnfitError(_explanation(name, arguments, str(error))) from error


def _read(text: str) -> Json:
    if not text.strip():
        return None
    try:
        return json.loads(text, object_pairs_hook=_once_each, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Mismatch(f"they are no valid JSON ({error})") from error


def _once_each(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    once: dict[str, Json] = {}
    for key, value in pairs:
        if key in once:
            raise Mismatch(f"they are ambiguous, because the key {key!r} is there twice in one object")
        once[key] = value
    return once


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def _explanation(name: str, arguments: Arguments[Any], why: str) -> str:
    required = arguments.schema.get("required", ())
    properties = arguments.schema.get("properties", {})
    known = [_described(key, properties[key], is_required=key in required) for key in properties]
    takes = f"It takes {', '.join(known)}." if known else "It takes none."
    return (
        f"Nothing was run, because the arguments of {name} do not fit: {why.rstrip('.')}. "
        f"{takes} Names count exactly as they are written. Correct the arguments and call it again."
    )


def _described(key: str, schema: Json, *, is_required: bool) -> str:
    """A property by its name, with what a model has to know to get it right."""
    allowed = _allowed(schema)
    facts = ["required"] if is_required else []
    if isinstance(allowed, list) and len(allowed) <= _ALLOWED_SHOWN_MAX:
        facts.append(f"one of {', '.join(map(str, allowed))}")
    return f"{key} ({'; '.join(facts)})" if facts else key


def _allowed(schema: Json) -> Json:
    """The values of an enumeration, also of one that may be left out."""
    if not isinstance(schema, dict):
        return None
    either = schema.get("anyOf", ())
    return next(
        (each["enum"] for each in (schema, *either) if isinstance(each, dict) and "enum" in each), None
    )
