"""A batch of calls becomes results, each kept as soon as it exists, and all of them one step."""

import asyncio
from collections.abc import Sequence

from chatd.agent import metrics
from chatd.agent.desk import Hold
from chatd.agent.generate import begin_attempt
from chatd.domain.answers import MAY_HAVE_RUN, answer
from chatd.domain.call import Call, CallResult, CallState, Effect
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import ToolResult
from chatd.domain.transitions import Command
from chatd.domain.transitions.commit_step import CommitStep
from chatd.domain.transitions.finish_call import FinishCall
from chatd.domain.transitions.start_calls import StartCalls
from chatd.errors import Stale
from chatd.kit.tasks import to_the_end
from chatd.live.board import Episode
from chatd.live.episode import ToolResultPiece
from chatd.providers.model import Model
from chatd.storage.transact import Then
from chatd.tools.batch import arrange
from chatd.tools.call import Ran, failed, run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox

PARALLEL_MAX = 8
CRASHED = "The server stopped while this call was running."


async def run_tools(hold: Hold, calls: Sequence[Call], model: Model, then: Then) -> None:
    """Run what may run, keep each result at once, and commit them together in call order."""
    attempt, episode = await begin_attempt(hold)
    toolbox = hold.toolbox(model)
    batch = arrange(calls, exclusive=toolbox.exclusive, serial=toolbox.serial)
    bench = Bench(hold, toolbox, model, episode)
    try:
        results = {refusal.call.id: refusal.result for refusal in batch.refused}
        for refusal in batch.refused:
            bench.count(refusal.call, Ran(refusal.result))
        results |= {call.id: result for call in calls if (result := settled(call)) is not None}
        waiting = [call for call in (*batch.parallel, *batch.serial) if call.id not in results]
        await _start(hold, waiting)
        finish: FinishCall | None = None
        if len(waiting) == 1:
            # Nobody else is waited for, so its result is kept by the very commit that uses it.
            finish = await bench.run(waiting[0])
            results[finish.call_id] = finish.result
        else:
            for group in (batch.parallel, *((call,) for call in batch.serial)):
                results |= await bench.run_all([call for call in group if call.id not in results])
        drafts = tuple(_draft(hold, call, results[call.id], toolbox) for call in calls)
        _show_results(episode, drafts)
        await _commit(hold, drafts, finish, attempt, then)
    finally:
        episode.close()


async def _commit(
    hold: Hold, drafts: tuple[Draft, ...], finish: FinishCall | None, attempt: int, then: Then
) -> None:
    step = CommitStep(messages=drafts)
    if finish is None:
        await hold.commit(step, attempt=attempt, then=then)
        return
    # Both of it to the end: whoever says stop while the database is away must not lose the result.
    await to_the_end(_commit_or_keep(hold, finish, step, attempt=attempt, then=then))


async def _commit_or_keep(
    hold: Hold, finish: FinishCall, *commands: Command, attempt: int | None = None, then: Then | None = None
) -> None:
    try:
        await hold.commit(finish, *commands, attempt=attempt, then=then)
    except Stale:
        # Somebody said stop just now. The step is void, the result is not.
        await hold.keep(finish)
        raise


def _show_results(episode: Episode, drafts: Sequence[Draft]) -> None:
    for draft in drafts:
        for part in draft.content:
            assert isinstance(part, ToolResult)
            episode.add(Role.TOOL, part)


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


class Bench:
    """Where the calls of one batch are run."""

    def __init__(self, hold: Hold, toolbox: Toolbox, model: Model, episode: Episode) -> None:
        self._hold = hold
        self._toolbox = toolbox
        self._model = model
        self._episode = episode

    async def run(self, call: Call) -> FinishCall:
        """What the call came back with, not kept yet."""

        def show(text: str) -> None:
            self._hold.progress.sign()
            _show(self._episode, call, text)

        setting = Setting(chat_id=self._hold.chat_id, call_id=call.id, show=show)
        ran = await run_call(
            self._toolbox, call.tool, call.args, setting, context_limit=self._model.context_limit
        )
        self.count(call, ran)
        return FinishCall(message_id=call.message_id, call_id=call.id, result=ran.result)

    def count(self, call: Call, ran: Ran) -> None:
        known = call.tool if self._toolbox.find(call.tool) is not None else None
        metrics.count_result(self._model, known, ran.result, truncated=ran.truncated)

    async def run_all(self, calls: Sequence[Call]) -> dict[CallId, CallResult]:
        """Some at once. Each result is kept at once: no slow sibling and no crash makes it run again."""
        room = asyncio.Semaphore(PARALLEL_MAX)
        results: dict[CallId, CallResult] = {}

        async def run_and_keep(call: Call) -> None:
            async with room:
                finish = await self.run(call)
                await self._hold.keep(finish)
                results[call.id] = finish.result

        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(run_and_keep(call), name=f"call {call.id}")
        return results


def _show(episode: Episode, call: Call, text: str) -> None:
    piece = ToolResultPiece(tool_call_id=call.id, tool_name=call.tool, result_delta=text)
    episode.add(Role.TOOL, piece)


def _draft(hold: Hold, call: Call, result: CallResult, toolbox: Toolbox) -> Draft:
    draft = answer(hold.locked, call, result)
    if result.is_error or not toolbox.ends_turn(call.tool):
        return draft
    return Draft(role=draft.role, content=draft.content, model=draft.model, ends_turn=True)
