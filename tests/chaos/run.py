"""Three servers on one PostgreSQL, with people and viewers, disturbed as planned; then what they say."""

import asyncio
import json
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.checks import Evidence, violations
from tests.chaos.database import Ask, patient, stored_chats
from tests.chaos.disturb import Disturber
from tests.chaos.hint_lines import HintLines, hint_lines
from tests.chaos.ledger import Ledger, Violation
from tests.chaos.people import Person, Somewhere
from tests.chaos.plan import Step
from tests.chaos.takeovers import table
from tests.fleet.fleet import Fleet
from tools.postgres import CrashingPostgres

SERVERS = 3
SHOWN_MAX = 10
ACTIVITY = {
    "workers": "SELECT id, chatd_now() - beat_at AS quiet_micros FROM workers",
    "chats": "SELECT id, status, worker_id FROM chats",
    "connections": "SELECT pid, application_name, state, wait_event, xact_start, state_change, query, "
    "pg_blocking_pids(pid) AS waits_for FROM pg_stat_activity WHERE datname = current_database()",
}


@dataclass
class Chaos:
    seed: int
    folder: Path
    postgres: CrashingPostgres
    chats: int = 6
    ledger: Ledger = field(default_factory=Ledger)
    people: list[Person] = field(default_factory=list)

    async def run(self, plan: Iterable[Step]) -> str:
        """What happened, as a text. Raises Violation; all that is known of it is then in the folder."""
        async with hint_lines(self.postgres.url) as lines:
            return await self._run(plan, lines)

    async def _run(self, plan: Iterable[Step], lines: HintLines) -> str:
        fleet = Fleet(self.folder, self.postgres.url)
        ask = patient(fleet)
        disturber = Disturber(fleet, lines, self.postgres, ask, self.ledger)
        began = time.monotonic()
        try:
            for _ in range(SERVERS):
                await lines.add_server(fleet)
            await self._live(fleet, disturber, plan)
            found = await self._reckon(fleet, ask)
        except* Violation as broken:
            found = [str(each) for each in _leaves(broken)]
        finally:
            await self._keep_activity(ask)
            await fleet.kill()
            await self._keep(ask, disturber)
        if found:
            raise Violation(self._told(found))
        return self._report(disturber, time.monotonic() - began)

    async def _live(self, fleet: Fleet, disturber: Disturber, plan: Iterable[Step]) -> None:
        """Until the plan is over, and then until everything is answered."""
        over = asyncio.Event()
        async with asyncio.TaskGroup() as viewers:
            async with asyncio.TaskGroup() as group:
                for number in range(self.chats):
                    # Each with a chance of its own: what one draws does not change another.
                    somewhere = Somewhere(fleet, random.Random(f"{self.seed} {number}"))
                    self.people.append(Person(number, somewhere, self.ledger))
                    group.create_task(self.people[-1].talk(over, viewers), name=f"person {number}")
                await disturber.follow(plan)
                over.set()
            for each in self.people:
                each.leave()

    async def _reckon(self, fleet: Fleet, ask: Ask) -> list[str]:
        viewers = [each.viewer for each in self.people if each.viewer is not None]
        evidence = Evidence(
            self.ledger,
            await stored_chats(self.postgres.url, ask),
            [line for server in fleet.servers for line in server.ran("launch")],
            [
                (each.chat_id, sorted(each.picture.messages), [held.parts for held in each.held])
                for each in viewers
            ],
        )
        return violations(evidence)

    async def _keep_activity(self, ask: Ask) -> None:
        """Which worker lives, and who waits for whom in the database: gone when the servers are."""
        seen = {name: [dict(row) for row in await ask(sql)] for name, sql in ACTIVITY.items()}
        (self.folder / "activity.json").write_text(json.dumps(seen, indent=1, default=str))

    async def _keep(self, ask: Ask, disturber: Disturber) -> None:
        """What was told, what is stored and what was done, beside the logs of the servers."""
        stored = await stored_chats(self.postgres.url, ask)
        kept = {
            "told": {"accepted": self.ledger.accepted, "saved": self.ledger.saved},
            "stored": {chat_id: chat._asdict() for chat_id, chat in stored.items()},
            "disturbances": disturber.done,
        }
        for name, value in kept.items():
            (self.folder / f"{name}.json").write_text(json.dumps(value, indent=1))

    def _told(self, found: list[str]) -> str:
        more = f"\nand {len(found) - SHOWN_MAX} more" if len(found) > SHOWN_MAX else ""
        return (
            f"seed {self.seed}: {len(found)} promises were broken\n"
            + "\n".join(f"- {each}" for each in found[:SHOWN_MAX])
            + f"{more}\n{self.folder} has told.json, stored.json, activity.json, disturbances.json "
            + "and server*/server.log."
        )

    def _report(self, disturber: Disturber, seconds: float) -> str:
        accepted = sum(map(len, self.ledger.accepted.values()))
        moves = sum(each.viewer.moves for each in self.people if each.viewer is not None)
        return (
            f"seed {self.seed}: {seconds:.0f} s, {disturber.steps} disturbances, "
            f"{accepted} messages accepted and answered in {len(self.people)} chats, "
            f"{self.ledger.saved_count} messages told as saved, viewers moved {moves} times\n"
            f"{_cuts(disturber.deaf_seconds)}\n"
            f"nothing lost, stuck or doubled\n\n{table(disturber.takeovers.deaths)}"
        )


def _cuts(seconds: Sequence[float]) -> str:
    longest = f", the longest of {max(seconds):.0f} s" if seconds else ""
    return f"cuts of hints: {len(seconds)}{longest}"


def _leaves(group: BaseExceptionGroup[Violation]) -> Iterable[BaseException]:
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            yield from _leaves(each)
        else:
            yield each
