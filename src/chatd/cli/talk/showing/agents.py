"""Chats that work for the one that is looked at (pure): what each of them is doing, a line each."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from chatd.cli.talk.showing.activity import Activity
from chatd.cli.talk.showing.calls.words import glimpse, line_for
from chatd.cli.talk.showing.spell import in_words
from chatd.client.answers import Awaited, Chat, Children
from chatd.client.events import Event

TITLE_LENGTH_MAX = 40
# Beside the chat. `/agents` lists all.
SHOWN_MAX = 6

AT_WORK: Final = frozenset({"running", "interrupting"})
_MARKS: Final = {"waiting": "✓", "error": "✗", "requires_action": "?"}
_WORDS: Final = {"waiting": "done", "error": "failed", "requires_action": "waits for you"}


class Agent(Struct, kw_only=True):
    """`number` is what a person calls it: agents are counted as they were started."""

    number: int
    chat_id: str
    title: str
    status: str
    kind: str = "general"
    error: str = ""
    # What it is doing, as far as its stream is followed.
    activity: Activity | None = None
    waiting_for: tuple[Awaited, ...] = ()

    @property
    def is_at_work(self) -> bool:
        return self.status in AT_WORK

    def line(self) -> str:
        title = glimpse(self.title, TITLE_LENGTH_MAX)
        return f"{_MARKS.get(self.status, '▸')} {self.number}  {title}: {self._doing()}"

    def _doing(self) -> str:
        if self.waiting_for:
            asked = self.waiting_for[0]
            return f"asks you about {line_for(asked.tool_name, asked.args)}"
        if self.status in _WORDS:
            return f"{_WORDS[self.status]}{f': {glimpse(self.error)}' if self.error else ''}"
        doing = self.activity.words() if self.activity is not None else ""
        seconds = self.activity.seconds if self.activity is not None else 0.0
        return f"{doing or 'at work'}{f', {in_words(seconds)}' if seconds else ''}"


class Agents:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._known: dict[str, Agent] = {}

    @property
    def all(self) -> list[Agent]:
        return sorted(self._known.values(), key=lambda agent: agent.number)

    @property
    def shown(self) -> list[Agent]:
        """Beside the chat, as long as any of them works or waits."""
        agents = self.all
        busy = [agent for agent in agents if agent.is_at_work or agent.waiting_for]
        return agents[-SHOWN_MAX:] if busy and len(agents) <= SHOWN_MAX else busy[:SHOWN_MAX]

    def numbered(self, number: int) -> Agent | None:
        return next((agent for agent in self._known.values() if agent.number == number), None)

    def list(self, chats: Iterable[Chat]) -> None:
        """As the server lists them."""
        for number, chat in enumerate(sorted(chats, key=lambda chat: (chat.created_at, chat.id)), start=1):
            agent = self._known.setdefault(
                chat.id, Agent(number=number, chat_id=chat.id, title="", status="")
            )
            agent.number, agent.title, agent.status = number, chat.title, chat.status
            agent.kind = chat.agent_type or agent.kind
            agent.error = chat.last_error.message if chat.last_error is not None else ""

    def note_waiting(self, children: Children) -> None:
        asked = {child.chat_id: child.waiting_for for child in children.waiting}
        for agent in self._known.values():
            agent.waiting_for = asked.get(agent.chat_id, ())

    def see(self, chat_id: str, event: Event) -> None:
        """Something has happened in the chat of an agent."""
        agent = self._known.get(chat_id)
        if agent is not None:
            agent.activity = agent.activity or Activity(self._now)
            agent.activity.see(event)
            agent.status = agent.activity.status or agent.status
