"""Which efforts may be asked of a model: those that change the request."""

import pytest

from chatd.catalog.models.options import (
    AnthropicOptions,
    CallOptions,
    EffortRange,
    GoogleOptions,
    Thinking,
    ThinkingConfig,
)
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderSettings, ProviderType
from chatd.domain.message import Effort
from chatd.providers.capabilities.asked_efforts import efforts_of
from chatd.providers.capabilities.known import abilities_of
from chatd.providers.capabilities.target import DialectName, Reasoning

GATEWAY = "https://llm.acme.example/v1"
OPEN = CallOptions(reasoning_effort=EffortRange(default=Effort.LOW, max=Effort.MAX))


def efforts(
    type_: ProviderType, model: str, options: CallOptions = OPEN, base_url: str | None = None
) -> list[str]:
    settings = ProviderSettings(region="eu-central-1")
    where = Provider(id="p", type=type_, name="p", base_url=base_url, settings=settings)
    config = ModelConfig(id="m", provider_id="p", model=model, context_limit=100_000, options=options)
    return [each.value for each in efforts_of(where, config)]


@pytest.mark.parametrize(
    ("type_", "model", "base_url"),
    [
        (ProviderType.ANTHROPIC, "claude-haiku-4-5", None),
        (ProviderType.ANTHROPIC, "claude-sonnet-4-6", None),
        (ProviderType.ANTHROPIC, "claude-sonnet-4-6", GATEWAY),
        (ProviderType.OPENAI, "gpt-5.2", None),
        (ProviderType.OPENAI, "o3", None),
        (ProviderType.GOOGLE, "gemini-2.5-pro", None),
        (ProviderType.GOOGLE, "gemini-3.5-flash", None),
        (ProviderType.BEDROCK, "us.anthropic.claude-sonnet-4-5-20250929-v1:0", None),
        (ProviderType.OPENROUTER, "anthropic/claude-sonnet-4.5", None),
        (ProviderType.OPENAI_COMPATIBLE, "gpt-5.2", GATEWAY),
        # Nothing is known of these, and they are told what was asked.
        (ProviderType.OPENAI_COMPATIBLE, "acme-1", GATEWAY),
        (ProviderType.OLLAMA, "qwen3", None),
    ],
)
def test_a_model_that_listens_has_efforts_to_choose_from(
    type_: ProviderType, model: str, base_url: str | None
) -> None:
    assert "high" in efforts(type_, model, base_url=base_url)
    # Until an administrator opens it, nothing is sent.
    assert efforts(type_, model, CallOptions(), base_url=base_url) == []


@pytest.mark.parametrize(
    ("type_", "model", "base_url"),
    [
        (ProviderType.ANTHROPIC, "claude-3-5-haiku-latest", None),
        (ProviderType.OPENAI, "gpt-4o", None),
        (ProviderType.OPENAI, "my-own", None),
        (ProviderType.GOOGLE, "gemini-2.0-flash", None),
        (ProviderType.BEDROCK, "amazon.nova-pro-v1:0", None),
        (ProviderType.OPENAI_COMPATIBLE, "mistral-large", "https://api.mistral.ai/v1"),
        (ProviderType.SCRIPTED, "scripted", None),
        # It cannot be called at all.
        (ProviderType.ANTHROPIC, "claude-sonnet-4-6", "http://acme.example"),
    ],
)
def test_a_model_that_would_not_hear_it_has_none(
    type_: ProviderType, model: str, base_url: str | None
) -> None:
    assert efforts(type_, model, base_url=base_url) == []


RESPONSES = CallOptions(reasoning_effort=EffortRange(max=Effort.HIGH), use_responses_api=True)


@pytest.mark.parametrize(
    ("type_", "base_url"),
    [
        (ProviderType.OPENAI, None),
        (ProviderType.OPENAI, GATEWAY),
        (ProviderType.AZURE, "https://acme.openai.azure.com"),
        (ProviderType.OPENAI_COMPATIBLE, GATEWAY),
    ],
)
def test_an_administrator_opens_efforts_for_an_unlisted_name_on_responses(
    type_: ProviderType, base_url: str | None
) -> None:
    opened = efforts(type_, "prod-large", RESPONSES, base_url=base_url)

    assert opened == ["none", "minimal", "low", "medium", "high"]
    assert efforts(type_, "prod-large", CallOptions(use_responses_api=True), base_url=base_url) == []


def test_a_listed_name_that_does_not_reason_stays_closed_on_responses() -> None:
    assert efforts(ProviderType.OPENAI, "gpt-4o", RESPONSES) == []
    assert efforts(ProviderType.OPENAI, "chatgpt-4o-latest", RESPONSES) == []


def test_what_an_administrator_has_pinned_cannot_be_chosen() -> None:
    pinned = ThinkingConfig(thinking_budget=1024)
    google = CallOptions(reasoning_effort=OPEN.reasoning_effort, google=GoogleOptions(thinking_config=pinned))
    anthropic = CallOptions(
        reasoning_effort=OPEN.reasoning_effort,
        anthropic=AnthropicOptions(thinking=Thinking(budget_tokens=2048)),
    )

    assert efforts(ProviderType.GOOGLE, "gemini-2.5-pro", google) == []
    assert efforts(ProviderType.ANTHROPIC, "claude-haiku-4-5", anthropic) == []


def test_where_only_one_effort_is_left_there_is_no_choice() -> None:
    lowest = CallOptions(reasoning_effort=EffortRange(default=Effort.NONE, max=Effort.NONE))

    assert efforts(ProviderType.OPENAI, "gpt-5.2", lowest) == []


def test_nothing_above_the_most_that_is_allowed_can_be_chosen() -> None:
    some = CallOptions(reasoning_effort=EffortRange(default=Effort.LOW, max=Effort.MEDIUM))

    assert efforts(ProviderType.OPENAI, "gpt-5.2", some) == ["none", "low", "medium"]


@pytest.mark.parametrize(
    ("model", "reasoning", "output_limit"),
    [
        ("openrouter/anthropic/claude-opus-4.1:beta", Reasoning.BUDGET, 32_000),
        ("claude-4.5-haiku", Reasoning.BUDGET, 64_000),
        ("vertex_ai/claude-sonnet-4-5@20250929", Reasoning.BUDGET, 64_000),
        ("openai/o3:online", Reasoning.EFFORT, 100_000),
        ("azure/gpt-5-2", Reasoning.EFFORT, 128_000),
        ("vertex_ai/gemini-2.5-pro", Reasoning.BUDGET, 65_536),
    ],
)
def test_behind_a_gateway_a_model_can_do_what_its_own_name_says(
    model: str, reasoning: Reasoning, output_limit: int
) -> None:
    for dialect in (DialectName.CHAT, DialectName.ANTHROPIC):
        known = abilities_of(dialect, model)
        assert (known.reasoning, known.output_limit) == (reasoning, output_limit)
