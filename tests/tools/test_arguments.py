"""A tool whose schema comes from outside, as that of an MCP server does, is a tool like any other."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.domain.call import CallResult, Effect
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.tools.arguments import UnfitError, by_schema, fitting
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting, Tool
from chatd.tools.toolbox import Toolbox

SETTING = Setting(chat_id=ChatId("chat"), call_id=CallId("c1"), show=lambda _: None)

# As a server for issues of a tracker might write it.
ISSUES = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "priority": {"type": "integer", "enum": [1, 2, 3]},
        "assignee": {"type": ["string", "null"]},
        "labels": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
                "additionalProperties": False,
            },
        },
        "since": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
    },
    "required": ["title"],
}


async def give_back(args: dict[str, Json], setting: Setting) -> Json:
    return {"got": args, "in": setting.chat_id}


def toolbox(schema: Json = ISSUES) -> Toolbox:
    return Toolbox(
        [
            Tool(
                name="tracker__create",
                description="Create an issue.",
                arguments=by_schema(schema),
                effect=Effect.ONCE,
                run=give_back,
            )
        ]
    )


async def run(args: Json, schema: Json = ISSUES) -> CallResult:
    return (await run_call(toolbox(schema), "tracker__create", args, SETTING)).result


@pytest.mark.parametrize(
    "args",
    [
        {"title": "It is slow"},
        {"title": "It is slow", "priority": 2, "assignee": None, "labels": [{"name": "speed"}]},
        {"title": "It is slow", "priority": 2.0},
        # Nothing forbids further names, and what only the server can check is for the server.
        {"title": "", "note": 1, "since": "yesterday"},
    ],
)
async def test_arguments_that_fit_a_schema_from_outside_reach_the_tool_as_they_are(args: Json) -> None:
    assert await run(args) == CallResult(result={"got": args, "in": "chat"})


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({}, "missing required field `title` - at `$`"),
        (None, "missing required field `title` - at `$`"),
        ([], "Expected `object`, got `array` - at `$`"),
        ({"title": 1}, "Expected `string`, got `number` - at `$.title`"),
        ({"title": "a", "priority": 9}, "Expected one of 1, 2, 3 - at `$.priority`"),
        ({"title": "a", "priority": True}, "Expected `integer`, got `boolean` - at `$.priority`"),
        ({"title": "a", "priority": 1.5}, "Expected `integer`, got `number` - at `$.priority`"),
        ({"title": "a", "assignee": 1}, "Expected `string` or `null`, got `number` - at `$.assignee`"),
        ({"title": "a", "labels": [{"name": "b"}, {}]}, "missing required field `name` - at `$.labels[1]`"),
        ({"title": "a", "labels": [{"Name": "b", "name": "c"}]}, "unknown field `Name` - at `$.labels[0]`"),
        ('{"title": "a", "title": "b"}', "the key 'title' is there twice"),
        ('{"title": ', "no valid JSON"),
    ],
)
async def test_what_does_not_fit_a_schema_from_outside_is_named_with_its_place(args: Json, why: str) -> None:
    result = await run(args)

    assert result.is_error
    assert why in result.result["error"]
    assert (
        "It takes title (required), priority (one of 1, 2, 3), assignee, labels, since."
        in result.result["error"]
    )


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        {"type": 5, "properties": []},
        {"properties": {"a": 1, "b": {"type": "date"}, "c": {"type": [{}]}}, "required": "a"},
        {"properties": {"a": {"enum": 1, "items": 2, "required": [3], "properties": 4}}},
        {"properties": {"a": {"additionalProperties": False, "properties": None}}},
    ],
)
async def test_a_schema_that_makes_no_sense_stands_in_no_callers_way(schema: Json) -> None:
    args = {"a": {"x": [1]}, "b": [2], "c": "d"}

    assert await run(args, schema) == CallResult(result={"got": args, "in": "chat"})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
KEYWORDS = st.sampled_from(
    ["type", "enum", "required", "properties", "additionalProperties", "items", "patternProperties"]
)


@given(schema=st.dictionaries(KEYWORDS, VALUES | st.dictionaries(KEYWORDS, VALUES)), args=VALUES)
def test_any_schema_and_any_arguments_end_in_an_object_or_in_an_explanation(schema: Json, args: Json) -> None:
    with suppress(UnfitError):
        assert isinstance(fitting("do", by_schema(schema), args), dict)
