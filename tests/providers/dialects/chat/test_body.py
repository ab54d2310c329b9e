import json
from typing import Any

import msgspec
import pytest

from chatd.catalog.models.options import (
    AnthropicOptions,
    CallOptions,
    CompatibleOptions,
    OpenAIOptions,
    OpenRouterOptions,
    OpenRouterProvider,
    RoutedReasoning,
    SearchLocation,
    VercelOptions,
    VercelProviderOptions,
)
from chatd.catalog.models.rows import ProviderType
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.quirks import quirks_for
from chatd.providers.capabilities.target import Abilities, Quirks, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.chat import CHAT
from chatd.providers.model import ToolSpec
from tests.providers.dialects.chat.validator import problems
from tests.providers.dialects.chat.words import able, body, body_bytes, head_warnings, quirky, said, target
from tests.traceability import proves

HI = [said("user", "Hi.")]
LOOK = ToolSpec(name="look", description="Look.", input_schema={"type": "object", "properties": {"n": {}}})


def fields(at: Target, head: Head | None = None) -> dict[str, Any]:
    """What is sent beside the messages."""
    sent = body(HI, at, head)
    assert problems(sent) == []
    return {name: value for name, value in sent.items() if name != "messages"}


def thinking(effort: Effort, at: Target) -> dict[str, Any]:
    plain = fields(at)
    return {
        name: value for name, value in fields(at, Head(effort=effort)).items() if plain.get(name) != value
    }


def test_a_plain_request_is_small() -> None:
    assert body(HI) == {
        "messages": [{"role": "user", "content": "Hi."}],
        "model": "some-model",
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert CHAT.path(target()) == "/chat/completions"


def test_a_server_is_spared_what_it_refuses() -> None:
    assert "stream_options" not in fields(quirky(no_stream_options=True))


def test_the_limit_stands_in_the_field_that_the_server_knows() -> None:
    head = Head(max_output_tokens=100)

    assert fields(target(), head)["max_tokens"] == 100
    assert fields(quirky(token_field="max_completion_tokens"), head)["max_completion_tokens"] == 100


def test_openais_own_limit_counts_only_there() -> None:
    options = CallOptions(openai=OpenAIOptions(max_completion_tokens=7))
    head = Head(max_output_tokens=100)

    assert fields(target("openai", options=options), head)["max_tokens"] == 7
    assert fields(target("ollama", options=options), head)["max_tokens"] == 100


@proves("model-layer", 97)
def test_the_system_speaks_first_in_one_message_for_each_text() -> None:
    head = Head(system=("Be kind.", " ", "Be brief."))

    assert body(HI, head=head)["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi."},
    ]
    assert head_warnings(target(), head) == ("A system message without words was left out.",)


def test_the_system_is_merged_into_what_the_user_says_first() -> None:
    head = Head(system=("Be kind.", "Be brief."))
    at = quirky(system_role="merged")
    turns = [said("user", "Hi, Zoë."), said("assistant", "Hello.")]

    assert body(turns, at, head)["messages"] == [
        {"role": "user", "content": "Be kind.\n\nBe brief.\n\nHi, Zoë."},
        {"role": "assistant", "content": "Hello."},
    ]
    assert body([said("assistant", "Hello.")], at, head)["messages"] == [
        {"role": "user", "content": "Be kind.\n\nBe brief."},
        {"role": "assistant", "content": "Hello."},
    ]


def test_a_model_without_system_is_not_told_and_we_are() -> None:
    head = Head(system=("Be kind.",))

    assert body(HI, able(system="none"), head)["messages"] == [{"role": "user", "content": "Hi."}]
    assert head_warnings(able(system="none"), head) == (
        "The model takes no system messages; they were left out.",
    )


def test_the_systems_last_words_are_marked_for_caching() -> None:
    sent = body(HI, quirky(cache_marks=True), Head(system=("One.", "Two.")))

    assert [message["content"] for message in sent["messages"][:2]] == [
        "One.",
        [{"type": "text", "text": "Two.", "cache_control": {"type": "ephemeral"}}],
    ]


