"""How large a prompt was, and might have been."""

import pytest

from chatd.providers.failures.context_size import context_size, patterns
from tests.providers.failures.words import answered, error, told
from tests.traceability import proves

SIZES = [
    ("prompt is too long: 210043 tokens > 200000 maximum", 210043, 200000),
    ("input and `max_tokens` exceed context limit: 195000 + 8192 > 200000, try less", 195000, 200000),
    ("maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", 9001, 8192),
    ("maximum context length is 128000 tokens, however you requested 130012 tokens", 130012, 128000),
    ("maximum context length is 131072 tokens. You requested about 140,000 tokens (text)", 140000, 131072),
    ("maximum context length of 4096 tokens: the prompt resulted in ~5000 tokens", 5000, 4096),
    ("This model's maximum context length is 4096 tokens.", None, 4096),
    ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 40000, 32768),
    ("The prompt does not fit into 32768 maximum context length", None, 32768),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537812, 131072),
    ("Range of input length should be [1, 30720]", None, 30720),
    ("Input too long: 9000 input tokens, limit is 8000", 9000, 8000),
    ("prompt token count of 70000 exceeds the limit of 64000", 70000, 64000),
    ("input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1200000, 1048576),
    ("The input token count 1200000 exceeds the maximum 1048576", 1200000, 1048576),
    ("the input token count is 1052640 but model only supports up to 1048576.", 1052640, 1048576),
    ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 5000, 4096),
    ("The prompt is longer than the maximum model length of 4096.", None, 4096),
    ("the request exceeds the available context size, try increasing it", None, None),
    ("request (20000 tokens) exceeds the available context size (8192 tokens)", 20000, 8192),
    ("Your input exceeds the context window of this model.", None, None),
    ("Input is too long for requested model.", None, None),
]  # fmt: skip


@proves("model-layer", 146)
@pytest.mark.parametrize(("text", "used", "most"), SIZES)
def test_a_text_says_how_large_it_was_and_might_have_been(
    text: str, used: int | None, most: int | None
) -> None:
    for known in (told(text), answered(400, error(text)), answered(400, text.encode(), "text/plain")):
        assert known.fault == "context_too_large"
        assert (known.context_used, known.context_max) == (used, most)
        assert (known.kind, known.retryable) == ("context_too_large", False)


def test_every_pattern_has_its_text() -> None:
    found = {next((p.pattern for p in patterns() if p.search(text)), None) for text, _, _ in SIZES}

    assert {pattern.pattern for pattern in patterns()} - found == set()


def test_sizes_are_for_histories_that_are_too_long_and_for_no_other_failure() -> None:
    known = answered(529, error("prompt is too long: 9 tokens > 8"))

    assert (known.context_used, known.context_max) == (None, None)


def test_a_number_without_end_is_none() -> None:
    assert context_size("prompt is too long: " + "9" * 5000 + " tokens > 8") == (None, None)
