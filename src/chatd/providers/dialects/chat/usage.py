"""What a server says a call has used and cost, in our terms (pure)."""

from chatd.domain.message import Usage
from chatd.providers.capabilities.target import Quirks
from chatd.providers.dialects.chat.frames import Counted
from chatd.providers.dialects.shared.counting import count_of, micros_of


def says_something(counted: Counted | None) -> bool:
    """Some servers send a usage that is empty, or null in all its places."""
    return counted is not None and (
        counted.prompt_tokens is not None
        or counted.completion_tokens is not None
        or counted.total_tokens is not None
    )


def usage(counted: Counted, quirks: Quirks) -> Usage:
    prompt = count_of(counted.prompt_tokens)
    completion = count_of(counted.completion_tokens)
    read, written = _cached(counted)
    fresh = max(0, prompt - read - written)
    reasoning = _reasoning(counted, quirks, prompt, completion)
    output = completion + (reasoning if _is_outside(counted, quirks, prompt, completion, reasoning) else 0)
    return Usage(
        input_tokens=fresh,
        cache_read_tokens=read,
        cache_creation_tokens=written,
        output_tokens=output,
        reasoning_tokens=reasoning,
        web_searches=_searches(counted),
        # Theirs may count otherwise; ours always adds up.
        total_tokens=fresh + read + written + output,
    )


def _searches(counted: Counted) -> int:
    return count_of(counted.server_tool_use.web_search_requests) if counted.server_tool_use is not None else 0


def cost_micros(counted: Counted | None) -> int | None:
    return micros_of(counted.cost) if counted is not None else None


def _cached(counted: Counted) -> tuple[int, int]:
    """How many tokens were read from a cache, and how many written to one."""
    details = counted.prompt_tokens_details
    read = count_of(details.cached_tokens) if details is not None else 0
    written = 0
    if details is not None:
        written = count_of(details.cache_write_tokens) or count_of(details.cache_creation_input_tokens)
    return read or count_of(counted.cached_tokens) or count_of(counted.prompt_cache_hit_tokens), written


def _reasoning(counted: Counted, quirks: Quirks, prompt: int, completion: int) -> int:
    details = counted.completion_tokens_details
    if details is not None and details.reasoning_tokens is not None:
        return count_of(details.reasoning_tokens)
    if quirks.gemini_compat:
        # Google shows the thoughts only in the total.
        return max(0, count_of(counted.total_tokens) - prompt - completion)
    return 0


def _is_outside(counted: Counted, quirks: Quirks, prompt: int, completion: int, reasoning: int) -> bool:
    """Whether the thoughts come on top of the completion. The total tells, where there is one."""
    total = count_of(counted.total_tokens)
    if reasoning == 0 or total == prompt + completion:
        return False
    return total == prompt + completion + reasoning or quirks.usage_outside_reasoning
