"""What Gemini counted (pure)."""

from chatd.domain.message import Usage
from chatd.providers.dialects.gemini.frames import UsageMetadata
from chatd.providers.dialects.shared.counting import count_of


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
