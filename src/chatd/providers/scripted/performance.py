"""A step of a script becomes what a model says, and the pauses in between (pure)."""

import random
import re
from collections.abc import Generator, Iterable, Iterator
from typing import Final, TypeAlias, assert_never

from msgspec import Struct

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.kit import codec
from chatd.providers import failures
from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    SourceFound,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)
from chatd.providers.scripted.script import (
    FAILURES,
    CallTool,
    End,
    Fail,
    Instruction,
    Ramble,
    Report,
    Say,
    Search,
    Step,
    Think,
    Wait,
)

PROVIDER = "scripted"
SEARCH_TOOL = "web_search"
NO_SEARCH = "(No web search is offered here now.)"

# A rough token, where the script gives no count.
_CHARACTERS_PER_TOKEN = 4
# Arguments arrive in pieces, as they do from a real model.
_PIECE_CHARACTERS = 12
# A script may ask for words as fast as they are taken. So many come so, and all others no faster than this:
# one event loop drives the chats of all users.
HURRIED_WORDS_MAX = 100
LASTING_WORDS_PER_SECOND = 100.0

_FILLER: Final[tuple[str, ...]] = tuple(
    re.findall(
        r"\w+",
        "the a some this that one small large quiet old new early late slow river stone light house garden "
        "morning letter road window table paper voice answer number way day word line page moves stands "
        "turns rests grows waits falls opens closes begins ends over under beside before after with without",
    )
)


class Pause(Struct, frozen=True):
    """Say nothing for so long."""

    seconds: float


class Pace(Struct, frozen=True):
    """One word's time, at so many words per second; None is the model's own rate."""

    per_second: float | None


Beat: TypeAlias = StreamEvent | Pause | Pace


