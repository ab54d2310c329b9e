"""The queue of chats about which something is to be written: bounded, and each chat once at a time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from msgspec.structs import replace

from chatd.agent.texts.due import Ended
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, UserId
from chatd.errors import Unavailable
from chatd.worker.text_queue import (
    AT_ONCE_MAX,
    AT_ONCE_PER_USER_MAX,
    QUEUED_MAX,
    QUEUED_PER_USER_MAX,
    TextQueue,
)
from tests.domain.chats import idle


def chat_of(name: str, owner: str | None = None) -> Chat:
    """Each of a user of its own, unless one is named."""
    return replace(idle().chat, id=ChatId(name), owner_id=UserId(owner or name))


class Pen:
    """Writes when it is let, and remembers what was asked of it."""

    def __init__(self) -> None:
        self.begun: list[ChatId] = []
        self.at_once = self.most = 0
        self.gate = asyncio.Event()

    async def write(self, ended: Ended) -> None:
        self.begun.append(ended.chat.id)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await self.gate.wait()
        finally:
            self.at_once -= 1


@asynccontextmanager
async def running(write: Callable[[Ended], Awaitable[None]]) -> AsyncIterator[TextQueue]:
    queue = TextQueue(write)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(queue.run())
        yield queue
        task.cancel()


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_few_are_written_at_once_and_the_others_in_their_order() -> None:
    pen = Pen()
    async with running(pen.write) as queue:
        for n in range(10):
            queue.note(chat_of(str(n)))
        await settled()
        assert pen.begun == [str(n) for n in range(AT_ONCE_MAX)]

        pen.gate.set()
        await settled()

    assert pen.begun == [str(n) for n in range(10)]
    assert pen.most == AT_ONCE_MAX


async def test_of_one_chat_there_is_one_at_a_time_and_what_came_meanwhile_follows() -> None:
    pen = Pen()
    async with running(pen.write) as queue:
        for _ in range(3):
            queue.note(chat_of("a"))
            await settled()
        assert pen.begun == ["a"]

        pen.gate.set()
        await settled()

    assert (pen.begun, pen.most) == (["a", "a"], 1)


async def test_one_that_breaks_stands_in_no_others_way() -> None:
    begun = []

    async def write(ended: Ended) -> None:
        begun.append(ended.chat.id)
        raise Unavailable if ended.chat.id == "a" else RuntimeError(ended.chat.id)

    async with running(write) as queue:
        for name in "abc":
            queue.note(chat_of(name))
        await settled()
        queue.note(chat_of("a"))
        await settled()

    assert begun == ["a", "b", "c", "a"]


async def test_with_too_many_a_user_with_the_most_goes_without_their_oldest() -> None:
    queue = TextQueue(Pen().write)

    for n in range(QUEUED_MAX - 1):
        queue.note(chat_of(str(n), owner=f"user {n % 50}"))
    queue.note(chat_of("first", owner="busy"))
    # One more than all may have: of users with as many, the one that came first.
    queue.note(chat_of("last", owner="busy"))

    waiting = queue.waiting()
    assert (queue.dropped, len(waiting)) == (1, QUEUED_MAX)
    assert "0" not in waiting
    assert {"first", "last"} <= set(waiting)


async def test_one_user_fills_neither_the_queue_nor_all_places() -> None:
    pen = Pen()
    async with running(pen.write) as queue:
        for n in range(QUEUED_PER_USER_MAX + 50):
            queue.note(chat_of(f"busy {n}", owner="busy"))
        await settled()
        assert pen.at_once == AT_ONCE_PER_USER_MAX
        assert queue.dropped == 50
        assert len(queue.waiting()) == QUEUED_PER_USER_MAX - AT_ONCE_PER_USER_MAX

        queue.note(chat_of("other", owner="other"))
        await settled()
        assert pen.begun[-1] == "other"
        pen.gate.set()
        await settled()


async def test_users_take_turns() -> None:
    begun: list[str] = []

    async def write(ended: Ended) -> None:
        begun.append(ended.chat.id)

    async with running(write) as queue:
        for name in ("a1", "a2", "a3", "a4", "b1", "b2"):
            queue.note(chat_of(name, owner=name[0]))
        await settled()

    assert begun == ["a1", "b1", "a2", "b2", "a3", "a4"]


async def test_a_chat_in_no_list_is_not_queued() -> None:
    queue = TextQueue(Pen().write)

    queue.note(replace(chat_of("a"), temporary=True))
    queue.note(replace(chat_of("b"), archived=True))

    assert queue.waiting() == []


async def test_when_it_ends_what_is_being_written_ends_at_once() -> None:
    pen = Pen()
    async with running(pen.write) as queue:
        queue.note(chat_of("a"))
        await settled()
        assert pen.at_once == 1

    assert pen.at_once == 0
