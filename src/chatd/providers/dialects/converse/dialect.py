"""The dialect `bedrock.converse`: models on Bedrock, of any maker."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Decoder, Dialect, Head, Written
from chatd.providers.dialects.converse.body import write_body
from chatd.providers.dialects.converse.decode import ConverseDecoder
from chatd.providers.dialects.converse.turns import write_turns
from chatd.providers.request.wire_turn import WireTurn


class _Converse:
    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        return write_turns(turns, target, newest=newest)

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        return write_body(items, head, target)

    def path(self, target: Target) -> str:
        # Model ids have colons, and those of profiles are whole resource names with slashes.
        return f"/model/{quote(target.model, safe='')}/converse-stream"

    def decoder(self, target: Target, new_id: Callable[[], str]) -> Decoder:
        return ConverseDecoder(target.model, new_id)


CONVERSE: Dialect = _Converse()
