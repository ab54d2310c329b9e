"""Schemas, as generators of clients take them."""

from collections.abc import Iterator
from typing import Any

import pytest

from chatd.api.openapi.schemas import RENAMED, UNIONS, plain
from chatd.domain.ids import CallId
from chatd.domain.part import Text, ToolCall
from chatd.kit.codec import encode
from chatd.live.episodes.episode import LivePart, ToolCallPiece, ToolResultPiece
from chatd.live.guests.parts import GuestCall, GuestCallPiece, GuestLivePart, GuestResultPiece, GuestText
from tests.api.described import DESCRIBED, encoded, problem_of

SCHEMAS: dict[str, Any] = DESCRIBED["components"]["schemas"]


def everything_in(schema: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A schema and all that are in it, with where they are."""
    yield place, schema
    for name, field in schema.get("properties", {}).items():
        yield from everything_in(field, f"{place}.{name}")
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("prefixItems", ())):
        yield from everything_in(each, place)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from everything_in(schema[keyword], f"{place}[]")


ALL = [found for name, schema in SCHEMAS.items() for found in everything_in(schema, name)]


def test_words_that_are_listed_have_a_type() -> None:
    listed = [(place, schema) for place, schema in ALL if "enum" in schema or "const" in schema]

    assert len(listed) > 100
    assert [place for place, schema in listed if "type" not in schema] == []
    assert [place for place, schema in listed if len(schema.get("enum", "more")) == 1] == []


def test_objects_say_which_fields_they_may_have() -> None:
    """To openapi-typescript one that does not has none at all."""
    objects = [(place, schema) for place, schema in ALL if schema.get("type") == "object"]

    assert len(objects) > 100
    assert [place for place, each in objects if not {"properties", "additionalProperties"} & set(each)] == []


def test_no_field_has_a_default() -> None:
    """To openapi-typescript a field with one is never left out, not even of a request."""
    assert [place for place, schema in ALL if "default" in schema] == []


def test_what_follows_when_a_field_is_left_out_of_a_request_is_told_in_words() -> None:
    assert SCHEMAS["SendMessage"]["properties"]["when"]["description"].endswith("By default `queue`.")
    assert SCHEMAS["ErrorDetail"]["properties"]["hint"]["description"] == "What to do next."


def test_unions_have_names_and_their_members_are_told_apart_by_a_tag() -> None:
    assert [place for place, schema in ALL if "oneOf" in schema and place not in UNIONS] == []
    for name in ("InputPart", "Part", "ViewerEvent", "ListEvent", "GuestPart", "GuestEvent"):
        discriminator = SCHEMAS[name]["discriminator"]
        for tag, reference in discriminator["mapping"].items():
            member = SCHEMAS[reference.rpartition("/")[2]]
            assert member["properties"][discriminator["propertyName"]]["const"] == tag
            assert discriminator["propertyName"] in member["required"]
    assert SCHEMAS["MessageView"]["properties"]["content"]["items"] == {"$ref": "#/components/schemas/Part"}


@pytest.mark.parametrize(
    "part",
    [
        Text(text="Mar"),
        ToolCall(tool_call_id=CallId("a"), tool_name="t"),
        ToolCallPiece(tool_call_id=CallId("a"), args_delta="{"),
        ToolResultPiece(tool_call_id=CallId("a"), tool_name="t", result_delta="x"),
    ],
)
def test_what_is_being_said_is_described(part: LivePart) -> None:
    described = encoded(SCHEMAS["PartSpokenEvent"]["properties"]["part"])

    assert problem_of(described, encode(part)) is None
    assert problem_of(described, b'{"type": "strange"}') is not None


@pytest.mark.parametrize(
    "part",
    [
        GuestText(text="Mar"),
        GuestCall(tool_call_id="a", tool_name="t"),
        GuestCallPiece(tool_call_id="a", tool_name="t", args_delta="{"),
        GuestResultPiece(tool_call_id="a", tool_name="t", result_delta="x"),
    ],
)
def test_what_is_being_said_to_guests_is_described(part: GuestLivePart) -> None:
    described = encoded(SCHEMAS["GuestPartSpokenEvent"]["properties"]["part"])

    assert problem_of(described, encode(part)) is None
    assert problem_of(described, b'{"type": "file", "file_id": "a", "media_type": "b"}') is not None


def test_no_shape_has_a_name_that_says_too_little() -> None:
    assert set(RENAMED) & set(SCHEMAS) == set()
    assert set(RENAMED.values()) <= set(SCHEMAS)


def test_a_field_that_can_only_be_null_is_not_sent_by_default() -> None:
    """A generator that takes it for a constant sends it always: that would take passwords away."""
    assert SCHEMAS["PatchUser"]["properties"]["password"]["anyOf"] == [{"type": "null"}]
    assert "required" not in SCHEMAS["PatchUser"]


def test_a_field_that_is_left_out_of_an_answer_is_never_null() -> None:
    assert SCHEMAS["ChatPage"]["properties"]["next"]["type"] == "string"
    assert SCHEMAS["Sent"]["properties"]["message"] == {"$ref": "#/components/schemas/MessageView"}
    assert SCHEMAS["ToolResultPiece"]["properties"]["started_at"] == {"type": "string"}
    assert SCHEMAS["GuestResultPart"]["properties"]["media"] == {"$ref": "#/components/schemas/GuestFilePart"}
    assert {"type": "null"} in SCHEMAS["ChatView"]["properties"]["parent_chat_id"]["anyOf"]


def test_a_field_may_be_called_as_a_keyword() -> None:
    schema = {"type": "object", "properties": {"default": {"type": "string"}, "enum": {"type": "integer"}}}

    assert plain(schema) == schema
