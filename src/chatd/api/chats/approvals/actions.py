"""Actions: answers to whatever a chat waits for."""

from collections.abc import Iterator, Sequence
from functools import partial

from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.catalog.server_tools import server_tools_in
from chatd.api.chats.mcp_selection import with_mcp_servers
from chatd.api.chats.permitted import in_use, permitted_chat, transact_permitted
from chatd.api.chats.showing import show_submitted
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import Seen, not_permitted
from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import CallId, MessageId
from chatd.domain.people.deeds import Deed
from chatd.domain.transitions.calls.submit_actions import Action, Answer, Approval, Result, SubmitActions
from chatd.errors import BadInput
from chatd.kit.clock import rfc3339


async def submit(asked: Asked[Nothing, bodies.SubmitActions]) -> bodies.Submitted:
    actions = tuple(_actions(asked.body))
    if not actions:
        raise BadInput(
            "no_actions",
            "The request answers nothing.",
            hint="Name results, approvals or answers; the chat's `waiting_for` lists what it waits for.",
        )
    chat = in_use(await permitted_chat(asked))
    setup = checks.setup(asked.body, await server_tools_in(asked, asked.body, chat))
    setup = await with_mcp_servers(asked, setup, chat)
    now = rfc3339(asked.server.live.clock.now_micros())
    command = SubmitActions(actions=actions, decided_by=asked.user.id, decided_at=now, setup=setup)
    done, seen = await transact_permitted(asked, command, check=partial(_check_plans, asked, actions))
    return await show_submitted(asked, seen, done.locked, tuple(message.id for message in done.appended))


def _check_plans(
    asked: Asked[Nothing, bodies.SubmitActions], actions: Sequence[Action], locked: LockedChat, seen: Seen
) -> None:
    """To answer a question is to speak; to answer a plan is to approve what is done then."""
    if asked.may(Deed.CHAT_APPROVE, seen):
        return
    answered = {each.call_id for each in actions if isinstance(each, Answer)}
    for call in locked.calls:
        plan = call.request.asked if call.request is not None else None
        if call.id in answered and isinstance(plan, ProposedPlan):
            raise not_permitted(Deed.CHAT_APPROVE)


def _actions(body: bodies.SubmitActions) -> Iterator[Action]:
    for index, result in enumerate(body.results):
        output = checks.not_too_deep(result.output, f"results[{index}].output")
        yield Result(
            call_id=CallId(result.tool_call_id),
            message_id=_message(result),
            output=output,
            is_error=result.is_error,
        )
    for approval in body.approvals:
        yield Approval(
            call_id=CallId(approval.tool_call_id),
            message_id=_message(approval),
            decision=approval.decision,
            scope=approval.scope,
            reason=approval.reason,
        )
    for index, given in enumerate(body.answers):
        words = checks.not_too_deep(given.answer, f"answers[{index}].answer")
        yield Answer(call_id=CallId(given.tool_call_id), message_id=_message(given), answer=words)


def _message(given: bodies.ResultInput | bodies.ApprovalInput | bodies.AnswerInput) -> MessageId | None:
    return MessageId(given.message_id) if given.message_id is not None else None
