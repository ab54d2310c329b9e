"""A batch of calls becomes results, each kept as soon as it exists, and all of them one step."""

import asyncio
from collections import deque
from collections.abc import Sequence

import structlog
from msgspec import Struct
from msgspec.structs import replace

from chatd.agent import metrics
from chatd.agent.generate import begin_attempt
from chatd.agent.hold import Hold
from chatd.agent.judging import denial, judge_again
from chatd.agent.nested_call import NestedCalls
from chatd.agent.new_files import with_files
from chatd.domain.answers import MAY_HAVE_RUN, answer
from chatd.domain.call import Call, CallResult, CallState, Effect, find
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import File, ToolResult
from chatd.domain.transitions import Command
from chatd.domain.transitions.commit_step import CommitStep
from chatd.domain.transitions.finish_call import ALREADY_FINISHED, FinishCall
from chatd.domain.transitions.judge_calls import JudgeCalls
from chatd.domain.transitions.start_calls import NOT_STARTABLE, StartCalls
from chatd.errors import NotAllowed, Stale
from chatd.kit.clock import milliseconds
from chatd.kit.tasks import to_the_end
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import ToolResultPiece
from chatd.providers.model import Model
from chatd.storage.transact import Then
from chatd.tools.batch import Batch, arrange
from chatd.tools.call import Ran, failed, run_call
from chatd.tools.tool import NO_WORKSPACE, Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.checkpoints import CheckpointError
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable

PARALLEL_MAX = 8
CRASHED = "The server stopped while this call was running."

log = structlog.get_logger()


async def run_tools(hold: Hold, calls: Sequence[Call], model: Model, then: Then) -> None:
    """Run what may run, keep each result at once, and commit them together in call order."""
    toolbox = await hold.toolbox(model)
    toolbox.follow(hold.memory.prompt())
    batch = arrange(calls, exclusive=toolbox.exclusive, serial=toolbox.serial)
    if plans := await judge_again(hold, toolbox, [*batch.parallel, *batch.serial]):
        await hold.commit(JudgeCalls(message_id=calls[0].message_id, plans=plans), then=then)
        return
    attempt, episode = await begin_attempt(hold)
    where = await _where(hold)
    bench = Bench(hold, toolbox, model, episode, where)
    try:
        bench.settle(calls, batch)
        parallel = [call for call in batch.parallel if call.id not in bench.answers]
        serial = [call for call in batch.serial if call.id not in bench.answers]
        await _keep_files(hold, where.workspace, [*parallel, *serial])
        finish: FinishCall | None = None
        if len(waiting := [*parallel, *serial]) == 1:
            # No other call is waited for, so its result is kept by the very commit that uses it.
            await _start(hold, waiting)
            finish = await bench.run(waiting[0])
        else:
            await bench.run_all(parallel, at_once=PARALLEL_MAX)
            await bench.run_all(serial, at_once=1)
        drafts = tuple(bench.answers[call.id] for call in calls)
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
    # Both to the end: an interrupt while the database is away must not lose the result.
    await to_the_end(_commit_or_keep(hold, finish, step, attempt=attempt, then=then))


async def _commit_or_keep(
    hold: Hold, finish: FinishCall, *commands: Command, attempt: int | None = None, then: Then | None = None
) -> None:
    try:
        await hold.commit(finish, *commands, attempt=attempt, then=then)
    except Stale:
        # The user has just interrupted. The step is void, the result is not.
        await hold.keep(finish)
        raise


def settled(call: Call) -> CallResult | None:
    """A result that needs no run: one that was kept, a refusal, or one whose outcome is unknown."""
    match call:
        case Call(state=CallState.FINISHED, result=CallResult() as result):
            return result
        case Call(state=CallState.DENIED, reason=reason):
            return failed(reason or "This call is not allowed here.")
        case Call(state=CallState.STARTED, effect=Effect.ONCE):
            return failed(f"{CRASHED} {MAY_HAVE_RUN}")
        case _:
            return None


class _Where(Struct, frozen=True):
    """`why_not` is what to tell a model that needs the workspace, if there is none."""

    workspace: Workspace | None
    why_not: str = NO_WORKSPACE


async def _where(hold: Hold) -> _Where:
    try:
        return _Where(await hold.workspace())
    except WorkspaceUnusable as unusable:
        log.warning("workspace.unusable", chat_id=hold.chat_id, why=str(unusable))
        return _Where(None, str(unusable))


async def _keep_files(hold: Hold, workspace: Workspace | None, calls: Sequence[Call]) -> None:
    """Before the first change of a step: the files of the workspace can be brought back. Best effort."""
    points = workspace.checkpoints if workspace is not None else None
    changing = next((call for call in calls if call.effect is not Effect.READ), None)
    if points is None or changing is None:
        return
    try:
        await points.take(hold.chat_id, changing.message_id)
    except CheckpointError as error:
        log.warning("checkpoint.failed", chat_id=hold.chat_id, error=str(error))
    hold.progress.sign()


async def _start(hold: Hold, calls: Sequence[Call]) -> None:
    """Leave a trace before anything happens, of what begins now: after a crash the others can still run."""
    if (started := _starting(calls)) is None:
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


def _starting(calls: Sequence[Call]) -> StartCalls | None:
    """Reading leaves no trace: it may happen twice."""
    effective = [call for call in calls if call.effect is not Effect.READ]
    if not effective:
        return None
    return StartCalls(message_id=effective[0].message_id, call_ids=tuple(call.id for call in effective))


