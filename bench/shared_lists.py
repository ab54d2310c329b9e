"""What a shared chat costs those who watch lists, against a group of one.

    python -m bench.shared_lists [--members N] [--chats N] [--changes N]

A chat is shared with a group, and all members watch their lists on this server: each change is looked at
once, and what is told is encoded for each of them, as it is sent. The floor is the same with one member. A
step of an agent whose last one nobody has read yet is told to nobody; a new title is told to all. There is a
look every half second at most, so a busy chat costs two of them in a second.

Beside it: a poll for a user with whom many chats are shared, when nothing has changed. It comes every ten
seconds.

Goals: a step at most 1 us more for each member; a title at most 50 us for each who is told; a poll of 5,000
chats at most 50 ms.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

from bench._server import verdict
from chatd.accounts.groups import add_member, create_group
from chatd.accounts.sharing.grants import Wish, save_grant
from chatd.accounts.users import create_user
from chatd.domain.chat import Chat
from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId
from chatd.domain.message import Draft, Role
from chatd.domain.part import Text
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.grants import Grant, GrantKind, GrantRole
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.hints.memory import Inbox, MemoryBus
from chatd.kit.clock import SystemClock
from chatd.kit.codec import encode
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.events import FeedEvent
from chatd.live.lists.others.others import OtherChats, WatchedBy
from chatd.live.lists.watch import watch_list
from chatd.storage.database import Connection
from chatd.storage.migrate import migrate
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store, create_chat, transact

STEP_GOAL_MICROS = 1.0
TOLD_GOAL_MICROS = 50.0
POLL_GOAL_MILLISECONDS = 50.0

Feed = AsyncGenerator[list[FeedEvent], None]


async def _admit(tx: Connection, chat: Chat, before: Grant | None, widens: bool) -> None:  # noqa: FBT001
    pass


class Place:
    """A server with a chat that is shared."""

    def __init__(self, store: Store, heard: Inbox, opened: AsyncExitStack) -> None:
        self.store = store
        self.others = OtherChats(store, SystemClock())
        self._heard, self._opened = heard, opened
        self._watching: list[tuple[Feed, Bell]] = []

    async def add_chat(self, chat_id: str, kind: GrantKind, subject: str) -> None:
        said = Draft(role=Role.USER, content=(Text(text="hello"),))
        owner = (await create_user(self.store.db, f"owner of {chat_id}", UserRole.MEMBER)).id
        await create_chat(self.store, CreateChat(id=ChatId(chat_id), owner_id=owner, messages=(said,)))
        wish = Wish(kind=kind, subject_id=subject, role=GrantRole.READER)
        await save_grant(self.store, ChatId(chat_id), THE_SERVER, wish, _admit)

    async def watch(self, who: WatchedBy) -> None:
        bell = Bell()
        feed = watch_list(self.store, SystemClock(), self.others, who, cursor=None, bell=bell)
        generator = cast("Feed", feed)
        self._opened.push_async_callback(generator.aclose)
        await anext(generator)
        self._watching.append((generator, bell))

    async def tell(self) -> int:
        """Look at what was heard of, and have those told who are woken; how many."""
        told = 0
        self.others.hear(self._heard.take())
        while self.others.is_behind:
            await self.others.look()
        for feed, bell in self._watching:
            if bell._rung:  # noqa: SLF001 - as the task that waits for it
                events = await anext(feed)
                told += len([encode(each) for each in events])
        return told


async def cpu_micros(
    place: Place, changes: int, change: Callable[[int], Awaitable[object]]
) -> tuple[float, int]:
    """Of a change, without the change itself, and to how many it was told."""
    spent, told = 0.0, 0
    for number in range(changes):
        await change(number)
        began = time.process_time()
        told += await place.tell()
        spent += time.process_time() - began
    return spent / changes * 1e6, told // changes


async def of_a_group(members: int, changes: int) -> tuple[float, float, int]:
    """What a step costs, and a new title, and to how many that is told."""
    async with AsyncExitStack() as opened:
        place = await _place(opened)
        group = await create_group(place.store.db, "team")
        await place.add_chat("busy", GrantKind.GROUP, group.id)
        for number in range(members):
            user = await create_user(place.store.db, f"member {number}", UserRole.MEMBER)
            await add_member(place.store.db, group.id, user.id)
            await place.watch(WatchedBy(user_id=user.id))

        async def step(_: int) -> None:
            said = Draft(role=Role.ASSISTANT, content=(Text(text="more"),))
            await transact(place.store, ChatId("busy"), CommitStep(messages=(said,)))

        async def rename(number: int) -> None:
            await transact(place.store, ChatId("busy"), DescribeChat(details=Details(title=str(number))))

        await cpu_micros(place, 3, step)
        of_step, _ = await cpu_micros(place, changes, step)
        of_title, told = await cpu_micros(place, changes, rename)
        return of_step, of_title, told


async def of_one_user(chats: int) -> float:
    """What a poll costs that finds nothing."""
    async with AsyncExitStack() as opened:
        place = await _place(opened)
        user = await create_user(place.store.db, "anna", UserRole.MEMBER)
        for number in range(chats):
            await place.add_chat(f"chat {number}", GrantKind.USER, user.id)
        await place.watch(WatchedBy(user_id=user.id))
        await place.others.poll()
        began = time.process_time()
        await place.others.poll()
        return (time.process_time() - began) * 1e3


async def _place(opened: AsyncExitStack) -> Place:
    folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
    clock = SystemClock()
    db = await opened.enter_async_context(
        open_sqlite(folder / "chatd.db", now_micros=clock.now_micros, inline=True)
    )
    await migrate(db)
    bus = MemoryBus()
    return Place(Store(db, bus), opened.enter_context(bus.listening()), opened)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--members", type=int, default=1000)
    parser.add_argument("--chats", type=int, default=5000)
    parser.add_argument("--changes", type=int, default=50)
    arguments = parser.parse_args()
    floor, _, _ = await of_a_group(1, arguments.changes)
    of_step, of_title, told = await of_a_group(arguments.members, arguments.changes)
    more = (of_step - floor) / arguments.members
    print(
        f"A step, {arguments.members} members watch: {of_step:.0f} us CPU, of one {floor:.0f}; "
        f"{more:.2f} us more for each (goal {STEP_GOAL_MICROS:g}): {verdict(more, STEP_GOAL_MICROS)}"
    )
    each = of_title / max(told, 1)
    print(
        f"A title, told to {told}: {of_title / 1000:.1f} ms CPU, {each:.0f} us each "
        f"(goal {TOLD_GOAL_MICROS:g}): {verdict(each, TOLD_GOAL_MICROS)}"
    )
    poll = await of_one_user(arguments.chats)
    print(
        f"A poll of {arguments.chats} chats of one user: {poll:.1f} ms CPU "
        f"(goal {POLL_GOAL_MILLISECONDS:g}): {verdict(poll, POLL_GOAL_MILLISECONDS)}"
    )


if __name__ == "__main__":
    asyncio.run(main())
