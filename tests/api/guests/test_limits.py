"""What a stranger with a link may take of a server: so much in a minute, and so much at once."""

import asyncio
from contextlib import ExitStack

import pytest
from starlette.types import ASGIApp

from chatd.accounts.sharing.openings import COUNTED_MAX, Openings
from chatd.api.app import build
from chatd.api.failures import Busy, TooMuchAtOnce
from chatd.api.serving.limits.admission import REQUEST_LIMITS
from chatd.api.serving.limits.guests import (
    STREAMS_MAX,
    STREAMS_PER_ADDRESS_MAX,
    STREAMS_PER_LINK_MAX,
    GuestStreams,
    guest_room,
)
from chatd.errors import Unavailable
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.api.guests.words import LINKS_ON, PUBLIC, Guest, make_link
from tests.api.sockets import serving
from tests.clock import HurriedClock, MovedClock

PER_MINUTE = REQUEST_LIMITS.guests_per_minute


@pytest.fixture
def app(store: Store, clock: MovedClock) -> ASGIApp:
    """As usual."""
    return build(store, policy=LINKS_ON, now_seconds=clock.monotonic)


@pytest.fixture
async def code(client: Client) -> str:
    return str((await make_link(client, (await client.start_chat())["id"], live=True))["code"])


async def test_guests_of_one_address_ask_sixty_times_in_a_minute_whatever_they_show(
    app: ASGIApp, client: Client, code: str, clock: MovedClock
) -> None:
    """Guessing is asking."""
    guest, wrong = Guest(app, code), Guest(app, "wrong")
    for number in range(PER_MINUTE):
        assert (await (wrong if number % 2 else guest).get("chat")).status == (404 if number % 2 else 200)

    for path in ("chat", "messages", "files/1", "stream"):
        refused = await guest.get(path)
        assert (refused.status, refused.error["code"]) == (429, "too_many_requests"), path
        assert refused.headers["retry-after"] == "1"
    assert (await wrong.get("chat")).status == 429

    # Others are not held up: guests of another address, and who is signed in.
    assert await Guest(app, code, address="192.0.2.8").is_let_in()
    assert (await client.get(CHATS)).status == 200
    await clock.advance(1)
    assert (await guest.get("chat")).status == 200


async def test_of_an_ipv6_address_the_network_counts(app: ASGIApp, code: str) -> None:
    for number in range(PER_MINUTE):
        assert (await Guest(app, code, address=f"2001:db8::{number:x}").get("chat")).status == 200

    assert (await Guest(app, code, address="2001:db8::ffff").get("chat")).status == 429
    assert (await Guest(app, code, address="2001:db8:0:1::1").get("chat")).status == 200


async def test_what_is_left_is_told_with_every_answer(app: ASGIApp, code: str) -> None:
    for path in ("chat", "messages", "files/1"):
        headers = (await Guest(app, code, address="192.0.2.9").get(path)).headers
        assert headers["ratelimit-limit"] == str(PER_MINUTE)


def test_so_many_streams_are_open_from_one_address_and_of_one_link() -> None:
    streams = GuestStreams()
    with ExitStack() as open_ones:
        for _ in range(STREAMS_PER_ADDRESS_MAX):
            open_ones.enter_context(streams.opened("link", "address"))
        with pytest.raises(TooMuchAtOnce), streams.opened("another", "address"):
            pass
        for number in range(STREAMS_PER_LINK_MAX - STREAMS_PER_ADDRESS_MAX):
            open_ones.enter_context(streams.opened("link", f"address {number}"))
        with pytest.raises(Busy), streams.opened("link", "another address"):
            pass
        open_ones.enter_context(streams.opened("another", "another address"))
    with streams.opened("link", "address"):
        pass


