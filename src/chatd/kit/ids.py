"""New identifiers: random, and sortable by the time they were made (UUID version 7)."""

import os
import time

# Randomness is taken from the system in blocks: a system call for each id costs more than the rest of it.
BLOCK_BYTES = 4096
RANDOM_BYTES = 10

_VERSION = 0x7 << 76
_VARIANT = 0x2 << 62
_RANDOM = ~(0xF << 76) & ~(0x3 << 62)


class _Randomness:
    """Bytes of the system's random source, each used once, and not by a forked process again."""

    def __init__(self) -> None:
        self._block = b""
        self._used = 0
        os.register_at_fork(after_in_child=self._discard)

    def take(self, count: int) -> bytes:
        if self._used + count > len(self._block):
            self._block, self._used = os.urandom(BLOCK_BYTES), 0
        self._used += count
        return self._block[self._used - count : self._used]

    def _discard(self) -> None:
        self._block = b""


# Shared by all callers: it holds nothing but bytes that no id has used.
_randomness = _Randomness()


def new_id() -> str:
    milliseconds = time.time_ns() // 1_000_000
    number = (milliseconds << 80) | int.from_bytes(_randomness.take(RANDOM_BYTES))
    text = f"{number & _RANDOM | _VERSION | _VARIANT:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
