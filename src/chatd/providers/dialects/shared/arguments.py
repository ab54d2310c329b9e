"""The arguments of a call, from the text that a model wrote (pure)."""

import json
from typing import NoReturn

from chatd.domain.part import Json
from chatd.kit.codec import finite
from chatd.providers.transport.frame_json import is_too_deep


def read_arguments(text: str) -> Json:
    """The object; nothing at all is an empty one. Whatever else it is stays text, which no tool runs."""
    if not text.strip():
        return {}
    found = whole_object(text)
    return text if found is None else found


def whole_object(text: str) -> dict[str, Json] | None:
    """None for what is no JSON object, or nested beyond measure, or names a key twice: which of the two
    counts is not for us to say.
    """
    if is_too_deep(text.encode("utf-8", "surrogatepass")):
        return None
    try:
        found = STRICT_JSON.decode(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _once_each(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key is there twice")
    return keys


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


# Python's own would take the last of two equal keys, and words for numbers that JSON does not know.
STRICT_JSON = json.JSONDecoder(object_pairs_hook=_once_each, parse_float=finite, parse_constant=_no_number)
