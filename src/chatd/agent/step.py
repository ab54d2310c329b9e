"""The duty of a running chat: look, decide, do, commit, until the turn is over.

No rule lives here. `domain/next_step.py` decides, and everything that is done ends in a commit,
after which the newest state is known without another look.
"""

from datetime import datetime

import structlog

from chatd.agent import metrics
from chatd.agent.calls.run_tools import run_tools
from chatd.agent.compaction.compact import compact, compact_without_model
from chatd.agent.compaction.refusals import REFUSALS_MAX, TOO_LONG
from chatd.agent.compaction.room import refused_percent, too_large_to_begin
from chatd.agent.context.keep import keep_context
from chatd.agent.families.cost import over_budget
from chatd.agent.generation.generate import generate
from chatd.agent.generation.retry import Again, Failings, GiveUp, after_failure, failure_of
from chatd.agent.hold.follow_up import follow_up
from chatd.agent.hold.hold import Hold
from chatd.agent.hold.owner import OWNER_SUSPENDED
from chatd.domain.chat import RetryState, Status
from chatd.domain.next_step import Compact, Generate, Limits, NextStep, RunTools, next_step, read_turn
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.errors import ProviderError
from chatd.kit.clock import rfc3339
from chatd.providers.failures import named
from chatd.providers.model import Model

log = structlog.get_logger()


async def run_turn(hold: Hold) -> None:
    """Drive the chat until it is not running any more. Raises Stale when another caller moved it."""
    await _wait_out_a_pending_retry(hold)
    failings = _failings(hold)
    # A call whose start is noted is run before we leave: another runner could not know that it has not begun.
    while hold.chat.status is Status.RUNNING and (not hold.leaving or hold.unbegun):
        try:
            model = await hold.services.models.find(hold.chat.last_model, hold.chat.owner_id)
        except ProviderError as error:
            hold.counted_as = metrics.NO_MODEL
            await _give_up(hold, hold.chat.last_model, error)
            return
        hold.counted_as = metrics.who(model)
        await hold.prepare()
        await keep_context(hold)
        await _step(hold, model, failings)


async def _step(hold: Hold, model: Model, failings: Failings) -> None:
    limits = await _limits(hold, model)
    decision = next_step(read_turn(hold.chat, hold.locked.calls, limits))
    is_paid = isinstance(decision, Generate | Compact)
    if is_paid and (failure := await over_budget(hold)) is not None:
        log.info("turn.over_budget", chat_id=hold.chat_id)
        await hold.commit(FailTurn(failure=failure))
        return
    try:
        await _perform(hold, model, limits, decision)
    except ProviderError as error:
        if isinstance(decision, Generate) and error.fault == TOO_LONG:
            hopeless = await too_large_to_begin(hold, model, error)
            if hopeless is None and _may_be_shortened(hold, error, failings):
                # What it told is known now: the next look finds that the prompt is too long, and what to do.
                return
            error = hopeless or error
        if error.kind == OWNER_SUSPENDED:
            await _give_up(hold, model.name, error)
            return
        error = named(error, model.provider)
        match _after(hold, error, failings), decision:
            case GiveUp(failure=failure), Compact(requested=requested):
                async with hold.working():
                    await compact_without_model(hold, model, limits, why=failure.message, requested=requested)
            case GiveUp(), _:
                await _give_up(hold, model.name, error)
            case Again(seconds=seconds), _:
                await _try_later(hold, model, error, failings, seconds)


async def _limits(hold: Hold, model: Model) -> Limits:
    toolbox = await hold.toolbox(model)
    return Limits(
        context_limit=hold.memory.refusals.limit(model),
        summarizer_limit=await hold.services.summarizers.summarizer_limit(),
        compact_at_percent=await hold.services.compaction_threshold(model, hold.chat.owner_id),
        fixed_tokens=await hold.fixed_tokens(model),
        refused_percent=refused_percent(hold, model),
        exclusive_tools=toolbox.exclusive,
        client_seconds=hold.setup.client_deadline_seconds,
    )


