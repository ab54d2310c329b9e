"""The processes of a local workspace: children of the server, in a sandbox where there is one."""

import asyncio
import os
import shlex
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import structlog

from chatd.domain.ids import ChatId
from chatd.kit.clock import Clock
from chatd.workspaces.local.git.run_by_git import NOTHING, GitLook, RunByGit, without_new_commondirs
from chatd.workspaces.local.processes.child import DRAIN_SECONDS_MAX, Child, start_child
from chatd.workspaces.local.processes.guardian import Guardian, guardian
from chatd.workspaces.local.processes.held import Held
from chatd.workspaces.local.processes.piped import ChildPipes, spoken_to
from chatd.workspaces.local.processes.spool import SPOOL_BYTES_MAX, Spool
from chatd.workspaces.local.sandbox.command import SHELL, Workplace
from chatd.workspaces.local.sandbox.confine import Confinement, Enclosure
from chatd.workspaces.local.sandbox.guard import GUARD_SECONDS, broken_limit
from chatd.workspaces.local.sandbox.scratch import Scratch
from chatd.workspaces.pipes import Pipes, Program
from chatd.workspaces.processes import (
    WAIT_SECONDS_MAX,
    CannotStart,
    Look,
    NotRunning,
    Output,
    Process,
    Signal,
    Start,
    UnknownProcess,
    Until,
)
from chatd.workspaces.protection import Level, Protection

RUNNING_IN_CHAT_MAX = 16
RUNNING_MAX = 64
RUNNING_ON_SERVER_MAX = 256
# Programs that are spoken to over pipes.
PIPED_MAX = 16
# They serve all chats of their workspace.
NO_CHAT = ChatId("")
# Finished ones, with their output. The oldest are forgotten first.
FINISHED_MAX = 256
FINISHED_SECONDS_MAX = 3600.0
# What the outputs of all processes of a workspace take on disk: at least those of the running ones fit.
WORKSPACE_SPOOL_BYTES_MAX = RUNNING_MAX * SPOOL_BYTES_MAX
# How long commands may take to end in an orderly way when their workspace does.
END_SECONDS_MAX = 2.0

log = structlog.get_logger()


@asynccontextmanager
async def local_processes(
    root: Path,
    scratch: Path,
    enclosure: Enclosure,
    confinement: Confinement,
    clock: Clock,
    *,
    server_environment: Mapping[str, str] = os.environ,
    shell_path: str = SHELL,
    count_all: Callable[[], int] | None = None,
) -> AsyncIterator["LocalProcesses"]:
    """The processes of the workspace at `root`. When the block ends, so have they.

    `scratch` is a directory for this workspace alone. It is emptied before, and removed afterwards.
    """
    workplace = Workplace(
        root=await asyncio.to_thread(root.resolve),
        scratch=Scratch(await asyncio.to_thread(scratch.resolve)),
        enclosure=enclosure,
        confinement=confinement,
        server_environment=server_environment,
        shell_path=shell_path,
    )
    needs_guardian = enclosure.protection.level in (Level.NONE, Level.LIMITS)
    await asyncio.to_thread(workplace.scratch.make)
    try:
        watched = guardian() if needs_guardian else nullcontext()
        async with watched as watching, asyncio.TaskGroup() as watchers:
            processes = LocalProcesses(workplace, clock, watchers, watching, count_all)
            try:
                yield processes
            finally:
                await processes.end_all()
    finally:
        await asyncio.to_thread(workplace.scratch.remove)


