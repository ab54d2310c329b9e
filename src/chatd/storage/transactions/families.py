"""Families: what happens to several chats at once, or to one because of another. All of it or nothing."""

from collections.abc import Iterable
from functools import partial

from msgspec import Struct

from chatd.domain.call import Call, awaits_action
from chatd.domain.chat import AT_WORK, Chat, Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.family import FamilyLimits, SpawnCall, archiving, check_spawn, stopping
from chatd.domain.ids import ChatId
from chatd.domain.limits import CHILDREN_MAX
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed, chat_note
from chatd.domain.transitions import Command
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.rows import call_of, chat_of
from chatd.storage.transactions.load import lock
from chatd.storage.transactions.transact import Admit, Done, Store, create_chat, transact_family


async def read_children(db: Database, parent_id: ChatId, *, limit: int = CHILDREN_MAX) -> tuple[Chat, ...]:
    """The chats that work for this one; the one that was changed last first."""
    rows = await db.read(lambda tx: tx.all("children_of", parent_id, limit), pace=Pace.ONE_LONG_QUERY)
    return tuple(chat_of(row) for row in rows)


async def read_family(db: Database, root_id: ChatId) -> tuple[Chat, ...]:
    """A chat and all that work for it."""

    async def body(tx: Connection) -> tuple[Chat, ...]:
        root = await tx.one("read_chat", root_id)
        rows = await tx.all("children_of", root_id, CHILDREN_MAX)
        return tuple(chat_of(row) for row in (root, *rows) if row is not None)

    return await db.read(body)


class WaitingChild(Struct, frozen=True):
    """A chat that works for another one, and the calls that only a person or a client can move on."""

    chat: Chat
    calls: tuple[Call, ...]


class Children(Struct, frozen=True, kw_only=True):
    """The chats that work for one: how many there are, how many are at it, and which wait for a person."""

    count: int = 0
    at_work: int = 0
    waiting: tuple[WaitingChild, ...] = ()


NO_CHILDREN = Children()


async def read_all_children(db: Database, chats: Iterable[Chat]) -> dict[ChatId, Children]:
    """Of those of these chats that have any."""
    counts = {chat.id: chat.children for chat in chats if chat.children}
    if not counts:
        return {}

    async def body(tx: Connection) -> dict[ChatId, Children]:
        busy = [chat_of(row) for row in await tx.all("busy_children", encode_text(list(counts)))]
        waiting = [await _with_calls(tx, each) for each in busy if each.status is Status.REQUIRES_ACTION]
        return {
            parent_id: Children(
                count=count,
                at_work=sum(each.parent_id == parent_id and each.status in AT_WORK for each in busy),
                waiting=tuple(each for each in waiting if each.chat.parent_id == parent_id),
            )
            for parent_id, count in counts.items()
        }

    return await db.read(body)


async def _with_calls(tx: Connection, child: Chat) -> WaitingChild:
    calls = map(call_of, await tx.all("open_calls", child.id))
    return WaitingChild(child, tuple(call for call in calls if awaits_action(call)))


async def read_waiting_for(db: Database, chat_id: ChatId) -> tuple[Call, ...]:
    """The calls that only a person or a client can move on."""
    rows = await db.read(lambda tx: tx.all("open_calls", chat_id))
    return tuple(call for call in map(call_of, rows) if awaits_action(call))


async def spawn_child(store: Store, command: CreateChat, call: SpawnCall, limits: FamilyLimits) -> Done:
    """The child that this call creates. If the call was run before, it is the child of then, as it is now.

    The parent is locked meanwhile: so no two calls pass a limit together, and what stops or deletes the
    family either finds the child or keeps it from being created.
    """

    async def before(tx: Connection) -> LockedChat | None:
        parent = await lock(tx, call.parent_id)
        if await tx.one("read_chat", command.id) is not None:
            return await lock(tx, command.id)
        # One more than there may be would do; all are read, for what they have cost.
        rows = await tx.all("children_of", call.parent_id, limits.children_max)
        check_spawn(parent, [chat_of(row) for row in rows], call, limits)
        return None

    return await create_chat(store, command, before=before)


async def archive_family(
    store: Store,
    root_id: ChatId,
    deed: Archive | Unarchive,
    *others: Command,
    admit: Admit | None = None,
    by: AskedBy = THE_SERVER,
) -> list[Done]:
    """Put a chat away, or take it back, with all that work for it.

    The other commands are for the root alone, and find it outside of the archive. `admit` raises when the
    caller may not do this.
    """
    done = AuditDeed.CHAT_ARCHIVED if isinstance(deed, Archive) else AuditDeed.CHAT_UNARCHIVED
    decide = partial(archiving, deed=deed, others=others)
    return await transact_family(store, root_id, decide, admit=admit, note=chat_note(by, done, root_id))


async def interrupt_family(
    store: Store, root_id: ChatId, command: Interrupt, *, admit: Admit | None = None
) -> Done | None:
    """Stop a chat and all that work for it. Raises NotAllowed when none of them does anything, and what
    `admit` raises when the caller may not do this.

    What became of the root; None: it did nothing, so it was left alone.
    """
    dones = await transact_family(store, root_id, partial(stopping, command=command), admit=admit)
    return next((done for done in dones if done.chat.id == root_id), None)
