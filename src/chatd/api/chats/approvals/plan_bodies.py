"""The shapes of plans that were proposed in a chat."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.approvals.asked_answers import PlanDecision
from chatd.live.shapes import Moment


class ListedPlan(Struct, frozen=True, kw_only=True):
    version: Annotated[int, Meta(description="Counted from 1, for each chat.")]
    tool_call_id: str
    message_id: Annotated[int, Meta(description="The message that proposed it.")]
    proposed_at: Moment
    decision: Annotated[
        PlanDecision | None, Meta(description="null: none yet, or the turn was stopped before.")
    ]
    decided_by: str | None
    decided_at: Moment | None


class PlanList(Struct, frozen=True, kw_only=True):
    plans: Annotated[tuple[ListedPlan, ...], Meta(description="The newest first, at most 100.")]


class WholePlan(ListedPlan, frozen=True, kw_only=True):
    text: Annotated[str, Meta(description="Markdown.")]
    diff: Annotated[str, Meta(description="To the version before; empty for the first one.")]
