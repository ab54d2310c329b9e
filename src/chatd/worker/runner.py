"""One owned chat: the newest state in, the right duty running, until the chat is no longer ours.

A duty that commits knows where it stands. Whatever somebody else does to the chat (a stop, an edit, a
takeover) cancels the duty, and the runner starts again from what the database says. So it does with a
duty that gets nowhere. One that does not even heed its cancellation is left behind: its chat is given up,
and with the lease goes its right to write.
"""

import asyncio
from collections.abc import Mapping
from enum import Enum, auto

import structlog

from chatd.agent.desk import Hold
from chatd.domain.chat import Failure, Status
from chatd.domain.locked import LockedChat
from chatd.domain.transitions.fail_turn import FailTurn
from chatd.domain.transitions.finish_interruption import FinishInterruption
from chatd.domain.transitions.release import Release
from chatd.errors import Refused, Stale
from chatd.kit.tasks import ends_when_cancelled
from chatd.worker.duties import Duty, duty_of
from chatd.worker.watchdog import until_stuck

log = structlog.get_logger()

# Hints may be lost; this often the runner looks by itself.
LOOK_SECONDS = 10.0
# A duty that breaks or hangs (it should not) is begun again, a little later each time, and not for ever.
BREAKS_MAX = 8
# A cancelled duty has this long to end; longer than it takes to keep a result when commits fail.
CANCELLED_SECONDS_MAX = 30.0
# Tries for one history, when each leaves behind something that still runs. The count is the durable one.
UNENDING_ATTEMPTS_MAX = 3
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
DOUBLINGS_MAX = 10

BROKEN = Failure(
    message="Something in the server kept failing, so this turn was stopped. Try again; nothing was lost.",
    kind="generic",
    retryable=True,
)
STUCK = Failure(
    message="The agent was stuck and could not be brought to go on, so this turn was stopped. "
    "Try again; nothing was lost.",
    kind="timeout",
    retryable=True,
)


class _End(Enum):
    """How a duty ended."""

    DONE = auto()
    OVERTAKEN = auto()
    BROKEN = auto()
    # Nothing moved for too long.
    STUCK = auto()
    # It was cancelled, and did not heed it.
    NEVER = auto()


_FAILURES: Mapping[_End, Failure] = {_End.BROKEN: BROKEN, _End.STUCK: STUCK}


