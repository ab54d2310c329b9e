"""The request around the items."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions, OpenAIOptions, SearchLocation
from chatd.domain.message import Effort
from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Abilities, Reasoning
from chatd.providers.dialect import Head
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.model import ToolSpec
from chatd.providers.request.wire_turn import Returned, SaidText, WireTurn
from tests.providers.dialects.responses.answers import ANSWERS
from tests.providers.dialects.responses.validator import problems
from tests.providers.dialects.responses.wire import (
    REASONING_MODEL,
    heard,
    reply,
    request,
    results,
    sent,
    target,
    user,
)
from tests.traceability import proves

PLAIN_MODEL = Abilities()
HI = [user("Hi")]
LOOK = ToolSpec(
    name="look",
    description="Look at something.",
    input_schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "depth": {"type": "integer", "default": 1},
        },
        "required": ["path", "gone"],
    },
)


def test_a_plain_request_is_what_openai_expects() -> None:
    assert sent(HI, head=Head(system=("Be brief.",), tools=(LOOK,), effort=Effort.LOW)) == {
        "input": [
            {"type": "message", "role": "developer", "content": "Be brief."},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        ],
        "model": "gpt-5.6",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low"},
        "tools": [
            {
                "type": "function",
                "name": "look",
                "description": "Look at something.",
                "parameters": {
                    "type": "object",
                    "properties": LOOK.input_schema["properties"],
                    "required": ["path"],
                },
                "strict": False,
            }
        ],
    }


def test_every_route_has_the_same_path() -> None:
    assert RESPONSES.path(target()) == "/responses"


@pytest.mark.parametrize(("store", "written"), [(True, True), (False, False), (None, False)])
@proves("model-layer", 74)
def test_a_request_always_says_whether_the_answer_is_kept(*, store: bool | None, written: bool) -> None:
    body = sent(HI, to=target(store=store))
    assert body["store"] is written
    assert ("reasoning.encrypted_content" in body.get("include", ())) is not written
    assert problems(body) == []
    assert sent(HI, to=target(options=CallOptions()))["store"] is False


RESULT = WireTurn("tool", (Returned("call_1", "look", "seen"),))
CHAINED = Head(previous_response="resp_1")


@pytest.mark.parametrize(
    "turns",
    [
        HI,
        [WireTurn("system", (SaidText("Be kind."),)), *HI],
        [RESULT, *HI],
    ],
    ids=["user", "system and user", "outputs of that response"],
)
@proves("model-layer", 75)
def test_a_stored_answer_is_continued_with_what_is_new(turns: list[WireTurn]) -> None:
    body = sent(turns, to=target(store=True), head=CHAINED)
    assert body["previous_response_id"] == "resp_1"
    assert problems(body) == []


@proves("model-layer", 75)
def test_a_stored_answer_is_not_continued_with_what_is_old() -> None:
    said = reply(heard(*ANSWERS["thoughts and a call"], store=True))
    for history in ([said, *results(said)], [WireTurn("assistant", (SaidText("Hello."),)), *HI]):
        with pytest.raises(ProviderError) as refused:
            request(history, to=target(store=True), head=CHAINED)
        assert (refused.value.fault, refused.value.retryable) == ("replay_mismatch", False)


@proves("model-layer", 75)
def test_an_answer_that_was_not_kept_is_not_continued() -> None:
    with pytest.raises(ProviderError) as refused:
        request(HI, to=target(store=False), head=CHAINED)
    assert refused.value.fault == "replay_mismatch"


@proves("model-layer", 75)
def test_an_empty_id_continues_nothing() -> None:
    body = sent(HI, to=target(store=False), head=Head(previous_response=""))
    assert "previous_response_id" not in body


@proves("model-layer", 75, 81)
def test_outputs_alone_need_an_answer_to_continue() -> None:
    with pytest.raises(ProviderError) as refused:
        request([RESULT, *HI], to=target(store=True), head=Head())
    assert refused.value.fault == "replay_mismatch"


@proves("model-layer", 76)
def test_the_next_call_goes_on_from_the_answer_that_was_kept() -> None:
    said = reply(heard(*ANSWERS["thoughts and a call"], store=True))
    assert said.internal["stored"]
    head = Head(previous_response=said.internal["response_id"])
    body = sent([*results(said), user("Go on")], to=target(store=True), head=head)
    assert body["previous_response_id"] == "resp_1"
    assert body["store"] is True
    assert body["input"] == [
        {"type": "function_call_output", "call_id": "call_1", "output": "done"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on"}]},
    ]


@proves("model-layer", 92)
def test_a_reasoning_model_is_told_how_to_reason_and_not_how_to_choose_words() -> None:
    options = CallOptions(temperature=0.5, top_p=0.9, openai=OpenAIOptions(reasoning_summary="auto"))
    head = Head(system=("Be brief.",), effort=Effort.HIGH)
    to = target(options=options)
    body = sent(HI, to=to, head=head)
    assert body["input"][0]["role"] == "developer"
    assert body["reasoning"] == {"effort": "high", "summary": "auto"}
    assert not {"temperature", "top_p"} & body.keys()
    assert _subjects(request(HI, to=to, head=head).warnings) == ["temperature", "top_p"]
    assert problems(body) == []


@proves("model-layer", 92)
def test_a_plain_model_is_told_how_to_choose_words_and_not_how_to_reason() -> None:
    options = CallOptions(temperature=0, top_p=0.9, openai=OpenAIOptions(reasoning_summary="auto"))
    head = Head(system=("Be brief.",), effort=Effort.HIGH)
    to = target(model="gpt-4o", abilities=PLAIN_MODEL, options=options)
    body = sent(HI, to=to, head=head)
    assert body["input"][0]["role"] == "system"
    assert "include" not in body
    assert (body["temperature"], body["top_p"]) == (0, 0.9)
    assert "reasoning" not in body
    assert _subjects(request(HI, to=to, head=head).warnings) == ["reasoning_effort", "reasoning_summary"]
    assert problems(body) == []


NAMES = [
    *("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "stop", "seed"),
    *("logit_bias", "prediction", "everything"),
    "log_probs",
    *("reasoning_effort", "reasoning_summary", "service_tier", "web_search"),
]


def _subjects(warnings: tuple[str, ...]) -> list[str]:
    """The settings that warnings name, in alphabetical order."""
    words = [set(warning.replace(";", " ").replace("'", " ").split()) for warning in warnings]
    assert all(each & set(NAMES) for each in words)
    return sorted(name for name in NAMES if any(name in each for each in words))


@proves("model-layer", 12)
def test_every_setting_without_a_word_in_this_dialect_is_named_in_a_warning() -> None:
    options = CallOptions(
        top_k=3,
        presence_penalty=1,
        frequency_penalty=1,
        stop=("END",),
        seed=7,
        temperature=1,
        top_p=1,
        openai=OpenAIOptions(logit_bias={"1": 2}, prediction={"type": "content"}, include=("everything",)),
    )
    made = request(HI, to=target(options=options))
    assert _subjects(made.warnings) == sorted(NAMES[:10])
    assert problems(json.loads(made.json)) == []
    assert request(HI, to=target()).warnings == ()


@pytest.mark.parametrize(
    ("accepted", "asked", "sent_as"),
    [
        ((), Effort.MAX, "max"),
        ((), Effort.NONE, "none"),
        ((Effort.LOW, Effort.MEDIUM, Effort.HIGH), Effort.MINIMAL, "low"),
        ((Effort.LOW, Effort.MEDIUM, Effort.HIGH), Effort.MEDIUM, "medium"),
        ((Effort.LOW, Effort.MEDIUM, Effort.HIGH), Effort.MAX, "high"),
        ((Effort.MINIMAL, Effort.HIGH), Effort.LOW, "high"),
    ],
)
def test_an_effort_that_the_model_does_not_know_becomes_the_next_stronger_one(
    accepted: tuple[Effort, ...], asked: Effort, sent_as: str
) -> None:
    abilities = Abilities(reasoning=REASONING_MODEL.reasoning, efforts=accepted)
    body = sent(HI, to=target(abilities=abilities), head=Head(effort=asked))
    assert body["reasoning"] == {"effort": sent_as}


@pytest.mark.parametrize(
    ("model", "tier", "served"),
    [
        ("o3", "flex", True),
        ("gpt-5.6", "flex", True),
        ("gpt-4.1", "flex", False),
        ("gpt-5-chat-latest", "flex", False),
        ("gpt-4.1", "priority", True),
        ("gpt-5-nano", "priority", False),
        ("gpt-4.1", "default", True),
    ],
)
@proves("model-layer", 93)
def test_a_tier_that_a_model_is_not_served_in_is_left_out(model: str, tier: Any, *, served: bool) -> None:
    made = request(HI, to=target(model=model, service_tier=tier))
    assert json.loads(made.json).get("service_tier") == (tier if served else None)
    assert _subjects(made.warnings) == ([] if served else ["service_tier"])


@pytest.mark.parametrize(
    ("asked", "number"),
    [({"log_probs": True}, 20), ({"top_log_probs": 5}, 5), ({"log_probs": True, "top_log_probs": 5}, 5)],
)
@proves("model-layer", 94)
def test_probabilities_that_are_asked_for_are_included(asked: dict[str, Any], number: int) -> None:
    body = sent(HI, to=target(model="gpt-4o", abilities=PLAIN_MODEL, **asked))
    assert body["top_logprobs"] == number
    assert body["include"] == ["message.output_text.logprobs"]
    assert "top_logprobs" not in sent(HI, to=target(abilities=PLAIN_MODEL, log_probs=False))
    assert problems(body) == []


def test_a_reasoning_model_tells_no_probabilities() -> None:
    made = request(HI, to=target(log_probs=True))
    body = json.loads(made.json)
    assert _subjects(made.warnings) == ["log_probs"]
    assert "top_logprobs" not in body
    assert body["include"] == ["reasoning.encrypted_content"]


INCLUDE = ("reasoning.encrypted_content", "web_search_call.action.sources")


def test_options_of_openai_are_passed_on() -> None:
    options: dict[str, Any] = {
        "instructions": "Speak French.",
        "max_tool_calls": 3,
        "metadata": {"team": "a"},
        "prompt_cache_key": "k",
        "safety_identifier": "s",
        "user": "u",
        "service_tier": "auto",
    }
    body = sent(HI, to=target(text_verbosity="low", include=INCLUDE, **options))
    assert {name: body[name] for name in options} == options
    assert body["text"] == {"verbosity": "low"}
    assert body["include"] == list(INCLUDE)
    assert problems(body) == []


@pytest.mark.parametrize(
    ("head", "general", "own", "number"),
    [(5, 6, 7, 5), (None, 6, 7, 6), (None, None, 7, 7), (None, None, None, None)],
)
def test_the_nearest_limit_of_the_answer_counts(
    head: int | None, general: int | None, own: int | None, number: int | None
) -> None:
    options = CallOptions(max_output_tokens=general, openai=OpenAIOptions(max_completion_tokens=own))
    body = sent(HI, to=target(options=options), head=Head(max_output_tokens=head))
    assert body.get("max_output_tokens") == number


SEARCHES = Head(provider_tools=True)


def test_web_search_is_a_tool_of_the_provider() -> None:
    to = target(
        web_search_enabled=True,
        search_context_size="low",
        allowed_domains=("a.example",),
        user_location=SearchLocation(country="DE"),
        parallel_tool_calls=False,
    )
    body = sent(HI, to=to, head=SEARCHES)
    assert body["tools"] == [
        {
            "type": "web_search",
            "search_context_size": "low",
            "filters": {"allowed_domains": ["a.example"]},
            "user_location": {"type": "approximate", "country": "DE"},
        }
    ]
    assert body["parallel_tool_calls"] is False
    assert problems(body) == []
    assert sent(HI, to=target(web_search_enabled=True), head=SEARCHES)["tools"] == [{"type": "web_search"}]
    assert "tools" not in sent(HI, to=target(web_search_enabled=True))


def test_a_model_without_web_search_is_not_offered_it() -> None:
    to = target(abilities=Abilities(provider_tools=False), web_search_enabled=True, parallel_tool_calls=True)
    made = request(HI, to=to, head=SEARCHES)
    assert _subjects(made.warnings) == ["web_search"]
    assert not {"tools", "parallel_tool_calls"} & json.loads(made.json).keys()


@pytest.mark.parametrize("role", ["none", "merged"])
def test_a_model_that_takes_no_system_text_gets_it_otherwise_or_not_at_all(role: Any) -> None:
    to = target(abilities=Abilities(system=role))
    written = RESPONSES.write_turns([WireTurn("system", (SaidText("Be kind."),)), *HI], to, newest=True)
    made = request(HI, to=to)
    roles = [item["role"] for item in json.loads(made.json)["input"]]
    assert roles == (["user"] if role == "none" else ["user", "user"])
    assert bool(made.warnings) is bool(written.warnings) is (role == "none")


def _strict(schema: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    tool = ToolSpec(name="look", description="", input_schema=schema)
    made = request(HI, to=target(strict_json_schema=True), head=Head(tools=(tool,)))
    body = json.loads(made.json)
    assert problems(body) == []
    return body["tools"][0], made.warnings


def test_a_strict_tool_lists_everything_and_lets_the_optional_be_null() -> None:
    tool, warnings = _strict(
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "depth": {"type": "integer", "default": 1},
                "kind": {"enum": ["a", "b"]},
                "each": {"type": "array", "items": {"$ref": "#/$defs/Each"}},
            },
            "required": ["path"],
            "$defs": {"Each": {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}}},
        }
    )
    assert warnings == ()
    assert tool["strict"] is True
    assert tool["parameters"] == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "depth": {"type": ["integer", "null"]},
            "kind": {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
            "each": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Each"}},
        },
        "$defs": {
            "Each": {
                "type": "object",
                "properties": {"n": {"type": ["integer", "null"]}},
                "required": ["n"],
                "additionalProperties": False,
            }
        },
        "required": ["path", "depth", "kind", "each"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "free",
    [
        {"type": "object"},
        {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
        {"oneOf": [{"type": "string"}]},
        {"description": "anything"},
        True,
    ],
)
def test_a_tool_that_cannot_be_strict_stays_as_it_is(free: Any) -> None:
    schema = {"type": "object", "properties": {"free": free}}
    tool, warnings = _strict(schema)
    assert tool["strict"] is False
    assert tool["parameters"] == schema
    assert len(warnings) == 1
    assert warnings[0].startswith("look ")


def test_a_tool_takes_one_object_and_says_of_what_its_lists_are() -> None:
    schema = {"anyOf": [{"properties": {"paths": {"type": "array"}}}, {"properties": {"all": {}}}]}
    tool = ToolSpec(name="look", description="", input_schema=schema)
    assert sent(HI, head=Head(tools=(tool,)))["tools"][0]["parameters"] == {
        "type": "object",
        "properties": {"paths": {"type": "array", "items": {}}, "all": {}},
    }


@pytest.mark.parametrize("schema", [{}, None, {"type": "object", "properties": None, "required": None}])
def test_a_tool_without_arguments_takes_an_empty_object(schema: Any) -> None:
    tool = ToolSpec(name="look", description="", input_schema=schema)
    body = sent(HI, head=Head(tools=(tool,)))
    assert body["tools"][0]["parameters"] == {"type": "object", "properties": {}}
    assert problems(body) == []


def test_what_the_system_says_is_no_part_of_what_is_stored() -> None:
    """So that a change of it is seen in an old chat, and nothing is said twice."""
    stored = replace(
        target(), options=CallOptions(openai=OpenAIOptions(store=True, instructions="In French."))
    )
    first = json.loads(RESPONSES.write_body(b'{"x":1}', Head(system=("Be kind.", "Be brief.")), stored).json)
    kept = json.loads(RESPONSES.write_body(b"", Head(system=("Be kind.",)), target()).json)

    assert first["instructions"] == "Be kind.\n\nBe brief.\n\nIn French."
    assert first["input"] == [{"x": 1}]
    assert [item["content"] for item in kept["input"]] == ["Be kind."]


UNLISTED = Abilities(reasoning=Reasoning.ASKED)


def test_a_model_of_which_nothing_is_known_reasons_when_it_is_asked_to() -> None:
    warm = CallOptions(temperature=0.5)

    asked = sent(HI, to=target(abilities=UNLISTED, options=warm), head=Head(effort=Effort.XHIGH))
    unasked = sent(HI, to=target(abilities=UNLISTED, options=warm))

    assert asked["reasoning"] == {"effort": "xhigh"}
    # Its thoughts come back sealed, and are sent back; what it takes beside them is unknown.
    assert asked["include"] == ["reasoning.encrypted_content"]
    assert "temperature" not in asked
    assert unasked["temperature"] == 0.5
    assert not {"reasoning", "include"} & set(unasked)


def test_what_was_said_before_is_written_the_same_whether_a_model_is_asked_to_reason_or_not() -> None:
    head = Head(system=("Be brief.",), effort=Effort.LOW)
    known = target(abilities=UNLISTED)

    assert (
        sent(HI, to=known, head=head)["input"] == sent(HI, to=known, head=replace(head, effort=None))["input"]
    )
