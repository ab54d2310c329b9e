"""Reading by a public link from Python, against a real server."""

import asyncio
from contextlib import aclosing

import pytest

from chatd.client import ApiError, AsyncClient, AsyncGuest
from chatd.domain.people.permit import Policy
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store
from tests.support.served import served
from tests.words import says, step

LINKS_ON = Policy(public_links=True)


async def test_a_link_is_made_listed_changed_read_and_ended(store: Store) -> None:
    async with served(store, policy=LINKS_ON) as server, AsyncClient(server.address, server.token) as owner:
        chat = await owner.create_chat("hello")
        link = await owner.make_public_link(chat.id, days=3, include=["tools"])
        assert link.code is not None
        assert (link.live, link.include) == (False, ("tools",))
        assert [each.id for each in await owner.public_links(chat.id)] == [link.id]
        assert (await owner.change_public_link(chat.id, link.id, live=True, include=["files"])).live

        async with AsyncGuest(server.address, link.code) as guest:
            read = await guest.chat()
            assert (read.title, read.live, read.include) == (chat.title, True, ("files",))
            page = await guest.messages(limit=1)
            assert [each.content for each in page.messages] == [({"type": "text", "text": "hello"},)]
            assert page.next is None
            with pytest.raises(ApiError) as refused:
                await guest.file("nothing")
            assert refused.value.code == "file_not_found"

            await owner.end_public_link(chat.id, link.id)
            with pytest.raises(ApiError) as ended:
                await guest.chat()
            assert (ended.value.status, ended.value.code) == (404, "link_not_found")


async def test_a_guest_iterates_what_was_said_page_by_page(store: Store) -> None:
    async with served(store, policy=LINKS_ON) as server, AsyncClient(server.address, server.token) as owner:
        said = [
            {"role": role, "content": [{"type": "text", "text": text}]}
            for role, text in (("user", "one"), ("assistant", "two"))
        ]
        chat = await owner.create_chat("three", history=said)
        link = await owner.make_public_link(chat.id)
        async with AsyncGuest(server.address, link.code or "") as guest:
            assert len((await guest.messages(limit=1)).messages) == 1
            read = [message.content[0]["text"] async for message in guest.messages(limit=1)]

    assert read == ["three", "two", "one"]


async def test_a_guest_follows_a_chat_until_the_link_is_ended(store: Store) -> None:
    async with served(store, policy=LINKS_ON) as server, AsyncClient(server.address, server.token) as owner:
        chat = await owner.create_chat("hello")
        link = await owner.make_public_link(chat.id, live=True)
        async with AsyncGuest(server.address, link.code or "") as guest, aclosing(guest.stream()) as events:
            async with asyncio.timeout(30):
                assert [(await anext(events))["type"] for _ in range(2)] == ["chat", "message"]
                await server.happens(chat.id, step(says("hi")), FinishTurn())
                assert (await anext(events))["message"]["content"] == [{"type": "text", "text": "hi"}]
                await owner.end_public_link(chat.id, link.id)
                assert [each async for each in events] == [{"type": "access_ended"}]


async def test_a_guest_who_comes_back_is_told_to_forget_what_they_had(store: Store) -> None:
    async with served(store, policy=LINKS_ON) as server, AsyncClient(server.address, server.token) as owner:
        link = await owner.make_public_link((await owner.create_chat("hello")).id, live=True)
        guest = AsyncGuest(server.address, link.code or "", chance=lambda: 0.0)
        async with guest, aclosing(guest.stream()) as events, asyncio.timeout(30):
            assert (await anext(events))["type"] == "chat"
            assert (await anext(events))["type"] == "message"
            # As when the server goes away and another one is there.
            for bell in list(server.live.streams._bells):
                bell.end()

            assert [(await anext(events))["type"] for _ in range(3)] == ["gap", "chat", "message"]
