"""One process as its workspace keeps it, while it runs and for a while afterwards."""

import asyncio

from msgspec.structs import replace

from chatd.workspaces import excerpt
from chatd.workspaces.excerpt import MARKER_BYTES, Excerpt
from chatd.workspaces.local.processes.child import Child
from chatd.workspaces.local.processes.spool import SPOOL_BYTES_MAX, Spool
from chatd.workspaces.processes import CannotStart, Look, Output, Process, Signal

CLOSED = "The server was stopped, and all commands of its workspaces with it."


class Held:
    def __init__(self, process: Process, spool: Spool) -> None:
        self.process = process
        self.spool = spool
        self.child: Child | None = None
        # It was to be ended before it had begun.
        self.is_unwanted = False
        # Of the clock that only goes on.
        self.ended_at: float | None = None
        self._failure: CannotStart | None = None
        self._changed = asyncio.Event()

    @property
    def running(self) -> bool:
        return self.process.running

    async def begun(self) -> None:
        """Returns when the command runs. Raises CannotStart when it does not."""
        while self.child is None and self._failure is None:
            await self.change()
        if self._failure is not None:
            raise CannotStart(*self._failure.args)

    def begin(self, child: Child) -> None:
        self.child = child
        self.notify()

    def fail(self, failure: CannotStart) -> None:
        self._failure = failure
        self.process = replace(self.process, running=False)
        self.notify()

    def take(self, chunk: bytes) -> None:
        self.spool.write(chunk)
        self.notify()

    def stop(self, why: str) -> None:
        """It broke a limit."""
        assert self.child is not None
        self.process = replace(self.process, stopped_because=why)
        self.child.kill()

    def end_with_workspace(self) -> None:
        """In an orderly way, if it wants to. One that has not begun yet is killed when it does."""
        if self.process.stopped_because is None:
            self.process = replace(self.process, stopped_because=CLOSED)
        if self.child is not None:
            self.child.signal(Signal.TERMINATE)

    def end(self, exit_code: int, *, now_micros: int, now: float) -> None:
        self.spool.seal()
        self.process = replace(self.process, running=False, exit_code=exit_code, exited_micros=now_micros)
        self.ended_at = now
        self.notify()

    def notify(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def change(self) -> None:
        """Until something was printed, or the process began or ended. A change before the call is missed."""
        await self._changed.wait()

    async def look(self, look: Look) -> Output:
        if look.offset is not None:
            return self._piece(look.offset, look.bytes_max)
        if look.tail is not None or look.words:
            return await self._chosen(look)
        shown = self._ends(look.bytes_max)
        return self._output(shown.text, shown.shown_bytes, next_offset=self.spool.total)

    def _output(self, text: str, shown_bytes: int, *, offset: int = 0, next_offset: int) -> Output:
        return Output(
            process=self.process,
            text=text,
            total_bytes=self.spool.total,
            shown_bytes=shown_bytes,
            lost_bytes=self.spool.lost_bytes,
            offset=offset,
            next_offset=next_offset,
        )

    def _piece(self, offset: int, bytes_max: int) -> Output:
        start, data = self.spool.read(offset, bytes_max)
        is_last = not self.running and start + len(data) >= self.spool.total
        shown = excerpt.piece(data, is_last=is_last or len(data) == bytes_max)
        return self._output(
            shown.text, shown.shown_bytes, offset=start, next_offset=start + shown.shown_bytes
        )

    def _ends(self, bytes_max: int) -> Excerpt:
        if self.spool.total <= bytes_max and not self.spool.lost_bytes:
            return excerpt.whole(self.spool.read(0, bytes_max)[1])
        half = (bytes_max - MARKER_BYTES) // 2
        _, head = self.spool.read(0, half)
        _, tail = self.spool.read(max(len(head), self.spool.written - half), half)
        return excerpt.ends(head, tail, self.spool.total - len(head) - len(tail))

    async def _chosen(self, look: Look) -> Output:
        """Some lines of all that is kept. Copied here, because more may be written; searched in a thread."""
        kept = self._kept(SPOOL_BYTES_MAX if look.words else look.bytes_max)
        chosen = await asyncio.to_thread(_lines, kept, look)
        half = (look.bytes_max - MARKER_BYTES) // 2
        if len(chosen) <= look.bytes_max:
            shown = excerpt.whole(chosen)
        elif look.words:
            shown = excerpt.ends(chosen[:half], chosen[-half:], len(chosen) - 2 * half)
        else:
            shown = excerpt.whole(chosen[-look.bytes_max :])
        return self._output(shown.text, shown.shown_bytes, next_offset=self.spool.total)

    def _kept(self, bytes_max: int) -> bytes:
        """The end of the output, and as much before it as is wanted and kept."""
        pieces: list[bytes] = []
        at = max(0, self.spool.written - bytes_max)
        while at < self.spool.written:
            start, data = self.spool.read(at, bytes_max)
            if not data:
                break
            pieces.append(data)
            at = start + len(data)
        return b"".join(pieces)


def _lines(kept: bytes, look: Look) -> bytes:
    chosen = excerpt.lines_with(kept, look.words) if look.words else kept
    return excerpt.last_lines(chosen, look.tail) if look.tail is not None else chosen
