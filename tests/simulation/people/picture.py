"""What a client makes of the events of a stream, by the contract in docs/reference/streams.md."""

import asyncio
from typing import Any, NamedTuple, TypeAlias

import msgspec

from tests.simulation.witnesses.overheard import Word

Event: TypeAlias = dict[str, Any]


class Part(NamedTuple):
    """A part of the preview."""

    history: int
    attempt: int
    seq: int
    role: str
    word: Word


class Held:
    """A preview as it was when it ended; whatever was shown of it before is the beginning of this."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = tuple(parts)
        self.ended = asyncio.get_running_loop().time()
        # The event that came after the reset that ended it. None: it ended otherwise, or the rest was lost.
        self.reset_followed_by: Event | None = None


class Picture:
    def __init__(self, held: list[Held]) -> None:
        self.cursor: str | None = None
        self.messages: dict[int, Event] = {}
        self.queue: list[Event] = []
        self.waiting: list[list[Any]] = []
        self.status = ""
        self.error: str | None = None
        self.preview: list[Part] = []
        # Every preview that this viewer has ever had; they outlive the picture.
        self.held = held
        self._reset: Held | None = None

    def apply(self, event: Event) -> None:
        if self._reset is not None:
            self._reset.reset_followed_by = event
            self._reset = None
        self.cursor = event["cursor"]
        self._see(event)
        match event["type"]:
            case "status":
                self._see_status(event["status"])
            case "error":
                self.error = event["message"]
            case "message_part":
                self.preview.append(_part(event))
            case "preview_reset":
                self._reset = self.end_preview()
            case "gap" if event["what"] == "history":
                self._forget_all()

    def _see(self, event: Event) -> None:
        """What is stored, and is told as a whole."""
        match event["type"]:
            case "message":
                self.messages[event["message"]["id"]] = event["message"]
            case "message_deleted":
                self.messages.pop(event["message_id"], None)
            case "queue_update":
                self.queue = event["queued_messages"]
            case "waiting_for":
                self.waiting = [[each["message_id"], each["tool_call_id"]] for each in event["waiting_for"]]
            case _:
                pass

    def lose_connection(self) -> None:
        """What came right after a reset may have been lost with it."""
        self._reset = None

    def end_preview(self) -> Held | None:
        """What was shown is over. Kept for whoever checks it; nothing when nothing was shown."""
        parts, self.preview = self.preview, []
        if not parts:
            return None
        self.held.append(Held(parts))
        return self.held[-1]

    def facts(self) -> Event:
        """What must be as the database says, in its order."""
        return {
            "status": self.status,
            "error": self.error,
            "messages": [[m["id"], m["role"], m["content"]] for _, m in sorted(self.messages.items())],
            "queue": [[row["id"], row["content"], row["when"]] for row in self.queue],
            "waiting": self.waiting,
        }

    def _see_status(self, status: str) -> None:
        self.status = status
        if status != "error":
            self.error = None
        if status in ("waiting", "error"):
            # Whatever was half said and not saved is over.
            self.end_preview()

    def _forget_all(self) -> None:
        self.end_preview()
        self.messages, self.queue, self.waiting = {}, [], []
        self.status, self.error = "", None


class Arriving:
    """Bytes of Server-Sent Events become events, however the bytes were cut."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[Event]:
        *whole, self._rest = (self._rest + chunk).split(b"\n\n")
        lines = [line for each in whole for line in each.split(b"\n")]
        return [
            msgspec.json.decode(line.removeprefix(b"data: ")) for line in lines if line.startswith(b"data: ")
        ]


def _part(event: Event) -> Part:
    return Part(
        event["history_version"],
        event["generation_attempt"],
        event["seq"],
        event["role"],
        _word(event["part"]),
    )


def _word(part: Event) -> Word:
    match part:
        case {"type": "text" | "reasoning" as kind, "text": words}:
            return Word(kind, words)
        case {"type": "tool-call", "tool_call_id": call_id, "args_delta": piece}:
            return Word("arguments", f"{call_id} {piece}")
        case {"type": "tool-call", "tool_call_id": call_id}:
            return Word("call", call_id)
        case _:
            return Word(part["type"], part.get("tool_call_id", ""))
