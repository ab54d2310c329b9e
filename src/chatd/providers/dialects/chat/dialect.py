"""OpenAI's Chat Completions, and the servers that speak them in their own way."""

from collections.abc import Callable, Sequence

from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Decoder, Dialect, Head, Written
from chatd.providers.dialects.chat.body import write_body
from chatd.providers.dialects.chat.decode import ChatDecoder
from chatd.providers.dialects.chat.turns import write_turns
from chatd.providers.dialects.chat.whole import whole_answer
from chatd.providers.events import StreamEvent
from chatd.providers.request.wire_turn import WireTurn


class ChatCompletions:
    """A `Dialect`."""

    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        return write_turns(turns, target, newest=newest)

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        return write_body(items, head, target)

    def path(self, target: Target) -> str:  # noqa: ARG002
        return "/chat/completions"

    def decoder(self, target: Target, new_id: Callable[[], str]) -> Decoder:
        return ChatDecoder(target, new_id)

    def whole_answer(self, body: bytes, target: Target, new_id: Callable[[], str]) -> Sequence[StreamEvent]:
        """There are servers that do not stream, whatever they are asked."""
        return whole_answer(body, target, new_id)


CHAT: Dialect = ChatCompletions()
