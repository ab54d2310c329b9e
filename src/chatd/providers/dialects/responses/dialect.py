"""The dialect as others see it."""

from collections.abc import Callable, Sequence

from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Dialect, Head, Written
from chatd.providers.dialects.responses.body import write_body
from chatd.providers.dialects.responses.decode import ResponsesDecoder
from chatd.providers.dialects.responses.options import stores
from chatd.providers.dialects.responses.turns import write_turns
from chatd.providers.request.wire_turn import WireTurn


class _Responses:
    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        # OpenAI finds the prefixes that it has seen before by itself, so the newest turns get no marks.
        del newest
        return write_turns(turns, target)

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        return write_body(items, head, target)

    def path(self, target: Target) -> str:  # noqa: ARG002 - Azure's is the same
        return "/responses"

    def decoder(self, target: Target, new_id: Callable[[], str]) -> ResponsesDecoder:
        return ResponsesDecoder(new_id, stored=stores(target))


RESPONSES: Dialect = _Responses()
