"""Where a server is. One on this machine may have been started again at another port."""

from collections.abc import Callable


class Address:
    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        # Where it is now, as far as that is known.
        self.find: Callable[[], str | None] = lambda: None

    def look_again(self) -> None:
        """Nobody answers there."""
        self.url = (self.find() or self.url).rstrip("/")
