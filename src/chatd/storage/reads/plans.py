"""Reading the plans that were proposed in a chat. They are kept with their calls."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.call import Call
from chatd.domain.ids import ChatId
from chatd.storage.database import Database, Pace
from chatd.storage.rows import call_of

# How many versions are listed, the newest of them.
PLANS_MAX = 100


class StoredPlan(Struct, frozen=True, kw_only=True):
    plan: ProposedPlan
    call: Call


async def read_plans(
    db: Database, chat_id: ChatId, limit: int = PLANS_MAX, *, also_left: bool = True
) -> tuple[StoredPlan, ...]:
    """The newest first. `also_left`: also of branches that were left, and what was changed since those."""
    rows = await db.read(lambda tx: tx.all("plan_calls", chat_id, limit, also_left), pace=Pace.ONE_QUERY)
    calls = [call_of(row) for row in rows]
    found = tuple(
        StoredPlan(plan=call.request.asked, call=call)
        for call in calls
        if call.request is not None and isinstance(call.request.asked, ProposedPlan)
    )
    return found if also_left else _compared_among(found)


def _compared_among(plans: tuple[StoredPlan, ...]) -> tuple[StoredPlan, ...]:
    """Versions are counted for all branches: a diff would tell of one that is not among these."""
    versions = {each.plan.version for each in plans}
    return tuple(
        each if each.plan.version - 1 in versions else replace(each, plan=replace(each.plan, diff=""))
        for each in plans
    )


async def last_plan(db: Database, chat_id: ChatId) -> ProposedPlan | None:
    found = await read_plans(db, chat_id, limit=1)
    return found[0].plan if found else None
