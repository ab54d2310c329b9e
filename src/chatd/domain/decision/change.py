"""Change: what a transition asks for. `apply` works out what follows from it, storage writes it."""

from msgspec import Struct

from chatd.domain.approvals.rule import AddRule, RuleChange
from chatd.domain.call import Call, Plan
from chatd.domain.chat import Failure, Lease, Reason, RetryState, Status
from chatd.domain.decision.projection import Counted
from chatd.domain.ids import BranchId, MessageId, Micros, QueuedId, UserId
from chatd.domain.message import Draft, Effort
from chatd.domain.part import Content
from chatd.domain.profile.texts import TitleBy, TurnLabel
from chatd.domain.setup import SetupChange
from chatd.domain.turn_end import TurnEnd
from chatd.domain.usage.charge import Charge
from chatd.domain.workspace.context import Context


class Execution(Struct, frozen=True, kw_only=True):
    """The whole new execution state. What is not named is cleared.

    So an error, a deadline or a compaction request outlives a transition only when that
    transition says so.
    """

    status: Status
    archived: bool = False
    last_error: Failure | None = None
    deadline_at: Micros | None = None
    compaction_requested_at: Micros | None = None
    finish_reason: Reason | None = None


class Waiting(Struct, frozen=True, kw_only=True):
    """A message to put at the end of the queue."""

    content: Content
    created_by: UserId
    steered: bool = False
    model: str | None = None
    effort: Effort | None = None
    key: str | None = None
    setup: SetupChange | None = None


class Details(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a chat is about. None leaves a field as it is."""

    title: str | None = None
    title_by: TitleBy | None = None
    labels: dict[str, str] | None = None
    pin_order: int | None = None
    read_id: MessageId | None = None
    children: int | None = None
    temporary: bool | None = None
    turn_label: TurnLabel | None = None
    summary: str | None = None


class Owned(Struct, frozen=True):
    """The worker that drives the chat from now on; None for no worker."""

    lease: Lease | None


class NewOwner(Struct, frozen=True, kw_only=True):
    """Whose chat it is from now on, with what they have marked in it before."""

    id: UserId
    read_id: MessageId = MessageId(0)
    pin_order: int = 0


class Access(Struct, frozen=True):
    """Others may do something with the chat than before; perhaps it has another owner."""

    owner: NewOwner | None = None


class Pin(Struct, frozen=True):
    """What the chat is told of its workspace from now on; None for nothing."""

    context: Context | None


class Change(Struct, frozen=True, kw_only=True):
    # What the chat does from now on; None: as before.
    execution: Execution | None = None
    # How the turn ended that was under way; told by its last message.
    turn_end: TurnEnd | None = None
    # A turn that has failed goes on: its last message does not tell its end any more.
    resumes: bool = False
    owned: Owned | None = None
    access: Access | None = None
    details: Details | None = None
    # What the chat is set up with from now on; one after the other.
    setup: tuple[SetupChange, ...] = ()

    # What becomes of the chat's rules for approvals, and what is added to those of its owner.
    rules: tuple[RuleChange, ...] = ()
    user_rules: tuple[AddRule, ...] = ()

    pin: Pin | None = None
    # Whether the workspace tells something else now than what is pinned; None: it was not looked at.
    context_differs: bool | None = None

    # History, in this order: leave the suffix from here on, enter that branch, add these.
    cut_from: MessageId | None = None
    enter_branch: BranchId | None = None
    append: tuple[Draft, ...] = ()
    plans: tuple[Plan, ...] = ()
    fresh_epoch: bool = False

    # The queue.
    enqueue: tuple[Waiting, ...] = ()
    dequeue: tuple[QueuedId, ...] = ()
    # Rows that come first from now on, in this order; the others follow as before.
    first: tuple[QueuedId, ...] = ()

    # Ledger rows that change by themselves. Rows that follow from `append` are not listed here.
    calls: tuple[Call, ...] = ()

    # Calls that were paid for and did not become a message.
    charges: tuple[Charge, ...] = ()
    # Calls that were made beside the turns.
    text_charges: tuple[Charge, ...] = ()

    # Attempts.
    next_attempt: bool = False
    counted: Counted | None = None
    retry: RetryState | None = None
