"""Which of the pictures and documents that tools have shown go into a prompt: the newest, in a bound (pure).

They are read from the database for each prompt, and providers refuse requests that are too large. Which ones
are left out follows from the history alone. When the bound is reached, half of it is freed at once: until the
next time the prompt begins as the one before, so that neither we nor the provider have to read it anew.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from chatd.domain.ids import FileId
from chatd.domain.message import Message
from chatd.domain.part import File, ToolResult

# Of one prompt. In base64, Anthropic takes 32 MB, and 100 pictures; Gemini takes 20 MiB.
SHOWN_BYTES_MAX = 14 * 1024 * 1024
SHOWN_COUNT_MAX = 100


class ShownMedia:
    """The media of a history, in order: how many there are, and which of them are shown at its end."""

    def __init__(
        self, shown: Iterable[tuple[FileId, int]] = (), *, size_bytes: int = 0, count: int = 0
    ) -> None:
        self._shown = deque(shown)
        self._size_bytes = size_bytes
        self.count = count

    @property
    def left_out(self) -> int:
        """How many of them, the oldest, are not shown."""
        return self.count - len(self._shown)

    @property
    def files(self) -> frozenset[FileId]:
        return frozenset(file_id for file_id, _ in self._shown)

    def after(self, messages: Iterable[Message]) -> "ShownMedia":
        """The same when these messages follow."""
        longer = ShownMedia(self._shown, size_bytes=self._size_bytes, count=self.count)
        for media in _media_of(messages):
            longer._add(media)
        return longer

    def _add(self, media: File) -> None:
        self._shown.append((media.file_id, max(0, media.size_bytes or 0)))
        self._size_bytes += self._shown[-1][1]
        self.count += 1
        if self._size_bytes > SHOWN_BYTES_MAX or len(self._shown) > SHOWN_COUNT_MAX:
            self._free_half()

    def _free_half(self) -> None:
        """The newest one is shown however large it is: the frame of tools bounds it."""
        while len(self._shown) > 1 and (
            self._size_bytes > SHOWN_BYTES_MAX // 2 or len(self._shown) > SHOWN_COUNT_MAX // 2
        ):
            _, size = self._shown.popleft()
            self._size_bytes -= size


def _media_of(messages: Iterable[Message]) -> Iterator[File]:
    for message in messages:
        for part in message.content:
            if isinstance(part, ToolResult) and part.media is not None:
                yield part.media
