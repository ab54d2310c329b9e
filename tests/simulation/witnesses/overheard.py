"""What models really said: a witness at the seam, who writes down every word of every attempt."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import NamedTuple

from chatd.kit.clock import Clock
from chatd.providers.events import Finished, ReasoningDelta, StreamEvent, TextDelta, ToolCalled, ToolInput
from chatd.providers.model import Request
from chatd.providers.scripted.model import ScriptedModel
from tests.simulation.witnesses.chronicle import Chronicle


class Word(NamedTuple):
    """One thing said: text, reasoning, or something of a call."""

    kind: str
    text: str


class Attempt:
    """One model call: which, by whom, and what was said when."""

    def __init__(self, request: Request, process: str, place: int) -> None:
        self.number = request.attempt
        self.process = process
        self.started = asyncio.get_running_loop().time()
        # Its place in the chronicle.
        self.place = place
        self.chat_id = request.chat_id
        self._said: list[tuple[float, Word]] = []
        # The model came to its end, and is to be paid.
        self.finished = False

    def heard(self, event: StreamEvent) -> None:
        self.finished = self.finished or isinstance(event, Finished)
        word = _word(event)
        if word is not None:
            self._said.append((asyncio.get_running_loop().time(), word))

    def said(self, before: float = float("inf")) -> list[Word]:
        """What was said strictly earlier than this moment."""
        return [word for at, word in self._said if at < before]


class Overheard(ScriptedModel):
    """The scripted model of one process. As with a real one, no two attempts ramble in the same words."""

    def __init__(self, clock: Clock, process: str, attempts: list[Attempt], chronicle: Chronicle) -> None:
        super().__init__(clock)
        self._process = process
        self._attempts = attempts
        self._chronicle = chronicle

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        attempt = Attempt(request, self._process, self._chronicle.length)
        if _is_reply(request):
            self._attempts.append(attempt)
        self._seed = len(self._attempts)
        async with aclosing(super().stream(request)) as stream:
            async for events in stream:
                for event in events:
                    attempt.heard(event)
                yield events


def _is_reply(request: Request) -> bool:
    """Summaries, texts about the chat and advice are not what the agent says."""
    return not request.then and not request.purpose and request.is_kept


def flat(words: Iterable[Word]) -> str:
    """Text and reasoning in one line, however they were cut: the beginning of one is one's beginning."""
    line, last = "", ""
    for kind, words_ in words:
        if kind in ("text", "reasoning"):
            line += words_ if kind == last else f"<{kind}>{words_}"
            last = kind
    return line


def exactly(words: Iterable[Word]) -> str:
    """Everything in one line, however it was cut: a late viewer is told adjacent pieces as one part."""
    line, last = "", ""
    for kind, words_ in words:
        call_id, _, piece = words_.partition(" ") if kind == "arguments" else ("", "", words_)
        tag = f"<{kind} {call_id}>"
        line += piece if tag == last and kind in _PIECES else f"{tag}{piece}"
        last = tag
    return line


_PIECES = ("text", "reasoning", "arguments")


def _word(event: StreamEvent) -> Word | None:
    match event:
        case TextDelta(text=words):
            return Word("text", words)
        case ReasoningDelta(text=words):
            return Word("reasoning", words)
        case ToolInput(call_id=call_id, json=json):
            return Word("arguments", f"{call_id} {json}")
        case ToolCalled(call_id=call_id):
            return Word("call", call_id)
        case _:
            return None
