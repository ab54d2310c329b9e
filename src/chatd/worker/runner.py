"""One owned chat: the newest state in, the right duty running, until the chat is no longer ours.

A duty that commits knows where it stands. What others do to the chat (a stop, an edit, a takeover)
cancels the duty, and the runner starts again from what the database says. So it does with a
duty that gets nowhere. One that does not even heed its cancellation is left behind: its chat is given up,
and with the lease goes its right to write.
"""

import asyncio

import structlog

from chatd.agent.generation.retry import ATTEMPTS_MAX
from chatd.agent.hold.hold import Hold
from chatd.domain.chat import Failure, Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.errors import Stale, Unavailable
from chatd.kit.concurrency.tasks import ends_when_cancelled
from chatd.worker.duties import Duty, duty_of
from chatd.worker.endings import (
    DONE,
    FAILED_STUCK,
    NEVER,
    OVERTAKEN,
    STUCK,
    TRIES,
    Breaks,
    End,
    Ending,
    ending_of,
    pause_seconds,
)
from chatd.worker.watchdog import until_stuck

log = structlog.get_logger()

# Hints may be lost; this often the runner looks by itself.
LOOK_SECONDS = 10.0
# A cancelled duty has this long to end.
CANCELLED_SECONDS_MAX = 30.0
# Tries for one history, when each leaves behind something that still runs. The count is the durable one.
UNENDING_ATTEMPTS_MAX = 3


