import pytest

from chatd.domain.part import Json
from chatd.providers.dialects.shared.schemas import object_schema, openai_schema, without_alternatives


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        (None, {"type": "object", "properties": {}}),
        ({"properties": None}, {"type": "object", "properties": {}}),
        (
            {"type": "object", "properties": {"a": {}}, "required": ["a", "b"], "$defs": {"c": {}}},
            {"type": "object", "properties": {"a": {}}, "required": ["a"], "$defs": {"c": {}}},
        ),
        ({"properties": {"a": {}}, "required": ["b"]}, {"type": "object", "properties": {"a": {}}}),
        ({"properties": {"a": {}}, "required": "a"}, {"type": "object", "properties": {"a": {}}}),
    ],
)
def test_every_tool_takes_an_object_and_requires_only_what_it_has(schema: Json, written: Json) -> None:
    assert object_schema(schema) == written


A, B = {"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}
BOTH: Json = {"a": {}, "b": {}}


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"anyOf": [A, B]}, {"properties": BOTH}),
        ({"oneOf": [A], **B}, {"properties": BOTH, "required": ["b"]}),
        ({"allOf": [A, B]}, {"properties": BOTH, "required": ["a", "b"]}),
        (
            {"oneOf": [{"$ref": "#/$defs/a"}, B], "$defs": {"a": A}},
            {"properties": BOTH, "$defs": {"a": A}},
        ),
        ({"anyOf": [{"$ref": "#/$defs/gone"}, {"$ref": "elsewhere"}, True, {"properties": 1}]}, {}),
        ({"anyOf": None, **A}, A),
        ({"$ref": "#/$defs/a", "$defs": {"a": A}}, {**A, "$defs": {"a": A}}),
        (
            {"oneOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"a": {"const": 2}}}]},
            {"properties": {"a": {"anyOf": [{"const": 1}, {"const": 2}]}}},
        ),
        (
            {"anyOf": [{"properties": {"a": {"const": 1}}}], "properties": {"a": {"type": "integer"}}},
            {"properties": {"a": {"type": "integer"}}},
        ),
        ({"properties": {"a": {"anyOf": [A, B]}}}, {"properties": {"a": {"anyOf": [A, B]}}}),
        (None, {}),
    ],
)
def test_a_tool_that_takes_one_of_several_objects_takes_what_any_of_them_has(
    schema: Json, written: dict[str, Json]
) -> None:
    assert object_schema(without_alternatives(schema)) == {"type": "object", "properties": {}} | written


def test_openai_is_told_of_what_every_list_is_one() -> None:
    free = {"type": ["array", "null"], "default": {"type": "array"}}
    schema: Json = {
        "anyOf": [A],
        "properties": {
            "type": {"type": "array"},
            "b": {"type": "array", "items": {"anyOf": [free]}},
            "default": {"type": "array"},
        },
    }

    assert openai_schema(schema) == {
        "type": "object",
        "properties": {
            "a": {},
            "type": {"type": "array", "items": {}},
            "b": {"type": "array", "items": {"anyOf": [{**free, "items": {}}]}},
            "default": {"type": "array", "items": {}},
        },
    }
