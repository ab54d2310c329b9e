"""How long the chats of a server that is gone wait for another one."""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import quantiles

from tests.chaos.database import Ask
from tests.chaos.plan import Kind

LOOK_SECONDS = 0.02
DRIVEN = "status IN ('running', 'interrupting')"


@dataclass
class Death:
    """A server that is gone, or stands still, and the chats that it drove."""

    kind: Kind
    worker_id: str
    orphans: set[str]
    at: float = field(default_factory=time.monotonic)
    # Seconds until another worker had each.
    waited: list[float] = field(default_factory=list)
    # A database that was away makes takeovers later: workers first spare one another.
    database_was_away: bool = False
    # Without hints a worker finds chats that were given up when it looks for them.
    hints_were_cut: bool = False

    def begin(self, orphans: set[str]) -> None:
        """From now on it does nothing more, and these are its chats."""
        self.orphans, self.at = orphans, time.monotonic()


class Takeovers:
    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.deaths: list[Death] = []
        self._hints_are_cut = False

    async def driven_by(self, worker_id: str) -> set[str]:
        rows = await self._ask(f"SELECT id FROM chats WHERE worker_id = $1 AND {DRIVEN}", worker_id)  # noqa: S608
        return {row["id"] for row in rows}

    async def watch(self, death: Death) -> None:
        """Until all its chats are with others, or at rest."""
        self.deaths.append(death)
        death.hints_were_cut |= self._hints_are_cut
        while death.orphans:
            rows = await self._ask(
                f"SELECT id, {DRIVEN} AS driven FROM chats"  # noqa: S608
                f" WHERE id = ANY($1) AND (worker_id <> $2 OR NOT {DRIVEN})",
                list(death.orphans),
                death.worker_id,
            )
            for row in rows:
                death.orphans.discard(row["id"])
                # One that is stopped in order may have ended the turn itself.
                if row["driven"] or death.kind is not Kind.STOP:
                    death.waited.append(time.monotonic() - death.at)
            await asyncio.sleep(LOOK_SECONDS)

    def database_away(self) -> None:
        for death in self.deaths:
            death.database_was_away |= bool(death.orphans)

    def hints_cut(self, *, is_cut: bool) -> None:
        """Whether any server hears no hints, and is not heard."""
        self._hints_are_cut = is_cut
        for death in self.deaths:
            death.hints_were_cut |= is_cut and bool(death.orphans)


def table(deaths: Iterable[Death]) -> str:
    waited: dict[str, list[float]] = {}
    count: dict[str, int] = {}
    for death in deaths:
        name = _name(death)
        waited.setdefault(name, []).extend(death.waited)
        count[name] = count.get(name, 0) + 1
    return "\n".join(_lines(waited, count))


def _name(death: Death) -> str:
    away = ", database away" if death.database_was_away else ""
    return death.kind.value + away + (", hints cut" if death.hints_were_cut else "")


def _lines(waited: Mapping[str, Sequence[float]], count: Mapping[str, int]) -> Iterable[str]:
    yield f"{'takeovers, seconds':32}{'servers':>8}{'chats':>8}{'p50':>8}{'p90':>8}{'max':>8}"
    for name, seconds in sorted(waited.items()):
        yield f"{name:32}{count[name]:>8}{len(seconds):>8}" + "".join(_numbers(seconds))


def _numbers(seconds: Sequence[float]) -> Iterable[str]:
    if not seconds:
        return
    cuts = quantiles(seconds, n=10, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 9
    for number in (cuts[4], cuts[8], max(seconds)):
        yield f"{number:8.2f}"
