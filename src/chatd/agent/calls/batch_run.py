"""The calls of one batch: run some at once, and keep and show each result as soon as it exists."""

import asyncio
from collections import deque
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent import metrics
from chatd.agent.calls import journal
from chatd.agent.calls.nested_call import NestedCalls
from chatd.agent.hold import Hold
from chatd.agent.judging import denial
from chatd.agent.new_files import with_files
from chatd.domain.answers import MAY_HAVE_RUN, answer
from chatd.domain.call import Call, CallResult, CallState, Effect, find
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import File, ToolResult
from chatd.domain.transitions.finish_call import FinishCall
from chatd.errors import Stale
from chatd.kit.clock import milliseconds
from chatd.kit.tasks import is_cancelled, to_the_end
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import ToolResultPiece
from chatd.providers.model import Model
from chatd.tools.batch import Batch
from chatd.tools.call import Ran, failed, run_call
from chatd.tools.tool import NO_WORKSPACE, Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace

CRASHED = "The server stopped while this call was running."


class Where(Struct, frozen=True):
    """`why_not` is what to tell a model that needs the workspace, if there is none."""

    workspace: Workspace | None
    why_not: str = NO_WORKSPACE


class BatchRun:
    """The calls of one batch, while they run. `answers` has the message of each whose result is known."""

    def __init__(self, hold: Hold, toolbox: Toolbox, model: Model, episode: Episode, where: Where) -> None:
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
            if is_cancelled():
                raise asyncio.CancelledError
            return None
        self._answer(call, ran.result)
        self.count(call, ran)
        finish = FinishCall(message_id=call.message_id, call_id=call.id, result=ran.result)
        if is_cancelled():
            # It came back while it was stopped. Nothing else is to begin, and the result is kept.
            await self._hold.keep(finish)
            raise asyncio.CancelledError
        return finish

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
                self._toolbox,
                call.tool,
                call.args,
                setting,
                context_limit=self._model.context_limit,
                run=self._hold.run_tool,
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
                await journal.keep(self._hold, finish, following)
                call = following

        await journal.start(self._hold, first)
        async with asyncio.TaskGroup() as group:
            for call in first:
                group.create_task(run_one_after_another(call), name=f"call {call.id}")


def _show(episode: Episode, call: Call, text: str) -> None:
    piece = ToolResultPiece(tool_call_id=call.id, tool_name=call.tool, result_delta=text)
    episode.add(Role.TOOL, piece)


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
