"""What a person is asked (pure): of all that waits for one, which it is now. Described once."""

from collections.abc import Iterator

from msgspec import Struct

from chatd.cli.talk.answers import answering
from chatd.cli.talk.showing.calls.calls import Calls
from chatd.cli.talk.showing.calls.words import glimpse
from chatd.cli.talk.showing.lines import Lines
from chatd.cli.talk.showing.pieces import Piece
from chatd.client.answers import Awaited, WaitingChild
from chatd.client.events import ChildrenChanged, Event, StatusChanged, WaitingForChanged
from chatd.kit.codec import as_text

# What a person can answer. Results are given by programs.
_BY_PEOPLE = frozenset({"approval", "answer"})


class Asked(Struct, frozen=True, kw_only=True):
    """`agent` is the title of the chat that asks, where that works for the one that is looked at."""

    awaited: Awaited
    chat_id: str = ""
    agent: str = ""

    @property
    def key(self) -> tuple[str, int | None, str]:
        return (self.chat_id, self.awaited.message_id, self.awaited.tool_call_id)


class Questions:
    def __init__(self, lines: Lines, calls: Calls, *, folded: bool) -> None:
        self._lines = lines
        self._calls = calls
        self._folded = folded
        self._status = ""
        self._own: tuple[Asked, ...] = ()
        self._of_agents: tuple[Asked, ...] = ()
        self._described: set[tuple[str, int | None, str]] = set()

    @property
    def now(self) -> Asked | None:
        """The chat's own first. In a pipe, agents are answered in their own chats."""
        own = self._own if self._status == "requires_action" else ()
        agents = self._of_agents if self._folded else ()
        return next((each for each in (*own, *agents) if each.awaited.kind in _BY_PEOPLE), None)

    @property
    def own(self) -> tuple[Awaited, ...]:
        return tuple(each.awaited for each in self._own)

    @property
    def behind(self) -> int:
        """How many more are asked after it."""
        return max(0, sum(each.awaited.kind in _BY_PEOPLE for each in (*self._own, *self._of_agents)) - 1)

    def pieces_of(self, event: Event) -> Iterator[Piece]:
        match event:
            case StatusChanged(status=status):
                self._status = status
            case WaitingForChanged(waiting_for=waiting_for, chat_id=chat_id):
                self._own = tuple(Asked(awaited=each, chat_id=chat_id) for each in waiting_for)
                yield from self._of_programs()
            case ChildrenChanged(children=children):
                self._of_agents = tuple(_asked_by(children.waiting))
                if not self._folded:
                    yield from self._told()
            case _:
                return
        self._described &= {each.key for each in (*self._own, *self._of_agents)}
        if (asked := self.now) is not None and asked.key not in self._described:
            self._described.add(asked.key)
            yield from self._description(asked)

    def _of_programs(self) -> Iterator[Piece]:
        for each in self._own:
            if each.awaited.kind not in _BY_PEOPLE and each.key not in self._described:
                self._described.add(each.key)
                tool = glimpse(each.awaited.tool_name)
                yield from self._lines.note(f"The agent waits for a client to run {tool}.")

    def _told(self) -> Iterator[Piece]:
        for each in self._of_agents:
            if each.key not in self._described:
                self._described.add(each.key)
                yield from self._lines.note(_told_of(each))

    def _description(self, asked: Asked) -> Iterator[Piece]:
        awaited = asked.awaited
        if awaited.approval is not None and awaited.approval.preview:
            self._calls.note_preview(awaited.tool_call_id, awaited.approval.preview)
        if asked.agent:
            whose = f"The agent {glimpse(asked.agent)!r}, which works for this chat, asks:"
            yield from self._lines.note(whose)
        for piece in answering.description(awaited):
            yield from self._lines.aside(piece)
        for line in () if self._folded else answering.choices(awaited):
            yield from self._lines.note(line)


def _asked_by(waiting: tuple[WaitingChild, ...]) -> Iterator[Asked]:
    for child in waiting:
        for each in child.waiting_for:
            yield Asked(awaited=each, chat_id=child.chat_id, agent=child.title or child.chat_id)


def _told_of(asked: Asked) -> str:
    awaited = asked.awaited
    wanted = f"{awaited.kind} for {glimpse(awaited.tool_name)} {glimpse(as_text(awaited.args))}"
    return (
        f"{glimpse(asked.agent)!r}, which works for this chat, waits for your {wanted}\n"
        f"`chatd chat {glimpse(asked.chat_id)}` answers."
    )
