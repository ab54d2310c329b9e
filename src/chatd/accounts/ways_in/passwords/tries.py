"""Tries of passwords, counted in the database: so that each server of a fleet knows those of the others."""

import math

from chatd.accounts.tokens.tokens import hash_of
from chatd.domain.people.tries import SECOND, Tries, counted, wait_micros
from chatd.errors import LimitReached
from chatd.storage.database import Connection


class WaitToTry(LimitReached):
    """Too many passwords were wrong. After `retry_after_seconds` the next one is looked at."""

    def __init__(self, limit: int, retry_after_seconds: int) -> None:
        super().__init__(
            "too_many_tries",
            "The password was wrong too often.",
            limit=limit,
            hint=f"Wait {retry_after_seconds} s, or have an administrator make a link for you.",
        )
        self.retry_after_seconds = retry_after_seconds


async def count_try(tx: Connection, name: str) -> WaitToTry | None:
    """One more for this name, unless it has to wait: then the refusal is returned, and nothing counted."""
    key = _key(name)
    await tx.run("forget_password_tries")
    await tx.run("insert_password_tries", key)
    row, now = await tx.one("lock_password_tries", key), await tx.one("now")
    assert row is not None
    assert now is not None
    failures, since, waits, wait_until, forget_at = row
    before = Tries(failures=failures, since=since, waits=waits, wait_until=wait_until, forget_at=forget_at)
    if wait := wait_micros(before, now[0]):
        return WaitToTry(failures, math.ceil(wait / SECOND))
    after = counted(before if failures else None, now[0])
    await tx.run(
        "update_password_tries",
        key,
        after.failures,
        after.since,
        after.waits,
        after.wait_until,
        after.forget_at,
    )
    return None


async def forget_tries(tx: Connection, name: str) -> None:
    """It was right."""
    await tx.run("delete_password_tries", _key(name))


def _key(name: str) -> str:
    """A hash: people type their passwords where the name goes."""
    return hash_of(name.casefold())
