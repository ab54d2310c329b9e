"""What every bus promises, and what it does not.

A hint published after a commit reaches the listeners of this moment, perhaps late, perhaps
twice, perhaps not at all. Whoever listens must come to the same conclusion without it.
"""

from typing import Protocol

from chatd.hints.hint import Hint


class Bus(Protocol):
    def publish(self, hint: Hint) -> None:
        """Never waits, never fails: the commit has happened, the hint is only a tap on the shoulder."""
        ...
