"""The chat: the row on which everything turns.

Three facts decide what may happen to a chat: its status, whether its queue holds
something, and whether it is archived. `Situation` is those three facts and nothing else.
"""

from enum import StrEnum

from msgspec import Struct

from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.decision.projection import Projection
from chatd.domain.decision.versions import Versions
from chatd.domain.ids import BranchId, ChatId, MessageId, Micros, RunnerId, UserId, WorkerId
from chatd.domain.message import Effort, Role
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import ENDINGS, NEEDS_ACTION, TitleBy, TurnLabel
from chatd.domain.turn_end import Failure as Failure  # noqa: PLC0414 - part of what a chat is
from chatd.domain.turn_end import Reason as Reason  # noqa: PLC0414 - as above
from chatd.domain.usage.totals import Totals
from chatd.domain.workspace.context import Pinned


class Status(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    INTERRUPTING = "interrupting"
    REQUIRES_ACTION = "requires_action"
    ERROR = "error"


# Something happens in these, and it needs a worker.
AT_WORK = frozenset({Status.RUNNING, Status.INTERRUPTING})


_IN_WORDS = {Status.REQUIRES_ACTION: "waiting for an answer", Status.ERROR: "stopped by an error"}


class Situation(Struct, frozen=True):
    """The three facts."""

    status: Status
    queued: bool = False
    archived: bool = False

    def __str__(self) -> str:
        return self._with(self.status.value.replace("_", " "))

    def in_words(self) -> str:
        """How the chat is, in a sentence for people."""
        return self._with(_IN_WORDS.get(self.status, self.status.value))

    def _with(self, status: str) -> str:
        words = [status]
        if self.queued:
            words.append("with messages queued")
        if self.archived:
            words.append("archived")
        return ", ".join(words)


class RetryState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An automatic retry that is pending, as viewers see it."""

    attempt: int
    delay_ms: int
    error: str
    retrying_at: str
    kind: str = "generic"
    provider: str | None = None
    status_code: int | None = None
    # How long providers were silent, in all attempts for this history. Not for viewers.
    unanswered_ms: int = 0


class Lease(Struct, frozen=True):
    """Who drives a chat: a worker process, and one acquisition by it."""

    worker_id: WorkerId
    runner_id: RunnerId


class Chat(Struct, frozen=True, kw_only=True):
    id: ChatId
    owner_id: UserId
    created_at: Micros
    updated_at: Micros

    # What the chat is doing. Only transitions write these.
    status: Status = Status.WAITING
    archived: bool = False
    last_error: Failure | None = None
    retry_state: RetryState | None = None
    deadline_at: Micros | None = None
    compaction_requested_at: Micros | None = None
    lease: Lease | None = None
    versions: Versions = Versions()
    projection: Projection = Projection()
    # Messages in the queue, and calls that history owes an answer: so that neither is read for nothing.
    queued: int = 0
    open_calls: int = 0
    branch: BranchId = FIRST_BRANCH
    branch_count: int = 1
    # The newest number given to a message or a queued message.
    last_number: int = 0
    last_model: str | None = None
    last_effort: Effort | None = None
    finish_reason: Reason | None = None
    totals: Totals = Totals()
    # What it is told of its workspace; None: nothing was pinned.
    context: Pinned | None = None

    # What the chat is about. Never decides what is legal.
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    # Whose end user the owner is, if they are one.
    service_id: UserId | None = None
    # How many chats work for it, or have.
    children: int = 0
    # Of a chat that works for another one.
    agent_type: AgentType | None = None
    title: str = ""
    title_by: TitleBy = TitleBy.FALLBACK
    labels: dict[str, str] = {}
    pin_order: int = 0
    # The newest message that its owner has read.
    read_id: MessageId = MessageId(0)
    # The owner's own name for it, of which they have one chat.
    key: str | None = None
    # In no list and in no search, and removed some time after its last turn.
    temporary: bool = False
    # The newest label of a turn; perhaps not of the last one.
    turn_label: TurnLabel | None = None
    summary: str | None = None

    @property
    def situation(self) -> Situation:
        return Situation(self.status, self.queued > 0, self.archived)

    @property
    def family(self) -> ChatId:
        """The root of its family: what somebody may do is the same for all of it."""
        return self.root_id or self.id

    @property
    def has_unread(self) -> bool:
        """Whether its agent has said something that its owner has not read."""
        return self.is_unread_after(self.read_id)

    def is_unread_after(self, read_id: MessageId) -> bool:
        """The same for one who has read up to this message. Children tell their parent."""
        known = self.projection
        by_agent = known.last_role in (Role.ASSISTANT, Role.TOOL)
        return self.parent_id is None and by_agent and known.last_id > read_id

    @property
    def pin_version(self) -> int:
        """Of what it is told of its workspace; 0: nothing was pinned."""
        return self.context.version if self.context is not None else 0

    @property
    def label(self) -> str | None:
        """What was written about the last turn, once it has ended well."""
        label = self.turn_label
        is_of_last_turn = label is not None and label.turn == self.projection.turn_start
        return label.text if label is not None and is_of_last_turn and self.status is Status.WAITING else None

    @property
    def last_turn_summary(self) -> str | None:
        """The same, or else how the last turn ended in words; None of one that failed or is under way."""
        if self.status is Status.REQUIRES_ACTION:
            return NEEDS_ACTION
        if self.label is not None or self.status is not Status.WAITING or self.finish_reason is None:
            return self.label
        return ENDINGS.get(self.finish_reason)
