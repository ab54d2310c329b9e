"""What Converse counted (pure)."""

from chatd.domain.message import Usage
from chatd.providers.dialects.converse import frames
from chatd.providers.dialects.shared.counting import count_of


def usage(counts: frames.TokenUsage) -> Usage:
    fresh = count_of(counts.input_tokens)
    read = count_of(counts.cache_read_input_tokens)
    written = count_of(counts.cache_write_input_tokens)
    output = count_of(counts.output_tokens)
    hourly = sum(count_of(detail.input_tokens) for detail in counts.cache_details or () if detail.ttl == "1h")
    return Usage(
        input_tokens=fresh,
        cache_read_tokens=read,
        cache_creation_tokens=written,
        cache_creation_1h_tokens=hourly,
        output_tokens=output,
        total_tokens=fresh + read + written + output,
    )
