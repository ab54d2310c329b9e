"""What is kept of a turn: a run, its steps, and every round trip of each. The rules are pure.

All of it is JSON, in the database and for people. Rules for change: add optional fields; never change what
one means.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import Lease
from chatd.domain.ids import ChatId, MessageId, Micros, RunnerId
from chatd.domain.message import Usage
from chatd.domain.part import Json
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.usage.totals import added

# The newest ones of a step: those before them failed as well.
ATTEMPTS_MAX = 10
FIRST_MESSAGE_CHARACTERS_MAX = 200
# For each write of a recorder, and for finding out whether there is to be one.
BUDGET_SECONDS = 5.0


class RunKind(StrEnum):
    TURN = "turn"
    # A summary that the user asked for. One that a turn needs by the way is a step of that turn.
    COMPACTION = "compaction"
    # A title, a label or a summary of the chat, beside its turns.
    TEXT = "text"


class RecordStatus(StrEnum):
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    ERROR = "error"
    INTERRUPTED = "interrupted"


class Operation(StrEnum):
    """What a model was called for."""

    REPLY = "reply"
    SUMMARY = "summary"
    # A tool asked, in the middle of a step.
    TOOL = "tool"
    # The advisor was asked, in the middle of a step.
    ADVICE = "advice"
    # Beside the turns: a title of the chat, a label for its last turn, a summary for lists.
    TITLE = "title"
    LABEL = "label"
    CHAT_SUMMARY = "chat_summary"

    @property
    def is_within_step(self) -> bool:
        """Whether it became no message, and was made for one call of a tool."""
        return self in (Operation.TOOL, Operation.ADVICE)

    @property
    def sends_history(self) -> bool:
        """Whether the model is sent the messages of the chat, and not a question of a tool or about them."""
        return self in (Operation.REPLY, Operation.SUMMARY)

    @property
    def is_beside_turns(self) -> bool:
        return self in (Operation.TITLE, Operation.LABEL, Operation.CHAT_SUMMARY)


class SentRequest(Struct, frozen=True, kw_only=True):
    method: str
    url: str
    headers: dict[str, str] = {}
    body: Json = None


class ReceivedResponse(Struct, frozen=True, kw_only=True):
    status: int
    headers: dict[str, str] = {}
    body: Json = None


class Attempt(Struct, frozen=True, kw_only=True):
    """One round trip over HTTP. Without a response, there was none."""

    started_at: str
    duration_ms: int
    request: SentRequest
    response: ReceivedResponse | None = None
    error: str | None = None


class StepError(Struct, frozen=True, kw_only=True):
    """Why a call came to nothing, as people were told."""

    message: str
    kind: str | None = None
    detail: str | None = None
    status_code: int | None = None
    request_id: str | None = None


class Step(Struct, frozen=True, kw_only=True):
    """One model call, however often it had to be tried."""

    number: int
    operation: Operation
    status: RecordStatus
    model: str
    provider: str
    # The state of the history that was sent; tries of the same call share it.
    history_version: int
    started_at: str
    finished_at: str | None = None
    request: Json = None
    response: Json = None
    usage: Usage | None = None
    error: StepError | None = None
    # The message that its reply became.
    assistant_message_id: MessageId | None = None
    attempts: tuple[Attempt, ...] = ()


class RunSummary(Struct, frozen=True, kw_only=True):
    """What a list tells of a run."""

    first_message: str = ""
    step_count: int = 0
    # Something failed, even if it was tried again and came right.
    has_error: bool = False
    # Where the first request went, without a query.
    endpoint: str = ""
    usage: Usage = Usage()


class Run(Struct, frozen=True, kw_only=True):
    id: str
    chat_id: ChatId
    runner_id: RunnerId
    kind: RunKind
    status: RecordStatus
    provider: str
    model: str
    # The message of the user that the turn answers, and the newest one that a model was sent in it.
    trigger_message_id: MessageId
    tip_message_id: MessageId
    summary: RunSummary
    started_at: Micros
    updated_at: Micros
    finished_at: Micros | None = None


# The strongest first. A turn that failed did so whatever else happened to it; a call that succeeded did so,
# whatever failed before or is heard of later.
_OF_RUNS = (RecordStatus.ERROR, RecordStatus.INTERRUPTED, RecordStatus.COMPLETED, RecordStatus.IN_PROGRESS)
_OF_STEPS = (RecordStatus.COMPLETED, RecordStatus.ERROR, RecordStatus.INTERRUPTED, RecordStatus.IN_PROGRESS)

_ENDS: Mapping[type, RecordStatus] = {
    FinishTurn: RecordStatus.COMPLETED,
    # The runner that goes on with the answer of the client or a person begins a run of its own.
    RequireAction: RecordStatus.COMPLETED,
    FailTurn: RecordStatus.ERROR,
    FinishInterruption: RecordStatus.INTERRUPTED,
    Release: RecordStatus.INTERRUPTED,
}


def ended_by(commands: Sequence[Command]) -> RecordStatus | None:
    """How a run ended when these were committed; None: it goes on."""
    ends = [_ENDS[type(command)] for command in commands if type(command) in _ENDS]
    return min(ends, key=_OF_RUNS.index, default=None)


def merged(known: Step, again: Step) -> Step:
    """The step after another try at it. A success clears the error of a failure before it."""
    both = (known.attempts + again.attempts)[-ATTEMPTS_MAX:]
    kept = min(known, again, key=lambda step: _OF_STEPS.index(step.status))
    # Of two that ended alike, the later one.
    kept = again if known.status is again.status else kept
    return replace(kept, number=known.number, started_at=known.started_at, attempts=both)


def with_step(known: RunSummary, step: Step, *, first_message: str) -> RunSummary:
    """The summary once this try at a step is over."""
    return replace(
        known,
        first_message=known.first_message or first_message,
        step_count=max(known.step_count, step.number),
        has_error=known.has_error or step.status is RecordStatus.ERROR,
        endpoint=known.endpoint or _endpoint(step.attempts),
        usage=added(known.usage, step.usage),
    )


def shown(run: Run, lease: Lease | None, quiet_seconds: float) -> Run:
    """As people should see it: a run that no worker drives any more was interrupted, whatever its row says.

    A chat is given back in the commit that ends its turn, and the end of the run is written after it. So
    for as long as that may take since the chat last changed, a run without a driver is about to be closed.
    """
    is_driven = lease is not None and lease.runner_id == run.runner_id
    is_being_closed = lease is None and quiet_seconds <= BUDGET_SECONDS
    if run.finished_at is not None or is_driven or is_being_closed:
        return run
    return replace(run, status=RecordStatus.INTERRUPTED)


def shown_step(run: Run, step: Step) -> Step:
    """The same for its steps."""
    if step.status is RecordStatus.IN_PROGRESS and run.status is not RecordStatus.IN_PROGRESS:
        return replace(step, status=RecordStatus.INTERRUPTED)
    return step


def _endpoint(attempts: Sequence[Attempt]) -> str:
    return attempts[0].request.url.partition("?")[0] if attempts else ""
