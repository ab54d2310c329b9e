"""Reading what a decision needs, under the row lock, and no more than that."""

from collections.abc import Sequence

from msgspec.structs import replace

from chatd.domain.approvals.rule import ApprovalScope, KeptRule
from chatd.domain.call import awaits_action, files_of
from chatd.domain.chat import Chat, Lease
from chatd.domain.decision.locked import NO_FILES, Files, LockedChat, Past, wants_branch
from chatd.domain.ids import CallId, ChatId, FileId, Micros, UserId
from chatd.domain.limits import LEASE_STALE_MICROS
from chatd.domain.message import Draft
from chatd.domain.part import Content, files_in
from chatd.domain.setup import Setup
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.calls.submit_actions import Answer, Approval, SubmitActions
from chatd.domain.transitions.chat.change_access import ChangeAccess
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import SendMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.errors import NotFound
from chatd.kit.codec import encode_text, to_column
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.rows import call_of, chat_of, head_of, queued_of, setup_of
from chatd.storage.tables.files import linked_files
from chatd.storage.tables.rules import chat_rules

# They say nothing and change no setup: what follows from them follows from the row and the ledger.
_PLAIN = BeginAttempt | StartCalls


async def lock(
    tx: Connection, chat_id: ChatId, *, held_by: Lease | None = None, known: LockedChat | None = None
) -> LockedChat:
    """Take the chat's row. A chat at rest has no queue, no open call, no worker: then this is one query.

    `held_by` is the lease of the worker that asks. It is alive, so its heartbeat is not read. `known` is the
    chat as that worker has seen it last, which is not read again if nothing has changed.
    """
    if known is not None and known.chat.lease == held_by:
        unchanged = await _lock_unchanged(tx, known)
        if unchanged is not None:
            return unchanged
    row = await tx.one("lock_chat", chat_id)
    if row is None:
        raise NotFound("chat_not_found", f"There is no chat {chat_id}.")
    now, shut_out, *columns = row
    chat = chat_of(columns)
    beat_at: Micros | None = None
    if chat.lease is not None and chat.lease == held_by:
        beat_at = now
    elif chat.lease is not None:
        now, beat_at = await tx.one("beat_of", chat.lease.worker_id) or (now, None)
    return await _around(tx, chat, now, beat_at, owner_shut_out=bool(shut_out))


async def _lock_unchanged(tx: Connection, known: LockedChat) -> LockedChat | None:
    """Every transaction that changes a chat counts its snapshot on, so the same snapshot is the same chat."""
    chat = known.chat
    row = await tx.one("lock_known_chat", chat.id)
    if row is None or row[1] != chat.versions.snapshot:
        return None
    return LockedChat(
        chat=chat,
        now=row[0],
        queue=known.queue,
        calls=known.calls,
        lease_is_fresh=True,
        owner_shut_out=bool(row[2]),
    )


async def look(db: Database, chat_id: ChatId) -> LockedChat | None:
    """The same without taking anything, for a worker that wants to know where its chat is."""

    async def body(tx: Connection) -> LockedChat | None:
        row = await tx.one("look_at_chat", chat_id)
        if row is None:
            return None
        now, beat_at, shut_out, *columns = row
        return await _around(tx, chat_of(columns), now, beat_at, owner_shut_out=bool(shut_out))

    return await db.read(body, pace=Pace.QUICK)


async def _around(
    tx: Connection, chat: Chat, now: Micros, beat_at: Micros | None, *, owner_shut_out: bool
) -> LockedChat:
    return LockedChat(
        chat=chat,
        now=now,
        queue=tuple(queued_of(r) for r in await tx.all("read_queue", chat.id)) if chat.queued else (),
        calls=tuple(call_of(r) for r in await tx.all("open_calls", chat.id)) if chat.open_calls else (),
        lease_is_fresh=beat_at is not None and now - beat_at <= LEASE_STALE_MICROS,
        owner_shut_out=owner_shut_out,
    )


def is_plain(locked: LockedChat, command: Command) -> bool:
    """Whether nothing has to be known of the chat beside its row, its queue and its open calls."""
    return isinstance(command, _PLAIN) and not locked.queue and locked.files is NO_FILES


def reads_more(command: Command, mentioned: Sequence[FileId]) -> bool:
    """Whether `informed` reads what earlier commands of the same transaction may have written."""
    return bool(mentioned) or isinstance(command, EditMessage | SwitchBranch)


async def informed(
    tx: Connection, locked: LockedChat, command: Command, mentioned: Sequence[FileId]
) -> LockedChat:
    """The locked chat with what only a few commands need to know. `mentioned` are the files in question."""
    past = await _past(tx, locked, command)
    files = await _known_files(tx, locked.chat.id, _by(locked, command), mentioned)
    setup = await _setup(tx, locked, command)
    rules = await _rules(tx, locked, command)
    used_before = await _used_before(tx, locked, command)
    if _is_all_known(locked, past, files, setup, rules) and not used_before:
        return locked
    return replace(
        locked, past=past or Past(), files=files, setup=setup, rules=rules, used_before=used_before
    )


