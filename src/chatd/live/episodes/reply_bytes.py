"""How much the replies of this process hold together, while they are said and until they are saved."""

# A process with many runaway streams cuts some of them off before it runs out of memory.
REPLIES_BYTES_MAX = 256 * 1024 * 1024
# Taken at once: the total is not touched for every word.
GRAIN_BYTES = 64 * 1024


class ReplyBytes:
    def __init__(self, bytes_max: int = REPLIES_BYTES_MAX) -> None:
        self.bytes = 0
        self._bytes_max = bytes_max

    def take(self, count: int) -> bool:
        """Whether there is room for so much more."""
        if self.bytes + count > self._bytes_max:
            return False
        self.bytes += count
        return True

    def give_back(self, count: int) -> None:
        self.bytes -= count
