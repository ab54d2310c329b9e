"""The one door: lock, decide, write, commit, and only then hint.

Nothing else in the program writes a chat, its messages, its queue or its ledger.
"""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from chatd.domain import machine
from chatd.domain.chat import Chat, Lease, Status
from chatd.domain.decision import fence as fences
from chatd.domain.decision.apply import Outcome
from chatd.domain.decision.fence import Fence
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import AT_REST
from chatd.domain.family import Commands
from chatd.domain.ids import ChatId, MessageId, Micros
from chatd.domain.limits import TEMPORARY_MICROS
from chatd.domain.message import Message, Queued, Visibility
from chatd.domain.part import files_in
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed, AuditNote, chat_note
from chatd.domain.transitions import Command
from chatd.domain.transitions.chat.add_child import AddChild
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import SendMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.errors import BadInput, ChatdError, InvalidState
from chatd.hints.bus import Bus
from chatd.hints.hint import ChatDeleted, ChildChanged, WorkWaiting, chat_changed
from chatd.storage.database import Body, Connection, Database, Pace
from chatd.storage.tables.audit import record
from chatd.storage.transactions.load import (
    contents_of,
    files_in_question,
    informed,
    is_plain,
    lock,
    mentioned_files,
    reads_more,
)
from chatd.storage.transactions.recent import Recent
from chatd.storage.transactions.write import (
    RowWriter,
    insert_chat,
    save_chat,
    take_key,
    take_keys_of_history,
    write_rows,
)

# What follows from where the commands have led: decided under the same lock, in the same transaction.
Then: TypeAlias = Callable[[LockedChat], Sequence[Command]]
# Raises when the caller may not do this to this chat, which is locked.
Admit: TypeAlias = Callable[[Connection, LockedChat], Awaitable[None]]
# What else is written with a change of a family: whom it is shared with, whose files they are.
Beside: TypeAlias = Callable[[Connection, Sequence[LockedChat]], Awaitable[None]]


# Messages that are inserted in a moment.
QUICK_MESSAGES_MAX = 20


class Driver(Protocol):
    """A worker of this process. It can take a chat in the very transaction that gives the chat work.

    So a message needs no second transaction to be worked on, and no hint to be found.
    """

    def offer(self, chat_id: ChatId) -> Lease | None:
        """A lease to take this chat with; None when the worker has no room.

        After a lease exactly one of `take`, `withdraw` and `doubt` is called.
        """
        ...

    def may_drive(self, chat: Chat) -> bool:
        """Whether it has room for this chat, which is locked."""
        ...

    def drives(self, chat_id: ChatId) -> bool:
        """Whether it drives this chat at the moment."""
        ...

    def take(self, done: "Done") -> None:
        """The transaction was committed with the lease."""
        ...

    def withdraw(self, chat_id: ChatId) -> None:
        """The lease was not needed, or nothing was committed."""
        ...

    def doubt(self, chat_id: ChatId) -> None:
        """The answer was lost: perhaps the chat was taken."""
        ...


class Store(Struct, frozen=True):
    """Where chats are kept, who is told, and who drives what needs to be driven."""

    db: Database
    hints: Bus
    driver: Driver | None = None
    recent: Recent | None = None


class Done(Struct, frozen=True):
    """What a transaction did to one chat: where it ended, and what each command added on the way."""

    locked: LockedChat
    outcomes: tuple[Outcome, ...] = ()
    # The commands that were performed, with the ones that followed from them.
    commands: tuple[Command, ...] = ()
    # The version of the history before.
    since: int = 0
    # The status before; None: the chat is new, or nothing happened to it.
    was: Status | None = None
    # Of a new chat that works for another one: what became of that one.
    parent: "Done | None" = None

    @property
    def chat(self) -> Chat:
        return self.locked.chat

    @property
    def appended(self) -> tuple[Message, ...]:
        return tuple(message for outcome in self.outcomes for message in outcome.appended)

    @property
    def left(self) -> tuple[MessageId, ...]:
        """The messages that people saw, and that are not in the history any more."""
        return tuple(
            head.id
            for outcome in self.outcomes
            if outcome.cut_from is not None
            for head in outcome.after.past.active
            if head.id >= outcome.cut_from and head.visibility is not Visibility.MODEL
        )

    @property
    def enqueued(self) -> tuple[Queued, ...]:
        return tuple(row for outcome in self.outcomes for row in outcome.enqueued)