def _may_be_shortened(hold: Hold, error: ProviderError, failings: Failings) -> bool:
    """A prompt was refused as too long: so often one history is sent again, with less of it each time."""
    return failings.count(hold.chat.versions.history, error) < REFUSALS_MAX


async def _perform(hold: Hold, model: Model, limits: Limits, decision: NextStep) -> None:
    match decision:
        case Generate():
            async with hold.working():
                await generate(hold, model, follow_up(hold, limits))
        case RunTools(calls=calls):
            async with hold.working():
                await run_tools(hold, calls, model, follow_up(hold, limits))
        case Compact(requested=requested):
            async with hold.working():
                await compact(hold, model, limits, requested=requested)
        case RequireAction() | FinishTurn() as transition:
            await hold.commit(transition)


def _after(hold: Hold, error: ProviderError, failings: Failings) -> Again | GiveUp:
    """What follows a failure, as the durable count of attempts allows."""
    versions = hold.chat.versions
    times = failings.count(versions.history, error)
    return after_failure(
        error,
        versions.attempt,
        hold.services.chance,
        times=times,
        unanswered_seconds=failings.unanswered_seconds,
    )


async def _try_later(
    hold: Hold, model: Model, error: ProviderError, failings: Failings, seconds: float
) -> None:
    log.info("turn.retrying", chat_id=hold.chat_id, seconds=seconds, **_facts(hold, model.name, error))
    retrying_at = hold.services.clock.now_micros() + int(seconds * 1_000_000)
    retry = RetryState(
        attempt=hold.chat.versions.attempt,
        delay_ms=int(seconds * 1000),
        error=error.message,
        retrying_at=rfc3339(retrying_at),
        kind=error.kind,
        provider=error.provider,
        status_code=error.status_code,
        unanswered_ms=int(failings.unanswered_seconds * 1000),
    )
    await hold.commit(RecordRetry(retry=retry))
    metrics.RETRIES.labels(*metrics.who(model), error.kind).inc()
    await hold.pause(seconds)


def _failings(hold: Hold) -> Failings:
    """With what a runner before us has noted in the retry that is pending."""
    retry = hold.chat.retry_state
    unanswered = retry.unanswered_ms / 1000 if retry is not None else 0.0
    return Failings(hold.chat.versions.history, unanswered)


async def _give_up(hold: Hold, model: str | None, error: ProviderError) -> None:
    """End the turn. What is stored is for people; the log has the cause, once and as it was.

    In one line: nothing is wrong with us, so that a traceback would say nothing.
    """
    log.warning("turn.failed", chat_id=hold.chat_id, **_facts(hold, model, error), cause=_cause(error))
    await hold.commit(FailTurn(failure=failure_of(error), unbegun=hold.unbegun))


def _facts(hold: Hold, model: str | None, error: ProviderError) -> dict[str, object]:
    return {
        "worker_id": hold.lease.worker_id,
        "attempt": hold.chat.versions.attempt,
        "kind": error.kind,
        "fault": error.fault,
        "provider": error.provider,
        "model": model,
        "status": error.status_code,
        "retryable": error.retryable,
        "request_id": error.request_id,
    }


def _cause(error: ProviderError) -> str | None:
    """What the provider or the network said, word for word but for keys.

    Of an exception behind it only the name: what it says may be a whole request, with its headers.
    """
    said: list[str] = [*getattr(error, "__notes__", ())] or [error.detail or ""]
    if error.__cause__ is not None:
        said.append(type(error.__cause__).__name__)
    return "; ".join(filter(None, said)) or None


async def _wait_out_a_pending_retry(hold: Hold) -> None:
    """A pause that began under another runner is not begun anew, and not skipped either."""
    if (retry := hold.chat.retry_state) is None:
        return
    until = datetime.fromisoformat(retry.retrying_at).timestamp() * 1_000_000
    seconds = (until - hold.services.clock.now_micros()) / 1_000_000
    if seconds > 0:
        await hold.pause(min(seconds, retry.delay_ms / 1000))
