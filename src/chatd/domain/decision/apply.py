"""What a chat is after a change: pure, complete, and the only place that knows.

Here messages get their numbers, the ledger follows the history, the projection is carried
forward and the versions advance. A transition says *what*; this says everything that follows;
storage writes the result down.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from chatd.domain.approvals.rule import AddRule, KeptRule, rules_after
from chatd.domain.branch import Branch
from chatd.domain.call import Call, files_of
from chatd.domain.chat import AT_WORK, Chat
from chatd.domain.decision import projection as projections
from chatd.domain.decision import versions as version_rules
from chatd.domain.decision.change import Change, Details, Pin, Waiting
from chatd.domain.decision.ledger import ledger_after
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.versions import Touched
from chatd.domain.ids import BranchId, FileId, MessageId, QueuedId
from chatd.domain.message import Draft, Message, Queued, Role, Visibility, is_notice
from chatd.domain.part import files_in, media_in
from chatd.domain.setup import NO_SETUP, Setup, changed
from chatd.domain.turn_end import TurnEnd
from chatd.domain.usage import totals as sums
from chatd.domain.usage.charge import Charge
from chatd.domain.usage.size import file_tokens, tokens_of
from chatd.domain.workspace.context import Context, Pinned

T = TypeVar("T")


class Mark(Struct, frozen=True):
    message_id: MessageId
    turn_end: TurnEnd | None


class Outcome(Struct, frozen=True, kw_only=True):
    """The chat after a change, and the rows that make it so."""

    after: LockedChat
    appended: tuple[Message, ...] = ()
    cut_from: MessageId | None = None
    entered_branch: BranchId | None = None
    new_branch: Branch | None = None
    enqueued: tuple[Queued, ...] = ()
    dequeued: tuple[QueuedId, ...] = ()
    # Rows of the queue that have another place now.
    moved: tuple[Queued, ...] = ()
    new_calls: tuple[Call, ...] = ()
    changed_calls: tuple[Call, ...] = ()
    linked: tuple[FileId, ...] = ()
    # What tools have shown is linked as well, and counts by itself.
    linked_media: tuple[FileId, ...] = ()
    # A message of before that now tells how its turn ended, or does not tell it any more.
    marked: Mark | None = None
    charges: tuple[Charge, ...] = ()
    began_attempt: bool = False
    retitled: bool = False
    # A label or a summary was written.
    texts_written: bool = False
    relabelled: bool = False
    # The owner has read on, or wants it to be unread.
    read: bool = False
    # A chat works for it from now on.
    has_new_child: bool = False
    # Whether it is temporary has been said.
    kept_or_not: bool = False
    # Who may do something with it, or whose it is.
    access_changed: bool = False
    # If it changed: what the chat is set up with now.
    setup: Setup | None = None
    # If they changed: the chat's rules for approvals, now.
    rules: tuple[KeptRule, ...] | None = None
    # What the owner's rules are to begin with from now on.
    user_rules: tuple[AddRule, ...] = ()
    # If it changed: what the chat is told of its workspace now.
    pin: Pin | None = None

    @property
    def rewrites(self) -> bool:
        """Whether messages of before are no longer in the history, or are in it again."""
        return self.cut_from is not None or self.entered_branch is not None


def apply(locked: LockedChat, change: Change) -> Outcome:
    """The chat once this change has happened. The snapshot must have been opened before."""
    chat = locked.chat
    number = chat.last_number
    new_branch = _fork(locked, change)
    branch = new_branch.id if new_branch else change.enter_branch or chat.branch

    appended = tuple(
        [_numbered(draft, MessageId(number + k), branch, locked) for k, draft in enumerate(change.append, 1)]
    )
    appended, marked = _mark_turn_end(chat.projection, change, appended)
    number += len(appended)
    enqueued = tuple(
        [_queued(waiting, QueuedId(number + k), locked) for k, waiting in enumerate(change.enqueue, 1)]
    )
    number += len(enqueued)

    queue, moved = _queue_after(locked.queue, change, enqueued)
    ledger = ledger_after(locked, change, appended)
    setup = _setup_after(locked, change)
    rules = _rules_after(locked, change)

    touched = Touched(
        history=bool(appended) or marked is not None or change.cut_from is not None or change.fresh_epoch,
        queue=bool(enqueued or change.dequeue or moved),
        attempt=change.next_attempt,
        setup=setup is not None,
        access=change.access is not None,
    )
    versions, retry_state = version_rules.advance(
        chat.versions, touched, chat.retry_state, change.retry or chat.retry_state
    )
    totals, charges = sums.with_charges(sums.with_messages(chat.totals, appended), change.charges)
    text_charges = _named(change.text_charges, versions.snapshot)
    totals = sums.with_text_charges(totals, text_charges)
    after = _row_after(chat, change, locked)
    after = replace(
        after,
        versions=versions,
        retry_state=retry_state,
        projection=_projection_after(locked, change, marked, appended),
        queued=len(queue),
        open_calls=len(ledger.open),
        branch=branch,
        branch_count=chat.branch_count + (new_branch is not None),
        last_number=number,
        # The summarizer's model does not become the chat's model.
        last_model=_last(chat.last_model, [m.model for m in appended if not m.compressed]),
        last_effort=_last(chat.last_effort, [m.effort for m in appended]),
        totals=totals,
        context=_context_after(locked, change),
    )
    linked, linked_media = _links(locked, change, appended, enqueued)
    return Outcome(
        after=replace(
            locked,
            chat=after,
            queue=queue,
            calls=ledger.open,
            # A worker takes a chat only while it is alive.
            lease_is_fresh=locked.lease_is_fresh if change.owned is None else change.owned.lease is not None,
            setup=setup if setup is not None else locked.setup,
            rules=rules if rules is not None else locked.rules,
        ),
        appended=appended,
        cut_from=change.cut_from,
        entered_branch=change.enter_branch,
        new_branch=new_branch,
        enqueued=enqueued,
        dequeued=change.dequeue,
        moved=moved,
        new_calls=ledger.new,
        changed_calls=ledger.changed,
        linked=linked,
        linked_media=linked_media,
        marked=marked,
        charges=(*charges, *text_charges),
        began_attempt=change.next_attempt,
        retitled=change.details is not None and change.details.title is not None,
        texts_written=change.details is not None and _has_texts(change.details),
        relabelled=change.details is not None and change.details.labels is not None,
        read=change.details is not None and change.details.read_id is not None,
        has_new_child=change.details is not None and change.details.children is not None,
        kept_or_not=change.details is not None and change.details.temporary is not None,
        access_changed=change.access is not None,
        setup=setup,
        rules=rules,
        user_rules=change.user_rules,
        pin=change.pin,
    )


def with_marks(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes of one transaction, such that a message that is added and marked in it is written once."""
    settled: list[Outcome] = []
    for outcome in outcomes:
        mark = outcome.marked
        for k, earlier in enumerate(settled if mark is not None else ()):
            if mark is not None and any(each.id == mark.message_id for each in earlier.appended):
                settled[k] = replace(earlier, appended=_marked(earlier.appended, mark))
                mark = None
        settled.append(outcome if mark is outcome.marked else replace(outcome, marked=mark))
    return settled