async def transact(
    store: Store,
    chat_id: ChatId,
    *commands: Command,
    fence: Fence | None = None,
    known: LockedChat | None = None,
    then: Then | None = None,
    admit: Admit | None = None,
    note: AuditNote | None = None,
) -> Done:
    """Apply commands to one chat, and what follows from them, all or none. The only way a chat changes.

    `known` is the chat as the worker behind the fence has seen it last: it is read again only if it changed.
    `admit` raises when the caller may not do this to this chat. `note` is written with it, for the audit.
    Raises Refused when the machine says no, and Stale when the fence does not hold; then nothing
    was written and no hint was sent.
    """

    async def body(tx: Connection, then: Then | None) -> Done:
        held_by = fence.lease if isinstance(fence, fences.HeldBy) else None
        locked = await lock(tx, chat_id, held_by=held_by, known=known)
        if admit is not None:
            await admit(tx, locked)
        if fence is not None:
            fences.check(fence, locked)
        done = await _perform(tx, machine.begin(locked), commands, then)
        await _write_note(tx, note)
        return done

    if fence is None and then is None:
        return await _write_and_drive(store, chat_id, body, _pace_of(commands))
    return await _write(store, lambda tx: body(tx, then), _pace_of(commands))


async def create_chat(
    store: Store,
    command: CreateChat,
    *further: Command,
    before: Callable[[Connection], Awaitable[LockedChat | None]] | None = None,
    note: AuditNote | None = None,
) -> Done:
    """A chat comes into being with its first messages, and a worker hears of it.

    Further commands follow in the same transaction: all of them or no chat.
    `before` comes first in the transaction. It raises when the chat must not be created, and gives the chat
    that there is already, if it is there; then nothing is written.
    """

    async def body(tx: Connection, then: Then | None) -> Done:
        if before is not None and (found := await before(tx)) is not None:
            return Done(found)
        row = await tx.one("now")
        assert row is not None
        parent = await _add_child(tx, command.parent_id) if command.parent_id is not None else None
        files = await files_in_question(tx, command.id, command.owner_id, contents_of(command))
        outcome = machine.create(command, Micros(row[0]), files)
        await insert_chat(tx, command, outcome.after.chat)
        await take_keys_of_history(tx, command, outcome)
        # Before the rows: PostgreSQL is sent it with the first message.
        await _write_note(tx, note)
        if not further and then is None:
            await write_rows(tx, outcome)
            return Done(outcome.after, (outcome,), (command,), parent=parent)
        done = await _perform(tx, outcome.after, further, then, before=(outcome,))
        return Done(done.locked, done.outcomes, (command, *done.commands), parent=parent)

    return await _write_and_drive(store, command.id, body, _pace_of((command, *further)))


async def _add_child(tx: Connection, parent_id: ChatId) -> Done:
    """The parent is locked before its child is written, as everywhere in a family."""
    return await _perform(tx, machine.begin(await lock(tx, parent_id)), (AddChild(),))