class Bench:
    """Where the calls of one batch are run. `answers` has the message of each call whose result is known."""

    def __init__(self, hold: Hold, toolbox: Toolbox, model: Model, episode: Episode, where: _Where) -> None:
        self._hold = hold
        self._toolbox = toolbox
        self._model = model
        self._episode = episode
        self._where = where
        self._rests = hold.rests()
        self._nested = NestedCalls(hold, self._rests)
        self.answers: dict[CallId, Draft] = {}

    def settle(self, calls: Sequence[Call], batch: Batch) -> None:
        """Answer the calls that need no run."""
        refused = {refusal.call.id: refusal.result for refusal in batch.refused}
        for refusal in batch.refused:
            self.count(refusal.call, Ran(refusal.result))
        for call in calls:
            result = settled(call) or refused.get(call.id)
            if result is not None and call.state is not CallState.FINISHED:
                result = replace(result, created_at=self._hold.services.now())
            if result is not None:
                self._answer(call, result)

    async def run(self, call: Call) -> FinishCall | None:
        """What the call came back with, not kept yet. Viewers are shown it at once.

        None: the result has files, and is kept already.
        """
        ran = await self._run(call)
        if ran.attachments:
            await to_the_end(self._keep_with_files(call, ran))
            return None
        self._answer(call, ran.result)
        self.count(call, ran)
        return FinishCall(message_id=call.message_id, call_id=call.id, result=ran.result)

    async def _run(self, call: Call) -> Ran:

        def show(text: str) -> None:
            self._hold.progress.sign()
            _show(self._episode, call, text)

        setting = Setting(
            chat_id=self._hold.chat_id,
            call_id=call.id,
            show=show,
            workspace=self._where.workspace,
            why_no_workspace=self._where.why_not,
            sees=self._model.sees,
            resting=self._rests.resting,
            ask_model=self._nested.ask,
        )
        clock = self._hold.services.clock
        async with self._rests.call():
            began = clock.monotonic()
            ran = await run_call(
                self._toolbox, call.tool, call.args, setting, context_limit=self._model.context_limit
            )
        took_ms = milliseconds(clock.monotonic() - began)
        result = replace(ran.result, created_at=self._hold.services.now(), duration_ms=took_ms)
        return replace(ran, result=result)

    async def _keep_with_files(self, call: Call, ran: Ran) -> None:
        """Whether the chat takes the files is known only when the result is kept, so it is shown then."""
        result = await with_files(self._hold, ran.result, ran.attachments)
        await self._hold.keep(FinishCall(message_id=call.message_id, call_id=call.id, result=result))
        kept = find(self._hold.locked.calls, call.id, call.message_id)
        if kept is None or kept.result is None:
            raise Stale(f"call {call.id} was answered by another caller")
        self._answer(call, kept.result)
        self.count(call, replace(ran, result=kept.result))

    def _answer(self, call: Call, result: CallResult) -> None:
        """The result is known. It does not wait for its siblings to be shown, only to enter the history."""
        draft = answer(self._hold.locked, call, result)
        if not result.is_error and self._toolbox.ends_turn(call.tool):
            draft = replace(draft, ends_turn=True)
        self.answers[call.id] = draft
        for part in draft.content:
            assert isinstance(part, ToolResult | File)
            self._episode.add(Role.TOOL, part)

    async def _run_if_allowed(self, call: Call) -> FinishCall | None:
        """For a call that has waited for its siblings: the rules may have changed meanwhile."""
        if (why := await denial(self._hold, self._toolbox, call)) is None:
            return await self.run(call)
        result = failed(why)
        self._answer(call, result)
        return FinishCall(message_id=call.message_id, call_id=call.id, result=result)

    def count(self, call: Call, ran: Ran) -> None:
        known = call.tool if self._toolbox.find(call.tool) is not None else None
        metrics.count_result(self._model, known, ran.result, truncated=ran.truncated)

    async def run_all(self, calls: Sequence[Call], *, at_once: int) -> None:
        """Some at once. Each result is kept at once: no slow sibling and no crash makes it run again."""
        first, queued = calls[:at_once], deque(calls[at_once:])

        async def run_one_after_another(call: Call | None) -> None:
            while call is not None:
                finish = await (self.run(call) if call in first else self._run_if_allowed(call))
                following = queued.popleft() if queued else None
                await self._keep(finish, following)
                call = following

        await _start(self._hold, first)
        async with asyncio.TaskGroup() as group:
            for call in first:
                group.create_task(run_one_after_another(call), name=f"call {call.id}")

    async def _keep(self, finish: FinishCall | None, following: Call | None) -> None:
        """Keep a result, and in the same transaction note that the next call begins."""
        if finish is None:
            await _start(self._hold, [following] if following is not None else [])
            return
        started = _starting([following]) if following is not None else None
        if started is None:
            await self._hold.keep(finish)
            return
        try:
            await to_the_end(_commit_or_keep(self._hold, finish, started))
        except NotAllowed as refusal:
            # A commit whose answer was lost, and that was tried again: both were written then.
            if refusal.code != ALREADY_FINISHED:
                raise


def _show(episode: Episode, call: Call, text: str) -> None:
    piece = ToolResultPiece(tool_call_id=call.id, tool_name=call.tool, result_delta=text)
    episode.add(Role.TOOL, piece)