def _marked(messages: tuple[Message, ...], mark: Mark) -> tuple[Message, ...]:
    return tuple(
        replace(each, turn_end=mark.turn_end) if each.id == mark.message_id else each for each in messages
    )


def _fork(locked: LockedChat, change: Change) -> Branch | None:
    """Leaving a suffix without entering another branch starts a new one."""
    if change.cut_from is None or change.enter_branch is not None:
        return None
    return Branch(
        id=BranchId(locked.chat.branch_count + 1),
        parent_id=locked.chat.branch,
        fork_id=change.cut_from,
        created_at=locked.now,
    )


def _numbered(draft: Draft, number: MessageId, branch: BranchId, locked: LockedChat) -> Message:
    fields = asdict(draft)
    versions = locked.chat.versions
    # A message that comes while no attempt is counted is a client's or a person's answer, or an import.
    by_agent = draft.role in (Role.ASSISTANT, Role.TOOL) and versions.attempt > 0
    return Message(
        **fields,
        history_version=versions.history if by_agent else None,
        generation_attempt=versions.attempt if by_agent else None,
        id=number,
        revision=versions.snapshot,
        branch=branch,
        created_at=locked.now,
        tokens=_tokens_of(draft, locked),
    )


def _tokens_of(draft: Draft, locked: LockedChat) -> int:
    """Models are shown the files of users only: a reply's own are not sent back."""
    files = file_tokens(draft.content, locked.files.known) if draft.role is Role.USER else 0
    return tokens_of(draft.content) + files


