"""Messages as JSON, for all who look at them: encoded once, and kept while there is room."""

from collections import OrderedDict

from msgspec import Raw

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Message
from chatd.kit.codec import encode
from chatd.live.shapes import message_view

# Of all messages together; the least recently used are dropped first.
ENCODED_BYTES_MAX = 8 * 1024 * 1024


class Encoded:
    """A message never changes while its revision does not. Nor does its JSON."""

    def __init__(self, bytes_max: int = ENCODED_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[tuple[ChatId, MessageId, int], Raw] = OrderedDict()

    def view(self, chat_id: ChatId, message: Message) -> Raw:
        key = (chat_id, message.id, message.revision)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        data = encode(message_view(chat_id, message))
        raw = self._kept[key] = Raw(data)
        self._bytes += len(data)
        while self._bytes > self._bytes_max:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= memoryview(oldest).nbytes
        return raw