class Runner:
    def __init__(self, hold: Hold, duties: asyncio.TaskGroup) -> None:
        self.hold = hold
        # The parent of our duties. It outlives us, as does a duty that does not end.
        self._duties = duties
        # A duty of ours was cancelled and goes on; from then on the hold is not ours alone.
        self.left_behind = False
        self._noticed = asyncio.Event()
        self._breaks = Breaks()
        self._gone = False
        self._looks_failing = False

    def notice(self, snapshot: int) -> None:
        """A hint: the chat may have been changed by another caller."""
        if snapshot > self.hold.chat.versions.snapshot:
            self._noticed.set()

    @property
    def is_ours(self) -> bool:
        """Whether the chat is driven by this runner, as far as it knows."""
        return not self._gone and self.hold.chat.lease == self.hold.lease

    def leave_soon(self) -> None:
        """Finish the step that is under way, and begin no other."""
        self.hold.leave()

    async def run(self) -> None:
        """Drive the chat until it rests, belongs to another worker, or is gone.

        Never ends while the chat is ours: our worker beats on, so no other worker would take it.
        """
        while self.is_ours and not self.hold.leaving:
            try:
                await self._go_on()
            except Stale:
                # It was changed between our read and our write, and may still be ours to drive.
                await self._look_until_seen()
            except Exception:
                log.exception("runner.broke", chat_id=self.hold.chat_id)
                self._breaks.count(self.hold.chat.versions.history, End.BROKEN)
                await self._look_until_seen()

    async def _go_on(self) -> None:
        if self.left_behind:
            await self._give_up()
            return
        duty = duty_of(self.hold.locked)
        if duty is None:
            await self.hold.commit(Release())
            return
        status = self.hold.chat.status
        ending = await self._perform(duty)
        match ending.end:
            case End.DONE:
                self._breaks.forget()
            case End.OVERTAKEN | End.NEVER:
                await self._look_until_seen()
            case _:
                await self._after_break(ending, status)

    async def _perform(self, duty: Duty) -> Ending:
        """Run the duty until it ends, until another caller changes the chat, or until nothing moves."""
        work = self._duties.create_task(self._supervised(duty), name=f"duty of {self.hold.chat_id}")
        try:
            async with asyncio.TaskGroup() as group:
                overtaken = group.create_task(self._until_overtaken())
                stuck = group.create_task(until_stuck(self.hold.progress, self.hold.services.clock))
                await asyncio.wait([work, overtaken, stuck], return_when=asyncio.FIRST_COMPLETED)
                overtaken.cancel()
                stuck.cancel()
        finally:
            # Also when we are cancelled ourselves: what we began, we end.
            self.left_behind = not (work.done() or await self._ends(work))
        if self.left_behind:
            return NEVER
        if work.cancelled():
            return OVERTAKEN if stuck.cancelled() else STUCK
        return work.result()

    async def _ends(self, work: asyncio.Task[Ending]) -> bool:
        """Cancel the duty; whether it ended in time.

        While it holds a result that the database does not take, its time does not run: what is held has a
        limit of its own. When the process is about to end, nothing is waited for so long.
        """
        while True:
            held = self.hold.holds_unsaved
            if await ends_when_cancelled(work, CANCELLED_SECONDS_MAX):
                return True
            if self.hold.leaving or not (held or self.hold.holds_unsaved):
                return False

    async def _supervised(self, duty: Duty) -> Ending:
        try:
            await duty(self.hold)
        except Exception as error:
            ending = ending_of(error)
            if ending.end is End.BROKEN:
                log.exception("duty.broke", chat_id=self.hold.chat_id, breaks=self._breaks.total + 1)
            elif ending.failure is not None:
                # Nothing is wrong with the program, so a traceback would say nothing.
                log.warning("duty.ended", chat_id=self.hold.chat_id, why=ending.failure.message)
            return ending
        finally:
            if self.left_behind:
                log.warning("duty.ended_late", chat_id=self.hold.chat_id)
        return DONE

    async def _until_overtaken(self) -> None:
        """Returns as soon as another caller has changed the chat."""
        while True:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._noticed.wait()
            except TimeoutError:
                pass
            self._noticed.clear()
            try:
                seen = await self.hold.look()
            except Exception as error:  # noqa: BLE001 - the fences hold whether we see or not
                self._log_failed_look(error)
                continue
            self._looks_failing = False
            if seen is not None and not self._is_overtaken(seen):
                self.hold.learn(seen)
            elif not await self._was_committing():
                return

    async def _was_committing(self) -> bool:
        """Whether what was seen may be a commit of our own, whose answer was on its way. It is known now.

        Then it is looked again. One that takes longer is cancelled with its duty, and the database tells
        whether it took place.
        """
        if not self.hold.commits:
            return False
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self.hold.until_committed()
        except TimeoutError:
            return False
        self._noticed.set()
        return True

    def _is_overtaken(self, seen: LockedChat) -> bool:
        known, now = self.hold.chat, seen.chat
        if now.versions.snapshot <= known.versions.snapshot:
            return False
        return (now.lease, now.status, now.archived, now.versions.history) != (
            known.lease,
            known.status,
            known.archived,
            known.versions.history,
        )

    async def _look_until_seen(self) -> None:
        """Start from what the database says, as soon as it says something. A look that fails is no break."""
        failed = self._breaks.total
        while True:
            if failed:
                await self.hold.services.clock.sleep(pause_seconds(failed))
            try:
                seen = await self.hold.look()
            except Exception as error:  # noqa: BLE001 - without a look there is nothing else to do
                self._log_failed_look(error)
                failed += 1
                continue
            self._looks_failing = False
            self._gone = seen is None
            self.hold.locked = seen or self.hold.locked
            return

    def _log_failed_look(self, error: Exception) -> None:
        """Once until a look succeeds: a database may be away for long."""
        if not self._looks_failing:
            self._looks_failing = True
            away = isinstance(error, Unavailable)
            log.warning("look.failed", chat_id=self.hold.chat_id, exc_info=None if away else error)

    async def _give_up(self) -> None:
        """Let another runner go on, with a hold of its own; what we left behind cannot write any more.

        If it happens again and again, the turn ends here: every turn ends.
        """
        chat = self.hold.chat
        log.error("chat.given_up", chat_id=chat.id, status=chat.status, attempt=chat.versions.attempt)
        self.hold.leave_slot()
        hopeless = chat.status is Status.RUNNING and chat.versions.attempt >= UNENDING_ATTEMPTS_MAX
        await self.hold.commit(FailTurn(failure=FAILED_STUCK) if hopeless else Release())

    async def _after_break(self, ending: Ending, status: Status) -> None:
        """Every turn ends: a duty that keeps breaking is tried a few times, and then the turn is stopped.

        The count of attempts is stored, so neither a restart nor other callers earn it more tries than that.
        If the chat is in another status meanwhile, its next duty has not been tried at all.
        """
        if await self._is_others_doing(ending):
            times = 0
        else:
            times = self._breaks.count(self.hold.chat.versions.history, ending.end)
            await self._look_until_seen()
        spent = ending.end is not End.AWAY and self.hold.chat.versions.attempt >= ATTEMPTS_MAX
        hopeless = spent or times >= TRIES[ending.end]
        if hopeless and self.is_ours and self.hold.chat.status is status and ending.failure is not None:
            await self._stop_turn(ending.failure)

    async def _is_others_doing(self, ending: Ending) -> bool:
        """Whether another caller moved the chat before one of our rules refused what we decided on."""
        if ending.end is not End.REFUSED:
            return False
        known = self.hold.chat.versions.snapshot
        await self._look_until_seen()
        return self.hold.chat.versions.snapshot > known

    async def _stop_turn(self, failure: Failure) -> None:
        if self.hold.chat.status is Status.RUNNING:
            await self.hold.commit(FailTurn(failure=failure))
        elif self.hold.chat.status is Status.INTERRUPTING:
            await self.hold.commit(FinishInterruption())
