"""What the agent of a chat is doing, and since when (pure): events in, a few words out."""

from collections.abc import Callable
from datetime import UTC, datetime

from chatd.cli.talk.showing.calls.words import call_line, glimpse
from chatd.cli.talk.showing.retry import seconds_left
from chatd.client.answers import Children, Part
from chatd.client.events import (
    ChildrenChanged,
    Event,
    HeldUp,
    HeldUpChanged,
    MessageSaved,
    PartSpoken,
    PreviewReset,
    RetryOver,
    RetryPending,
    StatusChanged,
)

WORDS_MAX = 40
RESTING = frozenset({"waiting", "error"})
# What is older is a clock that is wrong.
AGE_SECONDS_MAX = 24 * 3600.0


class Activity:
    """`now` is a clock that only goes forward, in seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._status = ""
        self._since: float | None = None
        # When the newest message of a user was sent, as the server tells it.
        self._asked_at = ""
        self._doing = ""
        self._calls: dict[str, str] = {}
        self._retry: tuple[float, int] | None = None
        self._held_up: HeldUp | None = None
        self._children = Children()

    @property
    def status(self) -> str:
        return self._status

    @property
    def is_counting(self) -> bool:
        """Whether the words change by themselves as time goes on."""
        return self._since is not None

    @property
    def seconds(self) -> float:
        """Since the turn began; none while the words are a countdown."""
        return 0.0 if self._since is None or self._retry is not None else self._now() - self._since

    def see(self, event: Event) -> None:
        match event:
            case StatusChanged(status=status):
                self._become(status)
            case RetryPending():
                self._retry = (self._now() + seconds_left(event), event.attempt)
            case RetryOver():
                self._retry = None
            case HeldUpChanged(held_up=held_up):
                self._held_up = held_up
            case ChildrenChanged(children=children):
                self._children = children
            case PartSpoken():
                self._speak(event)
            case MessageSaved(message=message):
                self._asked_at = message.created_at if message.role == "user" else self._asked_at
                for part in message.content:
                    self._note_call(part)
            case PreviewReset():
                self._doing = ""
            case _:
                pass

    def words(self) -> str:
        """Empty when the agent rests."""
        if self._status == "interrupting":
            return "stopping"
        if self._status == "requires_action":
            return "waits for you"
        if self._status != "running":
            return ""
        if self._retry is not None:
            at, attempt = self._retry
            return f"attempt {attempt + 1} in {max(0, round(at - self._now()))} s"
        if self._held_up is not None:
            return "waits for a free slot" if self._held_up.reason == "slot" else "waits for the provider"
        return self._at_work()

    def _at_work(self) -> str:
        if self._calls:
            [*_, last] = self._calls.values()
            more = f" and {len(self._calls) - 1} more" if len(self._calls) > 1 else ""
            return f"{glimpse(last, WORDS_MAX)}{more}"
        if self._children.at_work and not self._doing:
            return f"{self._children.at_work} agents at work"
        return self._doing or "thinking"

    def _become(self, status: str) -> None:
        if status == "running" and self._since is None:
            # A viewer who comes in the middle of a turn is told how long it has taken so far.
            self._since = self._now() - (0.0 if self._status else _age(self._asked_at))
        if status not in ("running", "interrupting"):
            self._since = None
            self._doing, self._retry, self._held_up = "", None, None
        if status in RESTING:
            self._calls.clear()
        self._status = status

    def _speak(self, event: PartSpoken) -> None:
        self._retry = self._held_up = None
        part = event.part
        if part.type == "reasoning":
            self._doing = "thinking"
        elif part.type == "text":
            self._doing = "writing"
        elif part.type == "tool-call" and part.args_delta is not None:
            self._doing = f"prepares {glimpse(part.tool_name or 'a call', WORDS_MAX)}"
        else:
            self._note_call(part)

    def _note_call(self, part: Part) -> None:
        if part.type == "tool-call" and part.tool_call_id:
            self._calls[part.tool_call_id] = call_line(part)
        elif part.type == "tool-result" and part.result_delta is None:
            self._calls.pop(part.tool_call_id or "", None)


def _age(moment: str) -> float:
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
    return seconds if 0 < seconds <= AGE_SECONDS_MAX else 0.0