async def transact_family(
    store: Store,
    root_id: ChatId,
    decide: Callable[[Sequence[LockedChat]], Commands],
    *,
    admit: Admit | None = None,
    note: AuditNote | None = None,
    beside: Beside | None = None,
) -> list[Done]:
    """Apply commands to members of a family, all of them or none. The root is locked first.

    `admit` raises when the caller may not do this to the root. `beside` comes before the commands in the
    same transaction, and raises when nothing of it may happen.
    """

    async def body(tx: Connection) -> list[Done]:
        root = await lock(tx, root_id)
        if admit is not None:
            await admit(tx, root)
        if root.chat.parent_id is not None:
            raise BadInput("not_a_root", "This chat works for another one.", hint="Name that one instead.")
        family = [await lock(tx, ChatId(row[0])) for row in await tx.all("family_of", root_id)]
        for member in family:
            if member.chat.situation not in machine.LEGAL:
                raise InvalidState("invalid_state", f"Chat {member.chat.id} of this family is inconsistent.")
        if beside is not None:
            await beside(tx, family)
        commands = decide(family)
        dones = [
            await _perform(tx, machine.begin(member), commands[member.chat.id])
            for member in family
            if member.chat.id in commands
        ]
        await _write_note(tx, note)
        return dones

    dones = await store.db.write(body)
    for done in dones:
        _hint(store, done)
    return dones


async def delete_chat(
    store: Store, chat_id: ChatId, *, admit: Admit | None = None, by: AskedBy = THE_SERVER
) -> None:
    """A chat is gone for good, with all that work for it, and the files that only they refer to.

    `admit` raises when the caller may not do this to this chat.
    """

    async def body(tx: Connection) -> list[Chat]:
        locked = await lock(tx, chat_id)
        if admit is not None:
            await admit(tx, locked)
        family = await _lock_family(tx, chat_id)
        await _delete_family(tx, chat_id, family)
        await _write_note(tx, _of_deleted(by, AuditDeed.CHAT_DELETED, family))
        return family

    _hint_deleted(store, await store.db.write(body))


async def delete_expired_chat(store: Store, chat_id: ChatId) -> bool:
    """The same for a temporary chat whose time is over, seen under its lock. Whether it was so.

    False: it is in use again, or another server has removed it or is about to.
    """

    async def body(tx: Connection) -> list[Chat]:
        if await tx.one("lock_expired_chat", TEMPORARY_MICROS, chat_id) is None:
            return []
        family = await _lock_family(tx, chat_id)
        if any(member.status not in AT_REST for member in family):
            return []
        await _delete_family(tx, chat_id, family)
        await _write_note(tx, _of_deleted(THE_SERVER, AuditDeed.CHAT_PURGED, family))
        return family

    deleted = await store.db.write(body)
    _hint_deleted(store, deleted)
    return bool(deleted)


async def _lock_family(tx: Connection, root_id: ChatId) -> list[Chat]:
    ids = [ChatId(row[0]) for row in await tx.all("family_of", root_id)]
    return [(await lock(tx, member_id)).chat for member_id in ids]


async def _delete_family(tx: Connection, root_id: ChatId, family: Sequence[Chat]) -> None:
    await tx.all("lock_files_of_family", root_id)
    # Children first: each takes along the files that are left to it alone.
    for member in reversed(family):
        await tx.run("delete_unlinked_files_of", member.id)
        await tx.run("delete_parts_of_chat", member.id)
        await tx.run("delete_words_of_chat", member.id)
        await tx.run("delete_chat", member.id)


def _of_deleted(by: AskedBy, deed: AuditDeed, family: Sequence[Chat]) -> AuditNote:
    """The root comes first. Of a chat that is gone, only this tells whose it was."""
    root = family[0]
    return chat_note(by, deed, root.id, {"owner_id": root.owner_id, "chats": len(family)})


async def _write_note(tx: Connection, note: AuditNote | None) -> None:
    if note is not None:
        await record(tx, note.by, note.entry)


def _hint_deleted(store: Store, family: Sequence[Chat]) -> None:
    for member in family:
        store.hints.publish(ChatDeleted(chat_id=member.id, owner_id=member.owner_id))


async def _write(store: Store, body: Body[Done], pace: Pace) -> Done:
    done = await store.db.write(body, pace=pace)
    _hint(store, done)
    return done


