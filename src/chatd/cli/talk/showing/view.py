"""One chat as it is looked at (pure): events in, what is to be printed out, and what is shown meanwhile."""

from collections.abc import Callable, Iterator

from chatd.cli.talk.answers.answering import Answering
from chatd.cli.talk.showing.activity import Activity
from chatd.cli.talk.showing.agents import Agents
from chatd.cli.talk.showing.calls.calls import Calls
from chatd.cli.talk.showing.lines import Lines
from chatd.cli.talk.showing.news import News
from chatd.cli.talk.showing.panel import PanelLine, agent_lines, call_lines, news_lines
from chatd.cli.talk.showing.pieces import Piece, Tone
from chatd.cli.talk.showing.questions import Asked, Questions
from chatd.cli.talk.showing.status_line import Facts, note_event
from chatd.cli.talk.showing.transcript import Transcript
from chatd.client.answers import Queued
from chatd.client.events import (
    AccessEnded,
    ChatGone,
    ChildrenChanged,
    Event,
    ParticipantsNamed,
    QueueUpdated,
    StatusChanged,
)
from chatd.kit.text import one_line

BUSY = frozenset({"running", "interrupting"})
# The chat was deleted, or may not be watched any more.
OVER = "over"
RESTING = frozenset({"waiting", "error"})


class View:
    """`folded`: for a screen, on which what lasts is shown and not printed. `now` only goes forward."""

    def __init__(self, now: Callable[[], float], *, folded: bool, facts: Facts | None = None) -> None:
        self.lines = Lines(folded=folded)
        self.status = ""
        self.facts = facts or Facts()
        self.activity = Activity(now)
        self.agents = Agents(now)
        self.answering = Answering()
        self.calls = Calls(self.lines, now, folded=folded)
        self.questions = Questions(self.lines, self.calls, folded=folded)
        # By id; empty where the owner alone writes.
        self._names: dict[str, str] = {}
        self._transcript = Transcript(self.lines, self.calls, folded=folded, names=self._names)
        self._news = News(self.lines, now, folded=folded, names=self._names)
        self._now = now
        self._queued_newest = 0

    @property
    def is_busy(self) -> bool:
        return self.status in BUSY

    @property
    def is_over(self) -> bool:
        return self.status == OVER

    @property
    def newest(self) -> int:
        """The newest number of a message, or of one that waits: they are counted together."""
        return max(self._transcript.newest, self._queued_newest)

    @property
    def asked(self) -> Asked | None:
        return self.questions.now

    def pieces_of(self, event: Event) -> Iterator[Piece]:
        self.activity.see(event)
        note_event(self.facts, event)
        match event:
            case StatusChanged(status=status):
                self.status = status
                if status in RESTING:
                    yield from self.calls.close()
            case ChatGone() | AccessEnded():
                self.status = OVER
            case ParticipantsNamed(participants=named):
                self._names |= {each.id: one_line(each.shown) for each in named}
            case ChildrenChanged(children=children):
                self.agents.note_waiting(children)
            case QueueUpdated(queued_messages=queued):
                self._queued_newest = max([self._queued_newest, *(row.id for row in queued)])
            case _:
                pass
        yield from self._transcript.pieces_of(event)
        yield from self._news.pieces_of(event)
        yield from self.questions.pieces_of(event)

    def panel(self) -> Iterator[PanelLine]:
        """What lasts."""
        asked = {each.tool_call_id for each in self.questions.own}
        yield from call_lines(self.calls.at_work(asked), self._now())
        yield from agent_lines(self.agents)
        yield from news_lines(self._news)

    @property
    def queued(self) -> tuple[Queued, ...]:
        return self._news.queued

    def choices(self) -> Iterator[PanelLine]:
        """How to answer what is asked now."""
        if (asked := self.asked) is None:
            return
        for line in self.answering.choices(asked.awaited):
            yield PanelLine(Tone.NOTE, line, wraps=True)
        if self.questions.behind:
            yield PanelLine(Tone.NOTE, f"  {self.questions.behind} more to answer after this.")
