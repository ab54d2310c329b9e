"""What the bus between processes promises beyond `test_contract.py`: how it survives its connection."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from structlog.testing import capture_logs

from chatd.domain.ids import ChatId, UserId
from chatd.errors import Misconfigured, Unusable
from chatd.hints.hint import BusAway, CatalogChanged, CatalogKind, WorkWaiting
from chatd.hints.outbox import OUTBOX_MAX, PAYLOAD_BYTES_MAX, Outbox, packed, unpacked
from chatd.hints.postgres import CHANNEL, DEAF, Paces, PostgresBus, delivers, open_postgres_bus
from chatd.kit.clock import SystemClock
from chatd.kit.codec import encode
from chatd.kit.concurrency.bell import Bell
from tests.hints.buses import PATIENCE_SECONDS, acquainted, carried, told_to_look, two_buses, until
from tests.storage.postgres.proxy import Mood, Proxy

ME = UserId("me")
# Notices soon that its connection is silent.
IMPATIENT = Paces(here_seconds=0.05, echo_seconds=2.0)


@pytest.fixture
async def buses(postgres_url: str) -> AsyncIterator[tuple[PostgresBus, PostgresBus]]:
    async with two_buses(postgres_url) as both:
        yield both


async def cut(url: str) -> None:
    """End every connection that listens for hints."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'chatd hints' AND datname = current_database()"
        )
    finally:
        await connection.close()


def waiting(number: int) -> WorkWaiting:
    return WorkWaiting(chat_id=ChatId(f"chat {number}"), snapshot=number)


async def test_a_process_without_others_sends_nothing(postgres_url: str) -> None:
    async with open_postgres_bus(postgres_url, SystemClock()) as bus:
        heard = list[object]()
        spy = await asyncpg.connect(postgres_url)
        await spy.add_listener(CHANNEL, lambda *said: heard.append(said[-1]))

        bus.publish(waiting(1))
        await spy.execute(f"NOTIFY {CHANNEL}, 'spy here'")
        # The answer to one who is heard for the first time.
        await until(lambda: f"{bus.name} lost spy" in heard)

        assert not [said for said in heard if "work_waiting" in str(said)]
        await spy.close()


async def test_one_that_leaves_is_not_counted_on_any_more(postgres_url: str) -> None:
    async with open_postgres_bus(postgres_url, SystemClock()) as stays:
        async with open_postgres_bus(postgres_url, SystemClock()) as leaves:
            await acquainted(stays, leaves)
        await until(lambda: stays.is_alone)


async def test_what_is_published_last_is_sent_before_a_process_leaves(postgres_url: str) -> None:
    async with open_postgres_bus(postgres_url, SystemClock()) as stays:
        with stays.listening() as inbox:
            async with open_postgres_bus(postgres_url, SystemClock()) as leaves:
                await acquainted(stays, leaves)
                leaves.publish(waiting(1))
            async with asyncio.timeout(PATIENCE_SECONDS):
                assert await inbox.wait_for_hints() == [waiting(1)]


async def test_one_that_did_not_know_of_a_newcomer_looks_now(postgres_url: str) -> None:
    async with (
        open_postgres_bus(postgres_url, SystemClock()) as old,
        told_to_look(old),
        open_postgres_bus(postgres_url, SystemClock()) as new,
    ):
        await acquainted(old, new)


async def test_after_its_connection_was_cut_every_listener_looks_and_hints_travel_again(
    buses: tuple[PostgresBus, PostgresBus], postgres_url: str
) -> None:
    here, there = buses
    changes, bell = list[CatalogChanged](), Bell()
    with (
        here.listening_to_news(CatalogChanged, changes.append),
        here.listening_to_owner(ME, bell),
        here.listening() as inbox,
    ):
        async with told_to_look(here), told_to_look(there):
            await cut(postgres_url)
        there.publish(waiting(1))
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await bell.wait()
            assert await inbox.wait_for_hints() == [waiting(1)]

    assert CatalogChanged(kind=CatalogKind.EVERYTHING) in changes


async def test_what_is_published_while_the_connection_is_away_arrives_later(postgres_url: str) -> None:
    proxy = Proxy(postgres_url)
    async with (
        proxy.listening(),
        open_postgres_bus(postgres_url, SystemClock()) as here,
        open_postgres_bus(proxy.url, SystemClock(), IMPATIENT) as there,
    ):
        await acquainted(here, there)
        with here.listening() as inbox:
            async with told_to_look(there):
                proxy.mood = Mood.SILENT
                with capture_logs() as logs:
                    for number in range(100):
                        there.publish(waiting(number))
                    await until(lambda: bool(logs))
                proxy.mood = Mood.WELL
            await carried(there, here)

            assert inbox.take() == [waiting(number) for number in range(100)]


