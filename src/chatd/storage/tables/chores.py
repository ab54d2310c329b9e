"""Which server does which periodic work: one at a time, by a row with an end, on the database's clock.

A server that dies meanwhile is replaced when its row has ended. What it does must be harmless if it is done
twice: one that was paused for long finds out afterwards that another has taken its place.
"""

from chatd.storage.database import Database

# A server that does it says so again long before.
HELD_MICROS = 10 * 60 * 1_000_000


async def take_chore(db: Database, name: str, holder: str, *, not_within_micros: int) -> bool:
    """Whether it is this server's to do now. Not if another does it, or if it was done lately."""
    taken = await db.write(lambda tx: tx.one("take_chore", name, holder, HELD_MICROS, not_within_micros))
    return taken is not None


async def keep_chore(db: Database, name: str, holder: str) -> None:
    await db.write(lambda tx: tx.run("keep_chore", name, holder, HELD_MICROS))


async def finish_chore(db: Database, name: str, holder: str, *, done: bool) -> None:
    await db.write(lambda tx: tx.run("finish_chore", name, holder, done))
