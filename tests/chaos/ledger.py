"""What clients were told, as their side of the comparison with the database."""

import asyncio
from typing import NamedTuple

from chatd.client.answers import Message, Part


class Violation(AssertionError):
    """A promise was broken; the message says which."""


class Line(NamedTuple):
    """A message in few words, the same for what viewers were told and for what is stored."""

    id: int
    role: str
    words: str


class Ledger:
    def __init__(self) -> None:
        # Names of messages by chat, in the order in which they were acknowledged.
        self.accepted: dict[str, list[str]] = {}
        # By chat: every message that a viewer was ever told of as saved, in the order of the first time.
        self.saved: dict[str, dict[int, Line]] = {}
        # The text of each saved reply by the episode in which it was said: chat, history and attempt.
        self.replies: dict[tuple[str, int | None, int | None], str] = {}
        # What was told of the same message and differs.
        self.retold: list[tuple[str, Line, Line]] = []
        self.saved_count = 0
        self._news = asyncio.Event()

    def accept(self, chat_id: str, name: str) -> None:
        self.accepted.setdefault(chat_id, []).append(name)

    def tell(self, chat_id: str, message: Message) -> None:
        """A viewer is told that this is saved."""
        if message.role == "assistant":
            self.replies[chat_id, message.history_version, message.generation_attempt] = message.text
        self.save(chat_id, line_of(message))

    def save(self, chat_id: str, line: Line) -> None:
        told = self.saved.setdefault(chat_id, {})
        known = told.setdefault(line.id, line)
        if known is line:
            self.saved_count += 1
            self._news.set()
        elif known != line:
            self.retold.append((chat_id, known, line))

    async def until_saved(self, count: int) -> None:
        """Until viewers were told of so many messages."""
        while self.saved_count < count:
            self._news.clear()
            await self._news.wait()


def line_of(message: Message) -> Line:
    return Line(message.id, message.role, ", ".join(_words(part) for part in message.content))


def _words(part: Part) -> str:
    match part.type:
        case "text" | "reasoning":
            return part.text or ""
        case "tool-call":
            return f"calls {part.tool_call_id}"
        case "tool-result":
            return f"{part.tool_call_id} {'failed' if part.is_error else 'answered'}"
        case other:
            return other
