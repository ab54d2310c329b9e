"""A chat with a long history comes into being in several transactions, so that others need not wait for it.

Until the last of them it is a temporary chat whose turn has failed: it is in no list and no worker takes it.
If this process dies, the chat is removed like any other temporary one.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from chatd.domain.decision.change import Details
from chatd.domain.decision.ledger import owed_after
from chatd.domain.ids import CallId, MessageId
from chatd.domain.message import Draft, Role
from chatd.domain.part import ToolCall
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed, AuditNote, chat_note
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.domain.turn_end import Failure
from chatd.storage.transactions.transact import Done, Store, create_chat, transact

# Rows of one transaction, messages and calls; a few more where calls wait for their results. With SQLite all
# other writers wait for it: some 10 ms on an idle machine.
ROWS_PER_TRANSACTION = 200

UNFINISHED = FailTurn(failure=Failure(message="This chat was not imported to its end.", kind="import"))
KEPT = DescribeChat(details=Details(temporary=False))
# Who imports a chat knows what was said in it.
READ = DescribeChat(details=Details(read_id=MessageId(2**53)))


async def import_family(
    store: Store, root: CreateChat, children: Sequence[CreateChat], *, by: AskedBy = THE_SERVER
) -> Done:
    """A chat, with chats that work for it; all of them or none, as they are removed with a temporary root."""
    note = chat_note(by, AuditDeed.CHAT_CREATED, root.id, {"imported": True, "owner_id": root.owner_id})
    if not children:
        return await import_chat(store, root, note=note)
    await import_chat(store, replace(root, temporary=True), keeps=False)
    for child in children:
        await import_chat(store, child)
    return await transact(store, root.id, KEPT, note=note)


async def import_chat(
    store: Store, command: CreateChat, *, keeps: bool = True, note: AuditNote | None = None
) -> Done:
    """The chat with all of these messages, at rest. `note` is written when it is there for its owner."""
    first, *others = pieces_of(command.messages)
    if not others:
        return await create_chat(store, command, FinishTurn(), READ, note=note)
    await create_chat(store, replace(command, messages=first, temporary=True), UNFINISHED)
    *others, last = (_of_owner(command, messages) for messages in others)
    for messages in others:
        step = CommitStep(messages=messages, plans=command.plans)
        await transact(store, command.id, RetryTurn(), step, UNFINISHED)
    step, kept = CommitStep(messages=last, plans=command.plans), (KEPT,) if keeps else ()
    return await transact(store, command.id, RetryTurn(), step, FinishTurn(), READ, *kept, note=note)


def pieces_of(
    messages: Sequence[Draft], *, rows_max: int = ROWS_PER_TRANSACTION
) -> Iterator[tuple[Draft, ...]]:
    """Cut only where no call waits for its result: the chat comes to rest there."""
    piece: list[Draft] = []
    rows, owed = 0, frozenset[CallId]()
    for message in messages:
        piece.append(message)
        rows += 1 + sum(isinstance(part, ToolCall) for part in message.content)
        owed = owed_after(owed, message)
        if rows >= rows_max and not owed:
            yield tuple(piece)
            piece, rows = [], 0
    if piece:
        yield tuple(piece)


def _of_owner(command: CreateChat, messages: Sequence[Draft]) -> tuple[Draft, ...]:
    """As `CreateChat` has it: what no one else said was said by the owner."""
    return tuple(
        replace(each, created_by=command.owner_id)
        if each.role is Role.USER and each.created_by is None
        else each
        for each in messages
    )
