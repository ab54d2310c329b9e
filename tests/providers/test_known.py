"""What is known of models by their names."""

import pytest

from chatd.catalog.options import CallOptions
from chatd.catalog.rows import ModelConfig, Provider, ProviderSettings, ProviderType
from chatd.domain.message import Effort
from chatd.providers.known import abilities_of, dialect_of, facts
from chatd.providers.target import Abilities, DialectName, Reasoning


def config(model: str, *, use_responses_api: bool | None = None) -> ModelConfig:
    options = CallOptions(use_responses_api=use_responses_api)
    return ModelConfig(id="m", provider_id="p", model=model, context_limit=1000, options=options)


def provider(type_: ProviderType, *, project: str | None = None) -> Provider:
    return Provider(id="p", type=type_, name="p", settings=ProviderSettings(project=project))


@pytest.mark.parametrize(
    ("model", "reasoning", "output_limit"),
    [
        ("claude-3-5-haiku-latest", Reasoning.NONE, 8192),
        ("claude-opus-4-1-20250805", Reasoning.BUDGET, 32_000),
        ("claude-sonnet-4-20250514", Reasoning.BUDGET, 64_000),
        ("claude-haiku-4-5", Reasoning.BUDGET, 64_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Reasoning.BUDGET, 64_000),
        ("claude-sonnet-4-6", Reasoning.ADAPTIVE, 64_000),
        ("claude-opus-4-7", Reasoning.ADAPTIVE, 128_000),
        ("claude-sonnet-5-5", Reasoning.ADAPTIVE, 128_000),
    ],
)
def test_how_a_claude_thinks_depends_on_its_age(model: str, reasoning: Reasoning, output_limit: int) -> None:
    known = abilities_of(DialectName.ANTHROPIC, model)

    assert (known.reasoning, known.output_limit) == (reasoning, output_limit)


@pytest.mark.parametrize(
    ("model", "efforts"),
    [
        ("o3", ["low", "medium", "high"]),
        ("gpt-5-mini", ["minimal", "low", "medium", "high"]),
        ("gpt-5.1", ["none", "low", "medium", "high"]),
        ("gpt-5.2", ["none", "low", "medium", "high", "xhigh"]),
        ("gpt-6-sol", ["none", "low", "medium", "high", "xhigh"]),
        ("gpt-4o", []),
    ],
)
def test_which_efforts_openai_takes_depends_on_the_model(model: str, efforts: list[str]) -> None:
    known = abilities_of(DialectName.RESPONSES, model)

    assert known.efforts == tuple(Effort(effort) for effort in efforts)
    assert known.sampling is not bool(efforts)


@pytest.mark.parametrize(
    ("model", "reasoning"),
    [
        ("gemini-2.0-flash", Reasoning.NONE),
        ("gemini-2.5-flash", Reasoning.BUDGET),
        ("gemini-2.5-flash-image", Reasoning.NONE),
        ("gemini-3.1-pro-preview", Reasoning.LEVEL),
        ("gemini-3.5-flash", Reasoning.LEVEL),
        ("gemini-4-argon", Reasoning.LEVEL),
    ],
)
def test_how_a_gemini_thinks_depends_on_its_age(model: str, reasoning: Reasoning) -> None:
    assert abilities_of(DialectName.GEMINI, model).reasoning is reasoning


def test_a_model_behind_a_gateway_is_known_by_its_own_name() -> None:
    assert abilities_of(DialectName.CHAT, "anthropic/claude-sonnet-4.5").reasoning is Reasoning.BUDGET


def test_of_an_unknown_model_nothing_is_assumed() -> None:
    for dialect in DialectName:
        assert abilities_of(dialect, "acme-1") == Abilities()


@pytest.mark.parametrize(
    ("where", "model", "dialect"),
    [
        (provider(ProviderType.ANTHROPIC), "claude-opus-5", DialectName.ANTHROPIC),
        (provider(ProviderType.OPENAI), "gpt-5.2", DialectName.RESPONSES),
        (provider(ProviderType.OPENAI), "my-own", DialectName.CHAT),
        (provider(ProviderType.AZURE), "gpt-4o", DialectName.RESPONSES),
        (provider(ProviderType.OPENAI_COMPATIBLE), "gpt-5.2", DialectName.CHAT),
        (provider(ProviderType.OLLAMA), "llama3", DialectName.CHAT),
        (provider(ProviderType.GOOGLE), "gemini-3.5-flash", DialectName.GEMINI),
        (provider(ProviderType.GOOGLE, project="p"), "claude-opus-5", DialectName.ANTHROPIC),
        (provider(ProviderType.BEDROCK), "us.anthropic.claude-opus-5-v1:0", DialectName.ANTHROPIC),
        (provider(ProviderType.BEDROCK), "amazon.nova-pro-v1:0", DialectName.CONVERSE),
    ],
)
def test_the_dialect_follows_from_the_provider_and_the_model(
    where: Provider, model: str, dialect: DialectName
) -> None:
    assert dialect_of(where, config(model)) is dialect


def test_the_administrator_may_choose_between_the_dialects_of_openai() -> None:
    openai = provider(ProviderType.OPENAI)

    assert dialect_of(openai, config("gpt-5.2", use_responses_api=False)) is DialectName.CHAT
    assert dialect_of(openai, config("my-own", use_responses_api=True)) is DialectName.RESPONSES


def test_gateways_are_sent_text_as_text() -> None:
    assert not facts(provider(ProviderType.OPENROUTER), config("x/y")).files.text
    assert facts(provider(ProviderType.OPENAI_COMPATIBLE), config("y")).files.text


def test_how_much_a_model_holds_is_what_the_administrator_says() -> None:
    assert facts(provider(ProviderType.OPENAI), config("gpt-5.2")).abilities.context_limit == 1000
