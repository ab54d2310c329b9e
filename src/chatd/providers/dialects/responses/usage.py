"""What a call has used, as OpenAI counts it (pure)."""

from chatd.domain.message import Usage
from chatd.providers.dialects.responses import frames
from chatd.providers.dialects.shared.counting import count_of


def usage(counts: frames.Counts | None, searches: int) -> Usage | None:
    if counts is None:
        return None
    prompt = counts.input_tokens_details or frames.InputDetails()
    said = counts.output_tokens_details or frames.OutputDetails()
    read, written = count_of(prompt.cached_tokens), count_of(prompt.cache_write_tokens)
    fresh = max(0, count_of(counts.input_tokens) - read - written)
    output = count_of(counts.output_tokens)
    return Usage(
        input_tokens=fresh,
        cache_read_tokens=read,
        cache_creation_tokens=written,
        output_tokens=output,
        reasoning_tokens=count_of(said.reasoning_tokens),
        total_tokens=fresh + read + written + output,
        web_searches=searches,
    )
