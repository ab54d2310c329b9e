"""Everything live of one process, as one value."""

import asyncio

from chatd.hints.hint import CatalogChanged
from chatd.kit.clock import Clock
from chatd.live.encoded import Encoded
from chatd.live.episodes.board import Board
from chatd.live.episodes.log import INTERVAL_SECONDS, PartLog
from chatd.live.episodes.relay import Relay
from chatd.live.lists.others.others import OtherChats
from chatd.live.poller import Poller
from chatd.live.streams import Streams
from chatd.storage.transactions.transact import Store


class Live:
    def __init__(self, store: Store, clock: Clock, *, log_seconds: float = INTERVAL_SECONDS) -> None:
        self.clock = clock
        self._bus = store.hints
        self.board = Board(clock)
        self.encoded = Encoded()
        self.log = PartLog(store, self.board, clock, interval_seconds=log_seconds)
        self.relay = Relay(store, self.board, clock)
        self.poller = Poller(store, clock)
        self.streams = Streams(clock)
        # In lists of those with whom they are shared.
        self.others = OtherChats(store, clock)

    async def run(self) -> None:
        """Until cancelled."""
        with self._bus.listening_to_news(CatalogChanged, self.streams.hear):
            await self._run()

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.log.run(), name="write the part log")
            group.create_task(self.log.run_looks(), name="look for parts that are over")
            group.create_task(self.relay.run(), name="follow other processes")
            group.create_task(self.relay.run_looks(), name="look for lost announcements")
            group.create_task(self.relay.run_looks_at_silent(), name="look at what is not announced")
            group.create_task(self.poller.run(), name="poll for lost hints")
            group.create_task(self.poller.run_when_hints_are_lost(), name="poll when hints were lost")
            group.create_task(self.streams.run(), name="show that streams live")
            group.create_task(self.others.run(), name="tell lists of chats of others")
            group.create_task(self.others.run_polls(), name="poll chats of others")
            group.create_task(self.others.run_polls_when_hints_are_lost(), name="poll them after lost hints")
            group.create_task(self.others.run_ends(), name="notice grants that end")
