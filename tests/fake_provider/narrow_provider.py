"""A provider with a small context: it counts what it is really sent, and refuses more in its own words.

Asked to summarize, it repeats each line with a fact in it that it can see, as `tests/support/narrow.py` does.
"""

from collections.abc import Callable, Mapping
from typing import Final

from chatd.agent.compaction.summarize import INSTRUCTIONS
from chatd.providers.events import Stop
from tests.fake_provider.script import Answer, Call, Counts, Refuse, Step, say
from tests.fake_provider.server import Reply
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.wires.anthropic import Invoke, Messages
from tests.fake_provider.wires.chat import Chat, OpenRouter
from tests.fake_provider.wires.converse import Converse
from tests.fake_provider.wires.gemini import Gemini
from tests.fake_provider.wires.responses import Responses
from tests.fake_provider.wires.wire import Asked
from tests.support.narrow import Summarizing, facts_in

LIMIT_TOKENS = 4_000
BYTES_PER_TOKEN = 3
_ASKS_FOR_SUMMARY = INSTRUCTIONS.partition(".")[0].encode()

# How each provider says that a prompt was too long. Amazon, and OpenAI on its newer wire, do not tell by how
# much.
TOO_LONG: Final[Mapping[str, str]] = {
    Messages.name: "prompt is too long: {used} tokens > {most} maximum",
    Invoke.name: "Input is too long for requested model.",
    Converse.name: "Input is too long for requested model.",
    Responses.name: (
        "Your input exceeds the context window of this model. Please adjust your input and try again."
    ),
    Chat.name: (
        "This model's maximum context length is {most} tokens. However, your messages resulted in {used} "
        "tokens. Please reduce the length of the messages."
    ),
    OpenRouter.name: (
        "This endpoint's maximum context length is {most} tokens. However, you requested about {used} tokens."
    ),
    Gemini.name: ("The input token count ({used}) exceeds the maximum number of tokens allowed ({most})."),
}
CODES: Final = dict.fromkeys((Responses.name, Chat.name), "context_length_exceeded")
TELLS: Final = frozenset(name for name, words in TOO_LONG.items() if "{most}" in words)


class NarrowProvider:
    """What a `FakeProvider` answers. `wide` are wires behind which is a model with a large context."""

    def __init__(
        self,
        *,
        summarizing: Summarizing = Summarizing.WELL,
        wide: frozenset[str] = frozenset(),
        limit: int = LIMIT_TOKENS,
        bytes_per_token: int = BYTES_PER_TOKEN,
    ) -> None:
        self._limit = limit
        self._bytes_per_token = bytes_per_token
        self._summarizing = summarizing
        self._wide = wide
        # What the agent says next: calls of a tool, as arguments of `speak`. Then it tells what it knows.
        self.calls: list[int] = []
        # How the newest message of the user begins; and replies that were asked for without it.
        self.newest = ""
        self.missing: list[str] = []
        self.refused = 0
        self.summaries = 0

    def __call__(self, asked: Asked) -> Reply:
        tokens = len(asked.raw) // self._bytes_per_token
        if asked.wire not in self._wide and tokens > self._limit:
            self.refused += 1
            words = TOO_LONG[asked.wire].format(used=tokens, most=self._limit)
            return Complaint(fault=Fault.BAD_REQUEST, words=words, code=CODES.get(asked.wire))
        if _ASKS_FOR_SUMMARY in asked.raw:
            self.summaries += 1
            return SUMMARIES[self._summarizing](asked, tokens)
        if self.newest not in asked.raw.decode():
            self.missing.append(self.newest)
        if self.calls:
            return _answer(tokens, Call(f"c{asked.number}", "speak", {"bytes": self.calls.pop(0)}))
        return _answer(tokens, say("KNOWN " + " ".join(facts_in(asked.raw.decode()))))


def _answer(tokens: int, *steps: Step, stop: Stop | None = None) -> Answer:
    counts = Counts(fresh=tokens, cached=0, written=0, said=10, thought=0)
    return Answer(steps=steps, stop=stop, counts=counts)


def _well(asked: Asked, tokens: int) -> Reply:
    return _answer(tokens, say("\n".join([*facts_in(asked.raw.decode()), "The work goes on."])))


SUMMARIES: Final[Mapping[Summarizing, Callable[[Asked, int], Reply]]] = {
    Summarizing.WELL: _well,
    Summarizing.FAILS: lambda _, __: Complaint(fault=Fault.BAD_KEY),
    Summarizing.REFUSES: lambda _, tokens: _answer(tokens, Refuse("I cannot help with that.")),
    Summarizing.IS_CUT_OFF: lambda _, tokens: _answer(tokens, say("It began with"), stop=Stop.LENGTH),
    Summarizing.SAYS_NOTHING: lambda _, tokens: _answer(tokens),
}
