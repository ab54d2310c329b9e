"""A context limit among the fields of a refusal, however the provider names it."""

import pytest

from chatd.domain.part import Json
from chatd.providers.failures.context_keys import DEPTH_MAX, context_limit_in, names_context_limit
from tests.providers.failures.words import answered, error
from tests.traceability import proves


@proves("loop", 26)
@pytest.mark.parametrize(
    "name",
    [
        "context_limit",
        "contextWindow",
        "Context-Length",
        "max_context",
        "maxContextTokens",
        "max_input_tokens",
        "maxInputToken",
        "inputTokenLimit",
        "model_context_limit",
        "context_window_size",
        "maxContextWindow",
        "max_context_length_allowed",
        "contextTokenLimit",
        "context_tokens_max",
    ],
)
def test_a_field_is_known_for_a_context_limit(name: str) -> None:
    assert names_context_limit(name)


@proves("loop", 26)
@pytest.mark.parametrize(
    "name",
    ["context_tokens_used", "max_tokens", "rate_limit", "context_id", "max_context_version", "context", ""],
)
def test_a_field_that_counts_something_else_is_none(name: str) -> None:
    assert not names_context_limit(name)


@proves("loop", 27)
def test_of_several_the_largest_counts_wherever_they_are() -> None:
    told = {"a": [{"context_limit": 8_000}, {"b": {"max_input_tokens": "32000"}}], "contextWindow": 16_000.0}

    assert context_limit_in(told) == 32_000


@proves("loop", 27)
@pytest.mark.parametrize("value", [0, -5, 1.5, True, "many", "8.5", None, [9_000], "9" * 40])
def test_what_is_no_positive_whole_number_is_no_limit(value: Json) -> None:
    assert context_limit_in({"context_limit": value}) is None


def test_what_the_provider_repeats_of_a_request_is_not_looked_at_nor_what_is_nested_without_end() -> None:
    deep: Json = {"context_limit": 8_000}
    for _ in range(DEPTH_MAX):
        deep = {"x": deep}

    assert context_limit_in({"request": {"context_limit": 8_000}}) is None
    assert context_limit_in(deep) is None


def test_a_refusal_that_tells_its_limit_in_a_field_alone_is_learned_from() -> None:
    refusal = answered(400, error("The input is too long.", context_window=8_192))

    assert (refusal.fault, refusal.context_max) == ("context_too_large", 8_192)
