"""What the ledger is told of a call: before it begins, and as soon as it has come back."""

from collections.abc import Sequence

from chatd.agent.hold.hold import Hold
from chatd.domain.call import Call, Effect
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.finish_call import ALREADY_FINISHED, FinishCall
from chatd.domain.transitions.calls.start_calls import NOT_STARTABLE, StartCalls
from chatd.errors import NotAllowed, Stale
from chatd.kit.concurrency.tasks import to_the_end
from chatd.storage.transactions.transact import Then


async def start(hold: Hold, calls: Sequence[Call]) -> None:
    """Leave a trace before anything happens, of what begins now: after a crash the others can still run."""
    if (started := _starting(hold, calls)) is None:
        return
    try:
        await hold.commit(started)
    except NotAllowed as refusal:
        if refusal.code != NOT_STARTABLE or not await _have_we_started(hold, started):
            raise


async def _have_we_started(hold: Hold, started: StartCalls) -> bool:
    """Whether the commit took place and only its answer was lost. Then none of these calls has begun."""
    seen = await hold.look()
    if seen is None:
        return False
    hold.learn(seen)
    ours = {call.id for call in seen.calls if call.runner_id == hold.lease.runner_id}
    return ours.issuperset(started.call_ids)


def _starting(hold: Hold, calls: Sequence[Call]) -> StartCalls | None:
    """Reading leaves no trace: it may happen twice. The start of the others may be noted already."""
    noted = hold.unbegun
    effective = [call for call in calls if call.effect is not Effect.READ and call.id not in noted]
    if not effective:
        return None
    return StartCalls(message_id=effective[0].message_id, call_ids=tuple(call.id for call in effective))


async def keep(hold: Hold, finish: FinishCall | None, following: Call | None) -> None:
    """Keep a result, and in the same transaction note that the next call begins.

    `finish` is None if the result is kept already.
    """
    if finish is None:
        await start(hold, [following] if following is not None else [])
        return
    started = _starting(hold, [following]) if following is not None else None
    if started is None:
        await hold.keep(finish)
        return
    try:
        await to_the_end(commit_or_keep(hold, finish, started, unless=finish))
    except NotAllowed as refusal:
        # A commit whose answer was lost, and that was tried again: both were written then.
        if refusal.code != ALREADY_FINISHED:
            raise


async def commit_or_keep(
    hold: Hold,
    *commands: Command,
    unless: FinishCall,
    attempt: int | None = None,
    then: Then | None = None,
) -> None:
    """Commit what uses a result; if that is void, `unless` keeps at least the result."""
    try:
        await hold.commit(*commands, attempt=attempt, then=then)
    except Stale:
        # The user has just interrupted. The step is void, the result is not.
        await hold.keep(unless)
        raise
