"""Shapes of answers to what a chat waits for."""

from typing import Annotated, Any

from msgspec import Meta

from chatd.api.bodies.fields import ACTIONS_MAX, REASON_LENGTH_MAX, CallName, OfMessage
from chatd.api.bodies.inputs import SetsUp
from chatd.api.bodies.shared import RequestBody
from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import ApprovalScope


class ResultInput(RequestBody, frozen=True, kw_only=True):
    """What a client's tool came back with."""

    tool_call_id: CallName
    message_id: OfMessage = None
    output: Annotated[Any, Meta(description="Any JSON.")]
    is_error: bool = False


class ApprovalInput(RequestBody, frozen=True, kw_only=True):
    tool_call_id: CallName
    message_id: OfMessage = None
    decision: Decision
    scope: Annotated[
        ApprovalScope,
        Meta(
            description="For which calls it counts: this one, such calls of this chat, or such calls of all "
            "your chats. `waiting_for` lists the scopes of each call, with the rules that they would make."
        ),
    ] = ApprovalScope.ONCE
    reason: Annotated[
        Annotated[str, Meta(max_length=REASON_LENGTH_MAX)] | None, Meta(description="For the model.")
    ] = None


class AnswerInput(RequestBody, frozen=True, kw_only=True):
    """What a person says to a question."""

    tool_call_id: CallName
    message_id: OfMessage = None
    answer: Annotated[
        Any,
        Meta(
            description="To `questions`: a list of texts, one for each question in their order, each the "
            "label of an option or words of one's own; the text alone where there is one question; null "
            'leaves them unanswered. To a `plan`: {"decision": "accept"}, {"decision": "revise", "feedback": '
            '"…"} or {"decision": "decline"}. Otherwise any JSON.'
        ),
    ]


class SubmitActions(SetsUp, frozen=True, kw_only=True):
    """Any subset of what the chat waits for."""

    results: Annotated[tuple[ResultInput, ...], Meta(max_length=ACTIONS_MAX)] = ()
    approvals: Annotated[tuple[ApprovalInput, ...], Meta(max_length=ACTIONS_MAX)] = ()
    answers: Annotated[tuple[AnswerInput, ...], Meta(max_length=ACTIONS_MAX)] = ()