@pytest.mark.parametrize(
    ("schema", "parameters"),
    [
        (LOOK.input_schema, {"type": "object", "properties": {"n": {}}}),
        (None, {"type": "object", "properties": {}}),
        ({"type": "object", "properties": None}, {"type": "object", "properties": {}}),
        (
            {"properties": {"n": {}}, "required": ["n", "m"], "$defs": {"x": {}}},
            {"type": "object", "properties": {"n": {}}, "required": ["n"], "$defs": {"x": {}}},
        ),
        ({"type": "object", "required": ["m"]}, {"type": "object", "properties": {}}),
        (
            {"oneOf": [{"properties": {"n": {"type": "array"}}}]},
            {"type": "object", "properties": {"n": {"type": "array", "items": {}}}},
        ),
    ],
)
def test_a_tool_always_takes_an_object(schema: Json, parameters: dict[str, Json]) -> None:
    tool = ToolSpec(name="look", description="Look.", input_schema=schema)

    assert fields(target(), Head(tools=(tool,)))["tools"] == [
        {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": parameters}}
    ]


def test_whether_tools_may_run_together_is_said_only_where_there_are_tools() -> None:
    options = CallOptions(openai=OpenAIOptions(parallel_tool_calls=False))
    head = Head(tools=(LOOK,))

    assert fields(target("openai", options=options), head)["parallel_tool_calls"] is False
    assert "parallel_tool_calls" not in fields(target("openai", options=options))
    quiet = target("openai", options=options, quirks=Quirks(no_parallel_flag=True))
    assert "parallel_tool_calls" not in fields(quiet, head)


SAMPLING = CallOptions(
    temperature=0.5, top_p=0.9, top_k=40, presence_penalty=0.1, frequency_penalty=0.2, stop=("END",), seed=7
)


def test_settings_are_sent_as_they_are() -> None:
    sent = fields(target(options=SAMPLING, quirks=Quirks(top_k=True)))

    assert sent["temperature"] == 0.5
    assert sent["top_p"] == 0.9
    assert sent["top_k"] == 40
    assert sent["presence_penalty"] == 0.1
    assert sent["frequency_penalty"] == 0.2
    assert sent["stop"] == ["END"]
    assert sent["seed"] == 7


@proves("model-layer", 12)
def test_every_setting_that_a_model_does_not_take_is_named() -> None:
    at = target(options=SAMPLING, abilities=Abilities(sampling=False), quirks=Quirks(top_k=True))

    names = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "top_k")
    assert head_warnings(at) == tuple(f"some-model does not take {name}; it was left out." for name in names)
    assert not set(names) & set(fields(at))


def test_a_server_without_top_k_and_one_without_temperature_are_spared_only_these() -> None:
    plain = target(options=SAMPLING)
    search = target(options=SAMPLING, quirks=Quirks(no_temperature=True))

    assert head_warnings(plain) == ("some-model does not take top_k; it was left out.",)
    assert "temperature" not in fields(search)
    assert fields(search)["top_p"] == 0.9


def test_openais_options_have_their_names() -> None:
    own = OpenAIOptions(
        text_verbosity="low",
        store=False,
        prompt_cache_key="k",
        service_tier="flex",
        user="u",
        metadata={"a": "b"},
        safety_identifier="s",
        logit_bias={"50256": -100},
        log_probs=True,
        top_log_probs=3,
        prediction={"type": "content", "content": "x"},
    )

    assert (
        fields(target("azure", route="azure", options=CallOptions(openai=own))).items()
        >= {
            "verbosity": "low",
            "store": False,
            "prompt_cache_key": "k",
            "service_tier": "flex",
            "user": "u",
            "metadata": {"a": "b"},
            "safety_identifier": "s",
            "logit_bias": {"50256": -100},
            "logprobs": True,
            "top_logprobs": 3,
            "prediction": {"type": "content", "content": "x"},
        }.items()
    )


