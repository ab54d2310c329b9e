"""What the caller of a chat asks of each reply, in each dialect: sampling, a limit, a format."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions
from chatd.domain.setup import ResponseFormat
from chatd.providers.capabilities.target import Abilities, DialectName
from chatd.providers.model import Request, ToolSpec, question
from chatd.providers.registry import dialect_of
from chatd.providers.request.writer import RequestWriter
from tests.providers.histories import TARGET

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
ANY_JSON = ResponseFormat(type="json_object")
BY_SCHEMA = ResponseFormat(type="json_schema", name="count", schema=SCHEMA)
LOOK = ToolSpec(name="look", description="Looks.", input_schema={})

CLAUDE, CHAT, RESPONSES = DialectName.ANTHROPIC, DialectName.CHAT, DialectName.RESPONSES
GEMINI, CONVERSE = DialectName.GEMINI, DialectName.CONVERSE


def written(dialect: DialectName, **asked: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    target = replace(
        TARGET,
        dialect=dialect,
        api_version="2023-06-01",
        options=CallOptions(temperature=0.9),
        abilities=asked.pop("abilities", Abilities()),
    )
    request = Request(messages=[question("Hi.")], **asked)
    body = RequestWriter(request, target, dialect_of(dialect)).write({})
    return msgspec.json.decode(body.json), body.warnings


def settings_of(dialect: DialectName, body: dict[str, Any]) -> dict[str, Any]:
    inside = {GEMINI: "generationConfig", CONVERSE: "inferenceConfig"}
    found: dict[str, Any] = body[inside[dialect]] if dialect in inside else body
    return found


@pytest.mark.parametrize("dialect", DialectName)
def test_what_a_call_asks_for_comes_before_what_an_administrator_has_set(dialect: DialectName) -> None:
    usual = settings_of(dialect, written(dialect)[0])
    asked = settings_of(dialect, written(dialect, temperature=0.1, top_p=0.5)[0])

    assert (usual["temperature"], asked["temperature"]) == (0.9, 0.1)
    assert asked.get("top_p", asked.get("topP")) == 0.5


@pytest.mark.parametrize("dialect", DialectName)
def test_sampling_is_left_out_with_a_warning_where_the_model_takes_none(dialect: DialectName) -> None:
    body, warnings = written(dialect, temperature=0.1, abilities=Abilities(sampling=False))

    assert "0.1" not in msgspec.json.encode(body).decode()
    assert any("temperature" in warning for warning in warnings)


@pytest.mark.parametrize(
    ("dialect", "any_json", "by_schema"),
    [
        (
            CHAT,
            {"response_format": {"type": "json_object"}},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "count", "schema": SCHEMA}}},
        ),
        (
            RESPONSES,
            {"text": {"format": {"type": "json_object"}}},
            {"text": {"format": {"type": "json_schema", "name": "count", "schema": SCHEMA}}},
        ),
        (
            GEMINI,
            {"responseMimeType": "application/json"},
            {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA},
        ),
    ],
)
def test_a_format_is_asked_for_in_the_words_of_the_dialect(
    dialect: DialectName, any_json: dict[str, Any], by_schema: dict[str, Any]
) -> None:
    for wanted, expected in ((ANY_JSON, any_json), (BY_SCHEMA, by_schema)):
        body, warnings = written(dialect, response_format=wanted)

        assert settings_of(dialect, body).items() >= expected.items()
        assert warnings == ()


@pytest.mark.parametrize(("dialect", "tools"), [(CLAUDE, ()), (CONVERSE, ()), (GEMINI, (LOOK,))])
def test_a_format_that_cannot_be_asked_for_is_left_out_with_a_warning(
    dialect: DialectName, tools: tuple[ToolSpec, ...]
) -> None:
    body, warnings = written(dialect, response_format=BY_SCHEMA, tools=tools)

    assert body == written(dialect, tools=tools)[0]
    assert [warning.partition(" ")[0] for warning in warnings] == ["response_format"]


@pytest.mark.parametrize("dialect", DialectName)
def test_words_need_not_be_asked_for(dialect: DialectName) -> None:
    assert written(dialect, response_format=ResponseFormat()) == written(dialect)
