"""Schemas that servers wrote: bounded, in one piece, and such that they can be sent to a model (pure).

References within a schema are replaced by what they mean, as not every provider follows them. One that leads
back to itself, or out of the schema, allows everything: its server checks what it is called with.
"""

import math
from collections.abc import Mapping

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.kit.text import shortened, valid_text, visible
from chatd.mcp.limits import SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX, SCHEMA_VALUES_MAX

WORDS_CHARACTERS_MAX = 1000
INTEGER_MAX = 2**63 - 1

# Keywords by what is in them. Those of no list hold a schema, several of them, or a plain value.
_NAMED_SCHEMAS = frozenset({"properties", "patternProperties", "dependentSchemas"})
_DATA = frozenset({"enum", "const", "default", "examples", "required", "dependentRequired"})
_WORDS = frozenset({"description", "title"})
_LEFT_OUT = frozenset({"$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment"})
_REFERENCES = ("$ref", "$dynamicRef")


class BadSchema(Exception):
    """The schema cannot be offered to a model. Says why."""


def fit_schema(schema: Json) -> dict[str, Json]:
    """Raises BadSchema."""
    if not isinstance(schema, dict):
        raise BadSchema("it is not an object")
    try:
        fit = _Fitting(schema).fitted()
    except RecursionError as error:
        raise BadSchema("it is nested too deeply") from error
    if len(codec.encode(fit)) > SCHEMA_BYTES_MAX:
        raise BadSchema(f"it has more than {SCHEMA_BYTES_MAX} bytes")
    return fit


class _Fitting:
    def __init__(self, whole: dict[str, Json]) -> None:
        self._whole = whole
        self._values = 0
        # References that are being replaced, from the outside in.
        self._inside: list[str] = []

    def fitted(self) -> dict[str, Json]:
        fit = self._schema(self._whole, 0)
        assert isinstance(fit, dict)
        return fit

    def _count(self, depth: int) -> None:
        self._values += 1
        if self._values > SCHEMA_VALUES_MAX:
            raise BadSchema(f"it has more than {SCHEMA_VALUES_MAX} values")
        if depth > SCHEMA_DEPTH_MAX:
            raise BadSchema(f"it is nested more than {SCHEMA_DEPTH_MAX} deep")

    def _schema(self, schema: Json, depth: int) -> Json:
        if not isinstance(schema, dict):
            return self._data(schema, depth)
        self._count(depth)
        reference = next((schema[key] for key in _REFERENCES if key in schema), None)
        fit = self._referenced(reference, depth) if reference is not None else {}
        for key, value in schema.items():
            if key in _LEFT_OUT or key in _REFERENCES or not _is_sayable(value):
                continue
            fit[valid_text(key)] = self._keyword(key, value, depth + 1)
        return fit

    def _keyword(self, key: str, value: Json, depth: int) -> Json:
        if key in _WORDS and isinstance(value, str):
            return shortened(visible(valid_text(value)), WORDS_CHARACTERS_MAX)
        if key in _DATA:
            return self._data(value, depth)
        if key in _NAMED_SCHEMAS and isinstance(value, dict):
            self._count(depth)
            return {valid_text(name): self._schema(inner, depth + 1) for name, inner in value.items()}
        if isinstance(value, list):
            self._count(depth)
            return [self._schema(inner, depth + 1) for inner in value]
        return self._schema(value, depth)

    def _data(self, value: Json, depth: int) -> Json:
        self._count(depth)
        match value:
            case str():
                return valid_text(value)
            case dict():
                return {
                    valid_text(name): self._data(inner, depth + 1)
                    for name, inner in value.items()
                    if _is_sayable(inner)
                }
            case list():
                return [self._data(inner, depth + 1) for inner in value if _is_sayable(inner)]
            case _:
                return value

    def _referenced(self, reference: Json, depth: int) -> dict[str, Json]:
        if not isinstance(reference, str) or reference in self._inside:
            return {}
        found = _at(self._whole, reference)
        if not isinstance(found, dict):
            return {}
        self._inside.append(reference)
        try:
            fit = self._schema(found, depth + 1)
        finally:
            self._inside.pop()
        return fit if isinstance(fit, dict) else {}


def _is_sayable(value: Json) -> bool:
    """Some numbers are JSON for one program, and for the next one no more."""
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) <= INTEGER_MAX


def _at(whole: Mapping[str, Json], reference: str) -> Json:
    """What a reference of the form `#/$defs/name` leads to; None for any other."""
    if not reference.startswith("#"):
        return None
    found: Json = whole
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return found
