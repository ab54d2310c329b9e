"""Chats that cannot be taken: a row of them cannot be read, or is locked by another transaction.

They are left out, so that the chats behind them are found. One that cannot be read is logged once, and tried
again now and then: an operator may have mended it. A lock passes by itself, and is tried again soon.
"""

import asyncio

import structlog
from msgspec import Struct

from chatd.agent import metrics
from chatd.domain.ids import ChatId
from chatd.kit.concurrency.backoff import backoff_seconds

log = structlog.get_logger()

# Beyond this the oldest one is forgotten, and found and logged anew.
LEFT_OUT_MAX = 1000
FIRST_SECONDS = 1.0
LONGEST_SECONDS = 60.0
LOCKED_SECONDS = 1.0


class _Out(Struct, frozen=True):
    times: int
    # In seconds of the loop.
    until: float


class LeftOut:
    def __init__(self) -> None:
        self._out: dict[ChatId, _Out] = {}
        # Those whose row is locked, and until when.
        self._locked: dict[ChatId, float] = {}

    def __len__(self) -> int:
        return len(self._out) + len(self._locked)

    def __contains__(self, chat_id: ChatId) -> bool:
        """Whether it is not to be tried yet."""
        out = self._out.get(chat_id)
        return _now() < max(out.until if out is not None else 0.0, self._locked.get(chat_id, 0.0))

    def add(self, chat_id: ChatId, error: Exception) -> None:
        known = self._out.pop(chat_id, None)
        if known is None:
            log.error("chat.left_out", chat_id=chat_id, exc_info=error)
            if len(self._out) >= LEFT_OUT_MAX:
                self.forget(next(iter(self._out)))
        times = known.times + 1 if known is not None else 1
        pause = backoff_seconds(times, first_seconds=FIRST_SECONDS, longest_seconds=LONGEST_SECONDS)
        self._out[chat_id] = _Out(times, _now() + pause)
        metrics.LEFT_OUT.set(len(self._out))

    def add_locked(self, chat_id: ChatId) -> None:
        metrics.LOCKED.inc()
        if self._locked.pop(chat_id, None) is None:
            log.info("chat.locked", chat_id=chat_id)
            if len(self._locked) >= LEFT_OUT_MAX:
                self.forget(next(iter(self._locked)))
        self._locked[chat_id] = _now() + LOCKED_SECONDS

    def forget(self, chat_id: ChatId) -> None:
        """It could be taken, or needs no worker any more."""
        self._locked.pop(chat_id, None)
        if self._out.pop(chat_id, None) is not None:
            metrics.LEFT_OUT.set(len(self._out))


def _now() -> float:
    return asyncio.get_running_loop().time()
