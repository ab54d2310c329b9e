"""The dialect `google.generate`: Gemini, directly and through Vertex."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Decoder, Dialect, Head, Written
from chatd.providers.dialects.gemini.body import write_body
from chatd.providers.dialects.gemini.decode import GeminiDecoder
from chatd.providers.dialects.gemini.turns import write_turns
from chatd.providers.request.wire_turn import WireTurn


class _Gemini:
    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:  # noqa: ARG002
        # Google caches by itself: there are no marks.
        return write_turns(turns, target)

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        return write_body(items, head, target)

    def path(self, target: Target) -> str:
        model = quote(target.model.removeprefix("models/"), safe="")
        # On Vertex the transport knows the project and the location that stand before it.
        before = "/publishers/google" if target.route == "vertex" else "/v1beta"
        return f"{before}/models/{model}:streamGenerateContent?alt=sse"

    def decoder(self, target: Target, new_id: Callable[[], str]) -> Decoder:  # noqa: ARG002
        return GeminiDecoder(new_id)


GEMINI: Dialect = _Gemini()
