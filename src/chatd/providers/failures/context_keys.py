"""A context limit among the fields of what a provider has sent, whatever it calls them (pure)."""

import re
from collections.abc import Iterator

from chatd.domain.part import Json

# How deep is looked, and at how many fields: what comes in may be nested without end.
DEPTH_MAX = 12
FIELDS_MAX = 1_000
# Where gateways repeat what they were sent.
_ECHOES = frozenset({"input", "ctx", "request", "messages", "prompt", "body"})

# In lower case, without anything but letters and digits.
_NAMES = frozenset(
    {
        "contextlimit",
        "contextwindow",
        "contextlength",
        "maxcontext",
        "maxcontexttokens",
        "maxinputtokens",
        "maxinputtoken",
        "inputtokenlimit",
    }
)
# Beside `context`, any of these: all words of one are in the name.
_WITH_CONTEXT = (
    {"limit"},
    {"window", "size"},
    {"window", "max"},
    {"length", "max"},
    {"token", "max"},
    {"tokens", "max"},
    {"token", "limit"},
    {"tokens", "limit"},
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DIGITS = re.compile(r"\d{1,12}")


def context_limit_in(value: Json) -> int | None:
    """The largest one, in tokens; None when nothing is named like one."""
    found = [
        number
        for place, (name, inner) in enumerate(_fields(value, DEPTH_MAX))
        if place < FIELDS_MAX and names_context_limit(name) and (number := _number(inner))
    ]
    return max(found, default=None)


def names_context_limit(name: str) -> bool:
    if re.sub(r"[^a-z0-9]", "", name.lower()) in _NAMES:
        return True
    words = {word.lower() for word in _WORD.findall(name)}
    return "context" in words and any(others <= words for others in _WITH_CONTEXT)


def _fields(value: Json, depth: int) -> Iterator[tuple[str, Json]]:
    if depth == 0:
        return
    if isinstance(value, list):
        for inner in value[:FIELDS_MAX]:
            yield from _fields(inner, depth - 1)
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name, inner
            if name.lower() not in _ECHOES:
                yield from _fields(inner, depth - 1)


def _number(value: Json) -> int:
    """A positive whole number, however it is written; 0: it is none."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and value > 0 else 0
