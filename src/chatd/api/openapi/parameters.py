"""The parameters of operations: what a path names, what a query asks."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from chatd.api.checks import NUMBER_LENGTH_MAX
from chatd.api.openapi.always_present import not_null
from chatd.api.openapi.schemas import REFERENCE, plain
from chatd.domain.people.grants import GrantKind

Schema = dict[str, Any]

# What is numbered within its chat.
_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 10**NUMBER_LENGTH_MAX - 1}
_PATH_TYPES: Mapping[str, Schema] = {
    "message_id": _NUMBER,
    "queued_id": _NUMBER,
    "branch": _NUMBER,
    "kind": {"type": "string", "enum": sorted(GrantKind)},
    "subject": {"type": "string", "description": "An id or a name; of `everyone` it is `all`."},
}


def path_parameters(path: str) -> list[Schema]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _PATH_TYPES.get(name, {"type": "string"})}
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def query_parameters(query: type[Struct]) -> list[Schema]:
    _, components = msgspec.json.schema_components([query], ref_template=REFERENCE)
    schema = components[query.__name__]
    required = schema.get("required", [])
    return [
        _query_parameter(name, property_, required=name in required)
        for name, property_ in schema["properties"].items()
    ]


def _query_parameter(name: str, property_: Schema, *, required: bool) -> Schema:
    # A parameter is there or not; none can be null.
    schema = not_null(plain(property_))
    about = {"description": schema.pop("description")} if "description" in schema else {}
    default = property_.get("default")
    if default is not None:
        # Here it is told: no generator takes it for more than it is.
        schema["default"] = default
    return {"name": name, "in": "query", **about, "required": required, "schema": schema}
