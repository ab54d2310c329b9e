"""An outcome becomes rows. Decides nothing: everything was worked out by `domain/decision/apply.py`."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from chatd.domain.call import Call
from chatd.domain.chat import Chat
from chatd.domain.decision.apply import Outcome, with_marks
from chatd.domain.decision.change import Pin
from chatd.domain.ids import CallId, MessageId
from chatd.domain.message import Message
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.messages.send_message import SendMessage
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.usage.size import bytes_of
from chatd.errors import KeyUsed
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection
from chatd.storage.rows import (
    call_values,
    charge_values,
    execution_values,
    message_values,
    new_call_values,
    new_chat_values,
    queued_values,
    resource_values,
    rule_values,
    turn_end_value,
    turn_label_value,
)
from chatd.storage.tables.rules import change_user_rules

# Of messages: those of a whole chat, written out all at once, would be in memory twice.
ROWS_AT_ONCE_MAX = 100
ROW_BYTES_AT_ONCE_MAX = 1024 * 1024


async def insert_chat(tx: Connection, command: CreateChat, chat: Chat) -> None:
    """Raises KeyUsed when the owner has a chat of this key."""
    if not await tx.all("insert_chat", *new_chat_values(chat, command.digest)):
        assert chat.key is not None, "only a key can be in the way of a new chat"
        raise KeyUsed(chat.key)
    await _insert_labels(tx, chat)


async def take_keys_of_history(tx: Connection, command: CreateChat | CommitStep, outcome: Outcome) -> None:
    """The keys of the messages that a chat begins with are used from now on.

    Steered messages follow those of the command. Their keys were taken when they were sent.
    """
    brought = outcome.appended[: len(command.messages)]
    keyed = [message for message in brought if message.key is not None]
    if not keyed:
        return
    digest = command.message_digest if isinstance(command, CreateChat) else ""
    chat_id, now = outcome.after.chat.id, outcome.after.now
    rows = [(chat_id, m.key, digest if m.id == brought[-1].id else "", m.id, now) for m in keyed]
    await tx.run_many("insert_message_key", rows)


async def take_key(tx: Connection, command: SendMessage, outcome: Outcome) -> None:
    """The key of a message is used from now on. Raises KeyUsed when it was used before."""
    key = command.message.key
    if key is None:
        return
    sent = outcome.enqueued[-1].id if outcome.enqueued else outcome.appended[-1].id
    after = outcome.after
    if not await tx.all("insert_message_key", after.chat.id, key, command.digest, sent, after.now):
        raise KeyUsed(key)


async def save_chat(tx: Connection, chat: Chat) -> None:
    """The row, once per transaction."""
    await tx.run("save_chat", chat.id, chat.updated_at, *execution_values(chat), chat.pin_order)


class RowWriter:
    """Writes what the commands of one transaction led to, as late as possible: a message that ends its turn a
    command later is then written once, together with how the turn ended, as is a call that begins at once.
    """

    def __init__(self, tx: Connection, unwritten: Sequence[Outcome]) -> None:
        self._tx = tx
        self._unwritten = list(unwritten)
        self.written: list[Outcome] = []

    def add(self, outcome: Outcome) -> None:
        self._unwritten.append(outcome)

    async def write(self) -> None:
        settled = _with_calls_once(with_marks(self._unwritten))
        self._unwritten.clear()
        for outcome in settled:
            await write_rows(self._tx, outcome)
        self.written += settled


def _with_calls_once(outcomes: list[Outcome]) -> list[Outcome]:
    """The same, with each call written once: where it is first mentioned, as the last command left it."""
    mentions = [outcome for outcome in outcomes if outcome.new_calls or outcome.changed_calls]
    if len(mentions) <= 1:
        return outcomes
    newest = {_key(call): call for each in outcomes for call in (*each.new_calls, *each.changed_calls)}
    settled: list[Outcome] = []
    for each in outcomes:
        new = tuple(newest.pop(_key(call)) for call in each.new_calls)
        changed = tuple(newest.pop(_key(call)) for call in each.changed_calls if _key(call) in newest)
        settled.append(replace(each, new_calls=new, changed_calls=changed))
    return settled


def _key(call: Call) -> tuple[MessageId, CallId]:
    return call.message_id, call.id


async def write_rows(tx: Connection, outcome: Outcome) -> None:
    """Everything that an outcome changed beside the chat's row, history first."""
    if outcome.appended or outcome.marked is not None or outcome.rewrites:
        await _write_history(tx, outcome)
    if outcome.enqueued or outcome.dequeued or outcome.moved:
        await _write_queue(tx, outcome)
    if outcome.new_calls or outcome.changed_calls:
        await _write_ledger(tx, outcome)
    if outcome.pin is not None:
        await _write_context(tx, outcome, outcome.pin)
    await _write_details(tx, outcome)
    if outcome.rules is not None or outcome.user_rules:
        await _write_rules(tx, outcome)
    if outcome.charges:
        now = outcome.after.now
        chat_id = outcome.after.chat.id
        await tx.run_many("insert_charge", [charge_values(chat_id, now, each) for each in outcome.charges])