def test_who_wants_some_probabilities_has_to_ask_for_any() -> None:
    sent = fields(target("openai", options=CallOptions(openai=OpenAIOptions(top_log_probs=3))))

    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 3)


def test_a_tier_that_a_model_is_not_served_in_is_left_out() -> None:
    options = CallOptions(openai=OpenAIOptions(service_tier="flex"))
    at = target("openai", "gpt-4-turbo", options=options)

    assert fields(msgspec.structs.replace(at, route="azure"))["service_tier"] == "flex"
    assert "service_tier" not in fields(at)
    assert head_warnings(at) == ("gpt-4-turbo is not served in the service_tier flex; it was left out.",)


def test_options_that_this_dialect_does_not_have_are_named() -> None:
    own = OpenAIOptions(max_tool_calls=3, reasoning_summary="auto", log_probs=True, strict_json_schema=True)
    at = target("openai", options=CallOptions(openai=own), abilities=Abilities(sampling=False))

    assert head_warnings(at) == (
        "some-model does not take log_probs; it was left out.",
        "max_tool_calls needs the Responses API; it was left out.",
        "reasoning_summary needs the Responses API; it was left out.",
        "strict_json_schema needs the Responses API; it was left out.",
    )


@proves("model-layer", 12)
def test_options_for_another_provider_are_named_and_not_sent() -> None:
    options = CallOptions(openai=OpenAIOptions(user="u"), anthropic=AnthropicOptions())
    at = target("openrouter", options=options)

    assert head_warnings(at) == (
        "The options for openai do not count for somewhere.",
        "The options for anthropic do not count for somewhere.",
    )
    assert "user" not in fields(at)


def test_openrouter_is_asked_to_count_and_told_where_to_go() -> None:
    own = OpenRouterOptions(
        provider=OpenRouterProvider(order=("anthropic",), allow_fallbacks=False),
        user="u",
        parallel_tool_calls=True,
        extra_body={"plugins": [{"id": "web"}], "model": "other"},
    )
    at = target("openrouter", options=CallOptions(openrouter=own), quirks=Quirks(usage_include=True))

    assert (
        fields(at, Head(tools=(LOOK,))).items()
        >= {
            "usage": {"include": True},
            "provider": {"order": ["anthropic"], "allow_fallbacks": False},
            "user": "u",
            "parallel_tool_calls": True,
            "plugins": [{"id": "web"}],
            "model": "other",
        }.items()
    )


SEARCHING = OpenRouterOptions(
    web_search_enabled=True,
    search_context_size="low",
    blocked_domains=("example.org",),
    max_results=3,
    max_total_results=9,
    user_location=SearchLocation(country="DE"),
)


def test_openrouter_searches_for_any_model() -> None:
    at = target("openrouter", options=CallOptions(openrouter=SEARCHING))

    told = fields(at, Head(tools=(LOOK,), provider_tools=True))

    assert [tool["type"] for tool in told["tools"]] == ["function", "openrouter:web_search"]
    assert told["tools"][1]["parameters"] == {
        "search_context_size": "low",
        "excluded_domains": ["example.org"],
        "max_results": 3,
        "max_total_results": 9,
        "user_location": {"type": "approximate", "country": "DE"},
    }


def test_openrouter_searches_without_other_tools_and_without_parameters() -> None:
    plain = CallOptions(openrouter=OpenRouterOptions(web_search_enabled=True))

    told = fields(target("openrouter", options=plain), Head(provider_tools=True))

    assert told["tools"] == [{"type": "openrouter:web_search"}]


@pytest.mark.parametrize("head", [Head(), Head(provider_tools=True, tool_choice="none")])
def test_openrouter_does_not_search_where_that_is_not_offered(head: Head) -> None:
    assert "tools" not in fields(target("openrouter", options=CallOptions(openrouter=SEARCHING)), head)


