"""However a link ends, it is as if there had never been one: for every request, and for streams that are open
at any server.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import aiohttp
import pytest
from starlette.types import ASGIApp

from chatd.accounts.lives.lives import activate_user, delete_user, suspend_user
from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.api.chats.streams.admission import ADMITTED_SECONDS
from chatd.api.chats.streams.talk import GOING_AWAY, REFUSED
from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.live.live import Live
from chatd.live.streams import TICK_SECONDS
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.streams.elsewhere import watching_elsewhere
from tests.api.client import CHATS, Client
from tests.api.guests.words import LINKS_ON, PUBLIC, Guest, make_link
from tests.clock import MovedClock
from tests.traceability import proves
from tests.words import failure

DAY_SECONDS = 24 * 3600
NO_CODE = "A" * 43
# Only ever waited for when something is broken.
PATIENCE_SECONDS = 30


class Shared:
    """A chat at rest with a live link, and who may end it."""

    def __init__(self, store: Store, owner: Client, chat_id: str, link: Any) -> None:
        self.store, self.owner, self.link = store, owner, link
        self.chat = f"{CHATS}/{chat_id}"
        self.chat_id = ChatId(chat_id)


@pytest.fixture
async def shared(app: ASGIApp, store: Store, client: Client) -> Shared:
    # So that somebody runs the server when the owner is shut out.
    await create_user(store.db, "root", UserRole.ADMIN)
    await create_user(store.db, "anna", UserRole.MEMBER)
    chat_id = str((await client.start_chat("hello"))["id"])
    await transact(store, ChatId(chat_id), FailTurn(failure=failure()))
    return Shared(store, client, chat_id, await make_link(client, chat_id, live=True))


async def revoke(shared: Shared) -> None:
    assert (await shared.owner.delete(f"{shared.chat}/links/{shared.link['id']}")).status == 204


async def suspend(shared: Shared) -> None:
    await suspend_user(shared.store.db, UserId("owner"))


async def delete_owner(shared: Shared) -> None:
    leaving = Leaving(chats=ChatsOfLeaver.ARCHIVE, by=THE_SERVER)
    await delete_user(shared.store.db, UserId("owner"), leaving)


async def archive(shared: Shared) -> None:
    assert (await shared.owner.patch(shared.chat, {"archived": True})).status == 200


async def delete_chat(shared: Shared) -> None:
    assert (await shared.owner.delete(shared.chat)).status == 204


async def hand_over(shared: Shared) -> None:
    await shared.owner.post(f"{shared.chat}/transfer", {"to": "anna", "keep": "nothing"})
    (anna,) = [row[0] for row in await shared.store.db.read(lambda tx: tx.all("find_people", "anna", 1))]
    token = await create_token(shared.store.db, UserId(anna), "test")
    accepted = await Client(build(shared.store), token).post(f"{shared.chat}/transfer/accept", {})
    assert accepted.status == 200, accepted.body


ENDS: Mapping[str, Callable[[Shared], Awaitable[None]]] = {
    "revoked": revoke,
    "owner suspended": suspend,
    "owner deleted": delete_owner,
    "chat archived": archive,
    "chat deleted": delete_chat,
    "handed over": hand_over,
}


@proves("people", 30)
@pytest.mark.parametrize("way", ENDS)
async def test_however_a_link_ends_it_is_as_if_there_had_never_been_one(
    app: ASGIApp, shared: Shared, way: str
) -> None:
    guest = Guest(app, shared.link["code"])
    assert await guest.is_let_in()

    await ENDS[way](shared)

    assert not await guest.is_let_in()
    assert (await guest.get("chat")).body == (await Guest(app, NO_CODE).get("chat")).body


@proves("people", 30)
async def test_a_link_ends_by_itself_and_where_the_server_has_none(
    app: ASGIApp, store: Store, shared: Shared, clock: MovedClock
) -> None:
    guest, unknown = Guest(app, shared.link["code"]), await Guest(app, NO_CODE).get("chat")
    elsewhere = Guest(build(store), shared.link["code"])
    assert not await elsewhere.is_let_in()
    assert (await elsewhere.get("chat")).body == unknown.body

    await clock.advance(7 * DAY_SECONDS - 1)
    assert await guest.is_let_in()
    await clock.advance(1)
    assert not await guest.is_let_in()
    assert (await guest.get("chat")).body == unknown.body


async def test_what_only_sleeps_counts_again(app: ASGIApp, store: Store, shared: Shared) -> None:
    guest = Guest(app, shared.link["code"])
    await archive(shared)
    assert not await guest.is_let_in()
    assert (await shared.owner.patch(shared.chat, {"archived": False})).status == 200
    assert await guest.is_let_in()
    await suspend(shared)
    assert not await guest.is_let_in()
    await activate_user(store.db, UserId("owner"))
    assert await guest.is_let_in()


class Watching(Shared):
    """And a guest who watches at another server."""

    elsewhere: Live
    socket: Any


@pytest.fixture
async def watching(
    store: Store, clock: MovedClock, shared: Shared
) -> AsyncIterator[Callable[[bool], Awaitable[Watching]]]:
    """The other server hears hints, or not."""
    async with watching_elsewhere(store, clock) as elsewhere:

        async def watch(hears: bool) -> Watching:  # noqa: FBT001 - the one thing that differs
            made = Watching(store, shared.owner, shared.chat_id, shared.link)
            protocols = ("chatd", f"chatd.guest.{shared.link['code']}")
            made.elsewhere, made.socket = await elsewhere.watch(
                f"{PUBLIC}/stream", hears=hears, policy=LINKS_ON, protocols=protocols
            )
            assert made.socket.protocol == "chatd"
            assert [each["type"] for each in await made.socket.receive_json()] == ["chat", "message"]
            return made

        yield watch


async def _is_cut_off(watching: Watching) -> None:
    """The same for every reason, with nothing before and nothing after."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await watching.socket.receive_json() == [{"type": "access_ended"}]
        closed = await watching.socket.receive()
    assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, REFUSED)