class Performance:
    """One step, performed once. What it says depends on nothing but what it is given."""

    def __init__(
        self,
        *,
        attempt: int,
        call_prefix: str,
        chance: random.Random,
        prompt_tokens: int,
        context_limit: int,
        may_search: bool = True,
    ) -> None:
        self._attempt = attempt
        self._call_prefix = call_prefix
        self._chance = chance
        self._report = Report(prompt_tokens, context_limit)
        self._context_limit = context_limit
        self._may_search = may_search
        self._end: Stop | None = None
        self._calls = 0
        self._searches = 0
        self._blocks = 0
        self._characters = 0
        # The block that is being said, if any: its name, and what it is made of.
        self._block: str | None = None
        self._delta: type[TextDelta | ReasoningDelta] = TextDelta
        # A failure that lets some words out first, and how many are left.
        self._pending: Fail | None = None
        self._words_left = 0
        # Words that were said faster than words may be said for long.
        self._hurried = 0

    def play(self, step: Step) -> Iterator[Beat]:
        """Ends with Finished, unless the script cuts the stream. Raises ProviderError."""
        try:
            for instruction in step:
                yield from self._do(instruction)
            if self._pending is not None:
                yield from self._ramble(Ramble(self._words_left))
            yield from self._close()
        except _CutError:
            return
        yield Finished(self._end or (Stop.TOOLS if self._calls else Stop.DONE), self._usage())

    def _do(self, instruction: Instruction) -> Iterator[Beat]:
        match instruction:
            case Say(text=words):
                yield from self._speak(TextDelta, words)
            case Think(text=words):
                yield from self._speak(ReasoningDelta, words)
            case Ramble():
                yield from self._ramble(instruction)
            case CallTool():
                yield from self._call(instruction)
            case Search(query=query):
                yield from self._search(query)
            case Wait(seconds=seconds):
                yield Pause(seconds)
            case Fail():
                self._fail(instruction)
            case End(stop=stop):
                self._end = stop
            case Report():
                self._report = instruction
            case _:
                assert_never(instruction)

    def _speak(self, delta: type[TextDelta | ReasoningDelta], words: str) -> Iterator[Beat]:
        begin = yield from self._open(delta)
        yield from self._say(_in_words(begin + words), None)

    def _ramble(self, ramble: Ramble) -> Iterator[Beat]:
        begin = yield from self._open(TextDelta)
        # Each word when it is due: a hundred chats with all their words at hand would fill the memory.
        words = ((" " if number else begin) + self._filler() for number in range(ramble.words))
        yield from self._say(words, ramble.per_second)

    def _filler(self) -> str:
        return _FILLER[int(self._chance.random() * len(_FILLER))]

    def _open(self, delta: type[TextDelta | ReasoningDelta]) -> Generator[Beat, None, str]:
        """Have a block to speak in. Returns what comes before its next words."""
        if self._block is not None and self._delta is delta:
            return "\n"  # another line of the same text
        yield from self._close()
        self._blocks += 1
        self._block = f"{'text' if delta is TextDelta else 'reasoning'}-{self._blocks}"
        self._delta = delta
        return ""

    def _say(self, words: Iterable[str], per_second: float | None) -> Iterator[Beat]:
        assert self._block is not None
        for word in words:
            yield self._pace(per_second)
            self._characters += len(word)
            yield self._delta(word, self._block)
            self._count_word()

    def _pace(self, per_second: float | None) -> Pace:
        if per_second is not None and per_second > LASTING_WORDS_PER_SECOND:
            self._hurried += 1
            if self._hurried > HURRIED_WORDS_MAX:
                return Pace(LASTING_WORDS_PER_SECOND)
        return Pace(per_second)

    def _close(self) -> Iterator[Beat]:
        if self._block is not None:
            yield BlockEnded(self._block)
            self._block = None

    def _call(self, call: CallTool) -> Iterator[Beat]:
        yield from self._close()
        self._calls += 1
        call_id = call.call_id or CallId(f"{self._call_prefix}_{self._calls}")
        written = call.args if isinstance(call.args, str) else codec.encode_text(call.args)
        self._characters += len(written)
        for start in range(0, max(1, len(written)), _PIECE_CHARACTERS):
            yield ToolInput(call_id, written[start : start + _PIECE_CHARACTERS], call.tool)
        yield ToolCalled(call_id, call.tool, call.args)

    def _search(self, query: str) -> Iterator[Beat]:
        """What a provider's own search looks like from here. Nothing is searched."""
        if not self._may_search:
            yield from self._speak(TextDelta, NO_SEARCH)
            return
        yield from self._close()
        self._searches += 1
        call_id = CallId(f"{self._call_prefix}_search_{self._searches}")
        url, title = "https://example.org/scripted", "An invented source of the scripted model"
        yield ToolCalled(call_id, SEARCH_TOOL, {"query": query}, provider_executed=True)
        yield ToolReturned(call_id, SEARCH_TOOL, {"results": [{"title": title, "url": url}]})
        yield SourceFound(f"{call_id}_source", url, title)

    def _fail(self, failure: Fail) -> None:
        if failure.times is not None and self._attempt > failure.times:
            return
        if not failure.after_words:
            _raise(failure)
        elif self._pending is None:
            self._pending, self._words_left = failure, failure.after_words

    def _count_word(self) -> None:
        if self._pending is not None:
            self._words_left -= 1
            if self._words_left <= 0:
                _raise(self._pending)

    def _usage(self) -> Usage:
        spoken = -(-self._characters // _CHARACTERS_PER_TOKEN)
        return Usage(
            input_tokens=self._report.prompt_tokens,
            output_tokens=spoken,
            total_tokens=self._report.prompt_tokens + spoken,
            context_limit=self._report.context_limit or self._context_limit,
        )


class _CutError(Exception):
    """The script wants the stream to end here."""


def _raise(failure: Fail) -> None:
    if failure.kind is None:
        raise _CutError
    how = FAILURES[failure.kind]
    raise failures.failed(
        how.fault, provider=PROVIDER, status=how.status_code, retry_after_seconds=failure.retry_after_seconds
    )


def _in_words(text: str) -> Iterator[str]:
    """The text in pieces of one word each, with all its blanks."""
    return (found[0] for found in re.finditer(r"\s*\S+(?:\s+\Z)?|\A\s+\Z", text))