def _is_all_known(
    locked: LockedChat, past: Past | None, files: Files, setup: Setup | None, rules: object
) -> bool:
    return past is None and files is NO_FILES and setup is locked.setup and rules is locked.rules


def mentioned_files(locked: LockedChat, command: Command) -> tuple[FileId, ...]:
    """Any command may bring a queued message into history, or the result of a call, with their files."""
    of_calls = (files_of(call.result) for call in locked.calls)
    return files_in([*contents_of(command), *(row.content for row in locked.queue), *of_calls])


def _by(locked: LockedChat, command: Command) -> UserId:
    """Whose files can be attached, beside those that are attached already: who speaks, or else the owner."""
    match command:
        case SendMessage(message=Draft(created_by=str() as sender)):
            return sender
        case EditMessage(created_by=str() as editor):
            return editor
        case _:
            return locked.chat.owner_id


async def files_in_question(
    tx: Connection, chat_id: ChatId, owner_id: UserId, contents: Sequence[Content]
) -> Files:
    """What is known of the files that these contents mention."""
    return await _known_files(tx, chat_id, owner_id, files_in(contents))


async def _known_files(
    tx: Connection, chat_id: ChatId, user_id: UserId, mentioned: Sequence[FileId]
) -> Files:
    if not mentioned:
        return NO_FILES
    links = await linked_files(tx, chat_id)
    rows = await tx.all("known_files", encode_text(mentioned), user_id, chat_id)
    known = {row[0]: row[1] for row in rows}
    return replace(links, known=known)


async def _past(tx: Connection, locked: LockedChat, command: Command) -> Past | None:
    chat = locked.chat
    match command:
        case EditMessage():
            return Past(active=tuple(head_of(r) for r in await tx.all("active_heads", chat.id)))
        case SwitchBranch(branch=branch) if wants_branch(chat, branch):
            return Past(
                active=tuple(head_of(r) for r in await tx.all("active_heads", chat.id)),
                target=tuple(head_of(r) for r in await tx.all("branch_heads", chat.id, branch)),
                target_calls=tuple(call_of(r) for r in await tx.all("branch_open_calls", chat.id, branch)),
            )
        case _:
            return None


async def _setup(tx: Connection, locked: LockedChat, command: Command) -> Setup | None:
    """What the chat is set up with, if that may change. It can be long, so no other command reads it."""
    if locked.setup is not None or locked.chat.versions.setup == 0:
        return locked.setup
    changes = isinstance(command, SendMessage | SubmitActions | DescribeChat) and command.setup is not None
    # One that accepts a plan ends plan mode.
    if isinstance(command, SubmitActions):
        changes |= any(isinstance(each, Answer) for each in command.actions)
    changes |= isinstance(command, ChangeAccess) and command.detaches
    # Any command may bring a queued message into history.
    if not changes and all(row.setup is None for row in locked.queue):
        return None
    return setup_of(await tx.one("read_setup", locked.chat.id))


async def _rules(tx: Connection, locked: LockedChat, command: Command) -> tuple[KeptRule, ...] | None:
    """The chat's rules for approvals, if they may change."""
    if locked.rules is not None:
        return locked.rules
    answered = command.actions if isinstance(command, SubmitActions) else ()
    changes = any(isinstance(each, Approval) and each.scope is ApprovalScope.CHAT for each in answered)
    changes |= isinstance(command, ChangeAccess) and command.new_owner is not None
    if not changes and not isinstance(command, ChangeRules):
        return None
    return await chat_rules(tx, locked.chat.id)


async def _used_before(tx: Connection, locked: LockedChat, command: Command) -> frozenset[CallId]:
    """Decisions that do not name a message could mean an earlier call of the same id."""
    if not isinstance(command, SubmitActions):
        return frozenset()
    unnamed = {
        each.call_id
        for each in command.actions
        if isinstance(each, Approval | Answer) and each.message_id is None
    }
    return frozenset(
        [
            call.id
            for call in locked.calls
            if call.id in unnamed
            and awaits_action(call)
            and await tx.one("call_of_earlier_message", locked.chat.id, call.message_id, to_column(call.id))
        ]
    )


def contents_of(command: Command) -> list[Content]:
    """Everything that a command wants to be said, or attached."""
    drafts: tuple[Draft, ...]
    match command:
        case SendMessage(message=message):
            drafts = (message,)
        case CreateChat(messages=messages) | CommitStep(messages=messages):
            drafts = messages
        case FinishInterruption(partial=partial):
            drafts = partial
        case EditMessage(content=content, suffix=suffix):
            return [content, *(draft.content for draft in suffix)]
        case SubmitActions(suffix=suffix):
            drafts = suffix
        case FinishCall(result=result):
            return [files_of(result)]
        case _:
            return []
    return [draft.content for draft in drafts]
