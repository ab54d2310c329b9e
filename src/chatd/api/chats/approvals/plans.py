"""Plans that an agent has proposed: their versions, and what became of them."""

from typing import Any

from chatd.api import checks
from chatd.api.bodies import Nothing
from chatd.api.chats.approvals.plan_bodies import ListedPlan, PlanList, WholePlan
from chatd.api.chats.permitted import permitted
from chatd.api.router import Asked
from chatd.domain.approvals.asked_answers import PlanDecision
from chatd.domain.people.deeds import Deed
from chatd.errors import NotFound
from chatd.kit.clock import rfc3339
from chatd.storage.reads.plans import StoredPlan, read_plans


async def list_(asked: Asked[Nothing, Nothing]) -> PlanList:
    return PlanList(plans=tuple(ListedPlan(**_facts(each)) for each in await _seen(asked)))


async def show(asked: Asked[Nothing, Nothing]) -> WholePlan:
    version = checks.number(asked.path["version"], "version")
    for each in await _seen(asked):
        if each.plan.version == version:
            return WholePlan(**_facts(each), text=each.plan.text, diff=each.plan.diff)
    raise NotFound("plan_not_found", f"This chat has no plan of version {version}.", field="version")


async def _seen(asked: Asked[Nothing, Nothing]) -> tuple[StoredPlan, ...]:
    """Those of branches that were left only for who may see these."""
    seen = await permitted(asked)
    return await read_plans(asked.store.db, seen.chat.id, also_left=asked.may(Deed.CHAT_PAST, seen))


def _facts(stored: StoredPlan) -> dict[str, Any]:
    call = stored.call
    decision = next((each for each in PlanDecision if each == call.reason), None)
    return {
        "version": stored.plan.version,
        "tool_call_id": call.id,
        "message_id": call.message_id,
        "proposed_at": rfc3339(call.created_at),
        "decision": decision,
        "decided_by": call.decided_by,
        "decided_at": call.decided_at,
    }
