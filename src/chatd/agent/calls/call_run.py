"""One call of a batch: run, and its result shown as soon as it is known."""

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent import metrics, spans
from chatd.agent.advisor.consult import Consulting
from chatd.agent.approvals.judging import denial, forbidden
from chatd.agent.calls.nearby import Nearby
from chatd.agent.calls.nested_call import NestedCalls
from chatd.agent.calls.places import Place
from chatd.agent.calls.rests import BegunCall
from chatd.agent.generation.new_files import with_files
from chatd.agent.hold.hold import Hold
from chatd.agent.toolboxes.availability import ACTING
from chatd.domain.call import Call, CallResult, CallState, Effect, find
from chatd.domain.decision.answers import MAY_HAVE_RUN, answer
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import File, ToolResult
from chatd.domain.profile.chat_kind import kind_of
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.errors import ProviderError, Stale
from chatd.kit import tracing
from chatd.kit.clock import milliseconds
from chatd.kit.concurrency.tasks import is_cancelled, to_the_end
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import ToolResultPiece
from chatd.providers.model import Model
from chatd.tools.calls.batch import Batch
from chatd.tools.calls.call import Ran, failed, run_call
from chatd.tools.calls.truncate import result_bytes_max
from chatd.tools.tool import NO_WORKSPACE, Setting
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace

CRASHED = "The server stopped while this call was running."


class Where(Struct, frozen=True):
    """`why_not` is what to tell a model that needs the workspace, if there is none."""

    workspace: Workspace | None
    why_not: str = NO_WORKSPACE


