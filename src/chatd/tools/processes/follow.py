"""Waiting for a process while its output is shown to viewers."""

from collections.abc import Callable

from chatd.kit.clock import Clock
from chatd.tools.processes.readable import readable
from chatd.tools.tool import Setting
from chatd.workspaces.processes import Look, Processes, Until

# What viewers are shown of one call while it runs; the result has the end of a longer output.
LIVE_BYTES_MAX = 128 * 1024
_PIECE_BYTES_MAX = 16 * 1024
_REST_UNSHOWN = "\n[more output follows, and is not shown while the command runs]\n"

# A command that takes longer waits like a chat that waits for a person: it needs no slot of the server, and
# the watchdog is not to take its silence for a hanging tool.
QUICK_SECONDS = 10.0


class Live:
    """What a viewer has been shown of an output so far, from `offset` on."""

    def __init__(self, show: Callable[[str], None], offset: int = 0) -> None:
        self._show = show
        self._end = offset + LIVE_BYTES_MAX
        self.offset = offset
        self._is_full = False

    @property
    def until(self) -> Until:
        return Until.EXIT if self._is_full else Until.OUTPUT

    def take(self, text: str, next_offset: int) -> None:
        if self._is_full:
            return
        self.offset = next_offset
        if shown := readable(text):
            self._show(shown)
        if self.offset >= self._end:
            self._is_full = True
            self._show(_REST_UNSHOWN)


class Follower:
    """One process, for one call. `offset` is where viewers begin to see its output."""

    def __init__(
        self, processes: Processes, process_id: str, setting: Setting, clock: Clock, *, offset: int = 0
    ) -> None:
        self._processes = processes
        self._process_id = process_id
        self._setting = setting
        self._clock = clock
        self._live = Live(setting.show, offset)

    async def follow(self, seconds: float) -> None:
        """Returns when the process has ended or the time is over. Raises ProcessError."""
        deadline = self._clock.monotonic() + seconds
        if await self._follow_until(min(deadline, self._clock.monotonic() + QUICK_SECONDS)):
            return
        if self._clock.monotonic() < deadline:
            async with self._setting.resting():
                await self._follow_until(deadline)

    async def _follow_until(self, deadline: float) -> bool:
        """Whether it has ended. Everything that it has printed was shown then, as far as there is room."""
        while True:
            left = max(0.0, deadline - self._clock.monotonic())
            output = await self._processes.output(
                self._setting.chat_id,
                self._process_id,
                Look(offset=self._live.offset, bytes_max=_PIECE_BYTES_MAX),
                until=self._live.until,
                wait_seconds=left,
            )
            self._live.take(output.text, output.next_offset)
            has_all = self._live.until is Until.EXIT or not output.text
            if has_all and (not output.process.running or left <= 0):
                return not output.process.running
