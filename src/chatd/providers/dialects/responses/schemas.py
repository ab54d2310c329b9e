"""What a tool takes, as OpenAI is told of it (pure).

In the strict form the model cannot write anything that does not fit. It knows only a part of JSON Schema:
every object lists all it may hold, and everything listed is there; what may be absent may be null instead.
"""

from collections.abc import Mapping

from chatd.domain.part import Json
from chatd.providers.dialects.shared.schemas import openai_schema
from chatd.providers.model import ToolSpec


class _ImpossibleError(Exception):
    """The strict form has no words for this schema."""


# Holding schemas: by name, in a list, or one.
_NAMED = frozenset({"properties", "$defs", "definitions"})
_LISTED = frozenset({"anyOf"})
_SINGLE = frozenset({"items"})
_PLAIN = frozenset(
    {
        "type",
        "description",
        "title",
        "enum",
        "const",
        "required",
        "$ref",
        "pattern",
        "format",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
    }
)
# Leaving these out would change which values fit, or which keys there are.
_INEXPRESSIBLE = frozenset(
    {
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "propertyNames",
        "prefixItems",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedProperties",
    }
)


def function_tool(spec: ToolSpec, warnings: list[str], *, strict: bool) -> dict[str, Json]:
    parameters = openai_schema(spec.input_schema)
    if strict:
        try:
            parameters = _strict(parameters)
        except _ImpossibleError as error:
            warnings.append(f"{spec.name} cannot be strict: {error}.")
            strict = False
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": parameters,
        "strict": strict,
    }


def _strict(schema: Json) -> dict[str, Json]:
    if not isinstance(schema, dict):
        raise _ImpossibleError("a part of its schema allows anything")
    if unknown := sorted(_INEXPRESSIBLE & schema.keys()):
        raise _ImpossibleError(f"its schema uses {', '.join(unknown)}")
    if not {"type", "$ref", "anyOf", "enum", "const"} & schema.keys():
        raise _ImpossibleError("a part of its schema allows anything")
    written = {keyword: _keyword(keyword, value) for keyword, value in schema.items() if _is_known(keyword)}
    return _closed(schema, written) if _may_be_object(schema) else written


def _is_known(keyword: str) -> bool:
    return keyword in _PLAIN or keyword in _NAMED or keyword in _LISTED or keyword in _SINGLE


def _keyword(keyword: str, value: Json) -> Json:
    if keyword in _NAMED and isinstance(value, dict):
        return {name: _strict(each) for name, each in value.items()}
    if keyword in _LISTED and isinstance(value, list):
        return [_strict(each) for each in value]
    return _strict(value) if keyword in _SINGLE else value


def _may_be_object(schema: Mapping[str, Json]) -> bool:
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def _closed(schema: Mapping[str, Json], written: dict[str, Json]) -> dict[str, Json]:
    """The object with every property required, and nothing beside them."""
    if "properties" not in written or schema.get("additionalProperties") not in (None, False):
        raise _ImpossibleError("one of its objects takes keys that the schema does not name")
    properties = written["properties"]
    required = schema.get("required") or ()
    for name, each in properties.items():
        if name not in required:
            properties[name] = _nullable(each)
    return {**written, "required": list(properties), "additionalProperties": False}


def _nullable(schema: dict[str, Json]) -> dict[str, Json]:
    kind = schema.get("type")
    if "enum" in schema or "const" in schema or kind is None:
        return {"anyOf": [schema, {"type": "null"}]}
    kinds = kind if isinstance(kind, list) else [kind]
    return schema if "null" in kinds else {**schema, "type": [*kinds, "null"]}
