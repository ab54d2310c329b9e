"""Tool calls, put together from their pieces (pure).

The dialect says: pieces of one call have one index, the first has the id and the name. Servers say: no
index, always index 0, no id, another id with every piece, the name every time. What is lost here, no tool
ever sees; so nothing is lost, and no call ends before the answer does.
"""

from collections.abc import Callable, Sequence

from chatd.domain.ids import CallId
from chatd.domain.part import Json
from chatd.kit.codec import encode_text
from chatd.providers.dialects.chat.frames import CallPiece
from chatd.providers.dialects.shared.arguments import read_arguments, whole_object
from chatd.providers.events import StreamEvent, ToolCalled, ToolInput


class _Call:
    def __init__(self, index: int | None) -> None:
        self.index = index
        # As the server says it, which may be not at all, or not only once.
        self.wire_id = ""
        # The id that our events name it by, from the first one on.
        self.id = CallId("")
        self.name = ""
        self.pieces: list[str] = []
        self.internal: dict[str, Json] = {}

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Calls:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._ids: set[str] = set()

    def __bool__(self) -> bool:
        return any(call.id for call in self._calls)

    @property
    def are_complete(self) -> bool:
        """Whether each one's arguments are an object from brace to brace."""
        return all(whole_object(call.text) is not None for call in self._opened())

    def take(self, piece: CallPiece, out: list[StreamEvent]) -> None:
        function = piece.function
        name = (function.name if function is not None else None) or ""
        text = _text(function.arguments if function is not None else None)
        call = self._call_of(piece, name, text)
        call.wire_id = call.wire_id or piece.id or ""
        if piece.extra_content:
            call.internal = {"extra_content": piece.extra_content}
        if name and name != call.name and not call.pieces:
            call.name += name
        if not name and not text:
            return
        first = not call.id
        if first:
            call.id = self._free_id(call.wire_id)
        if text:
            call.pieces.append(text)
        if first or text:
            out.append(ToolInput(call.id, text, call.name or None))

    def end(self, out: list[StreamEvent], *, cut_off: bool) -> None:
        """The calls, in the order of their indices. If the answer was cut off, the last may be unfinished."""
        calls = self._opened()
        for call in calls:
            text = call.text
            if cut_off and call is calls[-1] and not text.strip():
                # No arguments at all would look as if that had been meant.
                text = "{"
            out.append(ToolCalled(call.id, call.name, read_arguments(text), internal=call.internal or None))

    def _opened(self) -> Sequence[_Call]:
        numbered = [
            (place if call.index is None else call.index, place, call)
            for place, call in enumerate(self._calls)
            if call.id
        ]
        return [call for _, _, call in sorted(numbered, key=lambda each: each[:2])]

    def _call_of(self, piece: CallPiece, name: str, text: str) -> _Call:
        if piece.index is not None:
            known = self._by_index.get(piece.index)
        elif piece.id:
            known = next((call for call in self._calls if call.wire_id == piece.id), None)
        else:
            known = self._calls[-1] if self._calls else None
        if known is None or _is_another(known, piece.id or "", name, text):
            known = _Call(piece.index)
            self._calls.append(known)
            if piece.index is not None:
                self._by_index[piece.index] = known
        return known

    def _free_id(self, wanted: str) -> CallId:
        call_id = wanted if wanted and wanted not in self._ids else self._new_id()
        self._ids.add(call_id)
        return CallId(call_id)


def _is_another(known: _Call, wire_id: str, name: str, text: str) -> bool:
    """Whether the piece begins a new call, although its place belongs to one already."""
    if wire_id and known.wire_id and wire_id != known.wire_id:
        # A new id with arguments and nothing else is the next piece of the same call: such servers exist too.
        return bool(name) or not text
    # Calls that come whole, without ids and all in one place.
    has_same_id = bool(wire_id) and wire_id == known.wire_id
    return bool(name and text) and not has_same_id and whole_object(known.text) is not None


def _text(written: str | dict[str, Json] | None) -> str:
    return encode_text(written) if isinstance(written, dict) else written or ""
