"""What a tool takes, as every provider wants to be told of it (pure)."""

from chatd.domain.part import Json

# Ways to say that one of several schemas fits, or all of them.
_COMBINED = ("allOf", "anyOf", "oneOf")
# What stands in these is no schema, but a value.
_VALUES = frozenset({"const", "default", "enum", "examples"})
# What stands in these are schemas, each under a name.
_NAMED = frozenset({"$defs", "definitions", "properties"})


def object_schema(schema: Json) -> dict[str, Json]:
    """The whole schema: an object with properties, if only with none, requiring only such as there are."""
    whole: dict[str, Json] = dict(schema) if isinstance(schema, dict) else {}
    whole["type"] = "object"
    if not isinstance(whole.get("properties"), dict):
        whole["properties"] = {}
    required = whole.pop("required", None)
    if isinstance(required, list) and (known := [name for name in required if name in whole["properties"]]):
        whole["required"] = known
    return whole


def without_alternatives(schema: Json) -> Json:
    """The same, where nothing stands at the top but one object: some providers refuse every request with a
    tool that takes one thing or another. All that is named in any of them may be given; what goes together,
    the tool knows.
    """
    if isinstance(schema, dict) and isinstance(meant := _meant(schema, schema), dict):
        schema = schema | meant
        schema.pop("$ref", None)
    if not isinstance(schema, dict) or not any(name in schema for name in _COMBINED):
        return schema
    branches = [(name, branch) for name in _COMBINED for branch in _branches(schema, name)]
    required = [branch.get("required") for name, branch in branches if name == "allOf"]
    required.append(schema.get("required"))
    whole = {name: value for name, value in schema.items() if name not in _COMBINED}
    whole["properties"] = _together([branch.get("properties") for _, branch in branches], schema)
    whole["required"] = list(
        dict.fromkeys(
            name for each in required if isinstance(each, list) for name in each if isinstance(name, str)
        )
    )
    return whole


def _together(each: list[Json], schema: dict[str, Json]) -> dict[str, Json]:
    """Every property of any of them. One that they describe differently, such as the mark by which they are
    told apart, may be what any of them says; what the whole says of it counts for all.
    """
    said: dict[str, list[Json]] = {}
    for properties in each:
        for name, about in properties.items() if isinstance(properties, dict) else ():
            if about not in said.setdefault(name, []):
                said[name].append(about)
    merged = {name: found[0] if len(found) == 1 else {"anyOf": found} for name, found in said.items()}
    own = schema.get("properties")
    return merged | own if isinstance(own, dict) else merged


def _branches(schema: dict[str, Json], name: str) -> list[dict[str, Json]]:
    listed = schema.get(name)
    found = [_meant(schema, branch) for branch in (listed if isinstance(listed, list) else ())]
    return [branch for branch in found if isinstance(branch, dict)]


def _meant(schema: dict[str, Json], branch: Json) -> Json:
    """The branch, or which of the schema's own definitions it refers to."""
    match branch:
        case {"$ref": str(place)}:
            _, _, path = place.partition("#/")
            kind, _, name = path.partition("/")
            definitions = schema.get(kind)
            return definitions.get(name) if isinstance(definitions, dict) else None
        case _:
            return branch


def openai_schema(schema: Json) -> dict[str, Json]:
    """As OpenAI wants it, who refuses every request with a tool that is explained otherwise."""
    return object_schema(_with_items(without_alternatives(schema)))


def _with_items(schema: Json) -> Json:
    """Every list says of what it is one, if only of anything."""
    if isinstance(schema, list):
        return [_with_items(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    whole = {name: _within(name, each) for name, each in schema.items()}
    kind = whole.get("type")
    if "items" not in whole and (kind == "array" or (isinstance(kind, list) and "array" in kind)):
        whole["items"] = {}
    return whole


def _within(keyword: str, value: Json) -> Json:
    if keyword in _VALUES:
        return value
    if keyword in _NAMED and isinstance(value, dict):
        # Here names are people's, whatever they look like.
        return {name: _with_items(each) for name, each in value.items()}
    return _with_items(value)
