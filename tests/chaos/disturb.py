"""Doing to servers and their database what the plan says, and bringing back what was taken away."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from chatd.domain.limits import LEASE_STALE_MICROS
from tests.chaos.database import Ask
from tests.chaos.hint_lines import HintLines
from tests.chaos.ledger import Ledger, Violation
from tests.chaos.plan import Kind, Step
from tests.chaos.takeovers import Death, Takeovers
from tests.fleet.fleet import Fleet
from tests.journeys.server import Server
from tools.postgres import CrashingPostgres

# Nothing at all is saved for so long, or a server's chats are with no other: something is stuck.
STUCK_SECONDS = 120
LOOK_SECONDS = 0.02
# One of them may then be taken away.
UP_MIN = 2
TAKEN_AWAY = frozenset({Kind.KILL, Kind.PAUSE, Kind.STOP})

CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid()"
)
ALIVE = "SELECT 1 FROM workers WHERE id = $1 AND beat_at >= chatd_now() - $2::bigint"
# The row of a server that was killed stays for a while, beside that of the one that was started in its place.
DRIVERS = (
    "SELECT address, worker_id FROM replicas r WHERE address = ANY($1) "
    "AND started_at = (SELECT MAX(started_at) FROM replicas WHERE address = r.address) "
    "AND EXISTS (SELECT 1 FROM chats c WHERE c.worker_id = r.worker_id AND c.status = 'running') "
    "ORDER BY address"
)


class Disturber:
    def __init__(
        self, fleet: Fleet, lines: HintLines, postgres: CrashingPostgres, ask: Ask, ledger: Ledger
    ) -> None:
        self._fleet = fleet
        self._lines = lines
        self._postgres = postgres
        self._ask = ask
        self._ledger = ledger
        self.takeovers = Takeovers(ask)
        # What was done and when, for the reader of a failure.
        self.done: list[str] = []
        self.steps = 0
        # For how long hints were cut, each time.
        self.deaf_seconds: list[float] = []
        self._deaf_now = 0
        self._over = asyncio.Event()
        self._began = time.monotonic()
        # No server is started while the database is away: its operator would try again.
        self._database = asyncio.Lock()

    async def follow(self, plan: Iterable[Step]) -> None:
        """The whole plan. All servers are back when this returns, and hear one another."""
        async with asyncio.TaskGroup() as group:
            for self.steps, step in enumerate(plan, 1):
                await self._until_saved(self._ledger.saved_count + step.saved_before)
                if step.kind in TAKEN_AWAY:
                    server, worker_id = await self._target(step)
                    # At once, so that the next step does not choose it as well.
                    server.up.clear()
                    group.create_task(self._take_away(server, worker_id, step), name=str(step))
                elif step.kind is Kind.DEAF:
                    group.create_task(self._deafen(step), name=str(step))
                else:
                    await self._disturb_database(step.kind)
            self._over.set()

    async def _until_saved(self, count: int) -> None:
        async with _bound("no viewer was told of a new message"):
            await self._ledger.until_saved(count)

    async def _target(self, step: Step) -> tuple[Server, str]:
        """One of the servers that drive chats, if there are enough to spare one; and its worker."""
        async with _bound("no server was up that drives a chat, or none to spare"):
            while True:
                up = {each.address: each for each in self._fleet.servers if each.up.is_set()}
                drives = await self._ask(DRIVERS, list(up)) if len(up) >= UP_MIN else []
                if drives:
                    row = drives[int(step.target * len(drives))]
                    return up[row["address"]], row["worker_id"]
                await asyncio.sleep(LOOK_SECONDS)

    async def _take_away(self, server: Server, worker_id: str, step: Step) -> None:
        death = Death(step.kind, worker_id, await self.takeovers.driven_by(worker_id))
        self._note(f"{step}: {server.folder.name}, worker {worker_id}, with {sorted(death.orphans)}")
        async with asyncio.TaskGroup() as group:
            watching = await self._end(server, death, group)
            if step.kind is Kind.PAUSE:
                await self._until_lease_is_lost(worker_id)
            if step.kind is Kind.PAUSE or (step.kind is Kind.KILL and not step.back_at_once):
                await watching
            await self._bring_back(server, step.kind)

    async def _end(self, server: Server, death: Death, group: asyncio.TaskGroup) -> asyncio.Task[None]:
        """Begin to watch its chats as soon as it can do nothing more for them, or was told to leave them."""
        if death.kind is Kind.STOP:
            watching = group.create_task(self._watch(death))
            code = await server.stop()
            if code != 0:
                raise Violation(
                    f"{server.folder.name} ended with {code} when it was stopped; see {server.log}"
                )
            return watching
        if death.kind is Kind.KILL:
            await server.kill()
        else:
            server.pause()
        death.begin(await self.takeovers.driven_by(death.worker_id))
        return group.create_task(self._watch(death))

    async def _watch(self, death: Death) -> None:
        async with _bound(f"the chats of {death.worker_id} are with no other worker"):
            await self.takeovers.watch(death)

    async def _until_lease_is_lost(self, worker_id: str) -> None:
        async with _bound(f"{worker_id} stands still and has its lease"):
            while await self._ask(ALIVE, worker_id, LEASE_STALE_MICROS):  # noqa: ASYNC110 - elsewhere
                await asyncio.sleep(LOOK_SECONDS)

    async def _bring_back(self, server: Server, kind: Kind) -> None:
        if kind is Kind.PAUSE:
            server.resume()
        else:
            async with self._database:
                with self._lines.whole(server):
                    await server.start()
        self._note(f"{server.folder.name} is back")

    async def _deafen(self, step: Step) -> None:
        """For no longer than the plan lasts."""
        servers = self._fleet.servers
        deaf = servers if step.is_everywhere else [servers[int(step.target * len(servers))]]
        names = [each.folder.name for each in deaf]
        self._note(f"{step}: {names}")
        began = time.monotonic()
        with self._lines.cut(deaf), self._counted_as_deaf(), suppress(TimeoutError):
            async with asyncio.timeout(step.deaf_seconds):
                await self._over.wait()
        self.deaf_seconds.append(time.monotonic() - began)
        self._note(f"{names} hear again")

    @contextmanager
    def _counted_as_deaf(self) -> Iterator[None]:
        self._deaf_now += 1
        self.takeovers.hints_cut(is_cut=True)
        try:
            yield
        finally:
            self._deaf_now -= 1
            self.takeovers.hints_cut(is_cut=self._deaf_now > 0)

    async def _disturb_database(self, kind: Kind) -> None:
        async with self._database:
            self._note(f"{kind.value} of the database")
            self.takeovers.database_away()
            if kind is Kind.CUT:
                await self._ask(CUT)
            else:
                await asyncio.to_thread(self._restart, kind)
            self.takeovers.database_away()
        self._note("the database is back")

    def _restart(self, kind: Kind) -> None:
        """Both in one thread: a run that is broken off meanwhile still finds its database afterwards."""
        if kind is Kind.CRASH:
            self._postgres.crash()
        else:
            self._postgres.stop()
        self._postgres.start()

    def _note(self, words: str) -> None:
        self.done.append(f"{time.monotonic() - self._began:8.2f} s  {words}")


@asynccontextmanager
async def _bound(otherwise: str) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(STUCK_SECONDS):
            yield
    except TimeoutError:
        raise Violation(f"{otherwise} for {STUCK_SECONDS} s") from None