@proves("people", 26)
@proves("people", 30)
@pytest.mark.parametrize("hears", [True, False], ids=["hints", "hints lost"])
@pytest.mark.parametrize("way", ENDS)
async def test_a_guest_who_watches_at_another_server_is_cut_off(
    watching: Callable[[bool], Awaitable[Watching]],
    clock: MovedClock,
    way: str,
    hears: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    scene = await watching(hears)

    await ENDS[way](scene)
    if hears:
        # What the servers tell one another when somebody is shut out.
        scene.elsewhere.streams.ask_again()
    else:
        await clock.advance(ADMITTED_SECONDS + TICK_SECONDS)
        await scene.elsewhere.poller.poll()
        scene.elsewhere.streams.tick()
    if way != "chat deleted":
        await transact(scene.store, scene.chat_id, DescribeChat(details=Details(title="A secret")))

    await _is_cut_off(scene)


@pytest.mark.parametrize("way", ["revoked", "chat archived", "chat deleted", "handed over"])
async def test_what_is_done_to_the_chat_cuts_guests_off_by_the_hint_that_tells_of_it(
    watching: Callable[[bool], Awaitable[Watching]], way: str
) -> None:
    """Without a look at the clock: it is part of what the snapshot tells."""
    scene = await watching(True)  # noqa: FBT003

    await ENDS[way](scene)

    await _is_cut_off(scene)


@proves("people", 30)
async def test_a_guest_who_watches_is_cut_off_at_the_moment_of_the_end(
    watching: Callable[[bool], Awaitable[Watching]], clock: MovedClock
) -> None:
    """Much sooner than it is asked again anyway."""
    await clock.advance(7 * DAY_SECONDS - 3)
    scene = await watching(True)  # noqa: FBT003

    await clock.advance(3)
    scene.elsewhere.streams.tick()

    await _is_cut_off(scene)


async def test_a_guest_whose_link_was_changed_comes_back_and_is_shown_what_it_shows_now(
    watching: Callable[[bool], Awaitable[Watching]],
) -> None:
    scene = await watching(True)  # noqa: FBT003

    await scene.owner.patch(f"{scene.chat}/links/{scene.link['id']}", {"include": ["tools"]})

    closed = await scene.socket.receive()
    assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, GOING_AWAY)


async def test_a_guest_is_not_disturbed_by_another_link(
    watching: Callable[[bool], Awaitable[Watching]],
) -> None:
    scene = await watching(True)  # noqa: FBT003
    other = await make_link(scene.owner, scene.chat_id)
    await scene.owner.delete(f"{scene.chat}/links/{other['id']}")

    await transact(scene.store, scene.chat_id, DescribeChat(details=Details(title="Named")))

    assert await scene.socket.receive_json() == [{"type": "chat", "chat": {"title": "Named"}}]
