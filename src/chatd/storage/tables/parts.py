"""The part log: what is being said, in batches, until it is saved as a message or said anew.

It is no part of any chat: it only protects a preview from a crash, and losing it loses no message.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database, Pace

# History version and attempt.
Attempt: TypeAlias = tuple[int, int]


class LoggedBatch(Struct, frozen=True, kw_only=True, array_like=True):
    """Some consecutive parts of one episode, as JSON."""

    chat_id: ChatId
    history: int
    attempt: int
    first_seq: int
    count: int
    parts: str


async def log_parts(
    db: Database, batches: Sequence[LoggedBatch], newest: Mapping[ChatId, Attempt]
) -> tuple[LoggedBatch, ...]:
    """Add these batches, and remove what is older than the newest of each chat. One transaction.

    A batch that goes on with an episode whose beginning is gone is not added, and returned instead:
    PostgreSQL empties the log when it recovers from a crash, and half an episode is of little use.
    """
    older = [(chat_id, *attempt) for chat_id, attempt in newest.items()]

    async def body(tx: Connection) -> tuple[LoggedBatch, ...]:
        if older:
            await tx.run_many("delete_older_parts", older)
        added = {tuple(row) for row in await tx.all("log_parts", encode_text(batches))} if batches else set()
        return tuple(each for each in batches if (each.chat_id, each.history, each.attempt) not in added)

    return await db.write(body, pace=Pace.USUAL if older else Pace.ONE_LONG_QUERY)


async def forget_stale_parts(db: Database) -> dict[ChatId, Attempt]:
    """Remove what no chat can show any more; what is left, by chat. For when a server starts."""

    async def body(tx: Connection) -> dict[ChatId, Attempt]:
        await tx.run("delete_stale_parts")
        rows = await tx.all("logged_episodes")
        return {ChatId(chat_id): (history, attempt) for chat_id, history, attempt in rows}

    return await db.write(body)


async def read_logged(db: Database, chat_id: ChatId, history: int) -> tuple[int, list[str]]:
    """The newest attempt on this history that was logged, 0 for none, and its batches in order."""

    async def body(tx: Connection) -> tuple[int, list[str]]:
        row = await tx.one("newest_logged_attempt", chat_id, history)
        if row is None or row[0] is None:
            return 0, []
        rows = await tx.all("logged_parts_since", chat_id, history, row[0], 0)
        return row[0], [parts for (parts,) in rows]

    return await db.read(body, pace=Pace.QUICK)


class Place(Struct, frozen=True, array_like=True):
    """How far an episode is known, or logged."""

    chat_id: ChatId
    history: int
    attempt: int
    seq: int


class LoggedSince(Struct, frozen=True):
    # Each with its chat, in the order in which it was said.
    batches: list[tuple[ChatId, str]]
    # There may be more.
    is_cut: bool


async def read_logged_since(db: Database, places: Sequence[Place], *, bytes_max: int) -> LoggedSince:
    """What was logged beyond these places, at most one of each chat, until there are so many bytes."""

    async def body(tx: Connection) -> LoggedSince:
        rows = await tx.all("logged_parts_of_episodes", encode_text(places), bytes_max)
        batches = [(ChatId(chat_id), parts) for chat_id, parts, _ in rows]
        return LoggedSince(batches, is_cut=bool(rows) and rows[-1][2] >= bytes_max)

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def logged_ends(db: Database, chat_ids: Sequence[ChatId]) -> list[Place]:
    """How far the episodes of these chats are logged."""

    async def body(tx: Connection) -> list[Place]:
        return [Place(*row) for row in await tx.all("logged_ends", encode_text(chat_ids))]

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)
