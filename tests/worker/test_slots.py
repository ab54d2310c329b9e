"""Who may work, who waits, and who is next."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from chatd.domain.ids import UserId
from chatd.worker.slots import Slot, Slots
from tests.support.virtual import run_virtually
from tests.traceability import proves

ANNA, BERT, CARL = UserId("anna"), UserId("bert"), UserId("carl")
A_WHILE = 1.0


@asynccontextmanager
async def taking(slots: Slots, user: UserId) -> AsyncIterator[Slot]:
    slot = await slots.take(user)
    try:
        yield slot
    finally:
        slot.leave()


class Crowd:
    """Chats that want a slot, and hold it until they are told to leave."""

    def __init__(self, slots: Slots, group: asyncio.TaskGroup) -> None:
        self._slots = slots
        self._group = group
        # Whose chats were served, in order, and how to end each of them.
        self.served: list[UserId] = []
        self._leave: dict[UserId, list[asyncio.Event]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def come(self, user: UserId, count: int = 1) -> None:
        self._tasks += [self._group.create_task(self._hold(user)) for _ in range(count)]
        await asyncio.sleep(A_WHILE)

    async def one_leaves(self, user: UserId) -> None:
        self._leave[user].pop(0).set()
        await asyncio.sleep(A_WHILE)

    async def give_up(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.sleep(A_WHILE)

    @property
    def holding_in_all(self) -> int:
        return sum(len(leave) for leave in self._leave.values())

    def holding(self, user: UserId) -> int:
        return len(self._leave.get(user, ()))

    async def _hold(self, user: UserId) -> None:
        async with taking(self._slots, user):
            self.served.append(user)
            leave = asyncio.Event()
            self._leave.setdefault(user, []).append(leave)
            await leave.wait()


@asynccontextmanager
async def a_crowd(slots: Slots) -> AsyncIterator[Crowd]:
    async with asyncio.TaskGroup() as group:
        crowd = Crowd(slots, group)
        yield crowd
        await crowd.give_up()


@proves("worker", 13)
def test_of_all_chats_that_ask_for_the_last_slot_one_gets_it() -> None:
    async def story() -> None:
        async with a_crowd(Slots(3)) as crowd:
            for user in (ANNA, BERT):
                await crowd.come(user)
            for user in (CARL, ANNA, BERT):
                await crowd.come(user, 20)
                assert crowd.holding_in_all == 3
            for _ in range(10):
                await crowd.one_leaves(crowd.served[-1])
                assert crowd.holding_in_all == 3

    run_virtually(story())


def test_one_user_leaves_a_slot_for_others_however_many_chats_they_have() -> None:
    async def story() -> None:
        async with a_crowd(Slots(64)) as crowd:
            await crowd.come(ANNA, 200)
            assert crowd.holding(ANNA) == 56

            await crowd.come(BERT)
            assert crowd.holding(BERT) == 1

    run_virtually(story())


def test_two_users_who_hold_slots_for_hours_leave_one_for_a_third() -> None:
    async def story() -> None:
        async with a_crowd(Slots(64)) as crowd:
            await crowd.come(ANNA, 200)
            await crowd.come(BERT, 200)

            await crowd.come(CARL)
            assert crowd.holding(CARL) == 1

    run_virtually(story())


def test_a_single_slot_is_for_the_chat_that_comes_first() -> None:
    async def story() -> None:
        async with a_crowd(Slots(1)) as crowd:
            await crowd.come(ANNA, 2)
            await crowd.come(BERT, 2)
            assert crowd.holding(ANNA) == 1

            await crowd.one_leaves(ANNA)
            await crowd.one_leaves(ANNA)
            assert crowd.served == [ANNA, ANNA, BERT]

    run_virtually(story())


def test_a_slot_that_is_given_back_goes_to_the_user_who_holds_the_fewest() -> None:
    async def story() -> None:
        async with a_crowd(Slots(4)) as crowd:
            await crowd.come(ANNA, 2)
            await crowd.come(BERT, 1)
            await crowd.come(CARL, 1)
            await crowd.come(ANNA, 1)
            await crowd.come(BERT, 1)
            await crowd.come(CARL, 1)
            await crowd.one_leaves(CARL)

            assert crowd.served[-1] == CARL

    run_virtually(story())


def test_a_user_who_may_not_have_more_gets_more_when_others_leave() -> None:
    async def story() -> None:
        async with a_crowd(Slots(16)) as crowd:
            await crowd.come(BERT, 4)
            await crowd.come(ANNA, 30)
            before = crowd.holding(ANNA)
            for _ in range(4):
                await crowd.one_leaves(BERT)

            assert before < crowd.holding(ANNA) == 14

    run_virtually(story())


def test_a_chat_that_gives_up_waiting_takes_no_slot_along() -> None:
    async def story() -> None:
        slots = Slots(2)
        async with a_crowd(slots) as crowd:
            await crowd.come(ANNA, 5)
            await crowd.come(BERT, 5)

        assert slots.work.free == 2
        assert slots.work.idle

    run_virtually(story())


async def asking(slots: Slots, user: UserId, provider: str, stack: AsyncExitStack) -> Slot:
    slot = await stack.enter_async_context(taking(slots, user))
    async with asyncio.timeout(A_WHILE):
        await slot.ask(provider)
    return slot


def test_who_waits_for_a_provider_lends_the_slot_and_has_it_back_at_once() -> None:
    async def story() -> None:
        slots = Slots(2)
        async with AsyncExitStack() as stack:
            first = await asking(slots, ANNA, "slow", stack)
            second = await asking(slots, BERT, "slow", stack)
            assert slots.work.free == 2

            for user in (ANNA, BERT):
                await stack.enter_async_context(taking(slots, user))
            first.answered()
            second.answered()
            assert slots.work.free == -2

        assert slots.work.idle
        assert slots.asking("slow").idle

    run_virtually(story())


def test_answers_that_come_to_one_user_all_at_once_do_not_make_another_wait() -> None:
    async def story() -> None:
        slots = Slots(8)
        async with AsyncExitStack() as stack:
            asked = [await asking(slots, ANNA, name, stack) for name in ("one", "other") for _ in range(7)]
            for slot in asked:
                slot.answered()
            assert slots.work.free < 0

            async with a_crowd(slots) as crowd:
                await crowd.come(ANNA)
                await crowd.come(BERT, 2)
                assert (crowd.holding(ANNA), crowd.holding(BERT)) == (0, 1)

        assert slots.work.idle

    run_virtually(story())


def test_answers_that_take_exactly_all_slots_do_not_make_another_user_wait() -> None:
    async def story() -> None:
        slots = Slots(8)
        async with AsyncExitStack() as stack:
            asked = [await asking(slots, ANNA, name, stack) for name in ("one", "other") for _ in range(4)]
            for slot in asked:
                slot.answered()
            assert slots.work.free == 0

            async with a_crowd(slots) as crowd:
                await crowd.come(BERT)
                assert crowd.holding(BERT) == 1

        assert slots.work.idle

    run_virtually(story())


def test_while_more_work_than_there_are_slots_only_so_many_users_are_given_one() -> None:
    async def story() -> None:
        slots = Slots(2)
        async with AsyncExitStack() as stack:
            asked = [await asking(slots, ANNA, name, stack) for name in ("one", "two", "three")]
            for slot in asked:
                slot.answered()

            async with a_crowd(slots) as crowd:
                await crowd.come(BERT)
                await crowd.come(CARL)
                assert crowd.served == [BERT]

        assert slots.work.idle

    run_virtually(story())


def test_a_provider_that_never_answers_is_waited_for_by_so_many_and_no_more() -> None:
    async def story() -> None:
        slots = Slots(8)
        async with AsyncExitStack() as stack:
            waiting = [await asking(slots, UserId(f"user {n}"), "silent", stack) for n in range(8)]

            late = await stack.enter_async_context(taking(slots, ANNA))
            async with asyncio.TaskGroup() as group:
                task = group.create_task(late.ask("silent"))
                await asyncio.sleep(A_WHILE)
                assert not task.done()
                # Meanwhile others work, and whoever asks another provider is answered.
                assert slots.work.free == 8
                await asking(slots, ANNA, "healthy", stack)
                waiting[0].answered()

        assert slots.work.idle

    run_virtually(story())


def test_a_chat_that_is_stopped_while_a_provider_is_silent_leaves_nothing_behind() -> None:
    async def story() -> None:
        slots = Slots(1)
        async with asyncio.TaskGroup() as group:

            async def hang() -> None:
                async with taking(slots, ANNA) as slot:
                    await slot.ask("silent")
                    await asyncio.Event().wait()

            tasks = [group.create_task(hang()) for _ in range(3)]
            await asyncio.sleep(A_WHILE)
            for task in tasks:
                task.cancel()

        assert slots.work.idle
        assert slots.asking("silent").idle

    run_virtually(story())


def test_a_slot_that_was_left_is_not_taken_back() -> None:
    async def story() -> None:
        slots = Slots(1)
        async with AsyncExitStack() as stack:
            slot = await asking(slots, ANNA, "silent", stack)
            slot.leave()
            slot.answered()

        assert slots.work.idle

    run_virtually(story())


def test_a_call_after_the_slot_was_left_keeps_no_place_at_the_provider() -> None:
    """A duty that does not heed its cancellation may go on to ask."""

    async def story() -> None:
        slots = Slots(1)
        async with AsyncExitStack() as stack:
            slot = await stack.enter_async_context(taking(slots, ANNA))
        await slot.ask("silent")
        slot.answered()

        assert slots.work.idle
        assert slots.asking("silent").idle

    run_virtually(story())
