"""How the ledger follows the history: a call opens with its message and closes with its answer.

Two rules live here and nowhere else. A result enters history only as the answer to an open
call. And neither the user nor the model speaks while history owes an answer: a provider
would reject the prompt.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import Call, CallState, Kind, Plan, is_open
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Message, Role
from chatd.domain.part import RunBy, ToolCall, ToolResult
from chatd.errors import BadInput, NotAllowed


class Ledger(Struct, frozen=True):
    """The open calls after a change, and the rows to insert and to update."""

    open: tuple[Call, ...]
    new: tuple[Call, ...]
    changed: tuple[Call, ...]


def ledger_after(locked: LockedChat, change: Change, appended: Sequence[Message]) -> Ledger:
    if not appended and not change.calls and change.cut_from is None and change.enter_branch is None:
        return Ledger(open=locked.calls, new=(), changed=())
    explicit = {_key(call): call for call in change.calls}
    current = {call.id: explicit.get(_key(call), call) for call in _surviving(locked, change)}
    changed = dict(explicit)
    new: list[Call] = []
    for message in appended:
        match message.role:
            case Role.TOOL | Role.ASSISTANT if message.compressed:
                pass  # A summary shows people a call that never ran.
            case Role.TOOL:
                for call in _answered(message, current):
                    del current[call.id]
                    changed[_key(call)] = call
            case Role.ASSISTANT:
                _refuse_if_owed(current)
                made = _calls_made(message, change.plans)
                new += made
                current = {call.id: call for call in made if is_open(call)}
            case Role.USER:
                _refuse_if_owed(current)
            case Role.SYSTEM:
                pass
    # A call may open and close in one change, when an interrupted reply is saved.
    fresh = {_key(call) for call in new}
    return Ledger(
        open=tuple(current.values()),
        new=tuple(changed.get(_key(call), call) for call in new),
        changed=tuple(call for key, call in changed.items() if key not in fresh),
    )


def owed_after(owed: frozenset[CallId], message: Draft) -> frozenset[CallId]:
    """The calls without a result once this message has followed, by their ids."""
    results = frozenset(part.tool_call_id for part in message.content if isinstance(part, ToolResult))
    if message.role is Role.TOOL:
        return owed - results
    made = frozenset(
        part.tool_call_id
        for part in message.content
        if isinstance(part, ToolCall) and not part.provider_executed
    )
    return owed | (made - results)


def _key(call: Call) -> tuple[int, str]:
    # Some providers number calls per reply, so an id is unique only within its message.
    return call.message_id, call.id


def _surviving(locked: LockedChat, change: Change) -> Iterable[Call]:
    if change.enter_branch is not None:
        return locked.past.target_calls
    if change.cut_from is not None:
        return [call for call in locked.calls if call.message_id < change.cut_from]
    return locked.calls


def _refuse_if_owed(current: dict[CallId, Call]) -> None:
    if current:
        raise NotAllowed(
            "calls_open",
            f"{len(current)} tool call(s) have no result yet, so nothing else can be said.",
            hint="Commit the results first, or interrupt the turn.",
        )


def _answered(message: Message, current: dict[CallId, Call]) -> list[Call]:
    answered: dict[CallId, Call] = {}
    for part in message.content:
        if not isinstance(part, ToolResult):
            continue
        call = current.get(part.tool_call_id)
        if call is None or call.id in answered:
            raise BadInput("unexpected_result", f"No open tool call has the id {part.tool_call_id!r}.")
        if call.state is CallState.FINISHED and call.result is not None and part.result != call.result.result:
            raise BadInput(
                "another_result", f"Tool call {call.id!r} came back with another result than this."
            )
        answered[call.id] = replace(call, state=CallState.ANSWERED, answered_at=message.created_at)
    return list(answered.values())


def _calls_made(message: Message, plans: Sequence[Plan]) -> list[Call]:
    planned = {plan.call_id: plan for plan in plans}
    answered_inside = {part.tool_call_id for part in message.content if isinstance(part, ToolResult)}
    calls: dict[CallId, Call] = {}
    for part in message.content:
        if not isinstance(part, ToolCall):
            continue
        if part.tool_call_id in calls:
            raise BadInput(
                "duplicate_call", f"Two tool calls of one message have the id {part.tool_call_id!r}."
            )
        plan = planned.get(part.tool_call_id, Plan(call_id=part.tool_call_id))
        kind = _kind(part, plan)
        calls[part.tool_call_id] = Call(
            message_id=message.id,
            id=part.tool_call_id,
            ordinal=len(calls),
            tool=part.tool_name,
            kind=kind,
            effect=plan.effect,
            state=_first_state(kind, plan, answered=part.tool_call_id in answered_inside),
            args=part.args,
            created_at=message.created_at,
            reason=plan.reason,
            request=plan.request,
        )
    return list(calls.values())


def _kind(part: ToolCall, plan: Plan) -> Kind:
    if part.provider_executed:
        return Kind.PROVIDER
    if part.kind is RunBy.CLIENT and not plan.ours:
        return Kind.CLIENT
    return Kind.PERSON if plan.asks_person else Kind.LOCAL


def _first_state(kind: Kind, plan: Plan, *, answered: bool) -> CallState:
    if answered:
        return CallState.ANSWERED
    return plan.state if kind is Kind.LOCAL else CallState.OPEN
