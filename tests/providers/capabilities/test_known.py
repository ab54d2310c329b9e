"""What is known of models by their names."""

import pytest
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderSettings, ProviderType
from chatd.domain.message import Effort
from chatd.providers.capabilities.known import MIB, abilities_of, dialect_of, facts
from chatd.providers.capabilities.target import Abilities, DialectName, Reasoning
from chatd.providers.dialects.converse.files import file_block
from chatd.providers.registry import target_of
from chatd.providers.request.attachments import is_accepted
from chatd.providers.request.wire_turn import Attachment


def config(model: str, *, use_responses_api: bool | None = None) -> ModelConfig:
    options = CallOptions(use_responses_api=use_responses_api)
    return ModelConfig(id="m", provider_id="p", model=model, context_limit=1000, options=options)


DEPLOYMENT = "https://acme.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-10-21"
# How a profile of Bedrock is named in full.
PROFILE = "arn:aws:bedrock:us-east-1:123456789012:inference-profile"


def provider(type_: ProviderType, base_url: str | None = None, *, project: str | None = None) -> Provider:
    settings = ProviderSettings(project=project)
    return Provider(id="p", type=type_, name="p", base_url=base_url, settings=settings)


@pytest.mark.parametrize(
    ("model", "reasoning", "output_limit"),
    [
        ("claude-3-5-haiku-latest", Reasoning.NONE, 8192),
        ("claude-opus-4-1-20250805", Reasoning.BUDGET, 32_000),
        ("claude-sonnet-4-20250514", Reasoning.BUDGET, 64_000),
        ("claude-haiku-4-5", Reasoning.BUDGET, 64_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Reasoning.BUDGET, 64_000),
        ("us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0", Reasoning.BUDGET, 64_000),
        (f"{PROFILE}/us.anthropic.claude-sonnet-4-5-20250929-v1:0", Reasoning.BUDGET, 64_000),
        ("claude-opus-4-1@20250805", Reasoning.BUDGET, 32_000),
        ("claude-sonnet-4-5@20250929", Reasoning.BUDGET, 64_000),
        ("claude-sonnet-4-5-latest", Reasoning.BUDGET, 64_000),
        ("claude-sonnet-4-thinking", Reasoning.BUDGET, 64_000),
        ("claude-sonnet-4-6", Reasoning.ADAPTIVE, 128_000),
        ("claude-opus-4-10", Reasoning.ADAPTIVE, 128_000),
        ("claude-opus-4-7", Reasoning.ADAPTIVE, 128_000),
        ("claude-sonnet-5-5", Reasoning.ADAPTIVE, 128_000),
    ],
)
def test_how_a_claude_thinks_depends_on_its_age(model: str, reasoning: Reasoning, output_limit: int) -> None:
    known = abilities_of(DialectName.ANTHROPIC, model)

    assert (known.reasoning, known.output_limit) == (reasoning, output_limit)


@pytest.mark.parametrize(
    ("model", "unasked", "can_stop"),
    [
        ("claude-opus-4-6", False, True),
        ("claude-opus-4-8", False, True),
        ("claude-opus-5", True, True),
        ("anthropic.claude-opus-5-v1:0", True, True),
        ("claude-sonnet-5-20260601", True, True),
        ("claude-haiku-5-5", True, True),
        ("claude-opus-5-5", True, False),
        ("claude-sonnet-5.5", True, False),
        ("claude-fable-5", True, False),
        ("claude-mythos-5-1", True, False),
        ("claude-opus-6", True, False),
    ],
)
def test_the_newer_a_claude_the_less_it_lets_itself_be_kept_from_thinking(
    model: str,
    unasked: bool,  # noqa: FBT001 - a column
    can_stop: bool,  # noqa: FBT001 - a column
) -> None:
    known = abilities_of(DialectName.ANTHROPIC, model)

    assert (known.thinks_unasked, known.can_stop_thinking) == (unasked, can_stop)


def test_the_first_claudes_that_adapt_know_nothing_between_high_and_the_utmost() -> None:
    for model in ("claude-opus-4-6", "claude-sonnet-4.6"):
        known = abilities_of(DialectName.ANTHROPIC, model)
        assert Effort.XHIGH not in known.efforts
        assert Effort.MAX in known.efforts
        assert not known.prefill


