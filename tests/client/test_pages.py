"""Lists in pages: one page when a call is awaited, everything when it is iterated."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from chatd.api.router import AnyRoute
from chatd.api.routes import ROUTES
from chatd.client import AsyncClient, Client, Unreachable
from chatd.client.answers import AuditPage, Chat, ChatPage
from chatd.client.pages import Pages, Query
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock
from tests.support.served import Served, served


class Made(Struct, frozen=True):
    chat_id: str
    group_id: str
    service_id: str


# By the path of each paged route: what lists it in pages of two, and what is listed.
LISTS: dict[str, tuple[Callable[[Any, Made], Any], list[str]]] = {
    "/api/v1/chats": (lambda client, _: client.chats(limit=2), ["a", "b", "c"]),
    "/api/v1/chats/{chat_id}/messages": (
        lambda client, made: client.messages(made.chat_id, limit=2),
        ["5", "4", "3", "2", "1"],
    ),
    "/api/v1/users": (
        lambda client, _: client.users(q="a", kind="person", limit=2),
        ["anna", "clara", "dora"],
    ),
    "/api/v1/groups": (lambda client, _: client.groups(limit=2), ["one", "three", "two"]),
    "/api/v1/groups/{group_id}/members": (
        lambda client, made: client.members(made.group_id, limit=2),
        ["anna", "clara", "dora"],
    ),
    "/api/v1/services": (lambda client, _: client.services(limit=2), ["mill", "office", "shop"]),
    "/api/v1/services/{user_id}/end-users": (
        lambda client, made: client.end_users(made.service_id, limit=2),
        ["7", "8", "9"],
    ),
    "/api/v1/audit": (
        lambda client, _: client.audit(limit=2, deed="group.create"),
        ["group"] * 3,
    ),
}
# In test_guest.py: only `AsyncGuest` lists it.
FOR_GUESTS = "/api/v1/public/messages"


def word(item: Any) -> str:
    """What it is told apart by."""
    fields = ("external_id", "target_kind", "title", "name", "text")
    return next(str(getattr(item, field)) for field in fields if hasattr(item, field))


async def something_to_list(server: Served, client: AsyncClient) -> Made:
    history = [
        {"role": role, "content": [{"type": "text", "text": str(number)}]}
        for number, role in enumerate(("user", "assistant", "user", "assistant"), 1)
    ]
    chats = [await client.create_chat("5", title=title, history=history) for title in ("a", "b", "c")]
    for number, chat in enumerate(chats, 1):
        await client.change_chat(chat.id, pin_order=number)
    users = [await client.add_user(name) for name in ("anna", "clara", "dora", "ben")]
    *_, group = [await client.add_group(name) for name in ("one", "two", "three")]
    for user in users[:3]:
        await client.add_member(group.id, user.id)
    *_, shop = [await client.add_service(name, acts_for="end_users") for name in ("mill", "office", "shop")]
    token = await client.add_token("a token", user_id=shop.id, scopes=["act_as", "chats:read"])
    for name in ("7", "8", "9"):
        async with AsyncClient(server.address, token.token, user=name) as speaker:
            await speaker.chats()
    return Made(chats[0].id, group.id, shop.id)


async def test_whatever_is_paged_can_be_iterated(store: Store, clock: MovedClock) -> None:
    async with served(store) as owned:
        server = await owned.as_admin()
        async with AsyncClient(server.address, server.token) as client:
            made = await something_to_list(server, client)
            # Entries of the audit are shown after a while.
            await clock.advance(60)
            found = {
                path: [word(each) async for each in list_(client, made)] for path, (list_, _) in LISTS.items()
            }
            pages = {path: await list_(client, made) for path, (list_, _) in LISTS.items()}

        def without_a_loop() -> tuple[dict[str, list[str]], dict[str, Any]]:
            with Client(server.address, server.token) as waiting:
                pages = {path: list_(waiting, made) for path, (list_, _) in LISTS.items()}
                return {path: [word(each) for each in page] for path, page in pages.items()}, pages

        found_waiting, pages_waiting = await asyncio.to_thread(without_a_loop)

    assert found == found_waiting == {path: listed for path, (_, listed) in LISTS.items()}
    assert pages == pages_waiting
    assert {path: [word(each) for each in page.items] for path, page in pages.items()} == {
        path: listed[:2] for path, (_, listed) in LISTS.items()
    }


def test_no_paged_route_is_forgotten() -> None:
    def is_paged(route: AnyRoute) -> bool:
        return not {"next", "has_more"}.isdisjoint(getattr(route.answer, "__struct_fields__", ()))

    assert {*LISTS, FOR_GUESTS} == {route.path for route in ROUTES if is_paged(route)}


async def test_messages_are_followed_in_the_order_that_was_asked_for(store: Store) -> None:
    async with served(store) as owned:
        server = await owned.as_admin()
        async with AsyncClient(server.address, server.token) as client:
            chat_id = (await something_to_list(server, client)).chat_id

            forwards = [message.id async for message in client.messages(chat_id, after_id=1, limit=2)]
            between = [
                message.id async for message in client.messages(chat_id, after_id=1, before_id=5, limit=2)
            ]
            everything = [message.id async for message in client.history(chat_id)]

    assert (forwards, between, everything) == ([2, 3, 4, 5], [4, 3, 2], [1, 2, 3, 4, 5])


def pages_of(*pages: ChatPage) -> tuple[Pages[ChatPage, Any], list[Query]]:
    """Pages that are there already, and what was asked for them so far. The last one comes for ever."""
    waiting, asked = list(pages), list[Query]()

    async def ask(query: Query) -> ChatPage:
        asked.append(query)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return Pages(ask, {"limit": 2}), asked


async def test_a_page_is_asked_for_when_the_one_before_it_is_used_up() -> None:
    chat = Chat(id="one", title="one", status="waiting")
    pages, asked = pages_of(ChatPage(chats=(chat,), next="x"), ChatPage(chats=(chat,)))

    chats = aiter(pages)
    assert asked == []
    await anext(chats)
    assert asked == [{"limit": 2}]
    await anext(chats)
    assert asked == [{"limit": 2}, {"limit": 2, "cursor": "x"}]
    assert [each async for each in chats] == []


async def test_a_list_that_leads_back_to_itself_is_not_followed_for_ever() -> None:
    pages, asked = pages_of(ChatPage(chats=(), next="x"))

    with pytest.raises(Unreachable, match="does not end"):
        _ = [each async for each in pages]
    assert len(asked) == 2


async def test_the_audit_ends_with_what_there_is_now() -> None:
    """Its `next` is for whoever asks later."""
    assert AuditPage(entries=(), next="later").following({"order": "oldest"}) is None


async def test_a_call_can_be_a_task_and_is_asked_once() -> None:
    page = ChatPage(chats=())
    pages, asked = pages_of(page)

    assert await asyncio.create_task(pages) == page
    assert len(asked) == 1


async def test_a_page_alone_says_that_it_knows_no_others() -> None:
    with pytest.raises(TypeError, match="async for"):
        list(ChatPage(chats=()))
