"""The call ledger: one row per tool call, and the one answer to "which calls are open".

A row is written when the assistant message that makes the call is committed:

    open ──► started ──► finished ──► answered        a tool of ours
    needs_approval ──► open | answered                a tool of ours that a person must allow
    open ──► needs_approval | denied                  the rules changed before it began
    denied ──► answered                               a tool of ours that the rules forbid
    open ──► answered                                 a client's tool, or a question to a person

`started` is committed before a tool begins, `finished` as soon as its result exists,
`answered` when the tool message enters history. So after a crash we know for each call
whether its result is kept, whether it may run again, or whether its effect is unknown.
"""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from chatd.domain.approvals.rule import ApprovalRequest
from chatd.domain.ids import CallId, MessageId, Micros, RunnerId, UserId
from chatd.domain.part import CallDecision, Content, File, Json, Timestamp


class Kind(StrEnum):
    """Who runs the call."""

    LOCAL = "local"
    CLIENT = "client"
    PERSON = "person"
    PROVIDER = "provider"


class Effect(StrEnum):
    """What running the call twice would mean."""

    READ = "read"
    REPEATABLE = "repeatable"
    ONCE = "once"


class CallState(StrEnum):
    OPEN = "open"
    NEEDS_APPROVAL = "needs_approval"
    DENIED = "denied"
    STARTED = "started"
    FINISHED = "finished"
    ANSWERED = "answered"


class CallResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a call came back with."""

    result: Json
    is_error: bool = False
    is_media: bool = False
    # The picture or document that the tool has shown; linked to the chat as `files` are.
    media: File | None = None
    # When it was known, and how long the call took.
    created_at: Timestamp | None = None
    duration_ms: int | None = None
    # What the tool handed to the chat. They are linked to it together with the result.
    files: tuple[File, ...] = ()
    # Of a tool of an MCP server.
    mcp_server_config_id: str | None = None


class Call(Struct, frozen=True, kw_only=True):
    message_id: MessageId
    id: CallId
    ordinal: int
    tool: str
    kind: Kind
    effect: Effect
    state: CallState
    args: Json
    created_at: Micros
    result: CallResult | None = None
    decided_by: UserId | None = None
    decided_at: Timestamp | None = None
    reason: str | None = None
    runner_id: RunnerId | None = None
    started_at: Micros | None = None
    finished_at: Micros | None = None
    answered_at: Micros | None = None
    # What a person was shown when they were asked; None: no person was asked.
    request: ApprovalRequest | None = None


class Plan(Struct, frozen=True, kw_only=True):
    """How a new call is to be treated. Calls without a plan are ours and run at most once.

    Who runs a provider's or a client's call is not for a plan to say: the part itself does. But a client's
    call that cannot be run becomes ours, to be answered.
    """

    call_id: CallId
    effect: Effect = Effect.ONCE
    state: CallState = CallState.OPEN
    ours: bool = False
    asks_person: bool = False
    reason: str | None = None
    # Of a call that needs approval: what the person is shown.
    request: ApprovalRequest | None = None


def files_of(result: CallResult | None) -> Content:
    """What it refers to, as parts."""
    if result is None:
        return ()
    return (*result.files, result.media) if result.media is not None else result.files


def decision_of(call: Call) -> CallDecision | None:
    """What a person has said to a call of ours. One that they denied is answered at once, and never opens."""
    if call.decided_by is None or call.kind is not Kind.LOCAL:
        return None
    allowed = call.state is not CallState.NEEDS_APPROVAL
    return CallDecision(allowed=allowed, by=call.decided_by, at=call.decided_at)


def is_open(call: Call) -> bool:
    """A call that history still owes an answer. A provider answers its own calls, inside its reply."""
    return call.kind is not Kind.PROVIDER and call.state is not CallState.ANSWERED


def awaits_action(call: Call) -> bool:
    """An open call that only a client or a person can move on."""
    return awaits_client(call) or awaits_person(call)


def awaits_client(call: Call) -> bool:
    return call.kind is Kind.CLIENT and is_open(call)


def awaits_person(call: Call) -> bool:
    return call.state is CallState.NEEDS_APPROVAL or (call.kind is Kind.PERSON and is_open(call))


def is_ours(call: Call) -> bool:
    """An open call that a worker can move on by itself."""
    return is_open(call) and not awaits_action(call)


def find(calls: Iterable[Call], call_id: CallId, message_id: MessageId) -> Call | None:
    return next((call for call in calls if call.id == call_id and call.message_id == message_id), None)
