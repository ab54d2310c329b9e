import pytest

from chatd.domain.part import Json
from chatd.providers.schemas import object_schema


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
