"""Schemas whose parts refer to one another, told without references."""

import pytest

from chatd.domain.part import Json
from chatd.providers.dialects.shared.references import (
    REFERENCES_MAX,
    UNFOLDED_BYTES_MAX,
    refers,
    without_references,
)

CITY = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize("keyword", ["$defs", "definitions"])
def test_what_is_referred_to_stands_in_the_place_of_the_reference(keyword: str) -> None:
    there = {"$ref": f"#/{keyword}/City", "description": "Where to."}
    schema = {"properties": {"to": {"anyOf": [there, {"type": "null"}]}}, keyword: {"City": CITY}}

    assert without_references(schema) == {
        "properties": {"to": {"anyOf": [{**CITY, "description": "Where to."}, {"type": "null"}]}}
    }


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"$ref": "#/$defs/City", "$defs": {"City": CITY}}, CITY),
        (
            {"properties": {"a": CITY, "b": {"items": {"$ref": "#/properties/a"}}}},
            {"properties": {"a": CITY, "b": {"items": CITY}}},
        ),
        ({"items": {"$ref": "#/$defs/a~1b%20c"}, "$defs": {"a/b c": CITY}}, {"items": CITY}),
        ({"items": {"$ref": "#/$defs/gone"}, "$defs": {}}, {"items": {}}),
        ({"items": {"$ref": "https://example.org/city.json"}}, {"items": {}}),
        ({"items": {"$ref": "#/a/b"}, "a": 1}, {"items": {}, "a": 1}),
    ],
    ids=["at the top", "beside it", "spelled", "nowhere", "elsewhere", "through no object"],
)
def test_a_reference_may_lead_anywhere_in_the_schema(schema: Json, told: Json) -> None:
    assert without_references(schema) == told


def test_a_definition_may_refer_to_another() -> None:
    schema = {
        "items": {"$ref": "#/$defs/Trip"},
        "$defs": {"Trip": {"properties": {"to": {"$ref": "#/$defs/City"}}}, "City": CITY},
    }

    assert without_references(schema) == {"items": {"properties": {"to": CITY}}}


def test_what_contains_itself_is_told_once() -> None:
    node = {"type": "object", "title": "Node", "properties": {"next": {"$ref": "#/$defs/Node"}}}

    assert without_references({"properties": {"top": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}) == {
        "properties": {"top": {**node, "properties": {"next": {"type": "object", "title": "Node"}}}}
    }
    assert without_references({"type": "object", "properties": {"self": {"$ref": "#"}}}) == {
        "type": "object",
        "properties": {
            "self": {"type": "object", "properties": {"self": {"type": "object"}}},
        },
    }


def test_few_references_do_not_unfold_beyond_measure() -> None:
    """Each definition has two of the next: forty of them would be more than any machine could hold."""
    definitions = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(40)
    }
    told = without_references({"items": {"$ref": "#/$defs/d0"}, "$defs": definitions})

    assert not refers(told)
    assert str(told).count("anyOf") <= REFERENCES_MAX


def test_what_is_large_is_not_said_again_and_again() -> None:
    large = {"type": "object", "description": "Where to.", "enum": ["x" * UNFOLDED_BYTES_MAX]}
    schema = {
        "properties": {str(number): {"$ref": "#/$defs/large"} for number in range(100)},
        "$defs": {"large": large},
    }
    told = without_references(schema)

    assert told["properties"]["99"] == {"type": "object", "description": "Where to."}
    assert len(str(told)) < 2 * UNFOLDED_BYTES_MAX


@pytest.mark.parametrize(
    "schema", [None, CITY, {"properties": {"$ref": {"type": "string"}}}, {"$defs": {"City": CITY}}]
)
def test_without_references_nothing_changes(schema: Json) -> None:
    assert without_references(schema) is schema