def _mark_turn_end(
    known: projections.Projection, change: Change, appended: tuple[Message, ...]
) -> tuple[tuple[Message, ...], Mark | None]:
    """The last message of a turn, among those that people see, tells how the turn ended.

    It may have been written before. A turn that added none leaves the end that is told there: it is that of
    the turn before.
    """
    cleared = Mark(known.last_id, None) if change.resumes and known.failed else None
    end = change.turn_end
    if end is None:
        return appended, cleared
    # After an edit the turn that was under way is part of what is left.
    for message in reversed(_of_ended_turn(appended) if change.cut_from is None else ()):
        if message.visibility is not Visibility.MODEL and not is_notice(message.role, message.visibility):
            ended = replace(message, turn_end=end)
            return tuple(ended if each is message else each for each in appended), cleared
    return appended, Mark(known.last_id, end) if known.last_id and not known.ended else None


def _of_ended_turn(appended: tuple[Message, ...]) -> tuple[Message, ...]:
    """Those before the user's message with which the next turn begins."""
    starts = (k for k, each in enumerate(appended) if each.role is Role.USER and not each.compressed)
    return appended[: next(starts, len(appended))]


def _queued(waiting: Waiting, number: QueuedId, locked: LockedChat) -> Queued:
    # The number is the first position too; rows that are put in another order swap positions.
    return Queued(
        id=number,
        content=waiting.content,
        created_by=waiting.created_by,
        created_at=locked.now,
        position=number,
        steered=waiting.steered,
        model=waiting.model,
        effort=waiting.effort,
        key=waiting.key,
        setup=waiting.setup,
    )


def _queue_after(
    queue: Sequence[Queued], change: Change, enqueued: Sequence[Queued]
) -> tuple[tuple[Queued, ...], tuple[Queued, ...]]:
    """The queue, and the rows in it that have moved."""
    if not queue:
        return tuple(enqueued), ()
    rows = _in_order(queue, change.first)
    left = set(change.dequeue)
    before = {row.id: row.position for row in queue}
    moved = tuple(row for row in rows if row.position != before[row.id] and row.id not in left)
    return tuple(row for row in (*rows, *enqueued) if row.id not in left), moved


def _in_order(queue: Sequence[Queued], first: Sequence[QueuedId]) -> Sequence[Queued]:
    if not first:
        return queue
    by_id = {row.id: row for row in queue}
    ids = (*first, *(row.id for row in queue if row.id not in first))
    return [replace(by_id[each], position=row.position) for each, row in zip(ids, queue, strict=True)]


def _links(
    locked: LockedChat, change: Change, appended: Sequence[Message], enqueued: Sequence[Queued]
) -> tuple[tuple[FileId, ...], tuple[FileId, ...]]:
    """The files that the chat refers to from now on, and apart from them what tools have shown.

    One that was not looked up is not there.
    """
    if not locked.files.known:
        return (), ()
    contents = [message.content for message in appended] + [row.content for row in enqueued]
    results = [call.result for call in change.calls if call.result is not None]
    new = [
        file
        for file in files_in([*contents, *map(files_of, results)])
        if file not in locked.files.linked and file in locked.files.known
    ]
    media = media_in(contents) | {result.media.file_id for result in results if result.media is not None}
    return tuple(f for f in new if f not in media), tuple(f for f in new if f in media)


