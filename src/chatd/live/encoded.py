"""Messages as JSON: encoded once for all viewers of a kind, and kept while there is room."""

from collections import OrderedDict
from functools import partial

from msgspec import Raw
from msgspec.structs import replace

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Message
from chatd.domain.people.permit import View
from chatd.kit.codec import encode
from chatd.live.kinds import SHAPES, Shapes

# Of all messages together; the least recently used are dropped first.
ENCODED_BYTES_MAX = 4 * 1024 * 1024


class Encoded:
    """A message never changes while its revision does not. Nor does its JSON."""

    def __init__(self, bytes_max: int = ENCODED_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[tuple[View, ChatId, MessageId, int], Raw] = OrderedDict()

    def shapes(self, detail: View) -> Shapes:
        """What viewers of this kind are shown, with messages as JSON that all of them share."""
        return replace(SHAPES[detail], message=partial(self.view, detail=detail))

    def view(self, chat_id: ChatId, message: Message, detail: View = View.FULL) -> Raw:
        key = (detail, chat_id, message.id, message.revision)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        data = encode(SHAPES[detail].message(chat_id, message))
        raw = self._kept[key] = Raw(data)
        self._bytes += len(data)
        while self._bytes > self._bytes_max:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= memoryview(oldest).nbytes
        return raw
