"""Streams end when their viewer may not watch any more, in whichever way; nothing comes after."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from chatd.accounts.lives.lives import suspend_user
from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import User, create_user
from chatd.api.app import build
from chatd.api.chats.streams.admission import ADMITTED_SECONDS
from chatd.api.chats.streams.talk import GOING_AWAY, REFUSED
from chatd.domain.decision.change import Details
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.kit.clock import rfc3339
from chatd.live.live import Live
from chatd.live.streams import TICK_SECONDS
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.chats.sharing.words import a_group, share
from tests.api.chats.streams.elsewhere import watching_elsewhere
from tests.api.client import CHATS, Client
from tests.clock import START_MICROS, MovedClock
from tests.live.listening import CHAT
from tests.traceability import proves
from tests.words import create, failure, user

Ends = Callable[["Scene"], Awaitable[object]]


class Scene:
    """A chat of the owner, and Anna, who watches it at another server than the one that changes things."""

    def __init__(self, store: Store, elsewhere: Live, owner: Client, anna: User, socket: Any) -> None:
        self.store = store
        self.elsewhere = elsewhere
        self.owner = owner
        self.anna = anna
        self.socket = socket


@pytest.fixture
async def scenes(store: Store, clock: MovedClock, owner: UserId) -> AsyncIterator[Callable[..., Any]]:
    """The watching server hears hints of the other one, or not."""
    async with watching_elsewhere(store, clock) as elsewhere:

        async def scene(*, hears: bool, grant: str = "user/anna", **fields: str) -> Scene:
            anna = await create_user(store.db, "anna", UserRole.MEMBER)
            design = await a_group(store, anna.id)
            await create_chat(store, create(user("hello")))
            await transact(store, CHAT, FailTurn(failure=failure()))
            client = Client(build(store, Live(store, clock)), await create_token(store.db, owner, "test"))
            await share(client, CHAT, grant.replace("design", design), **fields)
            token = await create_token(store.db, anna.id, "test")
            live, socket = await elsewhere.watch(
                f"{CHATS}/{CHAT}/stream", hears=hears, headers={"Authorization": f"Bearer {token}"}
            )
            assert (await socket.receive_json())[0]["type"] == "chat"
            return Scene(store, live, client, anna, socket)

        yield scene


async def _is_cut_off(scene: Scene) -> None:
    told = await scene.socket.receive_json()
    assert [event["type"] for event in told] == ["access_ended"]
    closed = await scene.socket.receive()
    assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, REFUSED)


GRANT = f"{CHATS}/{CHAT}/grants"
ENDS: dict[str, tuple[str, Ends]] = {
    "grant removed": ("user/anna", lambda s: s.owner.delete(f"{GRANT}/user/anna")),
    "everyone no more": ("everyone/all", lambda s: s.owner.delete(f"{GRANT}/everyone/all")),
    "group left": (
        "group/design",
        lambda s: s.store.db.write(lambda tx: tx.script("DELETE FROM group_members;")),
    ),
    "suspended": ("user/anna", lambda s: suspend_user(s.store.db, s.anna.id)),
    "token revoked": (
        "user/anna",
        lambda s: s.store.db.write(lambda tx: tx.run("delete_tokens_of_user", s.anna.id)),
    ),
}


@proves("people", 26)
@pytest.mark.parametrize("hears", [True, False], ids=["hints", "hints lost"])
@pytest.mark.parametrize("way", ENDS)
async def test_a_stream_at_another_server_ends_with_the_access(
    scenes: Callable[..., Any],
    clock: MovedClock,
    way: str,
    hears: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    grant, end = ENDS[way]
    scene = await scenes(hears=hears, grant=grant)

    await end(scene)
    if hears:
        scene.elsewhere.streams.ask_again(scene.anna.id)
    else:
        # What every server does by itself, within 12 seconds.
        await clock.advance(ADMITTED_SECONDS + TICK_SECONDS)
        await scene.elsewhere.poller.poll()
        scene.elsewhere.streams.tick()
    # Whatever happens then is not told.
    await transact(scene.store, CHAT, DescribeChat(details=Details(title="A secret")))

    await _is_cut_off(scene)
    assert (await Client(build(scene.store), None).get(f"{CHATS}/{CHAT}")).status == 401


@proves("people", 26)
async def test_what_is_committed_after_the_end_is_not_told_even_if_no_hint_of_the_end_has_come(
    scenes: Callable[..., Any],
) -> None:
    """The snapshot itself tells that others may do something else now."""
    scene = await scenes(hears=False)
    await scene.owner.delete(f"{GRANT}/user/anna")
    await transact(scene.store, CHAT, DescribeChat(details=Details(title="A secret")))

    await scene.elsewhere.poller.poll()

    await _is_cut_off(scene)


@proves("people", 26)
async def test_a_grant_with_an_end_ends_streams_at_that_moment(
    scenes: Callable[..., Any], clock: MovedClock
) -> None:
    scene = await scenes(hears=True, expires_at=rfc3339(START_MICROS + 3_000_000))

    await clock.advance(3 + TICK_SECONDS)
    scene.elsewhere.streams.tick()

    await _is_cut_off(scene)


async def test_a_viewer_who_is_to_be_shown_less_comes_back_and_is(scenes: Callable[..., Any]) -> None:
    scene = await scenes(hears=True, role="writer")

    await share(scene.owner, CHAT, "user/anna", "reader")

    closed = await scene.socket.receive()
    assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, GOING_AWAY)


async def test_who_is_handed_the_chat_comes_back_and_is_shown_all_of_it(
    scenes: Callable[..., Any], store: Store
) -> None:
    scene = await scenes(hears=True)
    anna = Client(build(store), await create_token(store.db, scene.anna.id, "other"))
    await scene.owner.post(f"{CHATS}/{CHAT}/transfer", {"to": "anna"})

    assert (await anna.post(f"{CHATS}/{CHAT}/transfer/accept", {})).status == 200

    closed = await scene.socket.receive()
    assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, GOING_AWAY)