class Runner:
    def __init__(self, hold: Hold, duties: asyncio.TaskGroup) -> None:
        self.hold = hold
        # The parent of our duties. It outlives us, as does a duty that does not end.
        self._duties = duties
        # A duty of ours was cancelled and goes on; from then on the hold is not ours alone.
        self.left_behind = False
        self._noticed = asyncio.Event()
        self._breaks = 0
        self._gone = False

    def notice(self, snapshot: int) -> None:
        """A hint: somebody may have moved the chat."""
        if snapshot > self.hold.chat.versions.snapshot:
            self._noticed.set()

    def leave_soon(self) -> None:
        """Finish the step that is under way, and begin no other."""
        self.hold.leaving = True

    async def run(self) -> None:
        """Drive the chat until it rests, is somebody else's, or is gone.

        Never ends while the chat is ours: our worker beats on, so nobody else would take it.
        """
        while self._is_ours() and not self.hold.leaving:
            try:
                await self._go_on()
            except Stale:
                # Somebody moved it between our look and our write, and may still want us to drive it.
                await self._look_until_seen()
            except Exception:
                log.exception("runner.broke", chat_id=self.hold.chat_id)
                self._breaks += 1
                await self._look_until_seen()

    async def _go_on(self) -> None:
        if self.left_behind:
            await self._give_up()
            return
        duty = duty_of(self.hold.chat)
        if duty is None:
            await self.hold.commit(Release())
            return
        match await self._perform(duty):
            case _End.DONE:
                self._breaks = 0
            case _End.OVERTAKEN | _End.NEVER:
                await self._look_until_seen()
            case _End.BROKEN | _End.STUCK as end:
                self._breaks += 1
                await self._look_until_seen()
                await self._stop_if_hopeless(_FAILURES[end])

    def _is_ours(self) -> bool:
        return not self._gone and self.hold.chat.lease == self.hold.lease

    async def _perform(self, duty: Duty) -> _End:
        """Run the duty until it ends, until somebody else moves the chat, or until nothing moves at all."""
        work = self._duties.create_task(self._supervised(duty), name=f"duty of {self.hold.chat_id}")
        try:
            async with asyncio.TaskGroup() as group:
                overtaken = group.create_task(self._until_overtaken())
                stuck = group.create_task(until_stuck(self.hold.progress, self.hold.desk.clock))
                await asyncio.wait([work, overtaken, stuck], return_when=asyncio.FIRST_COMPLETED)
                overtaken.cancel()
                stuck.cancel()
        finally:
            # Also when we are cancelled ourselves: what we began, we end.
            self.left_behind = not (work.done() or await ends_when_cancelled(work, CANCELLED_SECONDS_MAX))
        if self.left_behind:
            return _End.NEVER
        if work.cancelled():
            return _End.OVERTAKEN if stuck.cancelled() else _End.STUCK
        return work.result()

    async def _supervised(self, duty: Duty) -> _End:
        try:
            await duty(self.hold)
        except Stale:
            return _End.OVERTAKEN
        except Refused as refusal:
            # We decided on what we knew, and it is no longer so.
            log.info("duty.refused", chat_id=self.hold.chat_id, code=refusal.code)
            return _End.OVERTAKEN
        except Exception:
            log.exception("duty.broke", chat_id=self.hold.chat_id, breaks=self._breaks + 1)
            return _End.BROKEN
        finally:
            if self.left_behind:
                log.warning("duty.ended_late", chat_id=self.hold.chat_id)
        return _End.DONE

    async def _until_overtaken(self) -> None:
        """Returns as soon as somebody else has moved the chat."""
        while True:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._noticed.wait()
            except TimeoutError:
                pass
            self._noticed.clear()
            try:
                seen = await self.hold.look()
            except Exception:
                log.warning("look.failed", chat_id=self.hold.chat_id, exc_info=True)
                continue  # The fences hold whether we see or not.
            if seen is None or self._is_overtaken(seen):
                return
            self.hold.learn(seen)

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
        """Start from what the database says, as soon as it says something."""
        while True:
            if self._breaks:
                pause = FIRST_PAUSE_SECONDS * 2 ** min(self._breaks - 1, DOUBLINGS_MAX)
                await self.hold.desk.clock.sleep(min(LONGEST_PAUSE_SECONDS, pause))
            try:
                seen = await self.hold.look()
            except Exception:
                log.warning("look.failed", chat_id=self.hold.chat_id, exc_info=True)
                self._breaks += 1
                continue
            self._gone = seen is None
            self.hold.locked = seen or self.hold.locked
            return

    async def _give_up(self) -> None:
        """Let another runner go on, with a hold of its own; what we left behind cannot write any more.

        If it happens again and again, the turn ends here: every turn ends.
        """
        chat = self.hold.chat
        log.error("chat.given_up", chat_id=chat.id, status=chat.status, attempt=chat.versions.attempt)
        await self.hold.leave_slot()
        hopeless = chat.status is Status.RUNNING and chat.versions.attempt >= UNENDING_ATTEMPTS_MAX
        await self.hold.commit(*([FailTurn(failure=STUCK)] if hopeless else []), Release())

    async def _stop_if_hopeless(self, failure: Failure) -> None:
        """Every turn ends: a duty that keeps breaking is tried a few times, and then the turn is stopped."""
        if self._breaks < BREAKS_MAX or not self._is_ours():
            return
        if self.hold.chat.status is Status.RUNNING:
            await self.hold.commit(FailTurn(failure=failure))
        elif self.hold.chat.status is Status.INTERRUPTING:
            await self.hold.commit(FinishInterruption())
