"""What a model says, in words that belong to no provider."""

from typing import TypeAlias

from msgspec import Struct

from chatd.domain.part import Json
from chatd.providers.events import Stop
from tests.fake_provider.troubles import Trouble


class Page(Struct, frozen=True):
    """Something that was found on the web."""

    url: str
    title: str


class Say(Struct, frozen=True):
    pieces: tuple[str, ...]
    citing: tuple[Page, ...] = ()

    @property
    def words(self) -> str:
        return "".join(self.pieces)


class Think(Struct, frozen=True):
    pieces: tuple[str, ...]
    # What the provider wants back is made of this: a signature, or encrypted thoughts.
    seal: str
    # Nobody may read them, where the wire has a way to say so.
    hidden: bool = False

    @property
    def words(self) -> str:
        return "".join(self.pieces)


class Call(Struct, frozen=True):
    """Calls that follow one another are made at once."""

    id: str
    tool: str
    args: dict[str, Json]


class Search(Struct, frozen=True):
    """The provider's own, where it has one."""

    id: str
    query: str
    pages: tuple[Page, ...]


class Draw(Struct, frozen=True):
    """A picture, where the wire can carry one."""

    data: bytes
    media_type: str = "image/png"


class Refuse(Struct, frozen=True):
    """The last step of an answer that the provider does not let the model give."""

    words: str


Step: TypeAlias = Say | Think | Call | Search | Draw | Refuse


class Counts(Struct, frozen=True, kw_only=True):
    """Tokens. Thoughts are part of what is said."""

    fresh: int = 100
    cached: int = 60
    written: int = 10
    said: int = 40
    thought: int = 25

    @property
    def prompt(self) -> int:
        return self.fresh + self.cached + self.written


COUNTS = Counts()


class Answer(Struct, frozen=True, kw_only=True):
    steps: tuple[Step, ...]
    counts: Counts = COUNTS
    # Why it ends; unsaid, the steps tell.
    stop: Stop | None = None
    # Seconds between two frames.
    pace: float = 0.0
    troubles: tuple[Trouble, ...] = ()

    @property
    def ends_with(self) -> Stop:
        if self.stop is not None:
            return self.stop
        if any(isinstance(step, Refuse) for step in self.steps):
            return Stop.REFUSED
        return Stop.TOOLS if any(isinstance(step, Call) for step in self.steps) else Stop.DONE

    @property
    def searches(self) -> int:
        return sum(isinstance(step, Search) for step in self.steps)


def say(*pieces: str, citing: tuple[Page, ...] = ()) -> Say:
    return Say(pieces, citing)


def think(*pieces: str, seal: str, hidden: bool = False) -> Think:
    return Think(pieces, seal, hidden)


def answer(
    *steps: Step, stop: Stop | None = None, pace: float = 0.0, troubles: tuple[Trouble, ...] = ()
) -> Answer:
    return Answer(steps=steps, stop=stop, pace=pace, troubles=troubles)


def steady(deltas: int, per_second: float) -> Answer:
    """Words at a steady pace, for measuring."""
    return Answer(steps=(Say(tuple(f"word{n} " for n in range(deltas))),), pace=1 / per_second)


def in_pieces(text: str, count: int = 3) -> list[str]:
    """The text in about as many pieces, none of which is empty."""
    size = max(1, -(-len(text) // count))
    return [text[start : start + size] for start in range(0, len(text), size)]
