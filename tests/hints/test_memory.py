"""Hints within one process."""

import asyncio

from chatd.domain.chat import Status
from chatd.domain.ids import ChatId, UserId
from chatd.hints.hint import CatalogChanged, CatalogKind, ChatChanged, ChatDeleted, WorkWaiting
from chatd.hints.memory import MemoryBus


def changed(chat: str, snapshot: int) -> ChatChanged:
    return ChatChanged(
        chat_id=ChatId(chat), owner_id=UserId("me"), snapshot=snapshot, history=1, queue=0, retry=0,
        attempt=0, status=Status.RUNNING, archived=False, lease=None,
    )  # fmt: skip


async def test_a_listener_hears_what_is_published_while_it_listens() -> None:
    bus = MemoryBus()
    bus.publish(changed("a", 1))

    with bus.listening() as inbox:
        bus.publish(changed("a", 2))
        assert await inbox.wait_for_hints() == [changed("a", 2)]

    bus.publish(changed("a", 3))


async def test_a_slow_listener_hears_only_the_newest_of_each_chat_and_kind() -> None:
    bus = MemoryBus()

    with bus.listening() as inbox:
        for snapshot in range(1, 1000):
            bus.publish(changed("a", snapshot))
        bus.publish(changed("b", 1))
        bus.publish(WorkWaiting(chat_id=ChatId("a"), snapshot=999))

        assert await inbox.wait_for_hints() == [
            changed("a", 999), changed("b", 1), WorkWaiting(chat_id=ChatId("a"), snapshot=999),
        ]  # fmt: skip


async def test_an_older_hint_does_not_replace_a_newer_one_of_its_kind() -> None:
    bus = MemoryBus()
    deleted = ChatDeleted(chat_id=ChatId("a"), owner_id=UserId("me"))

    with bus.listening() as inbox:
        bus.publish(changed("a", 3))
        bus.publish(WorkWaiting(chat_id=ChatId("a"), snapshot=2))
        for _ in range(2):
            bus.publish(deleted)
        bus.publish(changed("a", 2))
        bus.publish(WorkWaiting(chat_id=ChatId("a"), snapshot=1))

        assert inbox.take() == [changed("a", 3), WorkWaiting(chat_id=ChatId("a"), snapshot=2), deleted]
        bus.publish(changed("a", 1))
        assert inbox.take() == [changed("a", 1)]


async def test_waiting_ends_with_the_first_hint() -> None:
    bus = MemoryBus()

    with bus.listening() as inbox:
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(inbox.wait_for_hints())
            await asyncio.sleep(0)
            assert not waiting.done()
            bus.publish(changed("a", 1))

        assert waiting.result() == [changed("a", 1)]


async def test_every_listener_hears_everything() -> None:
    bus = MemoryBus()

    with bus.listening() as one, bus.listening() as other:
        bus.publish(changed("a", 1))

        assert await one.wait_for_hints() == await other.wait_for_hints() == [changed("a", 1)]


async def test_a_change_of_the_catalog_is_heard_at_once_by_those_who_listen_to_it() -> None:
    bus, heard = MemoryBus(), list[CatalogChanged]()
    change = CatalogChanged(kind=CatalogKind.PROVIDERS)
    bus.announce(change)

    with bus.listening_to_catalog(heard.append), bus.listening() as inbox:
        bus.announce(change)
        assert heard == [change]
        assert inbox.take() == []

    bus.announce(change)
    assert heard == [change]
