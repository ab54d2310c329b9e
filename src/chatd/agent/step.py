"""The duty of a running chat: look, decide, do, commit, until the turn is over.

No rule lives here. `domain/next_step.py` decides, and everything that is done ends in a commit,
after which the newest state is known without another look.
"""

from datetime import datetime

import structlog
from prometheus_client import Counter

from chatd.agent.compact import compact
from chatd.agent.desk import Hold
from chatd.agent.generate import generate
from chatd.agent.retry import Again, Failings, GiveUp, after_failure, failure_of
from chatd.agent.run_tools import run_tools
from chatd.domain.chat import RetryState, Status
from chatd.domain.next_step import Compact, Generate, Limits, NextStep, RunTools, next_step, read_turn
from chatd.domain.transitions.fail_turn import FailTurn
from chatd.domain.transitions.finish_turn import FinishTurn
from chatd.domain.transitions.record_retry import RecordRetry
from chatd.domain.transitions.require_action import RequireAction
from chatd.errors import ProviderError
from chatd.kit.clock import rfc3339
from chatd.providers.failures import named
from chatd.providers.model import Model

log = structlog.get_logger()

RETRIES = Counter(
    "chatd_model_retries", "Calls of a model that failed and are made again.", ["provider", "kind"]
)


async def run_turn(hold: Hold) -> None:
    """Drive the chat until it is not running any more. Raises Stale when somebody else moved it."""
    await hold.prepare()
    await _wait_out_a_pending_retry(hold)
    failings = Failings()
    while hold.chat.status is Status.RUNNING and not hold.leaving:
        try:
            model = await hold.desk.models.find(hold.chat.last_model, hold.chat.owner_id)
        except ProviderError as error:
            await _give_up(hold, error)
            return
        await _step(hold, model, failings)


async def _step(hold: Hold, model: Model, failings: Failings) -> None:
    toolbox = hold.toolbox(model)
    limits = Limits(
        context_limit=model.context_limit,
        compact_at_percent=model.compression_threshold,
        exclusive_tools=toolbox.exclusive,
    )
    decision = next_step(read_turn(hold.chat, hold.locked.calls, limits))
    try:
        await _perform(hold, model, decision)
    except ProviderError as error:
        if isinstance(decision, Generate) and _is_too_long(hold, error):
            log.info("turn.too_long", chat_id=hold.chat_id, context_max=error.context_max)
            await _sum_up(hold, model, failings, room=_room(model, error))
        else:
            await _after_failure(hold, named(error, model.provider), failings)


def _is_too_long(hold: Hold, error: ProviderError) -> bool:
    """Our estimate was wrong, and a summary would help: there is something to sum up since the last one."""
    return error.fault == "context_too_large" and hold.chat.projection.replies_since_boundary > 0


def _room(model: Model, error: ProviderError) -> int:
    """How many tokens there is room for: the provider knows it better than whoever has set up the model."""
    return min((limit for limit in (model.context_limit, error.context_max) if limit), default=0)


async def _sum_up(hold: Hold, model: Model, failings: Failings, *, room: int) -> None:
    """Once: if the history is too long even for that, the turn ends."""
    try:
        async with hold.working():
            await compact(hold, model, requested=False, room=room)
    except ProviderError as error:
        await _after_failure(hold, named(error, model.provider), failings)


async def _perform(hold: Hold, model: Model, decision: NextStep) -> None:
    match decision:
        case Generate():
            async with hold.working():
                await generate(hold, model)
        case RunTools(calls=calls):
            async with hold.working():
                await run_tools(hold, calls, model)
        case Compact(requested=requested):
            async with hold.working():
                await compact(hold, model, requested=requested)
        case RequireAction() | FinishTurn() | FailTurn() as transition:
            await hold.commit(transition)


async def _after_failure(hold: Hold, error: ProviderError, failings: Failings) -> None:
    """Try again later, as the durable count allows, or end the turn with the reason."""
    versions = hold.chat.versions
    attempt = versions.attempt
    times = failings.count(versions.history, error.fault)
    match after_failure(error, attempt, hold.desk.chance, times=times):
        case GiveUp():
            await _give_up(hold, error)
        case Again(seconds=seconds):
            log.info("turn.retrying", chat_id=hold.chat_id, seconds=seconds, **_facts(hold, error))
            retrying_at = hold.desk.clock.now_micros() + int(seconds * 1_000_000)
            retry = RetryState(
                attempt=attempt,
                delay_ms=int(seconds * 1000),
                error=error.message,
                retrying_at=rfc3339(retrying_at),
                kind=error.kind,
                provider=error.provider,
                status_code=error.status_code,
            )
            await hold.commit(RecordRetry(retry=retry))
            RETRIES.labels(error.provider or "", error.kind).inc()
            await hold.pause(seconds)


async def _give_up(hold: Hold, error: ProviderError) -> None:
    """End the turn. What is stored is for people; the log has the cause, once and as it was."""
    log.warning("turn.failed", chat_id=hold.chat_id, **_facts(hold, error), exc_info=error)
    await hold.commit(FailTurn(failure=failure_of(error)))


def _facts(hold: Hold, error: ProviderError) -> dict[str, object]:
    return {
        "worker_id": hold.lease.worker_id,
        "attempt": hold.chat.versions.attempt,
        "kind": error.kind,
        "fault": error.fault,
        "provider": error.provider,
        "status": error.status_code,
        "retryable": error.retryable,
        "request_id": error.request_id,
    }


async def _wait_out_a_pending_retry(hold: Hold) -> None:
    """A pause that began under another runner is not begun anew, and not skipped either."""
    if (retry := hold.chat.retry_state) is None:
        return
    until = datetime.fromisoformat(retry.retrying_at).timestamp() * 1_000_000
    seconds = (until - hold.desk.clock.now_micros()) / 1_000_000
    if seconds > 0:
        await hold.pause(min(seconds, retry.delay_ms / 1000))