@pytest.mark.parametrize(
    ("model", "efforts"),
    [
        ("o3", ["low", "medium", "high"]),
        ("gpt-5-mini", ["minimal", "low", "medium", "high"]),
        ("gpt-5-codex", ["low", "medium", "high"]),
        ("gpt-5-pro", ["high"]),
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


@pytest.mark.parametrize(
    ("model", "efforts"),
    [
        ("gemini-3-pro-preview", ["low", "high"]),
        ("gemini-3.1-pro-preview", ["low", "medium", "high"]),
        ("gemini-3-flash-preview", ["minimal", "low", "medium", "high"]),
        ("gemini-3.5-flash", ["minimal", "low", "medium", "high"]),
        ("gemini-3.8-flash", ["low", "medium", "high"]),
        ("gemini-3.8-flash-lite", ["minimal", "low", "medium", "high"]),
        ("gemini-4-argon", ["low", "medium", "high"]),
        ("gemini-flash-latest", ["low", "medium", "high"]),
        ("models/gemini-pro-latest", ["low", "medium", "high"]),
    ],
)
def test_which_levels_a_gemini_has_depends_on_the_model(model: str, efforts: list[str]) -> None:
    known = abilities_of(DialectName.GEMINI, model)

    assert (known.reasoning, known.output_limit) == (Reasoning.LEVEL, 65_536)
    assert known.efforts == tuple(Effort(effort) for effort in efforts)


def test_gemini_is_not_shown_what_would_fail_the_whole_request() -> None:
    files = facts(provider(ProviderType.GOOGLE), config("gemini-3.5-flash")).files

    assert all(is_accepted(type_, files) for type_ in ("image/png", "application/pdf", "video/mp4"))
    refused = ("image/gif", "application/json", "application/zip", "image/svg+xml")
    assert not any(is_accepted(type_, files) for type_ in refused)


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
        (provider(ProviderType.OPENAI), "gpt-4o-search-preview", DialectName.CHAT),
        (provider(ProviderType.AZURE), "gpt-4o", DialectName.RESPONSES),
        (provider(ProviderType.AZURE, DEPLOYMENT), "gpt-4o", DialectName.CHAT),
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


def test_ollama_is_shown_pictures_and_no_documents() -> None:
    files = facts(provider(ProviderType.OLLAMA), config("llama3.2-vision")).files

    assert (files.images, files.text, files.pdf, files.audio) == (True, True, False, False)


def test_how_much_a_model_holds_is_what_the_administrator_says() -> None:
    assert facts(provider(ProviderType.OPENAI), config("gpt-5.2")).abilities.context_limit == 1000


def test_clouds_take_smaller_pictures_than_anthropic_itself() -> None:
    itself = facts(provider(ProviderType.ANTHROPIC), config("claude-opus-5"))
    clouds = [
        facts(provider(ProviderType.BEDROCK), config("us.anthropic.claude-opus-5-v1:0")),
        facts(provider(ProviderType.BEDROCK), config("amazon.nova-pro-v1:0")),
        facts(provider(ProviderType.GOOGLE, project="p"), config("claude-opus-5")),
    ]

    # What is 5 MiB in base64 has a quarter less without it.
    assert itself.files.image_bytes_max == 5 * MIB
    assert {cloud.files.image_bytes_max for cloud in clouds} == {5 * MIB * 3 // 4}


@pytest.mark.parametrize(
    "type_",
    [
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ],
)
def test_only_converse_reads_word_and_excel(type_: str) -> None:
    bedrock = provider(ProviderType.BEDROCK)

    assert is_accepted(type_, facts(bedrock, config("amazon.nova-pro-v1:0")).files)
    assert file_block(Attachment(type_, b"x")) is not None
    assert not is_accepted(type_, facts(bedrock, config("us.anthropic.claude-opus-5-v1:0")).files)


@pytest.mark.parametrize(
    ("base_url", "version"),
    [
        (None, "2026-10-21"),
        ("https://api.anthropic.com", "2026-10-21"),
        ("https://api.anthropic.com/v1/messages", "2026-10-21"),
        ("https://gateway.example.com/anthropic", "2023-06-01"),
    ],
)
def test_anthropic_itself_is_asked_for_its_newest_version_however_its_address_is_written(
    base_url: str | None, version: str
) -> None:
    anthropic = replace(provider(ProviderType.ANTHROPIC), base_url=base_url)

    assert target_of(anthropic, config("claude-opus-5")).api_version == version
