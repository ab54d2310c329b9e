"""The request around the history: limits, thinking, sampling, tools, routes."""

from typing import Any

import msgspec
import pytest

from chatd.catalog.models.options import AnthropicOptions, CallOptions, SearchLocation, Thinking
from chatd.domain.message import Effort
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.model import ToolSpec
from chatd.providers.request.wire_turn import Called, Returned, SaidText, Thought, WireTurn
from tests.providers.dialects.anthropic.replies import body, items, user
from tests.providers.dialects.anthropic.streams import TARGET
from tests.providers.dialects.anthropic.validator import problems
from tests.traceability import proves

ADAPTIVE = Abilities(reasoning=Reasoning.ADAPTIVE, output_limit=64_000)
NEWEST = Abilities(reasoning=Reasoning.ADAPTIVE, output_limit=128_000, thinking_display=True)
BUDGET = Abilities(reasoning=Reasoning.BUDGET, output_limit=64_000)
SAMPLING = CallOptions(temperature=0.5, top_p=0.9, top_k=40)
ECHO = ToolSpec(name="echo", description="Says it again.", input_schema={"type": "object"})
OLD = "2023-06-01"


def written(head: Head | None = None, **target: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The request and the warnings. Whatever we write, the provider accepts."""
    at: Target = msgspec.structs.replace(TARGET, **target)
    request = ANTHROPIC.write_body(items([user("Hello.")], at), head or Head(), at)
    body: dict[str, Any] = msgspec.json.decode(request.json)
    assert problems(body, at.api_version) == []
    return body, request.warnings


def with_anthropic(**options: Any) -> CallOptions:
    return CallOptions(anthropic=AnthropicOptions(**options))


def test_the_smallest_request() -> None:
    assert written() == (
        {
            "model": "claude-opus-4-8",
            "max_tokens": 4096,
            "stream": True,
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "Hello.", "cache_control": {"type": "ephemeral"}}],
                }
            ],
        },
        (),
    )


@pytest.mark.parametrize(
    ("head", "options", "abilities", "limit"),
    [
        (Head(max_output_tokens=7), CallOptions(max_output_tokens=8), Abilities(output_limit=9), 7),
        (Head(), CallOptions(max_output_tokens=8), Abilities(output_limit=9), 8),
        (Head(), CallOptions(), Abilities(output_limit=9), 9),
        (Head(), CallOptions(), Abilities(), 4096),
    ],
)
def test_there_is_always_a_limit(head: Head, options: CallOptions, abilities: Abilities, limit: int) -> None:
    assert written(head, options=options, abilities=abilities)[0]["max_tokens"] == limit


@proves("model-layer", 45)
def test_the_new_api_is_sent_no_sampling_and_each_value_is_warned_of() -> None:
    body, warnings = written(options=SAMPLING)

    assert not {"temperature", "top_p", "top_k"} & set(body)
    assert [warning.split()[2] for warning in warnings] == ["temperature", "top_p", "top_k"]


@proves("model-layer", 45)
def test_the_old_api_is_sent_sampling() -> None:
    body, warnings = written(options=SAMPLING, api_version=OLD)

    assert (body["temperature"], body["top_p"], body["top_k"]) == (0.5, 0.9, 40)
    assert warnings == ()


def test_a_model_that_takes_no_sampling_is_sent_none() -> None:
    body, warnings = written(options=SAMPLING, api_version=OLD, abilities=Abilities(sampling=False))

    assert "temperature" not in body
    assert len(warnings) == 3


def test_settings_that_this_provider_does_not_know_are_warned_of() -> None:
    options = CallOptions(presence_penalty=1.0, frequency_penalty=1.0, seed=7, stop=("END", " "))

    body, warnings = written(options=options)

    assert body["stop_sequences"] == ["END"]
    assert [warning.split()[2] for warning in warnings] == ["presence_penalty", "frequency_penalty", "seed"]


@proves("model-layer", 46)
def test_sampling_does_not_go_together_with_a_thinking_budget() -> None:
    options = CallOptions(
        temperature=0.5, top_p=0.9, anthropic=AnthropicOptions(thinking=Thinking(budget_tokens=2000))
    )

    body, warnings = written(options=options, abilities=BUDGET, api_version=OLD)

    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert "temperature" not in body
    assert len(warnings) == 2


@proves("model-layer", 46)
def test_no_budget_can_be_set_that_is_none() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"thinking": {"budget_tokens": 0}}, AnthropicOptions)


@proves("model-layer", 46)
@pytest.mark.parametrize("limit", [1, 2000])
def test_a_limit_that_leaves_no_room_beside_the_budget_is_raised(limit: int) -> None:
    options = with_anthropic(thinking=Thinking(budget_tokens=2000))

    body, warnings = written(Head(max_output_tokens=limit), options=options, abilities=BUDGET)

    assert body["max_tokens"] == 3024
    assert any("3024" in warning for warning in warnings)


def test_a_limit_just_above_the_budget_is_kept() -> None:
    options = with_anthropic(thinking=Thinking(budget_tokens=2000))

    assert written(Head(max_output_tokens=2001), options=options, abilities=BUDGET)[0]["max_tokens"] == 2001


def test_a_budget_never_exceeds_what_the_model_can_write() -> None:
    small = Abilities(reasoning=Reasoning.BUDGET, output_limit=8192)

    body, warnings = written(Head(effort=Effort.MAX), abilities=small)

    assert body["thinking"]["budget_tokens"] == 7168
    assert body["max_tokens"] == 8192
    assert len(warnings) == 1


ADAPTS = {"type": "adaptive"}
SHOWS = {"type": "adaptive", "display": "summarized"}


@proves("model-layer", 47)
@pytest.mark.parametrize(
    ("abilities", "effort", "thinking", "wire_effort"),
    [
        (ADAPTIVE, Effort.MINIMAL, ADAPTS, "low"),
        (ADAPTIVE, Effort.LOW, ADAPTS, "low"),
        (ADAPTIVE, Effort.MEDIUM, ADAPTS, "medium"),
        (ADAPTIVE, Effort.HIGH, ADAPTS, "high"),
        (ADAPTIVE, Effort.XHIGH, ADAPTS, "xhigh"),
        (ADAPTIVE, Effort.MAX, ADAPTS, "max"),
        (NEWEST, Effort.HIGH, SHOWS, "high"),
        (BUDGET, Effort.MINIMAL, {"type": "enabled", "budget_tokens": 1024}, None),
        (BUDGET, Effort.LOW, {"type": "enabled", "budget_tokens": 4096}, None),
        (BUDGET, Effort.MEDIUM, {"type": "enabled", "budget_tokens": 10240}, None),
        (BUDGET, Effort.HIGH, {"type": "enabled", "budget_tokens": 20480}, None),
        (BUDGET, Effort.XHIGH, {"type": "enabled", "budget_tokens": 32000}, None),
        (BUDGET, Effort.MAX, {"type": "enabled", "budget_tokens": 48000}, None),
        (BUDGET, Effort.NONE, None, None),
        (BUDGET, None, None, None),
        (ADAPTIVE, None, None, None),
    ],
)
def test_effort_is_said_in_the_words_of_the_model(
    abilities: Abilities, effort: Effort | None, thinking: object, wire_effort: str | None
) -> None:
    body, warnings = written(Head(effort=effort), abilities=abilities)

    assert body.get("thinking") == thinking
    assert body.get("output_config") == ({"effort": wire_effort} if wire_effort else None)
    assert warnings == ()


@proves("model-layer", 47)
def test_what_is_set_for_showing_thoughts_wins() -> None:
    options = with_anthropic(thinking_display="omitted")

    assert written(Head(effort=Effort.LOW), options=options, abilities=NEWEST)[0]["thinking"] == {
        "type": "adaptive",
        "display": "omitted",
    }


def test_how_thoughts_are_shown_can_be_set_beside_a_budget() -> None:
    options = with_anthropic(thinking=Thinking(budget_tokens=3000), thinking_display="omitted")

    assert written(options=options, abilities=BUDGET)[0]["thinking"] == {
        "type": "enabled",
        "budget_tokens": 3000,
        "display": "omitted",
    }


@pytest.mark.parametrize(
    ("efforts", "asked", "said"),
    [
        ((Effort.LOW, Effort.MEDIUM, Effort.HIGH), Effort.MAX, "high"),
        ((Effort.LOW, Effort.HIGH), Effort.MEDIUM, "high"),
        ((Effort.NONE, Effort.MINIMAL, Effort.LOW), Effort.MINIMAL, "low"),
    ],
)
def test_an_effort_that_the_model_does_not_know_becomes_the_next_one(
    efforts: tuple[Effort, ...], asked: Effort, said: str
) -> None:
    abilities = msgspec.structs.replace(ADAPTIVE, efforts=efforts)

    assert written(Head(effort=asked), abilities=abilities)[0]["output_config"] == {"effort": said}


@proves("model-layer", 48)
def test_a_model_that_thinks_by_itself_is_told_not_to() -> None:
    body, _ = written(Head(effort=Effort.NONE), abilities=ADAPTIVE)

    assert body["thinking"] == {"type": "disabled"}
    assert "output_config" not in body


@proves("model-layer", 48)
def test_a_model_that_cannot_stop_thinking_thinks_as_little_as_it_can() -> None:
    abilities = msgspec.structs.replace(ADAPTIVE, can_stop_thinking=False)

    assert written(Head(effort=Effort.NONE), abilities=abilities)[0]["output_config"] == {"effort": "low"}


def test_a_model_that_thinks_unasked_shows_its_thoughts_and_chooses_its_tools_itself() -> None:
    abilities = msgspec.structs.replace(NEWEST, thinks_unasked=True)

    body, warnings = written(Head(tools=(ECHO,), tool_choice="required"), abilities=abilities)

    assert body["thinking"] == SHOWS
    assert "output_config" not in body
    assert body["tool_choice"] == {"type": "auto"}
    assert len(warnings) == 1


def test_a_budget_that_is_set_beats_the_effort_of_a_turn() -> None:
    options = with_anthropic(thinking=Thinking(budget_tokens=3000))

    for abilities in (BUDGET, ADAPTIVE):
        body, _ = written(Head(effort=Effort.MAX), options=options, abilities=abilities)
        assert body["thinking"] == {"type": "enabled", "budget_tokens": 3000}


def test_a_model_that_takes_no_budget_decides_by_itself() -> None:
    options = with_anthropic(thinking=Thinking(budget_tokens=3000))

    assert written(options=options, abilities=NEWEST)[0]["thinking"] == SHOWS


def test_effort_for_a_model_that_has_none_is_warned_of() -> None:
    body, warnings = written(Head(effort=Effort.HIGH))

    assert "thinking" not in body
    assert len(warnings) == 1


SCHEMA = {
    "type": "object",
    "properties": {"path": {"$ref": "#/$defs/path"}},
    "required": ["path", "gone"],
    "additionalProperties": False,
    "$defs": {"path": {"type": "object", "properties": {"a": {}}, "required": ["a"]}},
}


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        (SCHEMA, SCHEMA | {"required": ["path"]}),
        ({}, {"type": "object", "properties": {}}),
        (None, {"type": "object", "properties": {}}),
        (
            {"type": "object", "properties": None, "required": []},
            {"type": "object", "properties": {}},
        ),
    ],
)
def test_the_whole_schema_of_a_tool_is_sent(schema: Any, sent: object) -> None:
    tool = ToolSpec(name="read_file", description="Reads.", input_schema=schema)

    assert written(Head(tools=(tool,)))[0]["tools"] == [
        {
            "name": "read_file",
            "description": "Reads.",
            "input_schema": sent,
            "cache_control": {"type": "ephemeral"},
        }
    ]


def test_a_tool_that_takes_one_thing_or_another_takes_both() -> None:
    either = {"anyOf": [{"properties": {"route": {"type": "string"}}}, {"required": ["file"]}]}
    tool = ToolSpec(name="find", description="", input_schema=either | {"properties": {"file": {}}})

    body, warnings = written(Head(tools=(tool,)))

    assert body["tools"][0]["input_schema"] == {
        "type": "object",
        "properties": {"route": {"type": "string"}, "file": {}},
    }
    assert warnings == ()


def test_an_argument_whose_name_is_refused_does_not_take_the_others_with_it() -> None:
    schema = {"properties": {"filter[id]": {}, "sort.by": {}}, "required": ["filter[id]", "sort.by"]}
    tool = ToolSpec(name="list", description="", input_schema=schema)

    body, warnings = written(Head(tools=(tool,)))

    assert body["tools"][0]["input_schema"] == {
        "type": "object",
        "properties": {"sort.by": {}},
        "required": ["sort.by"],
    }
    assert warnings == ("Arguments of list were left out: this provider does not take their names.",)


def test_one_call_at_a_time_is_asked_for_only_with_tools() -> None:
    options = with_anthropic(disable_parallel_tool_use=True)

    assert written(Head(tools=(ECHO,)), options=options)[0]["tool_choice"] == {
        "type": "auto",
        "disable_parallel_tool_use": True,
    }
    assert "tool_choice" not in written(options=options)[0]
    assert "tool_choice" not in written(Head(tools=(ECHO,)))[0]


@proves("model-layer", 53)
def test_web_search_is_a_tool_of_the_provider() -> None:
    options = with_anthropic(web_search_enabled=True, allowed_domains=("example.org", " "))

    tools = written(Head(tools=(ECHO,), provider_tools=True), options=options)[0]["tools"]

    assert tools[1] == {
        "type": "web_search_20250305",
        "name": "web_search",
        "allowed_domains": ["example.org"],
        "cache_control": {"type": "ephemeral"},
    }
    assert "cache_control" not in tools[0]


def test_how_often_and_from_where_is_searched_can_be_set() -> None:
    berlin = SearchLocation(city="Berlin", country="DE", timezone="Europe/Berlin")
    options = with_anthropic(
        web_search_enabled=True, blocked_domains=("example.org",), max_uses=3, user_location=berlin
    )

    (tool,) = written(Head(provider_tools=True), options=options)[0]["tools"]

    assert tool["blocked_domains"] == ["example.org"]
    assert tool["max_uses"] == 3
    assert tool["user_location"] == {
        "type": "approximate",
        "city": "Berlin",
        "country": "DE",
        "timezone": "Europe/Berlin",
    }
    nowhere = with_anthropic(web_search_enabled=True, user_location=SearchLocation())
    assert "user_location" not in written(Head(provider_tools=True), options=nowhere)[0]["tools"][0]


def test_a_call_that_is_not_offered_tools_of_the_provider_does_not_search() -> None:
    body, warnings = written(Head(tools=(ECHO,)), options=with_anthropic(web_search_enabled=True))

    assert [tool["name"] for tool in body["tools"]] == ["echo"]
    assert warnings == ()


@proves("model-layer", 53)
def test_allowed_and_blocked_domains_cannot_be_set_together() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"allowed_domains": ["a.org"], "blocked_domains": ["b.org"]}, AnthropicOptions)


@pytest.mark.parametrize(
    "reason",
    [{"route": "bedrock"}, {"abilities": Abilities(provider_tools=False)}],
)
def test_a_tool_that_cannot_be_offered_is_left_out_with_a_warning(reason: dict[str, Any]) -> None:
    head = Head(tools=(ECHO,), provider_tools=True)
    body, warnings = written(head, options=with_anthropic(web_search_enabled=True), **reason)

    assert [tool["name"] for tool in body["tools"]] == ["echo"]
    assert len(warnings) == 1


def test_our_own_web_search_wins() -> None:
    ours = ToolSpec(name="web_search", description="Ours.", input_schema={})

    head = Head(tools=(ours,), provider_tools=True)
    body, warnings = written(head, options=with_anthropic(web_search_enabled=True))

    assert [tool.get("type") for tool in body["tools"]] == [None]
    assert len(warnings) == 1


def test_what_else_can_be_set() -> None:
    options = with_anthropic(service_tier="standard_only", context_1m_enabled=True)
    target = msgspec.structs.replace(TARGET, options=options)

    request = ANTHROPIC.write_body(b"", Head(), target)

    assert msgspec.json.decode(request.json)["service_tier"] == "standard_only"
    assert request.headers == {
        "anthropic-version": "2026-10-21",
        "anthropic-beta": "context-1m-2025-08-07",
    }


def test_the_version_is_always_said() -> None:
    unset = msgspec.structs.replace(TARGET, api_version="")

    assert ANTHROPIC.write_body(b"", Head(), TARGET).headers == {"anthropic-version": "2026-10-21"}
    assert ANTHROPIC.write_body(b"", Head(), unset).headers == {"anthropic-version": "2023-06-01"}


@proves("model-layer", 73)
def test_bedrock_is_told_the_version_in_the_body_and_nothing_in_headers() -> None:
    options = with_anthropic(context_1m_enabled=True, disable_parallel_tool_use=True)
    target = msgspec.structs.replace(
        TARGET, route="bedrock", options=options, model="anthropic.claude-3-7-sonnet-20250219-v1:0"
    )

    request = ANTHROPIC.write_body(items([user("Hello.")], target), Head(tools=(ECHO,)), target)

    body = msgspec.json.decode(request.json)
    assert body["anthropic_version"] == "bedrock-2023-05-31"
    assert body["anthropic_beta"] == ["context-1m-2025-08-07"]
    assert not {"model", "stream", "tool_choice"} & set(body)
    assert request.headers == {}
    assert len(request.warnings) == 1


def test_bedrock_takes_sampling_whatever_version_is_set() -> None:
    target = msgspec.structs.replace(TARGET, route="bedrock", options=CallOptions(temperature=0.5))

    body = msgspec.json.decode(ANTHROPIC.write_body(items([user("Hello.")], target), Head(), target).json)

    assert body["temperature"] == 0.5
    assert problems(body, "bedrock-2023-05-31") == []


@pytest.mark.parametrize(
    ("version", "said"),
    [("2026-10-21", "2026-10-21"), ("2023-06-01", "vertex-2023-10-16"), ("", "vertex-2023-10-16")],
)
def test_vertex_is_told_the_version_in_the_body(version: str, said: str) -> None:
    options = with_anthropic(context_1m_enabled=True)
    target = msgspec.structs.replace(TARGET, route="vertex", api_version=version, options=options)

    request = ANTHROPIC.write_body(items([user("Hello.")], target), Head(), target)

    body = msgspec.json.decode(request.json)
    assert body["anthropic_version"] == said
    assert "model" not in body
    assert body["stream"] is True
    assert request.headers == {"anthropic-beta": "context-1m-2025-08-07"}


@pytest.mark.parametrize(
    ("route", "model", "path"),
    [
        ("direct", "claude-opus-4-8", "/v1/messages"),
        ("azure", "claude-opus-4-8", "/v1/messages"),
        ("bedrock", "anthropic.claude-v1:0", "/model/anthropic.claude-v1:0/invoke-with-response-stream"),
        (
            "bedrock",
            "arn:aws:bedrock:eu-west-1:1:inference-profile/x",
            "/model/arn:aws:bedrock:eu-west-1:1:inference-profile%2Fx/invoke-with-response-stream",
        ),
        ("vertex", "claude@1", "/publishers/anthropic/models/claude@1:streamRawPredict"),
    ],
)
def test_where_a_request_goes(route: str, model: str, path: str) -> None:
    assert ANTHROPIC.path(msgspec.structs.replace(TARGET, route=route, model=model)) == path


def test_lone_halves_of_characters_do_not_break_a_request() -> None:
    request = ANTHROPIC.write_body(b"", Head(system=("\ud83d",)), TARGET)

    assert b"\\ud83d" in request.json


def test_a_conversation_that_begins_with_the_model_gets_a_beginning() -> None:
    messages = body([WireTurn("assistant", (SaidText("Hello, I am here."),)), user("Good.")])["messages"]

    assert [message["role"] for message in messages] == ["user", "assistant", "user"]


CALLS = (Called("a", "echo", {}),)
SAYS = (SaidText("So."),)
RETURNS = WireTurn("tool", (Returned("a", "echo", "x"),))
THOUGHT = Thought("Hm.", {"signature": "s"})


@pytest.mark.parametrize(
    ("turns", "thinks"),
    [
        ([user("Go."), WireTurn("assistant", (THOUGHT, *CALLS)), RETURNS], True),
        # Without thoughts in between: the turn is what counts.
        (
            [user("Go."), WireTurn("assistant", (THOUGHT, *CALLS)), RETURNS,
             WireTurn("assistant", (Called("b", "echo", {}),)),
             WireTurn("tool", (Returned("b", "echo", "x"),))],
            True,
        ),
        # Another model has begun, or the thoughts were lost with an interruption.
        ([user("Go."), WireTurn("assistant", CALLS), RETURNS], False),
        ([user("Go."), WireTurn("assistant", CALLS), RETURNS, user("Stop.")], False),
        (
            [user("Go."), WireTurn("assistant", CALLS), RETURNS, WireTurn("assistant", SAYS), user("Go.")],
            True,
        ),
    ],
)  # fmt: skip
def test_a_turn_that_began_without_thoughts_goes_on_without_them(turns: list[WireTurn], thinks: bool) -> None:  # noqa: FBT001
    at = msgspec.structs.replace(TARGET, abilities=BUDGET)

    sent = body(turns, Head(effort=Effort.HIGH, tools=(ECHO,)), at)

    assert ("thinking" in sent) is thinks
    assert problems(sent, at.api_version) == []