def _setup_after(locked: LockedChat, change: Change) -> Setup | None:
    """None: as before. A caller may ask with every message for what is there already."""
    if not change.setup:
        return None
    was_read = locked.setup is not None or locked.chat.versions.setup == 0
    assert was_read, f"the setup of chat {locked.chat.id} is changed unread"
    before = after = locked.setup or NO_SETUP
    for each in change.setup:
        after = changed(after, each)
    return after if after != before else None


def _rules_after(locked: LockedChat, change: Change) -> tuple[KeptRule, ...] | None:
    """None: as before."""
    if not change.rules:
        return None
    assert locked.rules is not None, f"the rules of chat {locked.chat.id} are changed unread"
    after = rules_after(locked.rules, change.rules)
    return after if after != locked.rules else None


def _pinned(locked: LockedChat, context: Context | None) -> Pinned | None:
    if context is None:
        return None
    return Pinned(
        workspace=context.workspace,
        hash=context.hash,
        version=locked.chat.versions.snapshot,
        at=locked.now,
        truncated=context.truncated,
    )


def _context_after(locked: LockedChat, change: Change) -> Pinned | None:
    if change.pin is not None:
        return _pinned(locked, change.pin.context)
    before = locked.chat.context
    if before is None or change.context_differs is None:
        return before
    since = before.dirty_since or locked.now
    return replace(before, dirty_since=since if change.context_differs else None)


def _named(charges: Sequence[Charge], snapshot: int) -> tuple[Charge, ...]:
    """Each by the transaction that records it, as attempt 0: attempts on a history are counted from 1."""
    return tuple(
        replace(each, history=snapshot, attempt=0, number=number) for number, each in enumerate(charges)
    )


def _has_texts(details: Details) -> bool:
    return details.turn_label is not None or details.summary is not None


def _projection_after(
    locked: LockedChat, change: Change, marked: Mark | None, appended: Sequence[Message]
) -> projections.Projection:
    before = projection = locked.chat.projection
    if marked is not None:
        projection = projections.with_turn_end(projection, marked.turn_end)
    if change.enter_branch is not None:
        projection = projections.rewritten(before, locked.past.target)
    elif change.cut_from is not None:
        kept = [head for head in locked.past.active if head.id < change.cut_from]
        projection = projections.rewritten(before, kept)
    projection = projections.with_counted(projection, change.counted)
    for message in appended:
        projection = projections.advance(projection, message)
    return projection


def _row_after(chat: Chat, change: Change, locked: LockedChat) -> Chat:
    """The row's own fields: execution, ownership, details."""
    execution, details = change.execution, change.details
    after = chat
    if execution is not None:
        after = replace(
            after,
            status=execution.status,
            archived=execution.archived,
            last_error=execution.last_error,
            deadline_at=execution.deadline_at,
            compaction_requested_at=execution.compaction_requested_at,
            finish_reason=execution.finish_reason,
            # An archived chat is out of sight, so it cannot be pinned.
            pin_order=0 if execution.archived else after.pin_order,
            # A chat that rests or waits needs no worker: the commit that makes it so gives it back.
            lease=after.lease if execution.status in AT_WORK else None,
        )
    if execution is not None or change.append:
        after = replace(after, updated_at=locked.now)
    if change.owned is not None:
        after = replace(after, lease=change.owned.lease)
    if change.access is not None and (owner := change.access.owner) is not None:
        # The key was the name that the owner of before had for it.
        after = replace(after, owner_id=owner.id, read_id=owner.read_id, pin_order=owner.pin_order, key=None)
    if details is not None:
        after = replace(
            after,
            title=after.title if details.title is None else details.title,
            title_by=details.title_by or after.title_by,
            labels=after.labels if details.labels is None else details.labels,
            pin_order=after.pin_order if details.pin_order is None else details.pin_order,
            read_id=after.read_id if details.read_id is None else details.read_id,
            children=after.children if details.children is None else details.children,
            temporary=after.temporary if details.temporary is None else details.temporary,
            turn_label=details.turn_label or after.turn_label,
            summary=details.summary or after.summary,
        )
    return after


def _last(before: T | None, values: Iterable[T | None]) -> T | None:
    """The newest value that is there."""
    for value in values:
        before = value if value is not None else before
    return before