class CallRun:
    """What the calls of one batch need. `answers` has the message of each whose result is known."""

    def __init__(self, hold: Hold, toolbox: Toolbox, model: Model, episode: Episode, where: Where) -> None:
        self.hold = hold
        self._toolbox = toolbox
        self._model = model
        self._episode = episode
        self._where = where
        self.rests = hold.rests()
        self._nested = NestedCalls(hold, self.rests)
        self._nearby = Nearby(hold, toolbox, where.workspace, model.context_limit)
        self.answers: dict[CallId, Draft] = {}
        # Why no other call of the batch begins; those that run come to their end.
        self.stopped: ProviderError | None = None

    def settle(self, calls: Sequence[Call], batch: Batch) -> None:
        """Answer the calls that need no run."""
        refused = {refusal.call.id: refusal.result for refusal in batch.refused}
        for refusal in batch.refused:
            self.count(refusal.call, Ran(refusal.result))
        for call in calls:
            result = settled(self.hold, call) or refused.get(call.id)
            if result is not None and call.state is not CallState.FINISHED:
                result = replace(result, created_at=self.hold.services.now())
            if result is not None:
                self._nearby.note(result)
                self._answer(call, result)

    def place_of(self, call: Call) -> Place:
        return Place(self.hold.services.call_places, self.hold.chat_id, self._toolbox.find(call.tool))

    async def run(self, begun: BegunCall) -> FinishCall | None:
        """What the call came back with, not kept yet. Viewers are shown it at once.

        None: the result has files, and is kept already.
        """
        call = begun.call
        self._begin(call)
        ran = await self._run(begun)
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
            await self.hold.keep(finish)
            raise asyncio.CancelledError
        return finish

    def _begin(self, call: Call) -> None:
        """From here on the call runs, and viewers know since when."""
        self.hold.begin_call(call)
        now = self.hold.services.now()
        piece = ToolResultPiece(tool_call_id=call.id, tool_name=call.tool, result_delta="", started_at=now)
        self._episode.add(Role.TOOL, piece)

    async def run_if_allowed(self, begun: BegunCall) -> FinishCall | None:
        """For a call that has waited for its siblings or for a place: the rules may have changed since.

        None as above, or when the owner was shut out meanwhile.
        """
        call = begun.call
        try:
            await self.hold.check_owner()
        except ProviderError as error:
            self.stopped = error
            begun.end()
            return None
        if (why := await denial(self.hold, self._toolbox, call)) is None:
            return await self.run(begun)
        begun.end()
        result = replace(failed(why), created_at=self.hold.services.now())
        self._answer(call, result)
        return FinishCall(message_id=call.message_id, call_id=call.id, result=result)

    async def _run(self, begun: BegunCall) -> Ran:
        call = begun.call
        clock = self.hold.services.clock
        began = clock.monotonic()
        try:
            with tracing.span(
                *spans.of_tool(call, is_known=self._toolbox.find(call.tool) is not None)
            ) as span:
                ran = await run_call(
                    self._toolbox,
                    call.tool,
                    call.args,
                    self._setting(begun),
                    context_limit=self._model.context_limit,
                    run=self.hold.run_tool,
                )
                if ran.result.is_error:
                    span.fail("tool_error")
            took_ms = milliseconds(clock.monotonic() - began)
            result = await self._nearby.added_to(call, ran.result)
        finally:
            begun.end()
        server = self._toolbox.server_of(call.tool)
        known_at = self.hold.services.now()
        timed = replace(result, created_at=known_at, duration_ms=took_ms, mcp_server_config_id=server)
        return replace(ran, result=timed)

    def _setting(self, begun: BegunCall) -> Setting:
        call = begun.call

        def show(text: str) -> None:
            self.hold.progress.sign()
            piece = ToolResultPiece(tool_call_id=call.id, tool_name=call.tool, result_delta=text)
            self._episode.add(Role.TOOL, piece)

        return Setting(
            chat_id=self.hold.chat_id,
            call_id=call.id,
            message_id=call.message_id,
            show=show,
            workspace=self._where.workspace,
            why_no_workspace=self._where.why_not,
            sees=self._model.sees,
            forbidden=partial(forbidden, self.hold, call),
            opened=self._nearby.note_opened,
            resting=begun.resting,
            ask_model=self._nested.ask,
            consult=Consulting(
                self.hold,
                self._model,
                call,
                episode=self._episode,
                rests=self.rests,
                resting=begun.resting,
            ).consult,
            advisor_uses=self.hold.chat.projection.advisor_uses,
            result_bytes_max=result_bytes_max(self._model.context_limit),
            read_only=kind_of(self.hold.chat, self.hold.setup) not in ACTING,
        )

    async def _keep_with_files(self, call: Call, ran: Ran) -> None:
        """Whether the chat takes the files is known only when the result is kept, so it is shown then."""
        result = await with_files(self.hold, ran.result, ran.attachments)
        await self.hold.keep(FinishCall(message_id=call.message_id, call_id=call.id, result=result))
        kept = find(self.hold.locked.calls, call.id, call.message_id)
        if kept is None or kept.result is None:
            raise Stale(f"call {call.id} was answered by another caller")
        self._answer(call, kept.result)
        self.count(call, replace(ran, result=kept.result))

    def _answer(self, call: Call, result: CallResult) -> None:
        """The result is known. It does not wait for its siblings to be shown, only to enter the history."""
        draft = answer(self.hold.locked, call, result)
        if not result.is_error and self._toolbox.ends_turn(call.tool):
            draft = replace(draft, ends_turn=True)
        self.answers[call.id] = draft
        for part in draft.content:
            assert isinstance(part, ToolResult | File)
            self._episode.add(Role.TOOL, part)

    def count(self, call: Call, ran: Ran) -> None:
        known = call.tool if self._toolbox.find(call.tool) is not None else None
        metrics.count_result(self._model, known, ran.result, truncated=ran.truncated)


def settled(hold: Hold, call: Call) -> CallResult | None:
    """A result that needs no run: one that was kept, a refusal, or one whose outcome is unknown."""
    match call:
        case Call(state=CallState.FINISHED, result=CallResult() as result):
            return result
        case Call(state=CallState.DENIED, reason=reason):
            return failed(reason or "This call is not allowed here.")
        case Call(state=CallState.STARTED, effect=Effect.ONCE) if hold.has_begun(call):
            return failed(f"{CRASHED} {MAY_HAVE_RUN}")
        case _:
            return None
