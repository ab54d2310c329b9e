"""Models under the names that gateways give them: what they hold is known, what they cost there is not."""

import pytest

from chatd.catalog.models.rows import ProviderType
from chatd.catalog.prices.model_names import own_name
from chatd.catalog.prices.price_book import CONTEXT_LIMIT, context_limit_of, known

GATEWAY = "https://llm.acme.example/v1"


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("claude-sonnet-4-6", "claude-sonnet-4-6"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4.5"),
        ("openrouter/anthropic/claude-opus-4.1:thinking", "claude-opus-4.1"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"),
        ("claude-opus-4-1@20250805", "claude-opus-4-1"),
        ("Claude-4.5-Haiku", "claude-haiku-4.5"),
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku-20241022"),
        ("gpt-5-2-codex", "gpt-5.2-codex"),
        ("gpt-5-2025-08-07", "gpt-5-2025-08-07"),
        ("models/gemini-3.5-flash", "gemini-3.5-flash"),
        ("my-own-model", "my-own-model"),
    ],
)
def test_a_model_has_one_name_of_its_own(called: str, name: str) -> None:
    assert own_name(called) == name


@pytest.mark.parametrize(
    "type_", [ProviderType.OPENAI_COMPATIBLE, ProviderType.OPENAI, ProviderType.ANTHROPIC]
)
@pytest.mark.parametrize(
    ("model", "context"),
    [
        ("claude-sonnet-4-6", 1_000_000),
        ("anthropic/claude-sonnet-4.5", 200_000),
        ("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", 200_000),
        ("claude-opus-5-5-20261001", 1_000_000),
        ("gpt-5.2", 400_000),
        ("azure/gpt-4.1-mini", 1_000_000),
        ("vertex_ai/gemini-2.5-pro", 1_048_576),
        ("x-ai/grok-4", 256_000),
    ],
)
def test_behind_a_gateway_the_name_says_how_much_a_model_holds(
    type_: ProviderType, model: str, context: int
) -> None:
    assert context_limit_of(type_, GATEWAY, model) == context


@pytest.mark.parametrize("model", ["acme-1", "llama3.2", "my-gpt", "qwen3"])
def test_what_everyone_can_run_holds_what_most_do(model: str) -> None:
    assert context_limit_of(ProviderType.OPENAI_COMPATIBLE, GATEWAY, model) == CONTEXT_LIMIT


def test_ollama_gives_a_model_as_much_as_it_likes_whatever_its_name() -> None:
    assert context_limit_of(ProviderType.OLLAMA, None, "gpt-4.1") == CONTEXT_LIMIT


def test_a_model_whose_maker_does_not_say_is_looked_up_where_it_is_resold() -> None:
    assert context_limit_of(ProviderType.GOOGLE, None, "gemini-3.1-pro-preview") == 1_048_576


@pytest.mark.parametrize("model", ["claude-sonnet-4-6", "gpt-5.2", "anthropic/claude-sonnet-4.5"])
def test_what_a_gateway_charges_is_not_known_by_the_name(model: str) -> None:
    for type_ in (ProviderType.OPENAI_COMPATIBLE, ProviderType.OPENAI, ProviderType.ANTHROPIC):
        assert known(type_, GATEWAY, model) is None
