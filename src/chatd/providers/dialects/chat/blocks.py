"""The blocks that an answer is shown in (pure). At most one is open, and none is opened twice.

The dialect knows no blocks, only fields: a block ends where another field begins to be filled.
"""

from chatd.domain.part import Json
from chatd.providers.events import BlockEnded, ReasoningDelta, StreamEvent, TextDelta


class Blocks:
    def __init__(self) -> None:
        self._text = ""
        self._texts = 0
        self._thought = ""
        self._thoughts = 0
        # What goes back with the open block.
        self._internal: Json = None
        self.refusal = ""

    def __bool__(self) -> bool:
        """Whether anything has been said or thought at all."""
        return bool(self._texts or self._thoughts)

    def say(self, words: str, out: list[StreamEvent]) -> None:
        if not self._text:
            if not words:
                return
            self.end(out)
            self._text = f"t{self._texts}"
            self._texts += 1
        out.append(TextDelta(words, self._text))

    def refuse(self, words: str, out: list[StreamEvent]) -> None:
        """The model says no, in a block of its own."""
        if not self.refusal:
            self.end(out)
        self.say(words, out)
        self._internal = {"refusal": True}
        self.refusal += words

    def think(self, words: str, field: str, out: list[StreamEvent]) -> None:
        """`field` is where a server says it, and where it may want it back."""
        if self._thought:
            if words:
                out.append(ReasoningDelta(words, self._thought))
            return
        self.end(out)
        self._thought = f"r{self._thoughts}"
        self._thoughts += 1
        self._internal = {"field": field}
        # At once, so that it is there although the answer may break off.
        out.append(ReasoningDelta(words, self._thought, self._internal))

    def end(self, out: list[StreamEvent]) -> None:
        """End what is open."""
        name = self._text or self._thought
        if name:
            out.append(BlockEnded(name, self._internal))
            self._text = self._thought = ""
            self._internal = None
