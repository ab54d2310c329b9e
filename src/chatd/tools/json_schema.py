"""JSON schemas of arguments: made from a struct type, and checked where they come from outside (pure).

Of a schema from outside the keywords of `CHECKS` are checked: they catch what models get wrong (a name
that is missing or misspelt, a value of another type), and the error names the place. Other keywords are
left to the server that wrote the schema, and so is a keyword whose value makes no sense.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache

import msgspec
from msgspec import Struct

from chatd.domain.part import Json

# What an error shows of the values that are allowed.
_SHOWN_CHARACTERS_MAX = 300


class Mismatch(Exception):
    """A value that the schema does not allow: what is wrong, and where."""


@cache
def schema_of(fields: type[Struct]) -> Json:
    """The fields as JSON Schema, in one piece: not every provider follows references."""
    (top,), named = msgspec.json.schema_components((fields,), ref_template="{name}")
    return as_object(_resolved(top, named))


def as_object(schema: Json) -> Json:
    """Providers want an object with properties, and no empty list of what is required."""
    given = schema if isinstance(schema, dict) else {}
    properties = given.get("properties")
    shaped = {**given, "type": "object", "properties": properties if isinstance(properties, dict) else {}}
    if not isinstance(shaped.get("required"), list) or not shaped["required"]:
        shaped.pop("required", None)
    return shaped


def check_against(schema: Json, value: Json, where: str = "$") -> None:
    """Raises Mismatch with the first thing that the schema does not allow."""
    if not isinstance(schema, dict):
        return
    for keyword, check in CHECKS.items():
        if keyword in schema:
            check(schema, value, where)


def is_closed(schema: Json) -> bool:
    """Whether no object of this schema, at any depth, takes a name that is not declared."""
    if not isinstance(schema, dict):
        return True
    if "properties" in schema and schema.get("additionalProperties") is not False:
        return False
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    return all(is_closed(each) for each in (*inner, schema.get("items"), schema.get("additionalProperties")))


def lookalike(schema: Json, value: Json, where: str = "$") -> str | None:
    """What is wrong with the first name that differs from a declared one only by letter case.

    None: there is no such name.
    """
    match schema, value:
        case {"properties": dict(known)}, dict():
            return _lookalike_among(known, value, where)
        case {"items": dict(inner)}, list():
            found = (lookalike(inner, each, f"{where}[{index}]") for index, each in enumerate(value))
            return next(filter(None, found), None)
        case {"anyOf": list(options)}, _:
            return next(filter(None, (lookalike(option, value, where) for option in options)), None)
        case _:
            return None


def _lookalike_among(known: dict[str, Json], value: dict[str, Json], where: str) -> str | None:
    folded = {name.casefold(): name for name in known}
    for name, inner in value.items():
        declared = folded.get(name.casefold(), name)
        if name not in known and declared != name:
            return (
                f"`{name}` is ambiguous, because it differs from `{declared}` only by letter case - "
                f"at `{where}`"
            )
        if found := lookalike(known.get(name), inner, f"{where}.{name}"):
            return found
    return None


def _resolved(schema: Json, named: dict[str, Json]) -> Json:
    match schema:
        case {"$ref": str(name), **beside}:
            return {**_resolved(named[name], named), **beside}
        case dict():
            # The name of our class says nothing, and what requires nothing need not say so. A property
            # may be called `title` or `required`, but is neither a string nor a list.
            return {
                key: _resolved(value, named)
                for key, value in schema.items()
                if not ((key == "title" and isinstance(value, str)) or (key == "required" and value == []))
            }
        case list() | tuple():
            return [_resolved(value, named) for value in schema]
        case _:
            return schema


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Json], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
}


def _name_of_type(value: Json) -> str:
    return next(name for name, is_one in _TYPES.items() if is_one(value))


def _check_type(schema: dict[str, Json], value: Json, where: str) -> None:
    wanted = schema["type"]
    names = [wanted] if isinstance(wanted, str) else wanted
    known = isinstance(names, list) and all(isinstance(name, str) and name in _TYPES for name in names)
    if known and not any(_TYPES[name](value) for name in names):
        expected = " or ".join(f"`{name}`" for name in names)
        raise Mismatch(f"Expected {expected}, got `{_name_of_type(value)}` - at `{where}`")


def _check_enum(schema: dict[str, Json], value: Json, where: str) -> None:
    allowed = schema["enum"]
    if isinstance(allowed, list) and not any(_is_same(value, each) for each in allowed):
        shown = ", ".join(json.dumps(each) for each in allowed)
        raise Mismatch(f"Expected one of {shown[:_SHOWN_CHARACTERS_MAX]} - at `{where}`")


def _is_same(one: Json, other: Json) -> bool:
    """As JSON has it: `true` is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _check_required(schema: dict[str, Json], value: Json, where: str) -> None:
    names = schema["required"]
    if isinstance(value, dict) and isinstance(names, list):
        for name in names:
            if isinstance(name, str) and name not in value:
                raise Mismatch(f"Object missing required field `{name}` - at `{where}`")


def _check_properties(schema: dict[str, Json], value: Json, where: str) -> None:
    properties = schema["properties"]
    if isinstance(value, dict) and isinstance(properties, dict):
        for name, inner in properties.items():
            if name in value:
                check_against(inner, value[name], f"{where}.{name}")


def _check_unknown(schema: dict[str, Json], value: Json, where: str) -> None:
    known = schema.get("properties", {})
    closed = schema["additionalProperties"] is False and not schema.get("patternProperties")
    if not closed or not isinstance(known, dict) or not isinstance(value, dict):
        return
    for name in value:
        if name not in known:
            raise Mismatch(f"Object contains unknown field `{name}` - at `{where}`")


def _check_items(schema: dict[str, Json], value: Json, where: str) -> None:
    if isinstance(value, list):
        for index, item in enumerate(value):
            check_against(schema["items"], item, f"{where}[{index}]")


CHECKS: Mapping[str, Callable[[dict[str, Json], Json, str], None]] = {
    "type": _check_type,
    "enum": _check_enum,
    "required": _check_required,
    "additionalProperties": _check_unknown,
    "properties": _check_properties,
    "items": _check_items,
}
