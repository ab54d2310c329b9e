"""A model that is no AI: it does what a script says, needs no key, and is the same every time.

The script is in the newest message of the user, or is given to the constructor; `script.py` has the
language. Which step is due is counted from the request alone (the replies since that message), and
so is which attempt it is: nothing is remembered between two calls, and a restart changes nothing.

Ordinary text is answered by a few sentences about what this is. So is a script with a mistake in
it: the answer says which line was not understood. Neither ever pretends to have understood.

Asked for a summary of the conversation, it hands on what is left of the script, so that a turn goes
on where it was after its history was summarized.
"""

import random
import re
from collections.abc import AsyncGenerator, Sequence

from msgspec.structs import replace

from chatd.domain.ids import MessageId
from chatd.domain.message import Message, Role, text
from chatd.kit.clock import Clock
from chatd.kit.text import shortened
from chatd.providers.events import Finished, StreamEvent
from chatd.providers.model import Request
from chatd.providers.request.attachments import VISUAL
from chatd.providers.scripted.performance import PROVIDER, Pace, Pause, Performance
from chatd.providers.scripted.script import (
    PROBLEMS_MAX,
    Misunderstood,
    Say,
    Script,
    Step,
    has_text_step,
    read_script,
    rest_of_script,
    text_step,
)

NAME = "scripted/scripted"
# However it is shown, it is shown with this.
LABEL = "Scripted (not an AI)"
CONTEXT_LIMIT = 200_000
COMPRESSION_THRESHOLD = 70
FIRST_SECONDS = 60.0
SILENCE_SECONDS = 300.0
WORDS_PER_SECOND = 40.0

ABOUT = """\
I am the scripted model of this server. I am not an AI: I do not understand what you write, and I \
only do what a script tells me. I am here so that you can try everything out without a key.

A script is a message with one instruction on each line, for example:

```
say Let me look.
call echo {"text": "hello"}
next
say That was the echo.
```

The page docs/howto/script-a-model.md has all instructions. For real answers give this server a \
real model: `chatd model add` asks for what it needs, and docs/howto/add-a-model.md has the rest.\
"""
# How the agent, or anyone, begins when it asks for a summary.
_WANTS_SUMMARY = re.compile(r"\s*summari[sz]e the conversation\b", re.IGNORECASE)
_NOT_A_SUMMARY = "The scripted model is not an AI and cannot summarize."
END_OF_SCRIPT = "The script ends here. (I am the scripted model, not an AI.)"


class ScriptedModel:
    """A `Model`. `words_per_second` of 0 means: as fast as they are taken."""

    name = NAME
    provider = PROVIDER
    provider_id = vendor = PROVIDER
    label = LABEL
    compression_threshold = COMPRESSION_THRESHOLD
    # It understands nothing, so it writes what a script says and nothing else.
    writes_texts = False
    # It sees nothing at all, and lets people see how others are shown something.
    sees = VISUAL
    first_seconds = FIRST_SECONDS
    silence_seconds = SILENCE_SECONDS

    def __init__(
        self,
        clock: Clock,
        *,
        script: str | None = None,
        seed: int = 0,
        words_per_second: float = WORDS_PER_SECOND,
        context_limit: int = CONTEXT_LIMIT,
    ) -> None:
        self.context_limit = context_limit
        self._clock = clock
        self._script = script
        self._seed = seed
        self._words_per_second = words_per_second

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        messages = [*request.messages, *request.then] if request.then else request.messages
        message_id, words, place = _newest_words(messages)
        own_rate = self._words_per_second
        performance = Performance(
            attempt=request.attempt,
            call_prefix=f"call_{message_id}_{place + 1}",
            # Chance guards nothing here: it picks words without a meaning.
            chance=random.Random(f"{self._seed}/{message_id}/{place}"),  # noqa: S311
            prompt_tokens=sum(m.tokens for m in messages),
            context_limit=self.context_limit,
            may_search=request.provider_tools,
        )
        step: Step
        if request.purpose:
            # At once: no viewer watches.
            step, own_rate = text_step(words, request.purpose), 0.0
        elif _WANTS_SUMMARY.match(words):
            step = (Say(_summary(messages)),)
        else:
            step = _due(read_script(words if self._script is None else self._script), place)
        # Words are due by the clock and not after a pause each, so that a fast stream is as fast as it says.
        due = self._clock.monotonic()
        for beat in performance.play(step):
            match beat:
                case Pause(seconds=seconds):
                    await self._clock.sleep(seconds)
                    due = self._clock.monotonic()
                case Pace(per_second=per_second):
                    rate = own_rate if per_second is None else per_second
                    due += 1 / rate if rate else 0
                    await self._clock.sleep(max(0.0, due - self._clock.monotonic()))
                case event:
                    yield (event,)

    def cost(self, finished: Finished, *, answered_by: str = "") -> None:
        """The scripted model has no price."""


def scripts_texts(said: Sequence[Message]) -> bool:
    """Whether the first or the newest message of the user may have words for a text about the chat."""
    for messages in (said, reversed(said)):
        spoken = next((each for each in messages if each.role is Role.USER), None)
        if spoken is not None and has_text_step(text(spoken)):
            return True
    return False


def _newest_words(messages: Sequence[Message]) -> tuple[MessageId, str, int]:
    """What the user said last, and how many replies it has had."""
    replies = 0
    for message in reversed(messages):
        if message.role is Role.USER:
            return message.id, _script_in(message), replies
        replies += message.role is Role.ASSISTANT
    return MessageId(0), "", replies


def _script_in(message: Message) -> str:
    """Beside a summary are the user's own words, which it has begun to follow already."""
    return text(message) if not message.compressed else text(replace(message, content=message.content[:1]))


def _summary(messages: Sequence[Message]) -> str:
    before = [m for m in messages if not (m.role is Role.USER and _WANTS_SUMMARY.match(text(m)))]
    _, words, place = _newest_words(before)
    if not isinstance(read_script(words), Script):
        return f"{_NOT_A_SUMMARY} There is no script to go on with."
    rest = rest_of_script(words, place) or f"say {END_OF_SCRIPT}"
    return f"{_NOT_A_SUMMARY} What is left of its script:\n```script\n{rest}\n```"


def _due(script: Script | Misunderstood | None, place: int) -> Step:
    match script:
        case None:
            return (Say(ABOUT),)
        case Misunderstood():
            return (Say(_complaint(script)),)
        case Script(steps=steps):
            return steps[place] if place < len(steps) else (Say(END_OF_SCRIPT),)


def _complaint(script: Misunderstood) -> str:
    lines = [
        "I am the scripted model, not an AI, and did not understand this script, so I did nothing.",
        *(f"Line {p.line}, `{shortened(p.text, 80)}`: {p.why}." for p in script.problems[:PROBLEMS_MAX]),
    ]
    if len(script.problems) > PROBLEMS_MAX:
        lines.append(f"There are {len(script.problems) - PROBLEMS_MAX} more.")
    return "\n".join([*lines, "The page docs/howto/script-a-model.md has all instructions."])
