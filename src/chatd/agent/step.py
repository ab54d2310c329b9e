"""The duty of a running chat: look, decide, do, commit, until the turn is over.

No rule lives here. `domain/next_step.py` decides, and everything that is done ends in a commit,
after which the newest state is known without another look.
"""

import asyncio
from datetime import datetime

import structlog

from chatd.agent.compact import compact
from chatd.agent.desk import Hold
from chatd.agent.generate import generate
from chatd.agent.retry import Again, GiveUp, after_failure, failure_of
from chatd.agent.run_tools import run_tools
from chatd.domain.chat import RetryState, Status
from chatd.domain.next_step import Compact, Generate, Limits, NextStep, RunTools, next_step, read_turn
from chatd.domain.transitions.fail_turn import FailTurn
from chatd.domain.transitions.finish_turn import FinishTurn
from chatd.domain.transitions.record_retry import RecordRetry
from chatd.domain.transitions.require_action import RequireAction
from chatd.errors import ProviderError
from chatd.kit.clock import rfc3339
from chatd.providers.model import Model

log = structlog.get_logger()

# Models and tools have limits of their own. A step that outlives all of them is stuck: it is begun
# anew, a few times, and then its turn is stopped.
STEP_SECONDS_MAX = 7200.0


async def run_turn(hold: Hold) -> None:
    """Drive the chat until it is not running any more. Raises Stale when somebody else moved it."""
    await hold.prepare()
    await _wait_out_a_pending_retry(hold)
    while hold.chat.status is Status.RUNNING and not hold.leaving:
        try:
            model = hold.desk.models.find(hold.chat.last_model)
        except ProviderError as error:
            await hold.commit(FailTurn(failure=failure_of(error)))
            return
        await _step(hold, model)


async def _step(hold: Hold, model: Model) -> None:
    toolbox = hold.toolbox(model)
    limits = Limits(context_limit=model.context_limit, exclusive_tools=toolbox.exclusive)
    decision = next_step(read_turn(hold.chat, hold.locked.calls, limits))
    try:
        await _perform(hold, model, decision)
    except ProviderError as error:
        await _after_failure(hold, error)


async def _perform(hold: Hold, model: Model, decision: NextStep) -> None:
    match decision:
        case Generate():
            async with hold.desk.slot(hold.chat.owner_id), asyncio.timeout(STEP_SECONDS_MAX):
                await generate(hold, model)
        case RunTools(calls=calls):
            async with hold.desk.slot(hold.chat.owner_id), asyncio.timeout(STEP_SECONDS_MAX):
                await run_tools(hold, calls, model)
        case Compact(requested=requested):
            async with hold.desk.slot(hold.chat.owner_id), asyncio.timeout(STEP_SECONDS_MAX):
                await compact(hold, model, requested=requested)
        case RequireAction() | FinishTurn() | FailTurn() as transition:
            await hold.commit(transition)


async def _after_failure(hold: Hold, error: ProviderError) -> None:
    """Try again later, as the durable count allows, or end the turn with the reason."""
    attempt = hold.chat.versions.attempt
    match after_failure(error, attempt, hold.desk.chance):
        case GiveUp(failure=failure):
            log.warning("turn.failed", chat_id=hold.chat_id, kind=error.kind, attempt=attempt)
            await hold.commit(FailTurn(failure=failure))
        case Again(seconds=seconds):
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
            await hold.desk.clock.sleep(seconds)


async def _wait_out_a_pending_retry(hold: Hold) -> None:
    """A pause that began under another runner is not begun anew, and not skipped either."""
    if (retry := hold.chat.retry_state) is None:
        return
    until = datetime.fromisoformat(retry.retrying_at).timestamp() * 1_000_000
    seconds = (until - hold.desk.clock.now_micros()) / 1_000_000
    if seconds > 0:
        await hold.desk.clock.sleep(min(seconds, retry.delay_ms / 1000))
