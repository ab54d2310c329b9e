from typing import Any

import msgspec
import pytest

from chatd.catalog.models.rows import ProviderType
from chatd.providers.capabilities.quirks import HOSTS, TYPES, quirks_for
from chatd.providers.capabilities.target import Quirks
from tests.traceability import proves

COMPATIBLE = ProviderType.OPENAI_COMPATIBLE


def at(address: str, model: str = "some-model", **overrides: Any) -> Quirks:
    return quirks_for(COMPATIBLE, address, model, overrides)


@pytest.mark.parametrize(
    ("type_", "field", "effort"),
    [
        (ProviderType.OPENAI, "none", "reasoning_effort"),
        (ProviderType.AZURE, "none", "reasoning_effort"),
        (ProviderType.OPENROUTER, "reasoning_details", "reasoning.effort"),
        (ProviderType.VERCEL, "reasoning_details", "reasoning.effort"),
        (ProviderType.OLLAMA, "reasoning", "reasoning_effort"),
        (ProviderType.OPENAI_COMPATIBLE, "same", "reasoning_effort"),
    ],
)
def test_every_type_has_its_ways(type_: ProviderType, field: str, effort: str) -> None:
    quirks = quirks_for(type_, None, "some-model", {})

    assert (quirks.reasoning_field, quirks.effort_style) == (field, effort)


@pytest.mark.parametrize(
    ("address", "field", "effort"),
    [
        ("https://api.openai.com/v1", "none", "reasoning_effort"),
        ("https://openrouter.ai/api/v1", "reasoning_details", "reasoning.effort"),
        ("https://ai-gateway.vercel.sh/v1", "reasoning_details", "reasoning.effort"),
        ("https://api.deepseek.com", "reasoning_content", "thinking.type"),
        ("https://api.moonshot.ai/v1", "reasoning_content", "thinking.type"),
        ("https://api.z.ai/api/paas/v4", "reasoning_content", "thinking.type"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "reasoning_content", "none"),
        ("https://api.groq.com/openai/v1", "none", "reasoning_effort"),
        ("https://api.x.ai/v1", "none", "reasoning_effort"),
        ("API.Mistral.AI", "none", "none"),
        ("http://localhost:8000/v1", "same", "reasoning_effort"),
        ("https://api.deepseek.com.evil.example/v1", "same", "reasoning_effort"),
        ("http://[broken", "same", "reasoning_effort"),
    ],
)
def test_known_addresses_are_recognized_by_their_host(address: str, field: str, effort: str) -> None:
    assert (at(address).reasoning_field, at(address).effort_style) == (field, effort)


def test_who_is_known_for_one_thing() -> None:
    assert at("https://api.moonshot.ai/v1").reasoning_required
    assert at("https://api.deepseek.com").reasoning_required
    assert at("https://api.deepseek.com").string_content_only
    assert at("https://api.mistral.ai/v1").no_user_after_tool
    assert at("https://api.z.ai/api/paas/v4").no_tool_choice
    assert at("https://api.x.ai/v1").usage_outside_reasoning
    assert at("https://api.mistral.ai/v1").tool_id_style == "alnum9"
    assert at("https://api.mistral.ai/v1").no_stream_options
    assert at("https://openrouter.ai/api/v1").usage_include
    assert quirks_for(ProviderType.OPENAI, None, "gpt-9", {}).token_field == "max_completion_tokens"


@proves("model-layer", 120)
@pytest.mark.parametrize(
    ("address", "model", "gemini_compat"),
    [
        ("https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3-pro", True),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "gemma-3", False),
        ("https://us-central1-aiplatform.googleapis.com/v1/openapi", "google/gemini-2.5-pro", True),
        ("https://us-central1-aiplatform.googleapis.com/v1/openapi", "meta/llama-4", False),
        ("https://openrouter.ai/api/v1", "google/gemini-3-pro", False),
        ("https://gateway.example/v1", "gemini-3-pro", False),
    ],
)
def test_only_google_itself_wants_googles_ways(address: str, model: str, *, gemini_compat: bool) -> None:
    assert at(address, model).gemini_compat is gemini_compat


@pytest.mark.parametrize(
    ("type_", "model", "field", "value"),
    [
        (COMPATIBLE, "mistralai/Mistral-Small-3.2", "tool_id_style", "alnum9"),
        (ProviderType.OPENROUTER, "mistralai/devstral-medium", "no_user_after_tool", True),
        (COMPATIBLE, "moonshotai/Kimi-K2-Thinking", "replay_empty_reasoning", True),
        (COMPATIBLE, "google/gemma-2-9b-it", "system_role", "merged"),
        (COMPATIBLE, "qwen3-32b", "tool_id_style", "any"),
        (ProviderType.OPENROUTER, "anthropic/claude-opus-4.7", "cache_marks", True),
        (ProviderType.OPENROUTER, "qwen/qwen3-max", "cache_marks", True),
        (ProviderType.OPENROUTER, "openai/gpt-5", "cache_marks", False),
        (ProviderType.OPENROUTER, "google/gemma-3-27b", "system_role", "system"),
        (ProviderType.OPENAI, "gpt-4o-search-preview", "no_temperature", True),
        (ProviderType.OPENAI, "gpt-4o", "no_temperature", False),
        (ProviderType.AZURE, "gpt-5.6-terra", "no_effort_with_tools", True),
        (ProviderType.OPENAI, "gpt-5", "no_effort_with_tools", False),
        (ProviderType.OPENROUTER, "openai/gpt-5.6", "no_effort_with_tools", False),
    ],
)
def test_some_models_have_ways_of_their_own(
    type_: ProviderType, model: str, field: str, value: object
) -> None:
    assert getattr(quirks_for(type_, None, model, {}), field) == value


def test_what_an_administrator_says_comes_last() -> None:
    quirks = at("https://api.mistral.ai/v1", tool_id_style="any", top_k=True)

    assert (quirks.tool_id_style, quirks.top_k, quirks.no_stream_options) == ("any", True, True)


@pytest.mark.parametrize("overrides", [{"top_l": True}, {"top_k": "yes"}, {"token_field": "tokens"}])
def test_what_is_no_quirk_is_refused(overrides: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        at("https://api.mistral.ai/v1", **overrides)


def test_the_table_says_nothing_that_is_no_quirk() -> None:
    for says in [*TYPES.values(), *HOSTS.values()]:
        assert msgspec.convert(dict(says), Quirks) != Quirks()