def test_another_server_is_not_offered_the_search_of_openrouter() -> None:
    at = target("openaicompat", options=CallOptions(openrouter=SEARCHING))

    assert "tools" not in fields(at, Head(provider_tools=True))


def test_domains_are_allowed_or_blocked_and_not_both() -> None:
    with pytest.raises(ValueError, match="not both"):
        OpenRouterOptions(allowed_domains=("a.org",), blocked_domains=("b.org",))


def test_openrouter_may_be_told_not_to_count() -> None:
    options = CallOptions(openrouter=OpenRouterOptions(include_usage=False))

    at = target("openrouter", options=options, quirks=Quirks(usage_include=True))

    assert fields(at)["usage"] == {"include": False}


def test_vercel_is_told_where_to_go() -> None:
    own = VercelOptions(provider_options=VercelProviderOptions(order=("bedrock",)), logprobs=True)

    sent = fields(target("vercel", options=CallOptions(vercel=own)))

    assert sent["providerOptions"] == {"gateway": {"order": ["bedrock"]}}
    assert sent["logprobs"] is True


def test_extra_fields_come_last_but_never_replace_the_messages() -> None:
    extra: dict[str, Json] = {"stream_options": {}, "enable_thinking": True, "messages": []}
    at = target(options=CallOptions(openaicompat=CompatibleOptions(user="u", extra_body=extra)))

    sent = body(HI, at)

    assert (sent["stream_options"], sent["enable_thinking"], sent["user"]) == ({}, True, "u")
    assert sent["messages"] == [{"role": "user", "content": "Hi."}]
    assert head_warnings(at) == ("extra_body cannot replace the messages.",)


@pytest.mark.parametrize(
    ("style", "sent"),
    [
        ("reasoning_effort", {"reasoning_effort": "high"}),
        ("reasoning.effort", {"reasoning": {"effort": "high"}}),
        ("thinking.type", {"thinking": {"type": "enabled"}}),
        ("none", {}),
    ],
)
def test_effort_is_said_in_the_servers_words(style: Any, sent: dict[str, Json]) -> None:
    at = quirky(effort_style=style)

    assert thinking(Effort.HIGH, at) == sent
    assert bool(head_warnings(at, Head(effort=Effort.HIGH))) == (style == "none")


def test_no_effort_switches_thinking_off() -> None:
    assert thinking(Effort.NONE, quirky(effort_style="thinking.type")) == {"thinking": {"type": "disabled"}}


@pytest.mark.parametrize(
    ("effort", "sent"),
    [(Effort.NONE, "low"), (Effort.MINIMAL, "low"), (Effort.MEDIUM, "high"), (Effort.MAX, "high")],
)
def test_an_effort_that_a_model_does_not_have_becomes_the_next(effort: Effort, sent: str) -> None:
    abilities = Abilities(reasoning=Reasoning.EFFORT, efforts=(Effort.LOW, Effort.HIGH))
    at = target(abilities=abilities, quirks=Quirks(effort_style="reasoning_effort"))

    assert thinking(effort, at) == {"reasoning_effort": sent}


@pytest.mark.parametrize(
    ("abilities", "effort", "sent"),
    [
        (Abilities(), Effort.MINIMAL, "low"),
        (Abilities(), Effort.MAX, "high"),
        (Abilities(reasoning=Reasoning.EFFORT, efforts=(Effort.XHIGH,)), Effort.LOW, "xhigh"),
    ],
)
def test_of_an_unknown_model_an_effort_is_asked_that_the_server_knows(
    abilities: Abilities, effort: Effort, sent: str
) -> None:
    at = target(abilities=abilities, quirks=quirks_for(ProviderType.OLLAMA, None, "gpt-oss", {}))

    assert thinking(effort, at) == {"reasoning_effort": sent}