def test_so_many_streams_of_guests_are_open_in_all() -> None:
    streams = GuestStreams()
    with ExitStack() as open_ones:
        for number in range(STREAMS_MAX):
            open_ones.enter_context(streams.opened(f"link {number}", f"address {number}"))
        with pytest.raises(Busy), streams.opened("another", "another"):
            pass


async def test_a_stream_that_is_one_too_many_is_refused_before_it_begins(app: ASGIApp, code: str) -> None:
    asked = f"GET {PUBLIC}/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Guest {code}\r\n\r\n"
    statuses = []
    async with serving(app) as connect:
        for _ in range(STREAMS_PER_ADDRESS_MAX + 1):
            caller = await connect()
            await caller.send(asked.encode())
            statuses.append(await caller.status())

    assert statuses == [b"200"] * STREAMS_PER_ADDRESS_MAX + [b"429"]


async def test_what_guests_do_not_take_is_held_apart_from_what_users_send(database: Database) -> None:
    room = guest_room(REQUEST_LIMITS, Openings(database))
    first, second = room.held.hold("192.0.2.7"), room.held.hold("192.0.2.8")

    first.add(10 * 2**20)
    with pytest.raises(Busy), second:
        second.add(10 * 2**20)
    with pytest.raises(TooMuchAtOnce), room.held.hold("192.0.2.7") as more:
        more.add(1)


class CountedWrites:
    """A database, and how often something was written."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.writes = 0
        self.is_away = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if self.is_away:
            raise Unavailable("away")
        self.writes += 1
        return await self._db.write(body, pace=pace)


async def test_however_often_a_link_is_opened_it_is_written_down_once(store: Store, client: Client) -> None:
    made = await make_link(client, chat_id := (await client.start_chat())["id"])
    counted = CountedWrites(store.db)
    openings = Openings(counted)  # type: ignore[arg-type]  # it passes everything on
    guest = Guest(build(Store(counted, store.hints), policy=LINKS_ON, openings=openings), made["code"])  # type: ignore[arg-type]

    for _ in range(10):
        await guest.chat()
        await guest.messages()
    assert counted.writes == 0
    await openings.flush()
    await openings.flush()

    assert counted.writes == 1
    (listed,) = (await client.get(f"{CHATS}/{chat_id}/links")).json["links"]
    assert listed["opened"] == 10


async def test_what_could_not_be_written_down_is_counted_on(store: Store, client: Client) -> None:
    made = await make_link(client, chat_id := (await client.start_chat())["id"])
    counted = CountedWrites(store.db)
    openings = Openings(counted)  # type: ignore[arg-type]  # it passes everything on
    openings.note(made["id"])
    counted.is_away = True
    with pytest.raises(Unavailable):
        await openings.flush()
    openings.note(made["id"])
    counted.is_away = False
    await openings.flush()

    (listed,) = (await client.get(f"{CHATS}/{chat_id}/links")).json["links"]
    assert listed["opened"] == 2


async def test_a_database_that_fails_does_not_end_the_counting(database: Database) -> None:
    written = asyncio.Event()

    class Failing(CountedWrites):
        async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
            self.writes += 1
            if self.writes <= 2:
                raise Unavailable("away") if self.writes == 1 else RuntimeError("broken")
            written.set()
            return await self._db.write(body, pace=pace)

    openings = Openings(Failing(database))  # type: ignore[arg-type]  # it passes everything on
    openings.note("some link")
    counting = asyncio.ensure_future(openings.run(HurriedClock()))
    await written.wait()
    counting.cancel()


async def test_only_so_many_links_are_counted_at_once(database: Database) -> None:
    class Written(CountedWrites):
        async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
            self.writes += 1
            return None  # type: ignore[return-value]  # there is no such link, so nothing would be changed

    counted = Written(database)
    openings = Openings(counted)  # type: ignore[arg-type]  # it passes everything on
    for number in range(COUNTED_MAX + 10):
        openings.note(f"link {number}")

    await openings.flush()

    assert counted.writes == COUNTED_MAX
