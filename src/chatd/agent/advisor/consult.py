"""One consultation: a call of the advisor's model in the middle of a step.

Its words are shown to viewers as they come, as the result of the call that asks. Failures that pass are tried
again by the rules for replies; before each try, viewers are told to forget what the one before has said.
Each try is charged and recorded as a call of its own. What is counted of the tries is in memory: after a
crash the call begins anew.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import count

import structlog
from msgspec.structs import replace

from chatd.agent import metrics
from chatd.agent.advisor.hand_off import hand_off
from chatd.agent.calls.rests import NestedAsk, Rests
from chatd.agent.generation.generate import call_model, charge, refusal_of
from chatd.agent.generation.reply import Reply
from chatd.agent.generation.retry import Again, Failings, GiveUp, after_failure
from chatd.agent.hold.hold import Hold
from chatd.domain.call import Call
from chatd.domain.message import Draft, Role, text
from chatd.domain.part import Text
from chatd.domain.usage.charge import Fate
from chatd.errors import ProviderError
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import LivePart, ToolResultPiece
from chatd.providers.failures import named
from chatd.providers.model import Model, Request
from chatd.records.run import Operation
from chatd.storage.tables.files import read_files
from chatd.tools.tool import Advice, Consultation, ToolError

log = structlog.get_logger()

CUT_OFF = "\n\n[The advice was cut off here by the output limit of the advisor.]"


class Consulting:
    """What one call may ask of an advisor. `consult` is what its tool is given."""

    def __init__(
        self,
        hold: Hold,
        model: Model,
        call: Call,
        *,
        episode: Episode,
        rests: Rests,
        resting: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        self._hold = hold
        # Of the chat.
        self._model = model
        self._call = call
        self._episode = episode
        self._rests = rests
        # For the pauses between two tries.
        self._resting = resting
        self._has_shown = False

    async def consult(self, asked: Consultation) -> Advice:
        """Raises ToolError when the advisor cannot be used, fails, or says nothing."""
        try:
            model = await self._advisor(asked)
            with metrics.advising(model, self._hold.services.clock):
                reply = await self._reply(model, await self._request(model, asked))
                return self._advice(model, reply)
        except ProviderError as error:
            raise ToolError(error.message) from error

    async def _advisor(self, asked: Consultation) -> Model:
        if asked.model is None:
            return self._model
        return await self._hold.services.models.find(asked.model, self._hold.chat.owner_id)

    async def _request(self, model: Model, asked: Consultation) -> Request:
        hold, message_id = self._hold, self._call.message_id
        said = hold.memory.prompt()
        handed = hand_off(
            await hold.prompts(self._model),
            [message for message in said if message.id < message_id],
            next((message for message in said if message.id == message_id), None),
            asked.question,
            context=model.context_limit,
        )
        return Request(
            messages=handed.messages,
            system=handed.system,
            effort=asked.effort,
            max_output_tokens=asked.max_output_tokens,
            read_files=partial(read_files, hold.services.store.db),
            chat_id=hold.chat_id,
            is_kept=False,
        )

    async def _reply(self, model: Model, request: Request) -> Reply:
        """Raises ProviderError when no further try is worth it."""
        failings = Failings()
        for attempt in count(1):
            try:
                return await self._try(model, replace(request, attempt=attempt))
            except ProviderError as failure:
                error = named(failure, model.provider)
                pause = self._pause_after(error, attempt, failings)
                if pause is None:
                    raise error from failure
                log.info("advisor.retrying", chat_id=self._hold.chat_id, seconds=pause, kind=error.kind)
                metrics.RETRIES.labels(*metrics.who(model), error.kind).inc()
            self._forget_shown()
            async with self._resting():
                await self._hold.services.clock.sleep(pause)
        raise AssertionError("tries are counted without an end")

    def _pause_after(self, error: ProviderError, attempt: int, failings: Failings) -> float | None:
        times = failings.count(0, error)
        chance, unanswered = self._hold.services.chance, failings.unanswered_seconds
        match after_failure(error, attempt, chance, times=times, unanswered_seconds=unanswered):
            case Again(seconds=seconds):
                return seconds
            case GiveUp():
                return None

    async def _try(self, model: Model, request: Request) -> Reply:
        slot = NestedAsk(self._hold.slot, self._rests)
        return await call_model(
            self._hold, model, request, None, Operation.ADVICE, slot=slot, show=self._show
        )

    def _show(self, _: Role, part: LivePart) -> None:
        """Thoughts are not shown: they are no advice."""
        if isinstance(part, Text):
            self._has_shown = True
            self._publish(part.text)

    def _forget_shown(self) -> None:
        if self._has_shown:
            self._has_shown = False
            self._publish("", reset=True)

    def _publish(self, words: str, *, reset: bool = False) -> None:
        call = self._call
        piece = ToolResultPiece(
            tool_call_id=call.id, tool_name=call.tool, result_delta=words, result_reset=reset
        )
        self._episode.add(Role.TOOL, piece)

    def _advice(self, model: Model, reply: Reply) -> Advice:
        draft = reply.draft(model)
        words = text(draft).strip() if draft is not None else ""
        if not words:
            unusable = refusal_of(reply, draft, model)
            fate = unusable[0] if unusable is not None else Fate.EMPTY
            charge(self._hold, fate, model, reply, Operation.ADVICE)
            raise ToolError(_nothing_said(reply, draft))
        charge(self._hold, Fate.USED, model, reply, Operation.ADVICE)
        is_cut_off = draft is not None and draft.cut_off
        return Advice(text=words + CUT_OFF if is_cut_off else words, model=model.name)


def _nothing_said(reply: Reply, draft: Draft | None) -> str:
    """With what operators need to find out why: mostly an output limit that thoughts have used up."""
    kinds = Counter(str(part.__struct_config__.tag) for part in draft.content) if draft is not None else {}
    parts = ", ".join(f"{number} {kind}" for kind, number in kinds.items()) or "nothing at all"
    stop = reply.finished.stop if reply.finished is not None else "unknown"
    return f"The advisor gave no advice. It stopped for the reason `{stop}`, and what came back was: {parts}."
