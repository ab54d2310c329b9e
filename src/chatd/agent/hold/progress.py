"""Signs that an agent is getting on, for the watchdog that notices when it is stuck."""

from collections.abc import Iterator
from contextlib import contextmanager


class Progress:
    """Only counts: a sign is given thousands of times a second, and looked at once a minute."""

    def __init__(self) -> None:
        # Whatever shows that something moves: words of a model, output of a tool, a commit.
        self.signs = 0
        self.commits = 0
        # How many wait for something they know: a slot, a client, the end of a pause, the database.
        self._pauses = 0

    @property
    def pausing(self) -> bool:
        return self._pauses > 0

    def sign(self) -> None:
        self.signs += 1

    def committed(self) -> None:
        self.commits += 1
        self.sign()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """A runner that waits inside of the block is not stuck, however long it takes."""
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            self.sign()