@pytest.mark.parametrize(("effort", "is_warned"), [(None, False), (Effort.NONE, False), (Effort.HIGH, True)])
def test_a_model_that_cannot_think_with_tools_is_told_not_to(
    effort: Effort | None, *, is_warned: bool
) -> None:
    at = target(
        "openai",
        abilities=Abilities(reasoning=Reasoning.EFFORT),
        quirks=Quirks(effort_style="reasoning_effort", no_effort_with_tools=True),
    )
    head = Head(tools=(LOOK,), effort=effort)

    assert fields(at, head)["reasoning_effort"] == "none"
    assert bool(head_warnings(at, head)) is is_warned
    assert thinking(Effort.HIGH, at) == {"reasoning_effort": "high"}


def test_a_server_that_takes_no_choice_is_not_told_one() -> None:
    head = Head(tools=(LOOK,), tool_choice="none")
    at = quirky(no_tool_choice=True)

    assert "tool_choice" not in fields(at, head)
    assert head_warnings(at, head) == ("The server takes no tool_choice; it was left out.",)


def test_a_model_of_openai_that_does_not_reason_is_not_asked_to() -> None:
    at = target("openai", quirks=Quirks(effort_style="reasoning_effort"))

    assert thinking(Effort.HIGH, at) == {}
    assert head_warnings(at, Head(effort=Effort.HIGH)) == (
        "some-model does not take a reasoning effort; it was left out.",
    )


def test_a_pinned_budget_beats_the_effort_and_everything_else_stays_beside_it() -> None:
    def routed(**reasoning: Any) -> Target:
        options = CallOptions(openrouter=OpenRouterOptions(reasoning=RoutedReasoning(**reasoning)))
        return target("openrouter", options=options, quirks=Quirks(effort_style="reasoning.effort"))

    assert thinking(Effort.LOW, routed(exclude=True)) == {"reasoning": {"exclude": True, "effort": "low"}}
    assert thinking(Effort.LOW, routed(max_tokens=2000)) == {}
    assert fields(routed(max_tokens=2000))["reasoning"] == {"max_tokens": 2000}


def google(config: dict[str, Json]) -> dict[str, Json]:
    return {"extra_body": {"google": {"thinking_config": config}}}


@proves("model-layer", 120)
@pytest.mark.parametrize(
    ("abilities", "effort", "sent"),
    [
        (
            Abilities(reasoning=Reasoning.LEVEL),
            Effort.XHIGH,
            google({"include_thoughts": True, "thinking_level": "high"}),
        ),
        (
            Abilities(reasoning=Reasoning.LEVEL, efforts=(Effort.LOW, Effort.HIGH)),
            Effort.NONE,
            google({"include_thoughts": True, "thinking_level": "low"}),
        ),
        (
            Abilities(reasoning=Reasoning.BUDGET),
            Effort.MEDIUM,
            google({"include_thoughts": True, "thinking_budget": 8192}),
        ),
        (
            Abilities(reasoning=Reasoning.BUDGET),
            Effort.NONE,
            google({"include_thoughts": False, "thinking_budget": 0}),
        ),
        (
            Abilities(reasoning=Reasoning.BUDGET, can_stop_thinking=False),
            Effort.NONE,
            google({"include_thoughts": True, "thinking_budget": 1024}),
        ),
        (Abilities(), Effort.MAX, {"reasoning_effort": "high"}),
    ],
)
def test_google_is_told_how_to_think_in_one_way_only(
    abilities: Abilities, effort: Effort, sent: dict[str, Json]
) -> None:
    quirks = Quirks(gemini_compat=True, effort_style="reasoning_effort")

    assert thinking(effort, target(abilities=abilities, quirks=quirks)) == sent


@proves("model-layer", 10)
def test_the_same_request_is_the_same_bytes() -> None:
    head = Head(system=("Be kind.",), tools=(LOOK,), effort=Effort.LOW, max_output_tokens=5)

    assert body_bytes(HI, target(options=SAMPLING), head) == body_bytes(HI, target(options=SAMPLING), head)
    assert json.loads(body_bytes(HI, target(options=SAMPLING), head))["tools"]
