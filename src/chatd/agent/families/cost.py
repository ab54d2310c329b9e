"""A chat that works for another one does not go on when its family has cost or used as much as it may."""

from chatd.agent.hold.hold import Hold
from chatd.domain.family import check_spent
from chatd.domain.turn_end import Failure
from chatd.errors import LimitReached
from chatd.storage.transactions.families import read_family

HINT = (
    "An administrator can raise the limit, CHATD_FAMILY_COST_CENTS_MAX or CHATD_FAMILY_TOKENS_MAX; then it "
    "can be tried again."
)


async def over_budget(hold: Hold) -> Failure | None:
    """Why this chat may make no call of a model now; None: it may.

    Looked at before each of its calls, so that agents that are at it pass the limit by one call each. The
    chat that they work for goes on: it has to tell the user.
    """
    limits, root_id = hold.services.family_limits, hold.chat.root_id
    if not limits.bound_spending or root_id is None:
        return None
    try:
        check_spent(await read_family(hold.services.store.db, root_id), limits)
    except LimitReached as refusal:
        return Failure(message=refusal.message, kind="usage_limit", detail=HINT)
    return None
