"""The request to Gemini around its contents."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions, GoogleOptions, SafetySetting, ThinkingConfig
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.model import ToolChoice, ToolSpec
from chatd.providers.request.wire_turn import (
    Attachment,
    WireTurn,
)
from tests.providers.dialects.gemini.streams import TARGET
from tests.providers.dialects.gemini.words import (
    ASK,
    BUDGET,
    VERTEX,
    WEATHER,
    body,
    head_of,
    warnings_of,
    with_options,
)
from tests.providers.replayed import body_of
from tests.traceability import proves


def test_a_request_that_is_too_large_is_not_sent() -> None:
    huge = WireTurn("user", (Attachment("video/mp4", bytes(16 * 1024 * 1024)),))
    with pytest.raises(ProviderError) as raised:
        body_of(GEMINI, [[huge]], TARGET)
    assert "bytes" in str(raised.value.detail)


def test_the_head_has_its_fields() -> None:
    options = CallOptions(
        temperature=0.5,
        top_p=0.9,
        top_k=40,
        presence_penalty=0.1,
        frequency_penalty=0.2,
        max_output_tokens=99,
        stop=("END",),
        seed=7,
        google=GoogleOptions(safety_settings=(SafetySetting(category="C", threshold="BLOCK_NONE"),)),
    )
    head = Head(system=("Be kind.", "Be brief."), tools=(WEATHER,), max_output_tokens=50)
    assert head_of(replace(TARGET, options=options), head) == {
        "systemInstruction": {"parts": [{"text": "Be kind.\nBe brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "weather",
                        "description": "Tells the weather.",
                        "parametersJsonSchema": WEATHER.input_schema,
                    }
                ]
            }
        ],
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 40,
            "presencePenalty": 0.1,
            "frequencyPenalty": 0.2,
            "maxOutputTokens": 50,
            "stopSequences": ["END"],
            "seed": 7,
        },
        "safetySettings": [{"category": "C", "threshold": "BLOCK_NONE"}],
    }


def test_what_is_not_set_is_not_sent() -> None:
    assert head_of(TARGET) == {}
    assert warnings_of(TARGET) == ()


def test_the_output_limit_of_the_model_counts_when_the_call_has_none() -> None:
    assert head_of(with_options(max_output_tokens=99)) == {"generationConfig": {"maxOutputTokens": 99}}


def test_one_threshold_counts_for_every_harm_unless_told_otherwise() -> None:
    own = SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="OFF")
    google = GoogleOptions(threshold="BLOCK_NONE", safety_settings=(own,))
    settings = head_of(with_options(google=google))["safetySettings"]
    assert {each["category"]: each["threshold"] for each in settings} == {
        "HARM_CATEGORY_HARASSMENT": "OFF",
        "HARM_CATEGORY_HATE_SPEECH": "BLOCK_NONE",
        "HARM_CATEGORY_SEXUALLY_EXPLICIT": "BLOCK_NONE",
        "HARM_CATEGORY_DANGEROUS_CONTENT": "BLOCK_NONE",
    }


@proves("model-layer", 12)
def test_each_setting_that_a_model_does_not_take_is_named() -> None:
    target = replace(
        with_options(temperature=0.5, top_k=4), abilities=Abilities(sampling=False, reasoning=Reasoning.LEVEL)
    )
    assert head_of(target) == {}
    assert [warning.split()[0] for warning in warnings_of(target)] == ["temperature", "top_k"]


@proves("model-layer", 134)
def test_gemma_reads_the_system_text_in_the_first_turn() -> None:
    gemma = replace(TARGET, model="gemma-3-27b-it", abilities=Abilities(system="merged"))
    read = body([ASK], gemma, Head(system=("Be kind.",)))
    assert read == {
        "contents": [{"role": "user", "parts": [{"text": "Be kind."}, {"text": "How is the weather?"}]}]
    }


def test_a_model_without_any_place_for_it_gets_no_system_text() -> None:
    target = replace(TARGET, abilities=Abilities(system="none"))
    head = Head(system=("Be kind.",))
    assert head_of(target, head) == {}
    assert len(warnings_of(target, head)) == 1


def test_cached_content_brings_its_own_system_text_and_tools() -> None:
    target = with_options(google=GoogleOptions(cached_content="cachedContents/1"))
    head = Head(system=("Be kind.",), tools=(WEATHER,))
    assert head_of(target, head) == {"cachedContent": "cachedContents/1"}
    assert len(warnings_of(target, head)) == 1


SEARCH = GoogleOptions(web_search_enabled=True)
SEARCHES = Head(provider_tools=True)


def test_web_search_is_googles_own() -> None:
    assert head_of(with_options(BUDGET, SEARCH), SEARCHES) == {"tools": [{"googleSearch": {}}]}
    assert head_of(with_options(BUDGET, SEARCH)) == {}


def test_web_search_is_not_offered_where_no_tool_is_to_be_called() -> None:
    head = replace(SEARCHES, tool_choice="none")
    assert head_of(with_options(BUDGET, SEARCH), head) == {}


def test_only_vertex_leaves_domains_out_of_a_search() -> None:
    blocking = GoogleOptions(web_search_enabled=True, blocked_domains=("example.org",))
    found = head_of(with_options(VERTEX, blocking), SEARCHES)
    assert found["tools"] == [{"googleSearch": {"excludeDomains": ["example.org"]}}]
    assert head_of(with_options(BUDGET, blocking), SEARCHES) == {"tools": [{"googleSearch": {}}]}
    assert len(warnings_of(with_options(BUDGET, blocking), SEARCHES)) == 1


def test_web_search_beside_functions_only_where_a_model_combines_them() -> None:
    head = Head(tools=(WEATHER,), provider_tools=True)
    combined = head_of(with_options(TARGET, SEARCH), head)
    assert [list(tool) for tool in combined["tools"]] == [["functionDeclarations"], ["googleSearch"]]
    assert combined["toolConfig"]["includeServerSideToolInvocations"] is True
    for target in (with_options(BUDGET, SEARCH), with_options(VERTEX, SEARCH)):
        assert [list(tool) for tool in head_of(target, head)["tools"]] == [["functionDeclarations"]]
        assert len(warnings_of(target, head)) == 1


@pytest.mark.parametrize(
    ("choice", "mode"), [(None, "VALIDATED"), ("auto", "VALIDATED"), ("required", "ANY"), ("none", "NONE")]
)
def test_beside_web_search_nothing_is_left_to_the_model_unchecked(choice: ToolChoice, mode: str) -> None:
    """There the mode that is automatic elsewhere is refused."""
    wanted = Head(tools=(WEATHER,), tool_choice=choice, provider_tools=True)
    head = head_of(with_options(TARGET, SEARCH), wanted)
    assert head["toolConfig"]["functionCallingConfig"] == {"mode": mode}


def test_a_tool_is_told_without_references() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"city": {"$ref": "#/$defs/City"}},
        "$defs": {"City": {"type": "string"}},
    }
    tool = ToolSpec(name="weather", description="", input_schema=schema)
    [declaration] = head_of(TARGET, Head(tools=(tool,)))["tools"][0]["functionDeclarations"]
    assert declaration["parametersJsonSchema"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
    }


def thinking_of(target: Target, effort: Effort | None) -> Json:
    return head_of(target, Head(effort=effort)).get("generationConfig", {}).get("thinkingConfig")


@pytest.mark.parametrize(
    ("effort", "level"),
    [
        (Effort.NONE, "minimal"),
        (Effort.MINIMAL, "minimal"),
        (Effort.LOW, "low"),
        (Effort.MEDIUM, "medium"),
        (Effort.HIGH, "high"),
        (Effort.XHIGH, "high"),
        (Effort.MAX, "high"),
    ],
)
def test_an_effort_is_a_level(effort: Effort, level: str) -> None:
    assert thinking_of(TARGET, effort) == {"thinkingLevel": level, "includeThoughts": True}


@pytest.mark.parametrize(
    ("effort", "flash", "pro"),
    [
        (Effort.NONE, 0, 1024),
        (Effort.MINIMAL, 1024, 1024),
        (Effort.LOW, 1024, 1024),
        (Effort.MEDIUM, 8192, 8192),
        (Effort.HIGH, 24576, 24576),
        (Effort.XHIGH, 24576, 24576),
        (Effort.MAX, 24576, 24576),
    ],
)
def test_before_the_third_generation_an_effort_is_a_budget(effort: Effort, flash: int, pro: int) -> None:
    always = replace(BUDGET, abilities=Abilities(reasoning=Reasoning.BUDGET, can_stop_thinking=False))
    shown = {"includeThoughts": True} if flash else {}
    assert thinking_of(BUDGET, effort) == {"thinkingBudget": flash, **shown}
    assert thinking_of(always, effort) == {"thinkingBudget": pro, "includeThoughts": True}


@proves("model-layer", 133)
def test_a_level_that_the_model_lacks_is_raised_to_the_next_one() -> None:
    few = replace(TARGET, abilities=Abilities(reasoning=Reasoning.LEVEL, efforts=(Effort.LOW, Effort.MEDIUM)))
    levels = {effort: thinking_of(few, effort)["thinkingLevel"] for effort in Effort}
    assert levels == {
        Effort.NONE: "low",
        Effort.MINIMAL: "low",
        Effort.LOW: "low",
        Effort.MEDIUM: "medium",
        Effort.HIGH: "medium",
        Effort.XHIGH: "medium",
        Effort.MAX: "medium",
    }


def pinned(target: Target = TARGET, **config: Any) -> Target:
    return with_options(target, GoogleOptions(thinking_config=ThinkingConfig(**config)))


@proves("model-layer", 133)
def test_a_level_and_a_budget_together_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"thinking_budget": 1, "thinking_level": "low"}, ThinkingConfig)


@proves("model-layer", 133)
def test_a_pinned_budget_beats_the_effort_and_the_effort_beats_a_pinned_level() -> None:
    shown = {"includeThoughts": True}
    assert thinking_of(pinned(thinking_budget=77), Effort.HIGH) == {"thinkingBudget": 77, **shown}
    assert thinking_of(pinned(BUDGET, thinking_budget=77), Effort.HIGH) == {"thinkingBudget": 77, **shown}
    assert thinking_of(pinned(thinking_level="low"), Effort.HIGH) == {"thinkingLevel": "high", **shown}
    assert thinking_of(pinned(thinking_level="low"), None) == {"thinkingLevel": "low"}
    assert thinking_of(pinned(include_thoughts=False), Effort.LOW) == {
        "thinkingLevel": "low",
        "includeThoughts": False,
    }


@proves("model-layer", 133)
def test_an_older_model_gets_no_level() -> None:
    target = pinned(BUDGET, thinking_level="low")
    assert thinking_of(target, None) is None
    assert len(warnings_of(target)) == 1
    assert thinking_of(target, Effort.MEDIUM) == {"thinkingBudget": 8192, "includeThoughts": True}


@proves("model-layer", 133)
def test_a_model_for_pictures_or_speech_gets_nothing_about_thinking() -> None:
    image = replace(pinned(thinking_budget=5), model="gemini-3-pro-image", abilities=Abilities())
    assert thinking_of(image, Effort.HIGH) is None
    assert len(warnings_of(image)) == 1


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (TARGET, "/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse"),
        (VERTEX, "/publishers/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse"),
        (replace(TARGET, model="models/a?b/c"), "/v1beta/models/a%3Fb%2Fc:streamGenerateContent?alt=sse"),
    ],
)
def test_each_route_has_its_path(target: Target, path: str) -> None:
    assert GEMINI.path(target) == path
