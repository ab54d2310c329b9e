"""The dialect as the rest of the server knows it; each of its methods has a file of its own."""

from collections.abc import Callable, Sequence

from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Decoder, Dialect, Head, Written
from chatd.providers.dialects.anthropic.body import write_body
from chatd.providers.dialects.anthropic.decode import MessageDecoder
from chatd.providers.dialects.anthropic.routes import path
from chatd.providers.dialects.anthropic.turns import write_turns
from chatd.providers.request.wire_turn import WireTurn


class AnthropicMessages:
    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        return write_turns(turns, target, newest=newest)

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        return write_body(items, head, target)

    def path(self, target: Target) -> str:
        return path(target)

    def decoder(self, target: Target, new_id: Callable[[], str]) -> Decoder:  # noqa: ARG002 - one for all
        return MessageDecoder(new_id)


ANTHROPIC: Dialect = AnthropicMessages()
