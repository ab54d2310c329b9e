"""What was typed before, also in earlier runs: for the arrow keys, in a file that only its owner reads."""

import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

FILE = "chat-history"
# A file that has grown beyond this begins with its newest half again.
BYTES_MAX = 512 * 1024
LINES_MAX = 1000
# What was pasted at length is not worth keeping.
LENGTH_MAX = 10_000


def typed_before() -> History:
    """Nothing is kept where there is no place for it."""
    file = _directory() / FILE
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        _shorten(file)
    except OSError:
        return InMemoryHistory()
    return _Kept(str(file))


class _Kept(FileHistory):
    def load_history_strings(self) -> Iterable[str]:
        for number, line in enumerate(super().load_history_strings()):
            if number == LINES_MAX:
                return
            yield line

    def store_string(self, string: str) -> None:
        if len(string) <= LENGTH_MAX:
            super().store_string(string)


def _shorten(file: Path) -> None:
    if file.stat().st_size > BYTES_MAX:
        kept = file.read_bytes()[-BYTES_MAX // 2 :]
        # An entry begins with a comment line.
        file.write_bytes(kept[max(0, kept.find(b"\n# ")) :])


def _directory() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "chatd"
