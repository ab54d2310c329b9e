"""Keeps debug records of turns, where they are wanted, and never delays or fails a turn.

A turn does not notice whether it is recorded. Each write has a budget; whatever goes wrong with one is logged
once, and the rest of the turn is not recorded. Of a call, all that happens while it is made is remembered; it
is written down after the next commit, so that no reply waits for its record to be saved.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

import structlog
from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import Chat, Lease
from chatd.domain.ids import ChatId, MessageId, UserId
from chatd.domain.message import Message, Role
from chatd.domain.transitions import Command
from chatd.kit.clock import Clock
from chatd.kit.ids import new_id
from chatd.providers.model import Model, Request
from chatd.records.recorded_call import RecordedCall, Subject
from chatd.records.run import (
    BUDGET_SECONDS,
    Operation,
    RecordStatus,
    RunKind,
    RunSummary,
    Step,
    ended_by,
    merged,
    with_step,
)
from chatd.records.store import NewRun, Progress, close_run, open_run, save_progress
from chatd.storage.database import Database

log = structlog.get_logger()


class Recorder(Struct, frozen=True, kw_only=True):
    """The same for every chat of a process."""

    db: Database
    clock: Clock
    # Whether the chats of this user are recorded.
    wanted: Callable[[UserId], Awaitable[bool]]
    # 0: for good.
    retention_days: int


class _OpenRun:
    """What is known of the run that is being written."""

    def __init__(self, chat: Chat) -> None:
        self.id = new_id()
        self.branch = chat.branch
        self.trigger = chat.projection.turn_start
        # The newest message that a model was sent. What a tool asks of a model is no message.
        self.tip = self.trigger
        self.summary = RunSummary()
        # The newest step as it was written, and the calls that are under way or not written yet: mostly one,
        # and those that tools made in the middle of a step.
        self.step: Step | None = None
        self.calls: list[RecordedCall] = []
        self._numbered = 0

    def subject(self, chat: Chat, operation: Operation) -> Subject:
        """The newest step once more, if that is what is tried again; else the next one.

        Each call of a tool is one of its own.
        """
        known, history = self.step, chat.versions.history
        again = known is not None and (known.operation, known.history_version) == (operation, history)
        if known is None or not again or operation.is_within_step:
            self._numbered += 1
        return Subject(number=self._numbered, operation=operation, history_version=history)

    def progress(self, call: RecordedCall, reply: MessageId | None) -> Progress:
        """With what is known of this call by now. Works out everything that was only heard so far."""
        step, known = replace(call.step(), assistant_message_id=reply), self.step
        if known is not None and known.number == step.number:
            step = merged(known, step)
        first = self.summary.first_message
        if not first and call.subject.operation.sends_history:
            first = call.first_words(self.trigger)
        summary = with_step(self.summary, step, first_message=first)
        return Progress(summary=summary, tip_message_id=self.tip, step=step)


class Recording:
    """What one runner records of its chat: one run after the other, and perhaps none."""

    def __init__(self, recorder: Recorder | None, chat_id: ChatId, lease: Lease) -> None:
        self._recorder = recorder
        self._chat_id = chat_id
        self._lease = lease
        self._run: _OpenRun | None = None
        # It is not wanted, or a write failed; until the turn is over.
        self._off = False

    @asynccontextmanager
    async def call(
        self, chat: Chat, model: Model, request: Request, operation: Operation
    ) -> AsyncIterator[RecordedCall | None]:
        """A model is called in the block; None when that is not recorded.

        The first call of a turn opens its run.
        """
        call = await self._begin(chat, model, request, operation)
        if call is None:
            yield None
            return
        try:
            yield call
        except Exception as error:
            call.failed(error)
            raise
        finally:
            # Unless it was heard to its end, or failed.
            call.interrupted()

    async def follow(self, commands: Sequence[Command], appended: Sequence[Message]) -> None:
        """These were committed, and added these messages. Now there is time to write down what was heard.

        Some commands end the turn, and its run with it.
        """
        if self._recorder is None or (self._run is None and not self._off):
            return
        status = ended_by(commands)
        if self._run is not None:
            reply = next((each.id for each in appended if each.role is Role.ASSISTANT), None)
            await self._within(self._write(self._recorder, self._run, status, reply))
        if status is not None:
            self._run, self._off = None, False

    async def end(self, status: RecordStatus) -> None:
        """What was recorded is over, without a commit that says so."""
        if self._recorder is not None and self._run is not None:
            await self._within(self._write(self._recorder, self._run, status))
        self._run, self._off = None, False

    async def _begin(
        self, chat: Chat, model: Model, request: Request, operation: Operation
    ) -> RecordedCall | None:
        recorder = self._recorder
        if recorder is None or self._off:
            return None
        if self._run is not None and self._run.branch != chat.branch:
            # An edit came in between, and no command has ended the turn.
            await self._within(self._write(recorder, self._run, RecordStatus.INTERRUPTED))
            self._run, self._off = None, False
        if self._run is None:
            await self._within(self._open(recorder, chat, model, request, operation))
        if (run := self._run) is None:
            return None
        call = RecordedCall(run.subject(chat, operation), model, request, recorder.clock)
        run.calls.append(call)
        if operation.sends_history:
            run.tip = call.tip
        await self._within(self._announce(recorder, run, call))
        return call if self._run is run else None

    async def _open(
        self, recorder: Recorder, chat: Chat, model: Model, request: Request, operation: Operation
    ) -> None:
        if not await recorder.wanted(chat.owner_id):
            self._off = True
            return
        run = _OpenRun(chat)
        if request.messages and operation.sends_history:
            run.tip = request.messages[-1].id
        new = NewRun(
            id=run.id,
            chat_id=self._chat_id,
            runner_id=self._lease.runner_id,
            kind=_kind_of(chat, operation),
            provider=model.provider,
            model=model.name,
            trigger_message_id=run.trigger,
            tip_message_id=run.tip,
        )
        await open_run(recorder.db, new, retention_days=recorder.retention_days)
        self._run = run

    async def _announce(self, recorder: Recorder, run: _OpenRun, call: RecordedCall) -> None:
        """That a call is under way. One that is tried again is known already."""
        if run.step is None or run.step.number != call.subject.number:
            begun = Progress(summary=run.summary, tip_message_id=run.tip, step=call.begun())
            await save_progress(recorder.db, run.id, begun)

    async def _write(
        self, recorder: Recorder, run: _OpenRun, status: RecordStatus | None, reply: MessageId | None = None
    ) -> None:
        """The calls that are over, and the end of the run, if it has come."""
        over = [call for call in run.calls if call.is_over]
        last: Progress | None = None
        for call in over:
            if last is not None:
                await save_progress(recorder.db, run.id, last)
            is_reply = call.subject.operation.sends_history
            last = run.progress(call, reply if is_reply else None)
            run.calls.remove(call)
            run.step, run.summary = last.step, last.summary
        if status is not None:
            await close_run(recorder.db, run.id, status, last)
        elif last is not None:
            await save_progress(recorder.db, run.id, last)

    async def _within(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this within the budget, or record nothing more of this turn."""
        try:
            async with asyncio.timeout(BUDGET_SECONDS):
                await work
        except Exception as error:  # noqa: BLE001 - a record is never worth a turn
            # Neither a traceback nor what it says: that may be the words of the chat.
            log.warning("record.failed", chat_id=self._chat_id, error=type(error).__name__)
            self._off, self._run = True, None


def _kind_of(chat: Chat, operation: Operation) -> RunKind:
    if operation.is_beside_turns:
        return RunKind.TEXT
    asked_for = chat.compaction_requested_at is not None and operation is Operation.SUMMARY
    return RunKind.COMPACTION if asked_for else RunKind.TURN
