"""Leaving: what was chosen for the chats of a deleted user is done to one family after the other.

The choice is written down in the transaction that deletes the user. After a crash, or while an agent still
stops, a chore goes on with what is left. Each family has a transaction of its own.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import structlog
from msgspec import Struct

from chatd.accounts.sharing.handing_over import Terms, hand_over
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.audit import AuditDeed
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.transitions.chat.archive import Archive
from chatd.errors import NotFound, Refused
from chatd.kit.codec import Decoder
from chatd.storage.database import Connection, Database
from chatd.storage.transactions.families import archive_family
from chatd.storage.transactions.transact import Store, delete_chat

log = structlog.get_logger()

# Families and users that are looked for at once.
ROOTS_AT_ONCE, LEAVERS_AT_ONCE = 100, 100
# Of one look of the chore. What is left is found by the next one.
LEAVERS_PER_LOOK_MAX = 1000

_leaving = Decoder(Leaving)


class Leaver(Struct, frozen=True):
    id: UserId
    leaving: Leaving


async def settle(store: Store, leaver: Leaver) -> bool:
    """Whether nothing is left to do. A family in which an agent still works is left for later."""
    deed = _DEEDS[leaver.leaving.chats]
    after, all_settled = "", True
    while roots := await _roots(store.db, leaver, after=after):
        for root_id in roots:
            all_settled &= await _settled(store, root_id, leaver, deed)
        after = roots[-1]
    return all_settled


async def settle_all(store: Store) -> None:
    """What is left of all who have left. Once nothing is, it is forgotten what was chosen."""
    after = ""
    for _ in range(0, LEAVERS_PER_LOOK_MAX, LEAVERS_AT_ONCE):
        leavers = await leavers_after(store.db, after)
        for leaver in leavers:
            if await settle(store, leaver):
                await store.db.write(partial(_forget, leaver.id))
        if len(leavers) < LEAVERS_AT_ONCE:
            break
        after = leavers[-1].id


async def leavers_after(db: Database, after: str = "") -> Sequence[Leaver]:
    rows = await db.read(lambda tx: tx.all("leavers_after", after, LEAVERS_AT_ONCE))
    return [Leaver(UserId(row[0]), _leaving.decode(row[1])) for row in rows]


async def _forget(user_id: UserId, tx: Connection) -> None:
    await tx.run("forget_leaving", user_id)


async def _roots(db: Database, leaver: Leaver, *, after: str) -> Sequence[ChatId]:
    """Those to which it has not happened yet."""
    also_archived = leaver.leaving.chats is not ChatsOfLeaver.ARCHIVE
    rows = await db.read(lambda tx: tx.all("roots_of", leaver.id, after, ROOTS_AT_ONCE, also_archived))
    return [ChatId(row[0]) for row in rows]


async def _settled(store: Store, root_id: ChatId, leaver: Leaver, deed: "_Deed") -> bool:
    try:
        await deed(store, root_id, leaver.leaving)
    except NotFound:
        pass  # It is gone.
    except Refused as error:
        log.info("leaver.chat_is_left", user_id=leaver.id, chat_id=root_id, reason=error.code)
        return False
    return True


async def _archive(store: Store, root_id: ChatId, leaving: Leaving) -> None:
    await archive_family(store, root_id, Archive(), by=leaving.by)


async def _erase(store: Store, root_id: ChatId, leaving: Leaving) -> None:
    await delete_chat(store, root_id, by=leaving.by)


async def _transfer(store: Store, root_id: ChatId, leaving: Leaving) -> None:
    assert leaving.to is not None, "who gets them was checked with the deletion"
    terms = Terms(to=leaving.to, workspace_shared=leaving.workspace_shared)
    await hand_over(store, root_id, terms, by=leaving.by, deed=AuditDeed.TRANSFER_FORCED)


_Deed = Callable[[Store, ChatId, Leaving], Awaitable[None]]
_DEEDS: Mapping[ChatsOfLeaver, _Deed] = {
    ChatsOfLeaver.TRANSFER: _transfer,
    ChatsOfLeaver.ARCHIVE: _archive,
    ChatsOfLeaver.ERASE: _erase,
}
