"""The slot of a chat and the places of its calls, while some of them rest."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from chatd.agent.calls.places import CallPlaces, Place
from chatd.agent.calls.rests import BegunCall, Rests
from chatd.agent.hold.progress import Progress
from chatd.domain.call import Call, CallState, Effect, Kind
from chatd.domain.ids import CallId, ChatId, MessageId, Micros


class OneSlot:
    """Notes what becomes of the slot. It can be had again when it is `free`."""

    def __init__(self) -> None:
        self.is_lent = False
        self.free = asyncio.Event()
        self.free.set()

    async def ask(self, provider: str) -> None:
        raise AssertionError(provider)

    def answered(self) -> None:
        raise AssertionError

    async def place_to_ask(self, provider: str) -> Callable[[], None]:
        raise AssertionError(provider)

    def rest(self) -> None:
        self.is_lent = True

    async def resume(self) -> None:
        await self.free.wait()
        self.is_lent = False

    def resume_at_once(self) -> None:
        self.is_lent = False

    def leave(self) -> None:
        raise AssertionError


class Batch:
    """The calls of one batch, in a process with two places."""

    def __init__(self) -> None:
        self.slot = OneSlot()
        self.progress = Progress()
        self.rests = Rests(self.slot, self.progress, nullcontext)
        self.places = CallPlaces(2)

    @property
    def places_free(self) -> int:
        (line,) = self.places.lines(None)
        return line.free

    def place(self, chat: str = "chat") -> Place:
        return Place(self.places, ChatId(chat), None)

    def begun(self, call_id: str) -> BegunCall:
        begun = self.rests.begin_at_once(a_call(call_id), self.place(call_id))
        assert begun is not None
        return begun


def a_call(call_id: str) -> Call:
    return Call(
        message_id=MessageId(1),
        id=CallId(call_id),
        ordinal=0,
        tool="do",
        kind=Kind.LOCAL,
        effect=Effect.READ,
        state=CallState.OPEN,
        args={},
        created_at=Micros(0),
    )


@pytest.fixture
async def batch() -> Batch:
    return Batch()


async def test_a_call_that_rests_lends_slot_and_place_and_has_both_again(batch: Batch) -> None:
    begun = batch.begun("a")
    async with begun.resting():
        assert (batch.slot.is_lent, batch.places_free, batch.progress.pausing) == (True, 2, True)

    assert (batch.slot.is_lent, batch.places_free, batch.progress.pausing) == (False, 1, False)
    begun.end()
    assert batch.places_free == 2


async def test_no_call_begins_at_once_while_the_slot_is_lent(batch: Batch) -> None:
    begun = batch.begun("a")
    async with begun.resting():
        assert batch.rests.begin_at_once(a_call("b"), batch.place()) is None
        assert batch.places_free == 2


async def test_the_slot_comes_before_the_place(batch: Batch) -> None:
    """Or two chats could wait for each other, each with what the other wants."""
    begun = batch.begun("a")
    batch.slot.free.clear()

    async def rest() -> None:
        async with begun.resting():
            pass

    async with asyncio.TaskGroup() as group:
        resting = group.create_task(rest())
        beginning = group.create_task(batch.rests.begin(a_call("b"), batch.place("b")))
        for _ in range(5):
            await asyncio.sleep(0)
        assert (resting.done(), beginning.done(), batch.places_free) == (False, False, 2)
        batch.slot.free.set()

    assert batch.places_free == 0


async def test_the_slot_is_kept_while_another_call_works_or_waits_for_a_place(batch: Batch) -> None:
    first, second = batch.begun("a"), batch.begun("b")
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(batch.rests.begin(a_call("c"), batch.place("c")))
        await asyncio.sleep(0)
        assert batch.progress.pausing
        async with first.resting():
            second.end()
            assert not batch.slot.is_lent
            await asyncio.sleep(0)
            assert waiting.done()

    assert batch.places_free == 0


async def test_parts_of_one_tool_that_rest_together_count_once(batch: Batch) -> None:
    begun = batch.begun("a")
    async with begun.resting():
        async with begun.resting():
            assert batch.slot.is_lent
        assert (batch.slot.is_lent, batch.places_free) == (True, 2)

    assert (batch.slot.is_lent, batch.places_free) == (False, 1)


async def test_a_rest_that_fails_waits_neither_for_the_slot_nor_for_a_place(batch: Batch) -> None:
    begun = batch.begun("a")
    batch.slot.free.clear()

    async def fail() -> None:
        async with begun.resting():
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await fail()

    assert (batch.slot.is_lent, batch.places_free) == (False, 2)


async def test_a_call_that_is_over_while_its_tool_rests_holds_nothing_and_gives_nothing_back_twice(
    batch: Batch,
) -> None:
    left, other = batch.begun("a"), batch.begun("b")
    async with left.resting():
        left.end()
        left.end()
        assert (batch.slot.is_lent, batch.places_free) == (False, 1)
    async with other.resting():
        assert (batch.slot.is_lent, batch.places_free) == (True, 2)
    assert batch.places_free == 1
    other.end()
    assert batch.places_free == 2
