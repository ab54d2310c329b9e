"""A batch of calls becomes results, each kept as soon as it exists, and all of them one step."""

import asyncio
from collections.abc import Sequence

from chatd.agent.desk import Hold
from chatd.agent.generate import begin_attempt
from chatd.domain.answers import MAY_HAVE_RUN, answer
from chatd.domain.call import Call, CallResult, CallState, Effect
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import ToolResult
from chatd.domain.transitions.begin_attempt import BeginAttempt
from chatd.domain.transitions.commit_step import CommitStep
from chatd.domain.transitions.finish_call import FinishCall
from chatd.domain.transitions.start_calls import StartCalls
from chatd.live.board import Episode
from chatd.live.episode import ToolResultPiece
from chatd.providers.model import Model
from chatd.tools.batch import arrange
from chatd.tools.call import failed, run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox

PARALLEL_MAX = 8
CRASHED = "The server stopped while this call was running."


async def run_tools(hold: Hold, calls: Sequence[Call], model: Model) -> None:
    """Run what may run, keep each result at once, and commit them together in call order."""
    attempt, episode = await begin_attempt(hold)
    toolbox = hold.toolbox(model)
    batch = arrange(calls, exclusive=toolbox.exclusive, serial=toolbox.serial)
    try:
        results = {refusal.call.id: refusal.result for refusal in batch.refused}
        results |= {call.id: result for call in calls if (result := settled(call)) is not None}
        await _start(hold, [call for call in (*batch.parallel, *batch.serial) if call.id not in results])
        for group in (batch.parallel, *((call,) for call in batch.serial)):
            waiting = [call for call in group if call.id not in results]
            results |= await _run_group(hold, waiting, toolbox, model, episode)
        drafts = tuple(_draft(hold, call, results[call.id], toolbox) for call in calls)
        for draft in drafts:
            for part in draft.content:
                assert isinstance(part, ToolResult)
                episode.add(Role.TOOL, part)
        speaks_next = not any(draft.ends_turn for draft in drafts) and len(calls) == len(hold.locked.calls)
        await hold.commit(
            CommitStep(messages=drafts), *([BeginAttempt()] if speaks_next else []), attempt=attempt
        )
    finally:
        episode.close()


def settled(call: Call) -> CallResult | None:
    """A result that needs no run: one that was kept, a refusal, or one of which nobody knows the outcome."""
    match call:
        case Call(state=CallState.FINISHED, result=CallResult() as result):
            return result
        case Call(state=CallState.DENIED, reason=reason):
            return failed(reason or "This call is not allowed here.")
        case Call(state=CallState.STARTED, effect=Effect.ONCE):
            return failed(f"{CRASHED} {MAY_HAVE_RUN}")
        case _:
            return None


async def _start(hold: Hold, calls: Sequence[Call]) -> None:
    """Leave a trace before anything happens. Reading leaves none: it may happen twice."""
    effective = [call for call in calls if call.effect is not Effect.READ]
    if effective:
        ids = tuple(call.id for call in effective)
        await hold.commit(StartCalls(message_id=effective[0].message_id, call_ids=ids))


async def _run_group(
    hold: Hold, calls: Sequence[Call], toolbox: Toolbox, model: Model, episode: Episode
) -> dict[CallId, CallResult]:
    room = asyncio.Semaphore(PARALLEL_MAX)
    results: dict[CallId, CallResult] = {}

    async def run(call: Call) -> None:
        async with room:
            setting = Setting(
                chat_id=hold.chat_id, call_id=call.id, show=lambda text: _show(episode, call, text)
            )
            result = await run_call(toolbox, call.tool, call.args, setting, context_limit=model.context_limit)
            # Kept at once: neither a slow sibling nor a crash can make it run again.
            await hold.keep(FinishCall(message_id=call.message_id, call_id=call.id, result=result))
            results[call.id] = result

    async with asyncio.TaskGroup() as group:
        for call in calls:
            group.create_task(run(call), name=f"call {call.id}")
    return results


def _show(episode: Episode, call: Call, text: str) -> None:
    piece = ToolResultPiece(tool_call_id=call.id, tool_name=call.tool, result_delta=text)
    episode.add(Role.TOOL, piece)


def _draft(hold: Hold, call: Call, result: CallResult, toolbox: Toolbox) -> Draft:
    draft = answer(hold.locked, call, result)
    if result.is_error or not toolbox.ends_turn(call.tool):
        return draft
    return Draft(role=draft.role, content=draft.content, model=draft.model, ends_turn=True)
