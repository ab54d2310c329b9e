"""Hints between processes, over PostgreSQL's LISTEN and NOTIFY.

Within the process a hint is heard at once, as on the memory bus. For other processes it waits in an outbox,
and what has gathered there is sent with one statement per tick: never inside a transaction that writes,
because NOTIFY would make all commits of the server wait for one another.

One connection listens and sends. A notification has no content but `SENDER WORD` or `SENDER [hints]`:

- `new`: I listen from now on. Whoever hears it knows me, and sends to me.
- `here`: I still listen. Sent now and then; that we hear our own is the proof that the connection works.
- `bye`: do not count on me any more.
- `lost NAME`: hints for this process may have been lost. Sent to each one that was not known before, and with
  `*` to all when the outbox was too small.

A process that hears of no other is alone, and sends no hints: then there is nothing but this connection.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import msgspec
import structlog
from msgspec import Struct

from chatd.errors import Misconfigured, Unusable
from chatd.hints.hint import BusAway, CatalogChanged, CatalogKind, Hint, HintsLost, News, PartsLogged
from chatd.hints.memory import MemoryBus
from chatd.hints.outbox import Item, Outbox, packed, unpacked
from chatd.kit.clock import Clock, SystemClock
from chatd.kit.concurrency.backoff import backoff_seconds
from chatd.kit.ids import new_id

if TYPE_CHECKING:
    RawConnection = asyncpg.Connection[asyncpg.Record]

log = structlog.get_logger()

CHANNEL = "chatd_hints"
# For those who only want to know whether it works.
TRIAL_CHANNEL = "chatd_trial"
# Between two sendings. The first hint after a quiet time goes at once.
TICK_SECONDS = 0.01
# Between two signs of life, and how long our own may take to come back.
HERE_SECONDS = 5.0
ECHO_SECONDS = 5.0
# One that has been silent for so long is gone, and need not be sent anything.
SILENT_SECONDS = 4 * HERE_SECONDS
CONNECT_SECONDS = 10.0
SEND_SECONDS = 10.0
CLOSE_SECONDS = 2.0
RETRY_FIRST_SECONDS = 0.1
RETRY_LONGEST_SECONDS = 5.0

NOTIFY = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload"
EVERYBODY = "*"

DEAF = (
    "PostgreSQL does not deliver notifications here, so servers that share this database learn of changes "
    "only by polling, seconds later. A connection pooler is most likely in between: set "
    "CHATD_DATABASE_LISTEN_URL to an address that leads to PostgreSQL itself."
)

_BROKEN = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Paces(Struct, frozen=True, kw_only=True):
    """How often, and how patiently. Tests are less patient."""

    tick_seconds: float = TICK_SECONDS
    here_seconds: float = HERE_SECONDS
    echo_seconds: float = ECHO_SECONDS
    silent_seconds: float = SILENT_SECONDS


PACES = Paces()


class PostgresBus(MemoryBus):
    def __init__(self, url: str, clock: Clock, paces: Paces) -> None:
        super().__init__()
        self.name = new_id()
        self._url = url
        self._clock = clock
        self._paces = paces
        self._outbox = Outbox()
        self._words: list[str] = []
        self._outgoing = asyncio.Event()
        # Set by what we sent ourselves.
        self._echo = asyncio.Event()
        # The others, and when each was last heard, by the monotonic clock.
        self._peers: dict[str, float] = {}
        self._failures = 0
        self._has_listened = False
        # How long our own word took to come back, and when the one was said that we wait for.
        self._lag_seconds = 0.0
        self._said_at: float | None = None

    @property
    def is_alone(self) -> bool:
        return not self._peers

    @property
    def is_away(self) -> bool:
        return self._failures > 0

    @property
    def lag_seconds(self) -> float:
        """As long as we wait for our own word, at least for how long already."""
        if self._said_at is None:
            return self._lag_seconds
        return max(self._lag_seconds, self._clock.monotonic() - self._said_at)

    @property
    def peers(self) -> frozenset[str]:
        return frozenset(self._peers)

    def publish(self, hint: Hint) -> None:
        super().publish(hint)
        self._send(hint)

    def announce(self, news: News) -> None:
        super().announce(news)
        if not isinstance(news, HintsLost | BusAway):
            self._send(news)

    async def run(self, listens: Callable[[], None]) -> None:
        """Until cancelled. `listens` is called each time that the connection is there."""
        while True:
            try:
                connection = await self.connect()
                try:
                    await self._use(connection, listens)
                finally:
                    connection.terminate()
            except* (*_BROKEN, TimeoutError) as broken:
                self._note_failure(broken)
            await self._clock.sleep(
                backoff_seconds(
                    self._failures,
                    first_seconds=RETRY_FIRST_SECONDS,
                    longest_seconds=RETRY_LONGEST_SECONDS,
                )
            )

    async def connect(self) -> "RawConnection":
        connection: RawConnection = await asyncpg.connect(
            self._url,
            timeout=CONNECT_SECONDS,
            command_timeout=SEND_SECONDS,
            # What is prepared on one connection is unknown on the next one behind a pooler.
            statement_cache_size=0,
            server_settings={"application_name": "chatd hints"},
        )
        return connection

    async def say_goodbye(self) -> None:
        """Send what is left, and that we are leaving. On a connection of its own: ours may be in use."""
        if self.is_alone:
            return
        connection = await self.connect()
        try:
            await connection.execute(
                NOTIFY, CHANNEL, [*self._payloads(self._outbox.take()), f"{self.name} bye"]
            )
        finally:
            await connection.close()

    async def _use(self, connection: "RawConnection", listens: Callable[[], None]) -> None:
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(CHANNEL, self._notified)
        self._say("new")
        async with asyncio.TaskGroup() as group:
            group.create_task(self._send_all(connection), name="send hints")
            group.create_task(_until_lost(lost), name="notice that the connection is lost")
            await self._await_echo()
            self._note_listening()
            listens()
            while True:
                await self._clock.sleep(self._paces.here_seconds)
                self._forget_silent_peers()
                self._say("here")
                await self._await_echo()

    async def _await_echo(self) -> None:
        self._echo.clear()
        self._said_at = self._said_at or self._clock.monotonic()
        try:
            async with asyncio.timeout(self._paces.echo_seconds):
                await self._echo.wait()
        except TimeoutError:
            raise TimeoutError(DEAF) from None
        self._lag_seconds = self._clock.monotonic() - self._said_at
        self._said_at = None

    async def _send_all(self, connection: "RawConnection") -> None:
        while True:
            await self._outgoing.wait()
            self._outgoing.clear()
            words, self._words = self._words, []
            items = self._outbox.take()
            overflowed, self._outbox.overflowed = self._outbox.overflowed, False
            try:
                payloads = self._payloads(items, lost=overflowed)
                await connection.execute(
                    NOTIFY, CHANNEL, [*(f"{self.name} {word}" for word in words), *payloads]
                )
            except BaseException:
                # Words are said anew with every connection.
                self._outbox.put_back(items)
                self._outbox.overflowed = self._outbox.overflowed or overflowed
                raise
            await self._clock.sleep(self._paces.tick_seconds)

    def _payloads(self, items: list[Item], *, lost: bool = False) -> list[str]:
        payloads = packed(f"{self.name} ", items)
        if payloads is None or lost:
            return [*(payloads or ()), f"{self.name} lost {EVERYBODY}"]
        return payloads

    def _send(self, item: Item) -> None:
        if self._peers:
            self._outbox.put(item)
            self._outgoing.set()

    def _say(self, word: str) -> None:
        self._words.append(word)
        self._outgoing.set()

    def _notified(self, _: object, _pid: int, _channel: str, payload: object) -> None:
        sender, _, said = str(payload).partition(" ")
        if sender == self.name:
            self._echo.set()
            return
        if said == "bye":
            self._peers.pop(sender, None)
            return
        if sender not in self._peers or said == "new":
            # Until now nothing was sent to it.
            self._say(f"lost {sender}")
        self._peers[sender] = self._clock.monotonic()
        if said.startswith("["):
            self._receive(said)
        elif said in (f"lost {self.name}", f"lost {EVERYBODY}"):
            self._look_now()

    def _receive(self, said: str) -> None:
        try:
            items = unpacked(said)
        except msgspec.MsgspecError:
            # A newer program knows hints that we do not.
            self._look_now()
            return
        for item in items:
            if isinstance(item, CatalogChanged | PartsLogged):
                super().announce(item)
            else:
                super().publish(item)

    def _look_now(self) -> None:
        """Every listener here behaves as if a hint for it had been lost."""
        super().announce(CatalogChanged(kind=CatalogKind.EVERYTHING))
        super().announce(HintsLost())
        self.ring_owners()

    def _forget_silent_peers(self) -> None:
        oldest = self._clock.monotonic() - self._paces.silent_seconds
        self._peers = {name: heard for name, heard in self._peers.items() if heard >= oldest}

    def _note_listening(self) -> None:
        failures, self._failures = self._failures, 0
        if failures:
            log.info("hints.listening", failures=failures)
        if self._has_listened or failures:
            self._look_now()
        self._has_listened = True

    def _note_failure(self, broken: BaseExceptionGroup[BaseException]) -> None:
        """Once until it succeeds: a database may be away for long."""
        self._failures += 1
        if self._failures == 1:
            errors = [str(error) or type(error).__name__ for error in broken.exceptions]
            log.warning("hints.deaf", errors=errors)
            super().announce(BusAway())


@asynccontextmanager
async def open_postgres_bus(url: str, clock: Clock, paces: Paces = PACES) -> AsyncIterator[PostgresBus]:
    """Inside the block hints travel. Raises Unusable when nothing can be reached at this address.

    Where a connection pooler swallows notifications, that is logged, and the bus serves this process alone.
    """
    bus = PostgresBus(url, clock, paces)
    await _check(bus)
    listens = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(bus.run(listens.set), name="hints")
        try:
            async with asyncio.timeout(paces.echo_seconds):
                await listens.wait()
        except TimeoutError:
            pass  # It goes on trying, and the log says why it is needed.
        try:
            yield bus
        finally:
            running.cancel()
            await asyncio.wait([running])
            await _leave(bus)


async def delivers(url: str, *, within_seconds: float = ECHO_SECONDS) -> bool:
    """Whether notifications arrive at this address. Servers are not disturbed. Raises Unusable."""
    bus = PostgresBus(url, SystemClock(), PACES)
    await _check(bus)
    heard = asyncio.Event()
    connection = await bus.connect()
    try:
        await connection.add_listener(TRIAL_CHANNEL, lambda *_: heard.set())
        await connection.execute(NOTIFY, TRIAL_CHANNEL, [bus.name])
        async with asyncio.timeout(within_seconds):
            return await heard.wait()
    except TimeoutError:
        return False
    finally:
        connection.terminate()


async def _check(bus: PostgresBus) -> None:
    """The address may be one of its own, so a mistake in it is told at the start."""
    try:
        connection = await bus.connect()
    except ValueError:
        # Not even as a cause: it may quote a piece of the password.
        raise Misconfigured("The address of CHATD_DATABASE_LISTEN_URL cannot be read.") from None
    except _BROKEN as error:
        raise Unusable(
            f"Cannot listen for hints at PostgreSQL: {str(error) or type(error).__name__}."
        ) from error
    await connection.close()


async def _leave(bus: PostgresBus) -> None:
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await bus.say_goodbye()
    except (*_BROKEN, TimeoutError):
        log.info("hints.left_unsaid")  # They find out by themselves.


async def _until_lost(lost: asyncio.Event) -> None:
    await lost.wait()
    raise ConnectionError("the connection that listens for hints was closed")
