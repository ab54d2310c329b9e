"""The safety net under lost hints: now and then, and when the bus has lost some, look at every watched chat.

One query for many of them. A viewer that has the newest snapshot already does nothing.
"""

import structlog

from chatd.domain.ids import UserId
from chatd.hints.hint import ChatDeleted, HintsLost, chat_changed
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.storage.reads.read import read_chats
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

POLL_SECONDS = 10.0
# Chats of one query.
POLLED_MAX = 500


class Poller:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def run(self) -> None:
        while True:
            await self._clock.sleep(POLL_SECONDS)
            await self._try_to_poll()

    async def run_when_hints_are_lost(self) -> None:
        bell = Bell()
        with self._store.hints.listening_to_news(HintsLost, lambda _: bell.ring()):
            while await bell.wait():
                await self._try_to_poll()

    async def _try_to_poll(self) -> None:
        try:
            await self.poll()
        except Exception:
            log.warning("poll.failed", exc_info=True)

    async def poll(self) -> None:
        """Every watcher of a chat learns where it is now, or that it is gone."""
        watched = self._store.hints.watched_chats()
        for start in range(0, len(watched), POLLED_MAX):
            asked = watched[start : start + POLLED_MAX]
            chats = await read_chats(self._store.db, asked)
            for chat in chats:
                self._store.hints.nudge(chat_changed(chat))
            for chat_id in set(asked) - {chat.id for chat in chats}:
                # The owner is not known any more, and viewers of a chat do not need it.
                self._store.hints.nudge(ChatDeleted(chat_id=chat_id, owner_id=UserId("")))
