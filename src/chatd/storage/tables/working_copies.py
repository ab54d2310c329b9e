"""Working copies of agents: noted before they are made, so that one that no chat refers to can be found."""

from msgspec import Struct

from chatd.domain.family import SpawnCall, child_id_of
from chatd.domain.ids import ChatId
from chatd.kit.codec import to_column
from chatd.storage.database import Database

FIRST = ChatId("")
# Of one query.
COPIES_AT_ONCE = 100


class LeftCopy(Struct, frozen=True):
    """A copy of an agent that does not exist, and never will."""

    child_id: ChatId
    # The workspace in which it is.
    workspace: str
    # It could not be removed for a long time.
    is_old: bool


async def note_copy(db: Database, call: SpawnCall, workspace: str) -> None:
    """This call is about to make a working copy for its agent, in this workspace."""
    values = (child_id_of(call), call.parent_id, call.message_id, to_column(call.call_id), workspace)
    await db.write(lambda tx: tx.run("note_working_copy", *values))


async def left_copies(db: Database, *, after: ChatId, old_micros: int) -> list[LeftCopy]:
    """The next ones, at most `COPIES_AT_ONCE`. What was noted longer ago than this is old."""
    rows = await db.read(lambda tx: tx.all("left_working_copies", after, old_micros, COPIES_AT_ONCE))
    return [LeftCopy(ChatId(row[0]), row[1], bool(row[2])) for row in rows]


async def forget_copy(db: Database, child_id: ChatId) -> None:
    """It is removed, or was never made."""
    await db.write(lambda tx: tx.run("forget_working_copy", child_id))
