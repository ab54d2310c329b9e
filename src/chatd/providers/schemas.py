"""What a tool takes, as every provider wants to be told of it (pure)."""

from chatd.domain.part import Json


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
