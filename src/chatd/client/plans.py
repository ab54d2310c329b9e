"""Plans that an agent has proposed, as the server tells of them."""

from msgspec import Struct


class ListedPlan(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`decision` is `accept`, `revise` or `decline`; None: none yet."""

    version: int
    tool_call_id: str
    message_id: int
    proposed_at: str
    decision: str | None = None
    decided_by: str | None = None
    decided_at: str | None = None


class PlanList(Struct, frozen=True, kw_only=True):
    plans: tuple[ListedPlan, ...]


class WholePlan(ListedPlan, frozen=True, kw_only=True, omit_defaults=True):
    """`diff` is to the version before."""

    text: str = ""
    diff: str = ""
