"""What every bus promises. Hints may be late, but what has arrived is what the rules here say."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from chatd.domain.chat import Status
from chatd.domain.ids import ChatId, UserId
from chatd.hints.bus import Heard
from chatd.hints.hint import CatalogChanged, CatalogKind, ChatChanged, ChatDeleted, Hint, WorkWaiting
from chatd.kit.concurrency.bell import Bell
from tests.hints.buses import BUSES, Ends

ME, OTHER = UserId("me"), UserId("other")
PATIENCE_SECONDS = 30


@pytest.fixture(params=BUSES)
async def ends(request: pytest.FixtureRequest, postgres_url: str) -> AsyncIterator[Ends]:
    async with BUSES[request.param](postgres_url) as ends:
        yield ends


def changed(chat: str, snapshot: int, owner: UserId = ME) -> ChatChanged:
    return ChatChanged(
        chat_id=ChatId(chat), owner_id=owner, snapshot=snapshot, history=1, queue=0, retry=0,
        attempt=0, status=Status.RUNNING, archived=False, lease=None,
    )  # fmt: skip


def waiting(chat: str, snapshot: int) -> WorkWaiting:
    return WorkWaiting(chat_id=ChatId(chat), snapshot=snapshot)


def deleted(chat: str) -> ChatDeleted:
    return ChatDeleted(chat_id=ChatId(chat), owner_id=ME)


async def heard(ends: Ends, inbox: Heard) -> list[Hint]:
    await ends.settle()
    return inbox.take()


async def test_a_listener_hears_what_is_published_while_it_listens(ends: Ends) -> None:
    ends.there.publish(changed("a", 1))
    await ends.settle()

    with ends.here.listening() as inbox:
        ends.there.publish(changed("a", 2))
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await inbox.wait_for_hints() == [changed("a", 2)]

    ends.there.publish(changed("a", 3))
    assert await heard(ends, inbox) == []


async def test_a_process_hears_its_own_hints(ends: Ends) -> None:
    with ends.here.listening() as inbox:
        ends.here.publish(changed("a", 1))

        assert await heard(ends, inbox) == [changed("a", 1)]


async def test_a_slow_listener_hears_only_the_newest_of_each_chat_and_kind(ends: Ends) -> None:
    with ends.here.listening() as inbox:
        for snapshot in range(1, 1000):
            ends.there.publish(changed("a", snapshot))
        ends.there.publish(changed("b", 1))
        ends.there.publish(waiting("a", 999))

        assert await heard(ends, inbox) == [changed("a", 999), changed("b", 1), waiting("a", 999)]


async def test_an_older_hint_does_not_replace_a_newer_one_of_its_kind(ends: Ends) -> None:
    with ends.here.listening() as inbox:
        ends.there.publish(changed("a", 3))
        ends.there.publish(waiting("a", 2))
        for _ in range(2):
            ends.there.publish(deleted("a"))
        ends.there.publish(changed("a", 2))
        ends.there.publish(waiting("a", 1))

        assert await heard(ends, inbox) == [changed("a", 3), waiting("a", 2), deleted("a")]
        ends.there.publish(changed("a", 1))
        assert await heard(ends, inbox) == [changed("a", 1)]


async def test_waiting_ends_with_the_first_hint(ends: Ends) -> None:
    with ends.here.listening() as inbox:
        async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
            hints = group.create_task(inbox.wait_for_hints())
            await ends.settle()
            assert not hints.done()
            ends.there.publish(changed("a", 1))

        assert hints.result() == [changed("a", 1)]


async def test_every_listener_hears_everything(ends: Ends) -> None:
    with ends.here.listening() as one, ends.here.listening() as other:
        ends.there.publish(changed("a", 1))

        assert await heard(ends, one) == await heard(ends, other) == [changed("a", 1)]


async def test_a_listener_of_one_chat_hears_of_no_other_and_its_bell_rings(ends: Ends) -> None:
    bell = Bell()

    with ends.here.listening_to_chat(ChatId("a"), bell) as inbox:
        ends.there.publish(changed("b", 1))
        ends.there.publish(changed("a", 1))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await bell.wait()

        assert await heard(ends, inbox) == [changed("a", 1)]


async def test_a_listener_of_one_owner_hears_of_their_chats_and_not_of_work(ends: Ends) -> None:
    bell = Bell()

    with ends.here.listening_to_owner(ME, bell) as inbox:
        ends.there.publish(changed("a", 1, owner=OTHER))
        ends.there.publish(changed("b", 1))
        ends.there.publish(waiting("b", 1))
        ends.there.publish(deleted("c"))

        assert await heard(ends, inbox) == [changed("b", 1), deleted("c")]


async def test_the_watched_chats_are_those_with_a_listener_of_their_own_in_this_process(ends: Ends) -> None:
    with (
        ends.here.listening(),
        ends.here.listening_to_chat(ChatId("a"), Bell()),
        ends.here.listening_to_chat(ChatId("a"), Bell()),
        ends.here.listening_to_chat(ChatId("b"), Bell()),
    ):
        assert sorted(ends.here.watched_chats()) == ["a", "b"]

    assert ends.here.watched_chats() == []


async def test_a_nudge_is_for_the_listeners_of_that_chat_and_no_others(ends: Ends) -> None:
    with ends.here.listening() as every, ends.here.listening_to_chat(ChatId("a"), Bell()) as inbox:
        ends.here.nudge(changed("a", 1))
        ends.here.nudge(changed("b", 1))

        assert await heard(ends, inbox) == [changed("a", 1)]
        assert await heard(ends, every) == []


async def test_a_change_of_the_catalog_is_heard_in_its_own_process_when_announcing_returns(
    ends: Ends,
) -> None:
    changes, change = list[CatalogChanged](), CatalogChanged(kind=CatalogKind.PROVIDERS)

    with ends.here.listening_to_news(CatalogChanged, changes.append), ends.here.listening() as inbox:
        ends.here.announce(change)
        assert changes == [change]
        assert await heard(ends, inbox) == []

    ends.here.announce(change)
    assert changes == [change]


async def test_a_change_of_the_catalog_is_heard_in_other_processes(ends: Ends) -> None:
    changes, change = list[CatalogChanged](), CatalogChanged(kind=CatalogKind.PROVIDERS)

    with ends.here.listening_to_news(CatalogChanged, changes.append):
        ends.there.announce(change)
        await ends.settle()
        assert changes == [change]
