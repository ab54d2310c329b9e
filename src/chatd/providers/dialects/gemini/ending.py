"""How Gemini says that it is over, and what it counted (pure)."""

from collections.abc import Callable, Mapping
from typing import Final

from chatd.domain.message import Usage
from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.dialects.gemini.frames import UsageMetadata
from chatd.providers.dialects.shared.counting import count_of
from chatd.providers.events import Stop

STOPS: Final[Mapping[str, Stop]] = {
    "STOP": Stop.DONE,
    "MAX_TOKENS": Stop.LENGTH,
    "SAFETY": Stop.REFUSED,
    "BLOCKLIST": Stop.REFUSED,
    "PROHIBITED_CONTENT": Stop.REFUSED,
    "SPII": Stop.REFUSED,
    "RECITATION": Stop.REFUSED,
    "IMAGE_SAFETY": Stop.REFUSED,
    "IMAGE_PROHIBITED_CONTENT": Stop.REFUSED,
    "IMAGE_RECITATION": Stop.REFUSED,
}

# Reasons that are failures: of what sort, and whether another try may end better.
FAULTS: Final[Mapping[str, tuple[Callable[[str], ProviderError], bool]]] = {
    "MALFORMED_FUNCTION_CALL": (failures.malformed, True),
    "UNEXPECTED_TOOL_CALL": (failures.malformed, True),
    "MALFORMED_RESPONSE": (failures.malformed, True),
    "LANGUAGE": (failures.malformed, False),
    "TOO_MANY_TOOL_CALLS": (failures.malformed, False),
    "MISSING_THOUGHT_SIGNATURE": (failures.unsendable, False),
}


def usage(counts: UsageMetadata, searches: int) -> Usage:
    cached = count_of(counts.cached_content_token_count)
    fresh = max(count_of(counts.prompt_token_count) - cached, 0) + count_of(
        counts.tool_use_prompt_token_count
    )
    thoughts = count_of(counts.thoughts_token_count)
    # Candidates are counted without the thoughts that led to them.
    output = count_of(counts.candidates_token_count) + thoughts
    return Usage(
        input_tokens=fresh,
        cache_read_tokens=cached,
        output_tokens=output,
        reasoning_tokens=thoughts,
        total_tokens=fresh + cached + output,
        web_searches=searches,
    )
