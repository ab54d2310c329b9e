"""Checkpoints of a directory, as trees in a repository of our own.

The repository is in the data directory, out of the reach of agents. The user's own repository, if there is
one, is not used for it, so a directory without one is kept just as well.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct

from chatd.domain.ids import ChatId, MessageId, Micros
from chatd.kit.clock import Clock
from chatd.workspaces.checkpoints import (
    Announce,
    CheckpointError,
    Diff,
    Kept,
    Restored,
    Trouble,
)
from chatd.workspaces.local.checkpoints import compare, room
from chatd.workspaces.local.checkpoints.bounds import BOUNDS, Bounds
from chatd.workspaces.local.checkpoints.exclusive import Exclusive, Session
from chatd.workspaces.local.checkpoints.git import Git, GitError
from chatd.workspaces.local.checkpoints.repository import RESTORING, UNDO, Repository, ref_name
from chatd.workspaces.local.checkpoints.restore import Plan, clean_up, is_half, make_plan, perform
from chatd.workspaces.local.checkpoints.snapshot import take_snapshot
from chatd.workspaces.local.files.threads import Threads

_FROM, _TO = "from", "to"


class _Begun(Struct, frozen=True):
    """A restore that is about to change files."""

    plan: Plan
    # What undoing it leads back to, and where it leads.
    start: str
    target: str


class LocalCheckpoints:
    """`program` is git, `directory` where our repository is or will be, `root` the workspace."""

    def __init__(
        self,
        program: str,
        directory: Path,
        root: Path,
        *,
        clock: Clock,
        threads: Threads,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._repository = Repository(directory)
        self._exclusive = Exclusive(program, self._repository, root, threads)
        self._root = root
        self._clock = clock
        self._bounds = bounds
        self._pause_until = 0.0
        self._waiting = 0
        # About what the repository takes on the disk. None: not looked at yet.
        self._size_bytes: int | None = None
        self._restoring = asyncio.Lock()

    async def take(self, chat_id: ChatId, message_id: MessageId) -> None:
        begun = self._clock.monotonic()
        if (seconds := self._pause_until - begun) > 0:
            raise CheckpointError(
                f"The last attempt took too long; the next one is in {seconds:.0f} seconds."
            )
        try:
            async with self._session(self._bounds.take_seconds_max) as session:
                now = Micros(self._clock.now_micros())
                await session.run(partial(self._take, chat_id, message_id, now))
        except CheckpointError:
            ended = self._clock.monotonic()
            if ended - begun > self._bounds.slow_seconds:
                self._pause_until = ended + self._bounds.pause_seconds
            raise

    async def settled(self) -> None:
        async with self._restoring:
            pass

    async def kept(self, chat_id: ChatId) -> Kept:
        return await asyncio.to_thread(self._kept, chat_id)

    async def plan(self, chat_id: ChatId, message_id: MessageId | None, path: str | None = None) -> Restored:
        async with self._looking() as session:
            return (await session.run(partial(self._begin, chat_id, message_id, path))).plan.described()

    async def restore(
        self, chat_id: ChatId, message_id: MessageId | None, announce: Announce, path: str | None = None
    ) -> Restored:
        async with self._restoring, self._looking(self._bounds.restore_seconds_max) as session:
            begun = await session.run(partial(self._begin, chat_id, message_id, path))
            if not begun.plan.is_empty:
                await announce(begun.plan.described())
            return await session.run(partial(self._perform, chat_id, begun))

    async def diff(
        self, chat_id: ChatId, since: MessageId, until: MessageId | None, path: str | None = None
    ) -> Diff:
        async with self._looking() as session:
            return await session.run(partial(self._diff, chat_id, since, until, path))

    def _take(self, chat_id: ChatId, message_id: MessageId, now: Micros, git: Git) -> None:
        self._repository.make(self._root)
        if any(each.message_id == message_id for each in self._repository.checkpoints(chat_id)):
            return
        room.check_disk(self._repository, free_bytes_min=self._bounds.free_bytes_min)
        tree = self._snapshot(git)
        self._repository.write_ref(chat_id, ref_name(message_id, now), tree)
        room.forget_oldest(self._repository, chat_id, kept_max=self._bounds.kept_max)
        if self._is_large():
            self._size_bytes = None
            self._size_bytes = room.make_room(
                git, self._repository, bytes_max=self._bounds.repository_bytes_max
            )

    def _kept(self, chat_id: ChatId) -> Kept:
        read = partial(self._repository.read_ref, chat_id)
        return Kept(
            checkpoints=tuple(self._repository.checkpoints(chat_id)),
            can_undo=read(UNDO) is not None or read(RESTORING) is not None,
            interrupted=read(RESTORING) is not None,
        )

    def _begin(self, chat_id: ChatId, message_id: MessageId | None, path: str | None, git: Git) -> _Begun:
        """A restore that was cut off leads from one tree to another. Undone, it leads back; repeated, it is
        undone to where the first one began. Only if files have been changed by others since, these count.
        """
        cut_off = self._repository.read_ref(chat_id, RESTORING)
        ends = None
        if cut_off is not None:
            ends = (_tree(git, f"{cut_off}:{_FROM}"), _tree(git, f"{cut_off}:{_TO}"))
        target = self._target(chat_id, message_id, ends)
        if ends is not None:
            clean_up(git, self._root, *ends)
        start = now = self._snapshot(git)
        if ends is not None and is_half(git, now, *ends):
            start = ends[1] if message_id is None else ends[0]
        plan = make_plan(git, self._repository, now, target)
        return _Begun(plan if path is None else plan.only(path), start, target)

    def _perform(self, chat_id: ChatId, begun: _Begun, git: Git) -> Restored:
        """The ref says what is being done for as long as it is not whole."""
        plan, repository = begun.plan, self._repository
        if plan.is_empty and repository.read_ref(chat_id, RESTORING) is None:
            return plan.described()
        entries = {_FROM: ("40000", begun.start), _TO: ("40000", begun.target)}
        repository.write_ref(chat_id, RESTORING, repository.write_tree(entries))
        failed = perform(git, self._root, plan)
        repository.write_ref(chat_id, UNDO, begun.start)
        repository.remove_ref(chat_id, RESTORING)
        return plan.described(failed)

    def _diff(
        self, chat_id: ChatId, since: MessageId, until: MessageId | None, path: str | None, git: Git
    ) -> Diff:
        before = self._before(chat_id, since)
        if before is None:
            raise CheckpointError("This chat has changed no file from this message on.", Trouble.NOTHING_KEPT)
        after = self._before(chat_id, until) if until is not None else None
        if after is None:
            room.check_disk(self._repository, free_bytes_min=self._bounds.free_bytes_min)
            after = self._snapshot(git)
        found = compare.differences(git, before, after)
        if path is not None:
            # Not for git to interpret: it need not be a path that is in a tree.
            found = tuple(each for each in found if each.path == path)
            if not found:
                return Diff()
        text = compare.diff_text(git, before, after, path=path, bytes_max=self._bounds.diff_bytes_max)
        files, more = compare.listed(found)
        return Diff(files=files, more_files=more, text=text or "", too_long=text is None)

    def _target(self, chat_id: ChatId, message_id: MessageId | None, ends: tuple[str, str] | None) -> str:
        if message_id is not None:
            found = self._before(chat_id, message_id)
            if found is None:
                raise CheckpointError(
                    "This chat has changed no file from this message on.", Trouble.NOTHING_KEPT
                )
            return found
        undo = ends[0] if ends is not None else self._repository.read_ref(chat_id, UNDO)
        if undo is None:
            raise CheckpointError(
                "No files of this chat were restored, so nothing can be undone.", Trouble.NOTHING_TO_UNDO
            )
        return undo

    def _before(self, chat_id: ChatId, message_id: MessageId) -> str | None:
        """The checkpoint that has the files as they were before this message."""
        kept = self._repository.checkpoints(chat_id)
        name = next((name for each, name in kept.items() if each.message_id >= message_id), None)
        return self._repository.read_ref(chat_id, name) if name is not None else None

    def _snapshot(self, git: Git) -> str:
        """The tree of the files as they are. Those that no ref names, of looks, go when there are many."""
        if self._is_large():
            room.prune(git)
            self._size_bytes = None
        size = self._size_bytes if self._size_bytes is not None else self._repository.size_bytes()
        snapshot = take_snapshot(git, self._repository, self._root, self._bounds)
        self._size_bytes = size + snapshot.new_bytes
        return snapshot.tree

    def _is_large(self) -> bool:
        return (self._size_bytes or 0) > self._bounds.repository_bytes_max

    @asynccontextmanager
    async def _looking(self, seconds: float | None = None) -> AsyncIterator[Session]:
        """For callers of the API, of whom only a few may wait."""
        if not self._repository.exists:
            raise CheckpointError("Nothing was changed in this workspace yet.", Trouble.NOTHING_KEPT)
        if self._waiting >= self._bounds.waiting_max:
            raise CheckpointError("Others are looking at the files of this workspace. Try again in a moment.")
        self._waiting += 1
        try:
            async with self._session(seconds or self._bounds.look_seconds_max) as session:
                yield session
        finally:
            self._waiting -= 1

    @asynccontextmanager
    async def _session(self, seconds: float) -> AsyncIterator[Session]:
        try:
            async with asyncio.timeout(seconds), self._exclusive.session() as session:
                yield session
        except TimeoutError as error:
            raise CheckpointError(f"It took longer than {seconds:g} seconds.") from error
        except FileNotFoundError as error:
            raise CheckpointError(f"{error.filename} does not exist any more.") from error
        except (GitError, OSError) as error:
            raise CheckpointError(f"It did not work: {error}") from error


def _tree(git: Git, name: str) -> str:
    return git("rev-parse", "--verify", "--end-of-options", name).decode().strip()
