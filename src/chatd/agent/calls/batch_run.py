"""The calls of one batch: some run at once, and the next one begins as soon as another has come back."""

import asyncio
from collections import deque
from collections.abc import Sequence

from chatd.agent.calls import journal
from chatd.agent.calls.call_run import CallRun
from chatd.agent.calls.places import Place
from chatd.agent.calls.rests import BegunCall
from chatd.domain.call import Call
from chatd.domain.transitions.calls.finish_call import FinishCall


async def run_alone(run: CallRun, call: Call) -> FinishCall | None:
    """Run a call beside which no other runs. Its result is not kept yet; None: it is."""
    hold = run.hold
    place = run.place_of(call)
    begun = run.rests.begin_at_once(call, place)
    has_waited = begun is None
    if begun is None:
        with hold.services.board.waits.noting(hold.chat_id, "slot"):
            begun = await run.rests.begin(call, place)
    try:
        await journal.start(hold, [call])
        return await (run.run_if_allowed(begun) if has_waited else run.run(begun))
    finally:
        begun.end()


async def run_at_once(run: CallRun, calls: Sequence[Call], *, at_most: int) -> None:
    """Run all of them, so many at once. Those of tools that are busy do not hold up the others."""
    await _Lanes(run, calls, in_order=False).run(at_most)


async def run_in_order(run: CallRun, calls: Sequence[Call]) -> None:
    """Run all of them, one after the other."""
    await _Lanes(run, calls, in_order=True).run(1)


class _Lanes:
    """Each lane runs one call after the other. A result is kept at once, together with the next start."""

    def __init__(self, run: CallRun, calls: Sequence[Call], *, in_order: bool) -> None:
        self._run = run
        self._queued = deque((call, run.place_of(call)) for call in calls)
        self._in_order = in_order
        self._begun: list[BegunCall] = []

    async def run(self, count: int) -> None:
        first = [self._next_at_once() for _ in range(min(count, len(self._queued)))]
        try:
            # In one transaction.
            await journal.start(self._run.hold, [begun.call for begun in first if begun is not None])
            async with asyncio.TaskGroup() as group:
                for begun in first:
                    group.create_task(self._lane(begun), name=f"calls of {self._run.hold.chat_id}")
        finally:
            for begun in self._begun:
                begun.end()

    async def _lane(self, begun: BegunCall | None) -> None:
        # The first one was judged just now.
        perform = self._run.run
        while begun is not None or (self._queued and self._run.stopped is None):
            if begun is None:
                begun = await self._next(*self._queued.popleft())
                await journal.start(self._run.hold, [begun.call])
                perform = self._run.run_if_allowed
            finish = await perform(begun)
            perform = self._run.run_if_allowed
            begun = self._next_at_once() if self._run.stopped is None else None
            await journal.keep(self._run.hold, finish, begun.call if begun is not None else None)

    def _next_at_once(self) -> BegunCall | None:
        """The first call that has a place now."""
        for index, (call, place) in enumerate(self._queued):
            if (begun := self._run.rests.begin_at_once(call, place)) is not None:
                del self._queued[index]
                self._begun.append(begun)
                return begun
            if self._in_order:
                break
        return None

    async def _next(self, call: Call, place: Place) -> BegunCall:
        begun = await self._run.rests.begin(call, place)
        self._begun.append(begun)
        return begun
