"""What an answer has cost in tokens, as it is told piece by piece (pure).

The first frame tells of the prompt, later ones correct field by field. All counts are cumulative over the
whole request: when the provider ran tools of its own, the model read the growing prompt several times.
"""

import msgspec
from msgspec import Raw, Struct

from chatd.domain.message import Usage
from chatd.providers.dialects.shared.counting import count_of
from chatd.providers.transport.frame_json import FrameDecoder


class CacheCreation(Struct):
    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class ServerTools(Struct):
    web_search_requests: int | None = None


class OutputDetails(Struct):
    thinking_tokens: int | None = None


class Iteration(Struct):
    """One of the model's own rounds within a request."""

    type: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Counts(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    output_tokens_details: OutputDetails | None = None
    server_tool_use: ServerTools | None = None
    iterations: list[Iteration] | None = None


_counts: FrameDecoder[Counts | None] = FrameDecoder(Counts | None)  # type: ignore[arg-type]


class Tally:
    def __init__(self) -> None:
        self._first = Counts()
        self._newest = Counts()

    def take(self, raw: Raw) -> bool:
        """Later counts replace earlier ones where they are given. False: these could not be read."""
        try:
            counts = _counts.decode(bytes(raw))
        except msgspec.DecodeError:
            return False
        if counts is None:
            return True
        given = {name: value for name, value in msgspec.structs.asdict(counts).items() if value is not None}
        if self._newest == Counts():
            self._first = counts
        self._newest = msgspec.structs.replace(self._newest, **given)
        return True

    def usage(self, *, provider_ran_tools: bool = False) -> Usage | None:
        counts = self._newest
        if counts == Counts():
            return None
        by_lifetime = counts.cache_creation or CacheCreation()
        hour = count_of(by_lifetime.ephemeral_1h_input_tokens)
        created = count_of(counts.cache_creation_input_tokens)
        if counts.cache_creation_input_tokens is None:
            created = hour + count_of(by_lifetime.ephemeral_5m_input_tokens)
        fresh = count_of(counts.input_tokens)
        read = count_of(counts.cache_read_input_tokens)
        output = count_of(counts.output_tokens)
        return Usage(
            input_tokens=fresh,
            output_tokens=output,
            total_tokens=fresh + read + created + output,
            reasoning_tokens=count_of((counts.output_tokens_details or OutputDetails()).thinking_tokens),
            cache_creation_tokens=created,
            cache_creation_1h_tokens=hour,
            cache_read_tokens=read,
            web_searches=count_of((counts.server_tool_use or ServerTools()).web_search_requests),
            context_tokens=self._context(provider_ran_tools=provider_ran_tools),
        )

    def _context(self, *, provider_ran_tools: bool) -> int:
        """Not what is billed: a prompt that was read three times fills the window once. 0: it is."""
        rounds = [round_ for round_ in self._newest.iterations or () if round_.type == "message"]
        if rounds:
            return _prompt(rounds[-1]) + count_of(rounds[-1].output_tokens)
        # What its tools found came on top of the first prompt; no frame says how much that was.
        return _prompt(self._first) + count_of(self._newest.output_tokens) if provider_ran_tools else 0


def _prompt(counts: Counts | Iteration) -> int:
    return (
        count_of(counts.input_tokens)
        + count_of(counts.cache_read_input_tokens)
        + count_of(counts.cache_creation_input_tokens)
    )
