"""The whole machine on one screen: what may happen to a chat, and where it may land.

Rule 1: every move is listed in MOVES. Rule 2: nothing in here does I/O. Rule 3: `decide` is
the one door: everything that is written to a chat was decided there.

A situation is three facts: status, queue, archived. LEGAL lists the combinations that make
sense; any other is a damaged row, which accepts nothing but a repair.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import Situation, Status
from chatd.domain.decision import versions
from chatd.domain.decision.apply import Outcome, apply
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import NO_FILES, Files, LockedChat
from chatd.domain.ids import Micros
from chatd.domain.limits import FILES_MAX, MEDIA_MAX
from chatd.domain.part import files_in, media_in
from chatd.domain.transitions import TRANSITIONS, Command
from chatd.domain.transitions.calls.expire_request import ExpireRequest
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.judge_calls import JudgeCalls
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.calls.submit_actions import SubmitActions
from chatd.domain.transitions.chat.add_child import AddChild
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.change_access import ChangeAccess
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.charge_text import ChargeText
from chatd.domain.transitions.chat.create_chat import CreateChat, blank
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.name_chat import NameChat
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.note_restore import NoteRestore
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue
from chatd.domain.transitions.messages.send_message import SendMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.ownership.repair import Repair
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_charges import RecordCharges
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.errors import BadInput, InvalidState, NotAllowed, TooManyFiles

WAITING, RUNNING, INTERRUPTING = Status.WAITING, Status.RUNNING, Status.INTERRUPTING
REQUIRES_ACTION, ERROR = Status.REQUIRES_ACTION, Status.ERROR

# What a queue may be before a move, and after it.
EMPTY, HELD, EITHER = frozenset({False}), frozenset({True}), frozenset({False, True})


class Move(Struct, frozen=True):
    """From a status and a queue to one of these statuses.

    `leaves` is the queue afterwards; None: as before.
    """

    status: Status
    queue: frozenset[bool]
    to: frozenset[Status]
    leaves: frozenset[bool] | None = None
    archived: bool = False
    to_archived: bool = False

    def landings(self, situation: Situation) -> Iterator[Situation]:
        queues = (situation.queued,) if self.leaves is None else self.leaves
        return (Situation(status, queued, self.to_archived) for status, queued in product(self.to, queues))

    def starts_in(self, situation: Situation) -> bool:
        return (
            self.status is situation.status
            and situation.queued in self.queue
            and self.archived is situation.archived
        )


def _to(*statuses: Status) -> frozenset[Status]:
    return frozenset(statuses)


LEGAL: frozenset[Situation] = frozenset(
    {Situation(status, queued) for status in set(Status) - {WAITING} for queued in (False, True)}
    | {Situation(WAITING), Situation(WAITING, archived=True)}
    | {Situation(ERROR, queued, archived=True) for queued in (False, True)}
)

_STAYS_RUNNING = (Move(RUNNING, EITHER, _to(RUNNING)),)

MOVES: Mapping[type[Command], tuple[Move, ...]] = {
    SendMessage: (
        Move(WAITING,         EMPTY,  _to(RUNNING)),
        Move(ERROR,           EITHER, _to(RUNNING)),
        Move(RUNNING,         EITHER, _to(RUNNING, INTERRUPTING),    leaves=HELD),
        Move(INTERRUPTING,    EITHER, _to(INTERRUPTING),             leaves=HELD),
        Move(REQUIRES_ACTION, EITHER, _to(REQUIRES_ACTION),          leaves=HELD),
        Move(REQUIRES_ACTION, EITHER, _to(RUNNING)),
    ),
    EditMessage: (
        Move(WAITING,         EMPTY,  _to(RUNNING)),
        Move(ERROR,           EMPTY,  _to(RUNNING)),
        Move(ERROR,           HELD,   _to(RUNNING), leaves=EITHER),
        Move(RUNNING,         EMPTY,  _to(RUNNING)),
        Move(RUNNING,         HELD,   _to(RUNNING), leaves=EITHER),
        Move(INTERRUPTING,    EMPTY,  _to(RUNNING)),
        Move(INTERRUPTING,    HELD,   _to(RUNNING), leaves=EITHER),
        Move(REQUIRES_ACTION, EMPTY,  _to(RUNNING)),
        Move(REQUIRES_ACTION, HELD,   _to(RUNNING), leaves=EITHER),
    ),
    SwitchBranch: (
        Move(WAITING,         EMPTY,  _to(WAITING)),
        Move(ERROR,           EMPTY,  _to(WAITING)),
    ),
    RequestCompaction: (
        Move(WAITING,         EMPTY,  _to(RUNNING)),
        Move(ERROR,           EITHER, _to(RUNNING)),
    ),
    RetryTurn: (
        Move(ERROR,           EITHER, _to(RUNNING)),
        Move(RUNNING,         EITHER, _to(RUNNING)),
    ),
    NoteRestore: (
        Move(WAITING,         EMPTY,  _to(WAITING)),
        Move(ERROR,           EITHER, _to(ERROR)),
    ),
    DeleteQueued: (
        Move(ERROR,           HELD,   _to(ERROR),           leaves=EITHER),
        Move(RUNNING,         HELD,   _to(RUNNING),         leaves=EITHER),
        Move(INTERRUPTING,    HELD,   _to(INTERRUPTING),    leaves=EITHER),
        Move(REQUIRES_ACTION, HELD,   _to(REQUIRES_ACTION), leaves=EITHER),
    ),
    PromoteQueued: (
        Move(ERROR,           HELD,   _to(RUNNING),      leaves=EITHER),
        Move(RUNNING,         HELD,   _to(INTERRUPTING), leaves=HELD),
        Move(INTERRUPTING,    HELD,   _to(INTERRUPTING), leaves=HELD),
        Move(REQUIRES_ACTION, HELD,   _to(RUNNING),      leaves=EITHER),
    ),
    ReorderQueue: (
        Move(ERROR,           HELD,   _to(ERROR)),
        Move(RUNNING,         HELD,   _to(RUNNING)),
        Move(INTERRUPTING,    HELD,   _to(INTERRUPTING)),
        Move(REQUIRES_ACTION, HELD,   _to(REQUIRES_ACTION)),
    ),
    Interrupt: (
        Move(RUNNING,         EITHER, _to(INTERRUPTING)),
        Move(REQUIRES_ACTION, EMPTY,  _to(WAITING)),
        Move(REQUIRES_ACTION, HELD,   _to(RUNNING), leaves=EITHER),
    ),
    SubmitActions: (
        Move(REQUIRES_ACTION, EITHER, _to(REQUIRES_ACTION)),
        Move(REQUIRES_ACTION, EMPTY,  _to(RUNNING)),
        Move(REQUIRES_ACTION, HELD,   _to(RUNNING), leaves=EITHER),
    ),
    ExpireRequest: (
        Move(REQUIRES_ACTION, EITHER, _to(REQUIRES_ACTION)),
        Move(REQUIRES_ACTION, EMPTY,  _to(RUNNING)),
        Move(REQUIRES_ACTION, HELD,   _to(RUNNING), leaves=EITHER),
    ),
    BeginAttempt: _STAYS_RUNNING,
    RecordRetry: _STAYS_RUNNING,
    JudgeCalls: _STAYS_RUNNING,
    StartCalls: _STAYS_RUNNING,
    FinishCall: (
        Move(RUNNING,         EITHER, _to(RUNNING)),
        Move(INTERRUPTING,    EITHER, _to(INTERRUPTING)),
        Move(REQUIRES_ACTION, EITHER, _to(REQUIRES_ACTION)),
        Move(ERROR,           EITHER, _to(ERROR)),
    ),
    CommitStep: (
        Move(RUNNING,         EMPTY,  _to(RUNNING)),
        Move(RUNNING,         HELD,   _to(RUNNING), leaves=EITHER),
    ),
    RequireAction: (
        Move(RUNNING,         EITHER, _to(REQUIRES_ACTION)),
    ),
    FinishTurn: (
        Move(RUNNING,         EMPTY,  _to(WAITING)),
        Move(RUNNING,         HELD,   _to(RUNNING), leaves=EITHER),
    ),
    LabelTurn: (
        Move(WAITING,         EMPTY,  _to(WAITING)),
    ),
    FailTurn: (
        Move(WAITING,         EMPTY,  _to(ERROR)),
        Move(RUNNING,         EITHER, _to(ERROR)),
    ),
    FinishInterruption: (
        Move(INTERRUPTING,    EMPTY,  _to(WAITING)),
        Move(INTERRUPTING,    HELD,   _to(RUNNING), leaves=EITHER),
    ),
    Archive: (
        Move(WAITING,         EMPTY,  _to(WAITING), to_archived=True),
        Move(ERROR,           EITHER, _to(ERROR),   to_archived=True),
    ),
    Unarchive: (
        Move(WAITING,         EMPTY,  _to(WAITING), archived=True),
        Move(ERROR,           EITHER, _to(ERROR),   archived=True),
    ),
}  # fmt: skip

# Who drives a chat, who may do what with it, what it is called, what it has cost, which rules it has and
# what it is told of its workspace are beside what it does: possible in every legal situation.
ANYWHERE: frozenset[type[Command]] = frozenset(
    {
        Acquire,
        Release,
        DescribeChat,
        ChangeRules,
        ChangeAccess,
        PinContext,
        NoteContext,
        RecordCharges,
        ChargeText,
        NameChat,
        SummarizeChat,
        AddChild,
    }
)


@cache
def landings(command: type[Command], situation: Situation) -> frozenset[Situation]:
    """Where this command may take a chat from here. Empty: it is not allowed."""
    if situation not in LEGAL:
        return frozenset({Situation(ERROR, situation.queued)}) if command is Repair else frozenset()
    if command in ANYWHERE:
        return frozenset({situation})
    moves = MOVES.get(command, ())
    return frozenset(
        there for move in moves if move.starts_in(situation) for there in move.landings(situation)
    )


def begin(locked: LockedChat) -> LockedChat:
    """Open a new snapshot: once per transaction, before the first command."""
    return replace(locked, chat=replace(locked.chat, versions=versions.begin(locked.chat.versions)))


def create(command: CreateChat, now: Micros, files: Files = NO_FILES) -> Outcome:
    """A chat comes into being. The only command that needs none."""
    locked = begin(replace(blank(command, now), files=files))
    return _perform(locked, command, frozenset({Situation(RUNNING)}))


def decide(locked: LockedChat, command: Command) -> Outcome:
    """The one door: what the chat is after the command. Raises Refused when the rules say no."""
    here = locked.chat.situation
    allowed = landings(type(command), here)
    if allowed:
        return _perform(locked, command, allowed)
    if here not in LEGAL:
        raise InvalidState(
            "invalid_state",
            "This chat's record is inconsistent.",
            hint="Nothing of it is lost. `chatd show` tells an operator what is wrong with it.",
        )
    deed = _words(type(command))
    raise NotAllowed(
        "not_allowed", f"Cannot {deed} now: the chat is {here.in_words()}.", hint=_hint(command, here)
    )


def _perform(locked: LockedChat, command: Command, allowed: frozenset[Situation]) -> Outcome:
    change = TRANSITIONS[type(command)](locked, command)
    _check_files(locked, change)
    outcome = apply(locked, change)
    there = outcome.after.chat.situation
    assert there in allowed, f"{type(command).__name__}: {locked.chat.situation} → {there} is not in MOVES"
    return outcome


def too_many_files() -> TooManyFiles:
    return TooManyFiles(
        "too_many_files", f"A chat can refer to {FILES_MAX} files; this would be more.", limit=FILES_MAX
    )


def too_many_media() -> TooManyFiles:
    return TooManyFiles(
        "too_many_media",
        f"The tools of a chat can show {MEDIA_MAX} pictures and documents; this would be more.",
        limit=MEDIA_MAX,
    )


def _check_files(locked: LockedChat, change: Change) -> None:
    """Every file that a chat mentions exists, is linked to it, and counts."""
    if not (change.append or change.enqueue):
        return
    files = locked.files
    contents = [draft.content for draft in change.append] + [waiting.content for waiting in change.enqueue]
    new = {file for file in files_in(contents) if file not in files.linked}
    for file in new:
        if file not in files.known:
            raise BadInput("file_unavailable", f"There is no file {file!r}.", field="content")
    attached = new - media_in(contents)
    if attached and files.link_count + len(attached) > FILES_MAX:
        raise too_many_files()
    if len(attached) < len(new) and files.media_count + len(new - attached) > MEDIA_MAX:
        raise too_many_media()


def _words(command: type[Command]) -> str:
    """SendMessage → send message."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", command.__name__).lower()


def _hint(command: Command, here: Situation) -> str | None:
    if here.archived:
        return "Take the chat out of the archive first."
    if isinstance(command, Archive) and here.status is not WAITING:
        return "Interrupt the agent first."
    return None