async def test_more_than_a_notification_holds_arrives_in_several(
    buses: tuple[PostgresBus, PostgresBus],
) -> None:
    here, there = buses
    hints = [waiting(number) for number in range(1000)]
    with here.listening() as inbox:
        for hint in hints:
            there.publish(hint)
        await carried(there, here)

        assert inbox.take() == hints


async def test_where_more_waits_than_there_is_room_for_the_others_look_for_themselves(
    buses: tuple[PostgresBus, PostgresBus],
) -> None:
    here, there = buses
    async with told_to_look(here):
        for number in range(OUTBOX_MAX + 1):
            there.publish(waiting(number))


async def test_a_hint_that_this_program_does_not_know_means_look_now(
    buses: tuple[PostgresBus, PostgresBus], postgres_url: str
) -> None:
    here, _ = buses
    connection = await asyncpg.connect(postgres_url)
    async with told_to_look(here):
        await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, 'newer [{"type": "never_heard_of"}]')
    await connection.close()


async def test_a_connection_that_hears_nothing_any_more_is_replaced(postgres_url: str) -> None:
    proxy, away = Proxy(postgres_url), list[bool]()
    async with proxy.listening(), open_postgres_bus(proxy.url, SystemClock(), IMPATIENT) as bus:
        with bus.listening_to_news(BusAway, lambda _: away.append(bus.is_away)):
            async with told_to_look(bus):
                proxy.mood = Mood.SILENT
                with capture_logs() as logs:
                    await until(lambda: bool(logs))
                proxy.mood = Mood.WELL

        assert away == [True]
        assert not bus.is_away

    assert logs[0]["event"] == "hints.deaf"
    assert DEAF in logs[0]["errors"]


async def test_an_address_where_nothing_listens_is_told_at_the_start() -> None:
    with pytest.raises(Unusable, match="Cannot listen for hints"):
        async with open_postgres_bus("postgresql://x@127.0.0.1:1/x", SystemClock()):
            pass
    with pytest.raises(Misconfigured, match="CHATD_DATABASE_LISTEN_URL"):
        async with open_postgres_bus("postgresql://x:se/cret@h:port/x", SystemClock()):
            pass


def test_an_outbox_keeps_the_newest_and_what_was_not_sent_comes_first() -> None:
    outbox = Outbox()
    outbox.put(waiting(1))
    taken = outbox.take()
    outbox.put(waiting(2))
    outbox.put_back(taken)

    assert outbox.take() == [waiting(1), waiting(2)]
    assert not outbox


def test_payloads_are_as_long_as_they_may_be_and_no_longer() -> None:
    hints = [waiting(number) for number in range(500)]
    payloads = packed("name ", hints)
    assert payloads is not None

    assert all(len(payload.encode()) <= PAYLOAD_BYTES_MAX for payload in payloads)
    assert [item for payload in payloads for item in unpacked(payload.removeprefix("name "))] == hints
    shortest_but_one = min(len(payload) for payload in payloads[:-1])
    assert shortest_but_one > PAYLOAD_BYTES_MAX - len(str(encode(hints[-1])))


def test_a_hint_that_no_notification_can_hold_is_not_packed() -> None:
    long = CatalogChanged(kind=CatalogKind.SETTING, entity="x" * PAYLOAD_BYTES_MAX)

    assert packed("name ", [waiting(1), long]) is None


async def test_behind_a_pooler_that_delivers_nothing_it_is_known(postgres_url: str) -> None:
    proxy = Proxy(postgres_url)
    async with proxy.listening():
        assert await delivers(proxy.url)
        proxy.mood = Mood.DEAF
        assert not await delivers(proxy.url, within_seconds=0.1)
    with pytest.raises(Unusable, match="Cannot listen for hints"):
        await delivers("postgresql://x@127.0.0.1:1/x")


async def test_how_long_a_word_takes_is_measured_also_while_it_is_awaited(postgres_url: str) -> None:
    proxy = Proxy(postgres_url)
    async with proxy.listening(), open_postgres_bus(proxy.url, SystemClock(), IMPATIENT) as bus:
        assert 0 < bus.lag_seconds < PATIENCE_SECONDS
        before = bus.lag_seconds
        proxy.mood = Mood.SILENT
        await until(lambda: bus.lag_seconds > before + 0.1)
        proxy.mood = Mood.WELL
