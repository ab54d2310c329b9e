"""The worker: finds chats without a worker, takes them, keeps its lease fresh, and lets go in order."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Sequence

import structlog

from chatd.agent import metrics
from chatd.agent.hold.hold import Hold
from chatd.agent.hold.memory import Memory
from chatd.agent.services import AgentServices
from chatd.domain.chat import Chat, Lease
from chatd.domain.decision.fence import NeedsWorker
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import SECOND, ChatId, RunnerId, UserId, WorkerId
from chatd.domain.limits import BEAT_SECONDS, LEASE_STALE_MICROS
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.usage.size import bytes_of
from chatd.errors import Locked, NotFound, Stale, Unavailable
from chatd.hints.bus import Bus
from chatd.hints.hint import ChatChanged, ChatDeleted, ChildChanged, Hint, HintsLost, WorkWaiting
from chatd.kit import tracing
from chatd.kit.ids import new_id
from chatd.storage.database import Connection
from chatd.storage.tables import leases
from chatd.storage.transactions.transact import Done, transact
from chatd.tools.calls.tool_tasks import ToolTasks
from chatd.worker.left_out import LeftOut
from chatd.worker.left_to_others import LeftToOthers
from chatd.worker.remembered import Remembered
from chatd.worker.room import Room, Rooms
from chatd.worker.runner import Runner

log = structlog.get_logger()

# Without a hint: how often to look for chats without a worker.
LOOK_SECONDS = 1.0
TAKEN_AT_ONCE_MAX = 20
# What a chat holds of the message that gave it work, while it waits for a slot. It reads a longer one again.
FOLLOWED_BYTES_MAX = 8 * 1024
SWEEP_BEATS = 10
# A step that is under way when the process ends has this long to be committed.
GRACE_SECONDS = 3.0
# After the database was away everybody's lease looks old, so others have this long to beat again.
SPARING_SECONDS = LEASE_STALE_MICROS / SECOND
# Older than any sign of life: with it no worker is taken for dead.
NEVER_STALE_MICROS = 2**60
NEWER_THAN_ALL = 2**63
# How often to look for chats that are ours without our knowing, whether there is a reason to or not.
LOST_SECONDS = 10.0


class Worker:
    def __init__(
        self,
        services: AgentServices,
        bus: Bus,
        *,
        worker_id: WorkerId | None = None,
        before_hand_over: Callable[[], Awaitable[None]] | None = None,
        room: Callable[[], Room] = Room,
        has_slot: Callable[[UserId], bool] = lambda _: True,
    ) -> None:
        self._services = services
        self._bus = bus
        # Called when all runners have ended: writes what the next worker of our chats should find.
        self._before_hand_over = before_hand_over
        self.id = worker_id or WorkerId(new_id())
        self._runners: dict[ChatId, Runner] = {}
        self._tasks: dict[ChatId, asyncio.Task[None]] = {}
        self._rooms = Rooms(room)
        self._waiting = asyncio.Event()
        # Those we were told of, in that order.
        self._wanted: dict[ChatId, None] = {}
        self._in_doubt = False
        # Logged once, until it succeeds.
        self._taking_fails = False
        self._left_out = LeftOut()
        self._left_to_others = LeftToOthers(bus, services.clock, has_slot)
        # Leases that transactions of this process may be using, until it is known whether they did: at most
        # one for each chat, or the second one would take the chat from the first.
        self._offered: dict[ChatId, Lease] = {}
        # Chats that had work while their runner was still there, perhaps about to end.
        self._missed: set[ChatId] = set()
        # The parent of our runners, as long as new ones may begin.
        self._driving: asyncio.TaskGroup | None = None
        self._beats_failing = False
        # When the last beat succeeded, in seconds of the loop.
        self._beaten_at = float("-inf")
        # Until then, in seconds of the loop, no chat is taken from another worker.
        self._sparing_until = 0.0
        self._remembered = Remembered()
        self._look_for_lost_at = float("-inf")
        # The parent of all duties: one that does not heed its cancellation outlives its runner.
        self._duties = asyncio.TaskGroup()
        # And of all tools that run, for the same reason.
        self._tool_tasks = ToolTasks(self._duties)

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; then finish what can be finished and hand over at once."""
        # Before the first chat is taken: a lease of a worker that never beat is a dead one.
        while not await self._beat_once():
            await self._services.clock.sleep(LOOK_SECONDS)
        async with self._duties:
            try:
                await self._serve_until(stop)
            finally:
                # Before we wait for duties that were left behind: others need not wait with us.
                await self._hand_over()

    async def _serve_until(self, stop: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as services:
            running = [
                services.create_task(self._beat(), name="beat"),
                services.create_task(self._follow_hints(), name="follow hints"),
            ]
            await self._drive_until(stop)
            for service in running:
                service.cancel()

    async def _drive_until(self, stop: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as group:
            self._driving = group
            taking = group.create_task(self._take_chats(), name="take chats")
            try:
                await stop.wait()
            finally:
                # Also when we are cancelled: a group that ends takes no further task.
                self._driving = None
            taking.cancel()
            await self._wind_down()

    async def _wind_down(self) -> None:
        """Steps under way may be committed within the grace; then their runners are cancelled."""
        for runner in self._runners.values():
            runner.leave_soon()
        tasks = list(self._tasks.values())
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE_SECONDS)
        for task in tasks:
            task.cancel()

    async def _beat(self) -> None:
        """One small update however many chats we drive."""
        for count in itertools.count(1):
            await self._services.clock.sleep(BEAT_SECONDS)
            await self._beat_once(sweep=count % SWEEP_BEATS == 0)

    async def _beat_once(self, *, sweep: bool = False) -> bool:
        """False when the database failed: then others may take our chats, and their fences keep us out."""
        db = self._services.store.db
        began = _now()
        try:
            await leases.beat(db, self.id)
            self._spare_others(late=_now() - began > BEAT_SECONDS)
            if sweep and not self._is_sparing:
                await leases.sweep(db)
        except Exception as error:
            if not self._beats_failing:
                log.warning("beat.failed", worker_id=self.id, exc_info=error)
            self._beats_failing = True
            return False
        return True

    def _spare_others(self, *, late: bool) -> None:
        """The database is back, or answers again. Other workers missed their beats as we did, and live."""
        if self._beats_failing or late:
            self._sparing_until = _now() + SPARING_SECONDS
        self._beats_failing = False
        self._beaten_at = _now()

    @property
    def _is_taken_for_dead(self) -> bool:
        """What we took now, others would take from us at once."""
        return _now() - self._beaten_at > SPARING_SECONDS

    @property
    def _is_sparing(self) -> bool:
        return self._beats_failing or _now() < self._sparing_until

    async def _hand_over(self) -> None:
        """Without our row every chat of ours is free at once; if that fails, a little later."""
        try:
            if self._before_hand_over is not None:
                await self._before_hand_over()
        except Exception:
            log.warning("before_hand_over.failed", worker_id=self.id, exc_info=True)
        db = self._services.store.db
        try:
            left = await leases.chats_of_worker(db, self.id)
            await leases.forget_worker(db, self.id)
        except Exception:
            log.warning("hand_over.failed", worker_id=self.id, exc_info=True)
            return
        # The others need not find out by looking. Which snapshot it is does not matter to a worker.
        for chat_id in left[:TAKEN_AT_ONCE_MAX]:
            self._bus.publish(WorkWaiting(chat_id=chat_id, snapshot=0))

    async def _follow_hints(self) -> None:
        with self._bus.listening_to_news(HintsLost, self._look_now), self._bus.listening() as inbox:
            while True:
                for hint in await inbox.wait_for_hints():
                    self._notice(hint)

    def _look_now(self, _: HintsLost) -> None:
        self._waiting.set()
        for runner in self._runners.values():
            runner.notice(NEWER_THAN_ALL)

    def _notice(self, hint: Hint) -> None:
        match hint:
            case ChatChanged(chat_id=chat_id, snapshot=snapshot):
                if (runner := self._runners.get(chat_id)) is not None:
                    runner.notice(snapshot)
            case ChatDeleted(chat_id=chat_id):
                self._remembered.forget(chat_id)
                if (runner := self._runners.get(chat_id)) is not None:
                    runner.notice(NEWER_THAN_ALL)
            case WorkWaiting(chat_id=chat_id):
                # More than this many at once are found by looking.
                if len(self._wanted) < TAKEN_AT_ONCE_MAX:
                    self._wanted[chat_id] = None
                self._waiting.set()
            case ChildChanged():
                pass

    def offer(self, chat_id: ChatId) -> Lease | None:
        """A lease with which a transaction of this process may take the chat for us."""
        runner = self._runners.get(chat_id)
        is_full = len(self._offered) >= self._rooms.free
        if self._driving is None or is_full or self._is_taken_for_dead or self._is_sparing:
            return None
        if chat_id in self._offered or (runner is not None and runner.is_ours):
            return None
        self._offered[chat_id] = lease = Lease(self.id, RunnerId(new_id()))
        return lease

    def may_drive(self, chat: Chat) -> bool:
        return self._rooms.of(chat).has_room_for(chat) and not self._left_to_others.leave(chat)

    def drives(self, chat_id: ChatId) -> bool:
        return chat_id in self._runners

    def take(self, done: Done) -> None:
        lease = self._offered.pop(done.chat.id)
        # A process that is about to end hands all its chats over, this one too.
        if self._driving is not None:
            self._drive(done, lease, self._driving)

    def withdraw(self, chat_id: ChatId) -> None:
        del self._offered[chat_id]

    def doubt(self, chat_id: ChatId) -> None:
        del self._offered[chat_id]
        self._in_doubt = True
        self._waiting.set()

    async def _take_chats(self) -> None:
        """On a hint or a timer: find chats without a worker, and take them."""
        while True:
            try:
                if self._in_doubt or _now() >= self._look_for_lost_at:
                    await self._find_lost()
                found = list(await self._candidates())
                taken = [await self._take(chat_id) for chat_id in found]
                if len(found) == TAKEN_AT_ONCE_MAX and any(taken):
                    # So many at once: there are more.
                    self._waiting.set()
            except Exception:
                # Perhaps the chat is ours and only the answer was lost; no other worker would drive it then.
                self._in_doubt = True
                if not self._taking_fails:
                    log.warning("taking.failed", worker_id=self.id, exc_info=True)
                self._taking_fails = True
            else:
                self._taking_fails = False
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._waiting.wait()
            except TimeoutError:
                pass
            self._waiting.clear()

    async def _candidates(self) -> Iterable[ChatId]:
        """Those we were told of, or else those we find; no more than we can drive."""
        wanted, self._wanted = self._wanted, {}
        room = self._rooms.free
        if not room or self._is_taken_for_dead:
            return ()
        if wanted and not self._is_sparing:
            # More may wait than we were told of: look again right after these.
            self._waiting.set()
            return [chat_id for chat_id in wanted if chat_id not in self._left_to_others][:room]
        return await self._found(min(room, TAKEN_AT_ONCE_MAX))

    async def _found(self, count: int) -> list[ChatId]:
        """Chats without a worker, except the ones that we cannot take."""
        stale_micros = NEVER_STALE_MICROS if self._is_sparing else LEASE_STALE_MICROS
        found = await leases.chats_without_worker(
            self._services.store.db,
            limit=count + len(self._left_out) + len(self._left_to_others),
            stale_micros=stale_micros,
            without=_closed(self._rooms.roots),
            without_children=_closed(self._rooms.children),
        )
        left = self._left_out, self._left_to_others
        return [chat_id for chat_id in found if not any(chat_id in each for each in left)][:count]

    async def _find_lost(self) -> None:
        """Take what the database says is ours and has no runner."""
        self._look_for_lost_at = _now() + LOST_SECONDS
        lost = await leases.chats_of_worker(self._services.store.db, self.id)
        # One that is left out is ours all the same: no other worker finds it, so we look again.
        self._in_doubt = any(chat_id in self._left_out for chat_id in lost)
        for chat_id in lost:
            if chat_id not in self._left_out:
                await self._take(chat_id)

    async def _take(self, chat_id: ChatId) -> bool:
        """The worker that commits first has it. Whether that was us."""
        driving = self._driving
        if chat_id in self._runners:
            self._missed.add(chat_id)
            return False  # Its runner is about to end, or the hint is an old one.
        if chat_id in self._offered or driving is None:
            return False
        self._offered[chat_id] = lease = Lease(self.id, RunnerId(new_id()))
        held_by: WorkerId | None = None

        async def admit(_: Connection, locked: LockedChat) -> None:
            nonlocal held_by
            chat = locked.chat
            held_by = chat.lease.worker_id if chat.lease is not None else None
            self._check_room(chat)
            if held_by != self.id and self._left_to_others.leave(chat):
                raise Stale(f"chat {chat.id} is left to another worker")

        try:
            fence = NeedsWorker(unless_lost_by=self.id)
            done = await transact(
                self._services.store, chat_id, Acquire(lease=lease, begins=True), fence=fence, admit=admit
            )
        except (Stale, NotFound):
            self._left_out.forget(chat_id)
            return False
        except Locked:
            # A server that hangs in its transaction must not keep the chats behind this one too.
            self._left_out.add_locked(chat_id)
            return False
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - logged there; the chats behind this one must not wait for it
            self._in_doubt = True
            self._left_out.add(chat_id, error)
            return False
        finally:
            del self._offered[chat_id]
        self._left_out.forget(chat_id)
        self._drive(done, lease, driving)
        if held_by is not None and held_by != self.id:
            await self._count_takeover(held_by)
        return True

    async def _count_takeover(self, held_by: WorkerId) -> None:
        """A worker that ended in order, or that was forgotten since, has no row: then the time is unknown."""
        try:
            quiet = await leases.quiet_seconds(self._services.store.db, held_by)
        except Unavailable:
            return  # The chat is ours all the same.
        metrics.count_takeover(quiet)

    def _check_room(self, chat: Chat) -> None:
        if not self._rooms.of(chat).has_room_for(chat):
            raise Stale(f"there is no room for chat {chat.id}")

    def _drive(self, done: Done, lease: Lease, group: asyncio.TaskGroup) -> None:
        chat_id = done.chat.id
        self._left_to_others.forget(chat_id)
        hold = Hold(self._services, lease, done.locked, run_tool=self._tool_tasks.run)
        hold.note_begun(done)
        runner = Runner(hold, self._duties)
        run = self._run(runner, done, after=self._tasks.get(chat_id))
        if chat_id not in self._runners:
            self._rooms.of(done.chat).take(done.chat.owner_id)
        self._runners[chat_id] = runner
        self._tasks[chat_id] = group.create_task(run, name=f"runner of {chat_id}")

    async def _run(self, runner: Runner, taken: Done, *, after: "asyncio.Task[None] | None") -> None:
        """Drive the chat. A runner whose chat was given back, and has work again, is let end first."""
        chat_id = runner.hold.chat_id
        try:
            if after is not None:
                await asyncio.wait([after])
            runner.hold.memory = self._remembered.take(chat_id)
            # What gave the chat work is known already, and mostly all that is new.
            if sum(map(bytes_of, taken.appended)) <= FOLLOWED_BYTES_MAX:
                runner.hold.memory.follow(taken.outcomes, since=taken.since)
            del taken
            with metrics.driven(), tracing.span("invoke_agent", _turn(chat_id)):
                await runner.run()
        finally:
            if not runner.left_behind:
                self._remembered.give_back(chat_id, runner.hold.memory)
                # A hold refers to itself, and is gone when the garbage collector comes: perhaps much later.
                runner.hold.memory = Memory()
            # There may be none: the one that waited for this one is cancelled when the process ends.
            if self._runners.get(chat_id) is runner:
                self._forget(chat_id)

    def _forget(self, chat_id: ChatId) -> None:
        """The runner of this chat has ended. Its place may be wanted, or the chat have work again."""
        runner = self._runners.pop(chat_id)
        del self._tasks[chat_id]
        chat = runner.hold.chat
        was_full = self._rooms.of(chat).give_back(chat.owner_id)
        if was_full or chat_id in self._missed:
            self._missed.discard(chat_id)
            self._waiting.set()


def _turn(chat_id: ChatId) -> tracing.Attributes:
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": chat_id}


def _closed(room: Room) -> Sequence[UserId] | None:
    """The users who get no further place in this room; None: no user does."""
    return room.full_users if room.free else None


def _now() -> float:
    return asyncio.get_running_loop().time()
