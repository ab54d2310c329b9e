"""What a viewer sends over a WebSocket. It is not listened to, so it is bounded, and then the stream ends."""

from collections.abc import Callable

from msgspec import Struct
from starlette.types import Message

# Some clients send something to keep the connection open. Pings of the protocol never come here.
MESSAGES_MAX = 120
BYTES_MAX = 64 * 1024
WINDOW_SECONDS = 60.0


class Heard(Struct):
    """Of one connection, since `began`."""

    now_seconds: Callable[[], float]
    began: float = 0.0
    messages: int = 0
    size: int = 0
    is_too_much: bool = False

    def note(self, message: Message) -> None:
        now = self.now_seconds()
        if now - self.began >= WINDOW_SECONDS:
            self.began, self.messages, self.size = now, 0, 0
        self.messages += 1
        self.size += len(message.get("bytes") or (message.get("text") or "").encode())
        self.is_too_much |= self.messages > MESSAGES_MAX or self.size > BYTES_MAX