class LocalProcesses:
    """See `Processes`. Each process has a task in `watchers` that reads its output and waits for its end."""

    def __init__(
        self,
        workplace: Workplace,
        clock: Clock,
        watchers: asyncio.TaskGroup,
        guardian: Guardian | None,
        count_all: Callable[[], int] | None = None,
    ) -> None:
        self._workplace = workplace
        self._git = GitLook(workplace.root)
        self._clock = clock
        self._watchers = watchers
        self._guardian = guardian
        # In the order in which they were started.
        self._held: dict[str, Held] = {}
        self._spools = 0
        # Those that are spoken to over pipes.
        self._piped: set[Child] = set()
        self._ending = False
        # How many processes all workspaces have together.
        self._count_all = count_all or (lambda: self.running_count)

    @property
    def protection(self) -> Protection:
        return self._workplace.enclosure.protection

    @property
    def running_count(self) -> int:
        """Also those that are spoken to over pipes."""
        return sum(held.running for held in self._held.values()) + len(self._piped)

    async def start(self, start: Start) -> Process:
        self._forget_old()
        held = self._held.get(start.id)
        if held is None:
            held = self._admit(start)
            # Not in the task of the caller: one that is cancelled meanwhile leaves no half-started process.
            self._watchers.create_task(self._run(held, start), name=f"process {start.id}")
        elif (held.process.chat_id, held.process.command) != (start.chat_id, start.command):
            raise CannotStart(f"The process id {start.id} is used already. Take another one.")
        await held.begun()
        return held.process

    def _admit(self, start: Start) -> Held:
        if self._ending:
            raise CannotStart("The workspace is being closed.")
        self._workplace.check(start)
        self._check_room(start.chat_id)
        process = Process(
            id=start.id,
            chat_id=start.chat_id,
            command=start.command,
            workdir=self._workplace.workdir(start),
            background=start.background,
            started_micros=self._clock.now_micros(),
        )
        self._spools += 1
        try:
            held = Held(process, Spool(self._workplace.scratch.output / str(self._spools)))
        except OSError as error:
            raise CannotStart(
                f"It was not run: there is no room for its output ({error.strerror})."
            ) from error
        self._held[start.id] = held
        return held

    def _check_room(self, chat_id: ChatId) -> None:
        running = [held for held in self._held.values() if held.running]
        in_chat = sum(held.process.chat_id == chat_id for held in running)
        for whose, count, allowed in (
            ("this chat", in_chat, RUNNING_IN_CHAT_MAX),
            ("this workspace", len(running), RUNNING_MAX),
            ("this server", self._count_all(), RUNNING_ON_SERVER_MAX),
        ):
            if count >= allowed:
                raise CannotStart(
                    f"{allowed} processes of {whose} are running, and there may be no more. "
                    "End one with process_signal; process_list shows them."
                )

    async def _run(self, held: Held, start: Start) -> None:
        """From the start of the command to its end."""
        try:
            git = await self._look_at_git()
            child = await self._start_child(start, held.process.workdir, git)
        except CannotStart as failure:
            self._remove(held)
            held.fail(failure)
            return
        held.begin(child)
        try:
            if self._ending or held.is_unwanted:
                child.kill()
            exit_code = await self._watch(held, child, git)
        except BaseException:
            child.kill()
            raise
        finally:
            child.close()
        held.end(exit_code, now_micros=self._clock.now_micros(), now=self._clock.monotonic())

    async def _look_at_git(self) -> RunByGit:
        """What of it is kept from commands; nothing without a sandbox."""
        return await self._git.look() if self._workplace.is_confined else NOTHING

    async def _start_child(
        self, start: Start, workdir: str, git: RunByGit, *, errors_apart: bool = False
    ) -> Child:
        child = await start_child(
            self._workplace.program(start.command, workdir),
            env=self._workplace.environment(start, self._guardian.marks if self._guardian else {}),
            takes_input=start.takes_input,
            sandbox=self._workplace.sandbox(read_only=start.read_only, git=git),
            errors_apart=errors_apart,
        )
        if self._guardian is not None:
            self._guardian.watch(child.group)
        return child

    async def _watch(self, held: Held, child: Child, git: RunByGit) -> int:
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(child.read(held.take), name=f"output {held.process.id}")
            guarding = group.create_task(self._guard(held, child, git), name=f"guard {held.process.id}")
            exit_code = await child.wait()
            guarding.cancel()
            child.kill_left_behind()
            await asyncio.wait([reading], timeout=DRAIN_SECONDS_MAX)
            reading.cancel()
            if not await child.has_begun() and held.process.stopped_because is None:
                held.stop("The sandbox could not be made, so nothing was run.")
        self._forget_group(child)
        _tidy_git(git)
        return exit_code

    def _forget_group(self, child: Child) -> None:
        if self._guardian is not None:
            self._guardian.forget(child.group)

    async def _guard(self, held: Held, child: Child, git: RunByGit) -> None:
        broken = await self._broken_limit(child, git)
        log.warning("process.stopped", process=held.process.id, chat_id=held.process.chat_id, why=broken)
        held.stop(broken)

    async def _broken_limit(self, child: Child, git: RunByGit) -> str:
        """Real time, whatever the clock says: it is about what the machine is doing."""
        limits = self._workplace.confinement.limits
        written = (self._workplace.root, self._workplace.scratch.path)
        while True:
            if broken := broken_limit(child.first_inside, written, limits):
                return broken
            _tidy_git(git)
            await asyncio.sleep(GUARD_SECONDS)

    @asynccontextmanager
    async def piped(self, program: Program) -> AsyncIterator[Pipes]:
        start = Start(
            id="",
            chat_id=NO_CHAT,
            command=shlex.join(program.command),
            env=program.env,
            takes_input=True,
        )
        self._workplace.check(start)
        if self._ending or len(self._piped) >= PIPED_MAX:
            why = "is being closed" if self._ending else f"has {PIPED_MAX} such programs already"
            raise CannotStart(f"The program was not started, because the workspace {why}.")
        git = await self._look_at_git()
        child = await self._start_child(start, self._workplace.workdir(start), git, errors_apart=True)
        self._piped.add(child)
        try:
            async with spoken_to(child) as pipes, asyncio.TaskGroup() as group:
                guarding = group.create_task(self._guard_piped(pipes, child, git), name=f"guard {child.pid}")
                try:
                    yield pipes
                finally:
                    guarding.cancel()
        finally:
            self._piped.discard(child)
            self._forget_group(child)
            _tidy_git(git)

    async def _guard_piped(self, pipes: ChildPipes, child: Child, git: RunByGit) -> None:
        broken = await self._broken_limit(child, git)
        log.warning("process.stopped", pid=child.pid, why=broken)
        pipes.stop(broken)

    def environment(self) -> Mapping[str, str]:
        return self._workplace.environment(Start(id="", chat_id=NO_CHAT, command=""), {})

    async def list(self, chat_id: ChatId | None) -> tuple[Process, ...]:
        self._forget_old()
        theirs = [held.process for held in self._held.values() if chat_id in (None, held.process.chat_id)]
        theirs.reverse()
        return tuple(sorted(theirs, key=lambda process: not process.running))

    async def output(
        self,
        chat_id: ChatId | None,
        process_id: str,
        look: Look,
        *,
        until: Until = Until.NOW,
        wait_seconds: float = 0.0,
    ) -> Output:
        held = self._find(chat_id, process_id)
        seen = look.offset if look.offset is not None else held.spool.total

        def is_enough() -> bool:
            return not held.running or (until is Until.OUTPUT and held.spool.total > seen)

        if until is not Until.NOW and wait_seconds > 0:
            await self._wait(held, is_enough, min(wait_seconds, WAIT_SECONDS_MAX))
        return await held.look(look)

    async def _wait(self, held: Held, is_enough: Callable[[], bool], seconds: float) -> None:
        async with asyncio.TaskGroup() as group:
            timer = group.create_task(self._clock.sleep(seconds), name=f"wait for {held.process.id}")
            timer.add_done_callback(lambda _: held.notify())
            while not is_enough() and not timer.done():
                await held.change()
            timer.cancel()

    async def input(self, chat_id: ChatId | None, process_id: str, data: bytes, *, end: bool = False) -> None:
        await self._running(chat_id, process_id).write(data, end=end)

    async def signal(self, chat_id: ChatId | None, process_id: str, signal: Signal) -> None:
        held = self._find(chat_id, process_id)
        if held.running and held.child is None:
            # There is nothing in it yet that could end in an orderly way.
            held.is_unwanted = True
            return
        self._running(chat_id, process_id).signal(signal)

    def chats(self) -> frozenset[ChatId]:
        """Those of which a process runs, or is remembered."""
        return frozenset(held.process.chat_id for held in self._held.values())

    def forget_chat(self, chat_id: ChatId) -> None:
        """The chat is gone: kill what runs, and forget what has ended."""
        for held in [*self._held.values()]:
            if held.process.chat_id != chat_id:
                continue
            if not held.running:
                self._remove(held)
            elif held.child is not None:
                held.stop("Its chat was deleted, or has no workspace any more.")

    async def end_all(self) -> None:
        self._ending = True
        for child in self._piped:
            child.signal(Signal.TERMINATE)
        for held in self._held.values():
            if held.running:
                held.end_with_workspace()
        try:
            async with asyncio.timeout(END_SECONDS_MAX):
                await self._all_ended()
        except TimeoutError:
            pass  # They were asked, and do not want to.
        finally:
            running = [held.child for held in self._held.values() if held.child is not None]
            for child in (*running, *self._piped):
                child.kill()

    async def _all_ended(self) -> None:
        for held in [*self._held.values()]:
            while held.running:
                await held.change()

    def _running(self, chat_id: ChatId | None, process_id: str) -> Child:
        held = self._find(chat_id, process_id)
        if not held.running or held.child is None:
            raise NotRunning(f"The process {process_id} has ended with exit code {held.process.exit_code}.")
        return held.child

    def _find(self, chat_id: ChatId | None, process_id: str) -> Held:
        self._forget_old()
        held = self._held.get(process_id)
        if held is None or chat_id not in (None, held.process.chat_id):
            raise UnknownProcess(
                f"There is no process {process_id}. Processes are forgotten an hour after they have ended, "
                "and end with the server; process_list shows those of this chat."
            )
        return held

    def _forget_old(self) -> None:
        """Finished ones, when they are too old, or too many, or too large together."""
        finished = [held for held in self._held.values() if not held.running]
        kept_bytes = sum(held.spool.kept_bytes for held in self._held.values())
        too_old = self._clock.monotonic() - FINISHED_SECONDS_MAX
        too_many = len(finished) - FINISHED_MAX
        for number, held in enumerate(sorted(finished, key=lambda held: held.ended_at or 0.0)):
            is_old = held.ended_at is not None and held.ended_at <= too_old
            if is_old or number < too_many or kept_bytes > WORKSPACE_SPOOL_BYTES_MAX:
                kept_bytes -= held.spool.kept_bytes
                self._remove(held)

    def _remove(self, held: Held) -> None:
        del self._held[held.process.id]
        held.spool.remove()


def _tidy_git(git: RunByGit) -> None:
    if removed := without_new_commondirs(git):
        log.warning("process.redirected_git", removed=[str(path) for path in removed])
