"""Pages that a chat has just fetched: to read on in one asks for it only once."""

from collections import OrderedDict

from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.kit.clock import Clock
from chatd.tools.web.page import Page

# Of all chats of this process together.
PAGES_MAX = 64
CHARACTERS_MAX = 8_000_000
KEPT_SECONDS = 600.0


class _Kept(Struct, frozen=True):
    page: Page
    until: float

    @property
    def size(self) -> int:
        return len(self.page.text or "")


class RecentPages:
    """Within its bounds; the oldest goes first. No chat gets what another one has fetched."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[ChatId, str], _Kept] = OrderedDict()
        self._size = 0

    def find(self, chat_id: ChatId, url: str) -> Page | None:
        kept = self._kept.get((chat_id, url))
        return kept.page if kept is not None and kept.until > self._clock.monotonic() else None

    def keep(self, chat_id: ChatId, url: str, page: Page) -> None:
        self._drop((chat_id, url))
        kept = _Kept(page, self._clock.monotonic() + KEPT_SECONDS)
        if kept.size > CHARACTERS_MAX:
            return
        self._kept[chat_id, url] = kept
        self._size += kept.size
        while len(self._kept) > PAGES_MAX or self._size > CHARACTERS_MAX:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[ChatId, str]) -> None:
        dropped = self._kept.pop(key, None)
        self._size -= dropped.size if dropped is not None else 0
