"""Turns msgspec's verdict on a request into a sentence: which field, what is wrong, what would be right.

msgspec says where and what in one line of text, such as "Expected `str`, got `int` - at
`$.content[0].text`". That line is all there is, so it is taken apart here, and only here.
"""

import difflib
import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import inspect

from chatd.errors import BadInput
from chatd.kit.text import shortened

_PLACE = re.compile(r"(?P<problem>.*) - at `(?:key in )?\$(?P<path>[^`]*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>.*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<wanted>[^`]+)`(?P<bound>[^,]*)(?:, got `(?P<given>[^`]+)`)?")
_NO_SUCH_WORD = re.compile(r"Invalid enum value (?P<word>.*)", re.DOTALL)
_STEP = re.compile(r"\.(?P<field>\w+)|\[(?P<item>[^\]]*)\]")

# The types of JSON, in words for people who do not write programs.
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
}

# A caller's own words come back in the answer, but not all 256 KiB of them.
QUOTED_LENGTH_MAX = 80


def explained(error: msgspec.ValidationError, expected: type) -> BadInput:
    """The error for a caller who sent something else than `expected`."""
    place = _PLACE.fullmatch(str(error))
    problem, path = (place["problem"], place["path"]) if place else (str(error), "")
    here = _types_at(expected, path)
    field = path.removeprefix(".")
    if unknown := _UNKNOWN.fullmatch(problem):
        return _unknown_field(unknown["name"], field, here)
    if missing := _MISSING.fullmatch(problem):
        name = missing["name"]
        return BadInput(
            "missing_field",
            f"{_called(field)} lacks the field `{name}`.",
            field=field or name,
            hint=_choices(here) if name == "type" else None,
        )
    if path.endswith(".type") and not here:
        # The tag says what the whole thing is, so the whole thing is what is wrong.
        field = field.removesuffix(".type")
        here = _types_at(expected, path.removesuffix(".type"))
    return BadInput(
        "bad_value", f"{_called(field)} {_in_words(problem)}.", field=field or None, hint=_choices(here)
    )


def suggestion(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"Did you mean `{near[0]}`?"
    return "There are " + ", ".join(f"`{k}`" for k in known) + "." if known else "There are none."


def _unknown_field(name: str, field: str, here: Sequence[inspect.Type]) -> BadInput:
    known = [f.encode_name for t in here if isinstance(t, inspect.StructType) for f in t.fields]
    name = shortened(name, QUOTED_LENGTH_MAX)
    return BadInput(
        "unknown_field",
        f"{_called(field)} has no field `{name}`.",
        field=f"{field}.{name}" if field else name,
        hint=suggestion(name, list(dict.fromkeys(known))),
    )


def _called(field: str) -> str:
    return f"`{field}`" if field else "The request"


def _in_words(problem: str) -> str:
    if word := _NO_SUCH_WORD.fullmatch(problem):
        return f"cannot be {shortened(word['word'], QUOTED_LENGTH_MAX)}"
    if (expected := _EXPECTED.fullmatch(problem)) is None:
        return f"is not as expected: {shortened(problem, QUOTED_LENGTH_MAX)}"
    wanted = " or ".join(_WORDS.get(word, word) for word in expected["wanted"].split(" | "))
    given = expected["given"]
    return f"must be {wanted}{expected['bound']}" + (f", not {_WORDS.get(given, given)}" if given else "")


def _choices(types: Sequence[inspect.Type]) -> str | None:
    """What a tagged thing or a word may be, if it is one of those."""
    tags = [str(t.tag) for t in types if isinstance(t, inspect.StructType) and t.tag is not None]
    if tags:
        return "Its `type` is one of " + ", ".join(tags) + "."
    words = [str(word.value) for t in types if isinstance(t, inspect.EnumType) for word in t.cls]
    return "It is one of " + ", ".join(words) + "." if words else None


def _types_at(expected: type, path: str) -> list[inspect.Type]:
    """What the declaration allows at this place."""
    types = list(_alternatives(inspect.type_info(expected)))
    for step in _STEP.finditer(path):
        types = [found for t in types for inner in _inside(t, step) for found in _alternatives(inner)]
    return types


def _alternatives(type_: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(type_, inspect.Metadata):
        yield from _alternatives(type_.type)
    elif isinstance(type_, inspect.UnionType):
        for each in type_.types:
            yield from _alternatives(each)
    else:
        yield type_


def _inside(type_: inspect.Type, step: re.Match[str]) -> Iterator[inspect.Type]:
    match type_:
        case inspect.StructType(fields=fields) if step["field"]:
            yield from (f.type for f in fields if f.encode_name == step["field"])
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item) if step["field"] is None:
            yield item
        case inspect.DictType(value_type=value) if step["field"] is None:
            yield value
        case _:
            return
