"""JSON in which one place refers to another, for providers that do not follow references (pure)."""

from urllib.parse import unquote

from chatd.domain.part import Json
from chatd.kit import codec

# In one schema. What few references unfold to may be beyond measure, in number and in size.
REFERENCES_MAX = 200
UNFOLDED_BYTES_MAX = 128 * 1024

# Only there to be referred to.
_DEFINITIONS = frozenset({"$defs", "definitions"})
# Of what would contain itself, this much is still said.
_OUTLINE = ("type", "title", "description")


def without_references(schema: Json) -> Json:
    """The same schema, with what it refers to in the place of each reference.

    What contains itself is told once, and within itself only in outline.
    """
    if not isinstance(schema, dict) or not refers(schema):
        return schema
    return _Unfolding(schema).unfolded(_without_definitions(schema), frozenset())


def refers(value: Json) -> bool:
    """Whether there is a reference anywhere in it."""
    match value:
        case {"$ref": str()}:
            return True
        case dict():
            return any(map(refers, value.values()))
        case list():
            return any(map(refers, value))
        case _:
            return False


class _Unfolding:
    def __init__(self, root: dict[str, Json]) -> None:
        self._root = root
        self._left = REFERENCES_MAX
        self._bytes_left = UNFOLDED_BYTES_MAX

    def unfolded(self, value: Json, within: frozenset[str]) -> Json:
        """`within` are the places that this one is a part of."""
        match value:
            case {"$ref": str(place), **beside}:
                return {**self._meant(place, within), **self.unfolded(beside, within)}
            case dict():
                return {name: self.unfolded(each, within) for name, each in value.items()}
            case list():
                return [self.unfolded(each, within) for each in value]
            case _:
                return value

    def _meant(self, place: str, within: frozenset[str]) -> Json:
        """What stands there, unfolded itself. What cannot be found may be anything."""
        found = _at(self._root, place)
        if not isinstance(found, dict):
            return {}
        self._left -= 1
        if place not in within and self._left >= 0:
            self._bytes_left -= len(codec.encode(found))
        if place in within or self._left < 0 or self._bytes_left < 0:
            return {keyword: found[keyword] for keyword in _OUTLINE if keyword in found}
        return self.unfolded(_without_definitions(found), within | {place})


def _without_definitions(schema: dict[str, Json]) -> dict[str, Json]:
    return {keyword: value for keyword, value in schema.items() if keyword not in _DEFINITIONS}


def _at(root: Json, place: str) -> Json:
    """What stands at a place of this schema, as JSON Pointer names it; nothing for places elsewhere."""
    if not place.startswith("#"):
        return None
    found = root
    for step in place.split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found