async def _write_and_drive(
    store: Store,
    chat_id: ChatId,
    body: Callable[[Connection, Then | None], Coroutine[Any, Any, Done]],
    pace: Pace,
) -> Done:
    """The same for what a caller asks: if it gives the chat work, the driver takes the chat in one go."""
    driver = store.driver
    lease = driver.offer(chat_id) if driver is not None else None
    if driver is None or lease is None:
        return await _write(store, lambda tx: body(tx, None), pace)

    def acquire(locked: LockedChat) -> Sequence[Command]:
        wanted = fences.needs_worker(locked) and driver.may_drive(locked.chat)
        return (Acquire(lease=lease, begins=True),) if wanted else ()

    try:
        done = await _write(store, lambda tx: body(tx, acquire), pace)
    except ChatdError:
        driver.withdraw(chat_id)
        raise
    except BaseException:
        # A commit whose answer never came: the chat may be the driver's without its knowing.
        driver.doubt(chat_id)
        raise
    if done.chat.lease == lease:
        driver.take(done)
    else:
        driver.withdraw(chat_id)
    return done


def _pace_of(commands: Sequence[Command]) -> Pace:
    """Rewriting a history reads all of it, an import brings all of one, and a pin all of a workspace."""
    is_long = any(
        isinstance(each, EditMessage | SwitchBranch | PinContext)
        or (isinstance(each, CreateChat | CommitStep) and len(each.messages) > QUICK_MESSAGES_MAX)
        for each in commands
    )
    if is_long:
        return Pace.USUAL
    return Pace.ONE_MESSAGE if len(commands) == 1 and _adds_one_message(commands[0]) else Pace.QUICK


def _adds_one_message(command: Command) -> bool:
    """Whether nothing else is written to a chat at rest, or held by the caller, than this message."""
    match command:
        case SendMessage(message=message, setup=None):
            return not files_in([message.content])
        case CommitStep(messages=(message,), plans=()):
            return message.key is None and not files_in([message.content])
        case _:
            return False


async def _perform(
    tx: Connection,
    locked: LockedChat,
    commands: Sequence[Command],
    then: Then | None = None,
    *,
    before: tuple[Outcome, ...] = (),
) -> Done:
    """`before` is what an earlier command of the transaction led to, and is not written yet."""
    since, was = locked.chat.versions.history, locked.chat.status
    rows = RowWriter(tx, before)
    locked = await _apply(tx, locked, commands, rows)
    if then is not None:
        following = then(locked)
        locked = await _apply(tx, locked, following, rows)
        commands = (*commands, *following)
    await rows.write()
    if locked.chat.archived:
        # Records are for chats in use: an archived one needs no explaining.
        await tx.run("delete_debug_runs", locked.chat.id)
    await save_chat(tx, locked.chat)
    return Done(locked, tuple(rows.written), tuple(commands), since, was)


async def _apply(
    tx: Connection, locked: LockedChat, commands: Sequence[Command], rows: RowWriter
) -> LockedChat:
    """One after the other, each on what the one before has left."""
    for command in commands:
        if not is_plain(locked, command):
            mentioned = mentioned_files(locked, command)
            if reads_more(command, mentioned):
                await rows.write()
            locked = await informed(tx, locked, command, mentioned)
        outcome = machine.decide(locked, command)
        if isinstance(command, SendMessage):
            await take_key(tx, command, outcome)
        elif isinstance(command, CommitStep):
            await take_keys_of_history(tx, command, outcome)
        rows.add(outcome)
        locked = outcome.after
    return locked


def _hint(store: Store, done: Done) -> None:
    # After the commit, never before: no viewer or worker must hear of a change that was rolled back.
    if store.recent is not None:
        store.recent.note(done.locked, done.outcomes)
    store.hints.publish(chat_changed(done.chat))
    if done.parent is not None:
        _hint(store, done.parent)
    chat = done.chat
    if chat.parent_id is not None and (done.was is not chat.status or chat.status is Status.REQUIRES_ACTION):
        store.hints.publish(ChildChanged(chat_id=chat.parent_id, owner_id=chat.owner_id))
    if fences.needs_worker(done.locked):
        store.hints.publish(WorkWaiting(chat_id=done.chat.id, snapshot=done.chat.versions.snapshot))