async def _write_history(tx: Connection, outcome: Outcome) -> None:
    chat = outcome.after.chat
    snapshot = chat.versions.snapshot
    if (mark := outcome.marked) is not None:
        await tx.run("mark_turn_end", chat.id, mark.message_id, turn_end_value(mark.turn_end), snapshot)
    if outcome.cut_from is not None:
        await tx.run("leave_suffix", chat.id, outcome.cut_from, snapshot)
    if outcome.entered_branch is not None:
        await tx.run("enter_branch", chat.id, outcome.entered_branch, outcome.cut_from, snapshot)
    if (branch := outcome.new_branch) is not None:
        await tx.run("insert_branch", chat.id, branch.id, branch.parent_id, branch.fork_id, branch.created_at)
        # A user who edits a message wants the old text out of the records too.
        await tx.run("delete_debug_runs_from", chat.id, branch.fork_id)
    for some in _at_once(outcome.appended):
        await tx.run_many("insert_message", [message_values(chat.id, m) for m in some])


def _at_once(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    """In their order, and as many together as may be in memory as rows too."""
    start = size = 0
    for end, message in enumerate(messages):
        size += bytes_of(message)
        if end > start and (end - start == ROWS_AT_ONCE_MAX or size > ROW_BYTES_AT_ONCE_MAX):
            yield messages[start:end]
            start, size = end, bytes_of(message)
    if messages:
        yield messages[start:]


async def _write_queue(tx: Connection, outcome: Outcome) -> None:
    chat_id = outcome.after.chat.id
    if outcome.moved:
        await tx.run_many("move_queued", [(chat_id, row.id, row.position) for row in outcome.moved])
    if outcome.enqueued:
        await tx.run_many("insert_queued", [queued_values(chat_id, row) for row in outcome.enqueued])
    if outcome.dequeued:
        await tx.run_many("delete_queued", [(chat_id, row_id) for row_id in outcome.dequeued])


async def _write_ledger(tx: Connection, outcome: Outcome) -> None:
    chat_id = outcome.after.chat.id
    if outcome.new_calls:
        await tx.run_many("insert_call", [new_call_values(chat_id, call) for call in outcome.new_calls])
    if outcome.changed_calls:
        await tx.run_many("save_call", [call_values(chat_id, call) for call in outcome.changed_calls])


async def _write_rules(tx: Connection, outcome: Outcome) -> None:
    """With the answer that made them: a crash must lose neither."""
    chat = outcome.after.chat
    if outcome.rules is not None:
        await tx.run("delete_chat_rules", chat.id)
        rows = [(chat.id, *rule_values(n, kept)) for n, kept in enumerate(outcome.rules)]
        if rows:
            await tx.run_many("insert_chat_rule", rows)
    if outcome.user_rules:
        await change_user_rules(tx, chat.owner_id, outcome.user_rules)


async def _write_context(tx: Connection, outcome: Outcome, pin: Pin) -> None:
    chat_id, context = outcome.after.chat.id, pin.context
    await tx.run("delete_context", chat_id)
    if context is not None and context.resources:
        rows = [resource_values(chat_id, n, each) for n, each in enumerate(context.resources)]
        await tx.run_many("insert_context_resource", rows)


async def _write_details(tx: Connection, outcome: Outcome) -> None:
    chat = outcome.after.chat
    if outcome.linked or outcome.linked_media:
        attached = [(chat.id, file_id, False) for file_id in outcome.linked]
        shown = [(chat.id, file_id, True) for file_id in outcome.linked_media]
        await tx.run_many("link_file", [*attached, *shown])
    if outcome.setup is not None:
        await tx.run("save_setup", chat.id, encode_text(outcome.setup))
    if outcome.retitled:
        await tx.run("save_title", chat.id, chat.title, chat.title.casefold(), chat.title_by.value)
    if outcome.texts_written:
        await tx.run("save_texts", chat.id, turn_label_value(chat.turn_label), chat.summary)
    if outcome.read:
        await tx.run("save_read", chat.id, chat.read_id)
    if outcome.access_changed:
        await tx.run("save_access", chat.id, chat.versions.access, chat.owner_id, chat.key, chat.read_id)
    if outcome.has_new_child:
        await tx.run("save_children", chat.id, chat.children)
    if outcome.kept_or_not:
        await tx.run("save_temporary", chat.id, chat.temporary)
    if outcome.relabelled:
        await tx.run("save_labels", chat.id, encode_text(chat.labels))
        await tx.run("delete_labels", chat.id)
        await _insert_labels(tx, chat)


async def _insert_labels(tx: Connection, chat: Chat) -> None:
    if chat.labels:
        await tx.run_many("insert_label", [(chat.id, key, value) for key, value in chat.labels.items()])
