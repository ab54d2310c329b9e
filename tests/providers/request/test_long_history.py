"""How long the event loop is blocked while the request of a long history is written.

Counted in function calls, which are the same on every machine. 29,000 of them took 8 ms when this was
written, so the first bound stands for 10 ms.
"""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from msgspec.structs import replace

from chatd.domain.message import Message
from chatd.providers.capabilities.target import DialectName, Target
from chatd.providers.model import Request, Transcript
from chatd.providers.registry import dialect_of
from chatd.providers.request.writer import RequestWriter
from tests.providers.histories import TARGET, call, reply, result, user
from tests.traceability import proves

MESSAGES = 400
# At the first step after a start, everything is written.
CALLS_PER_MESSAGE_MAX = 90
# At each later one, what is new.
CALLS_OF_A_STEP_MAX = 2_000

every_dialect = pytest.mark.parametrize("dialect", list(DialectName))


def history(length: int) -> list[Message]:
    messages: list[Message] = []
    while len(messages) < length:
        name = f"c{len(messages)}"
        messages += [
            user("How is it? " * 20),
            reply("I look. " * 20, call(name, {"path": f"/docs/{name}"})),
            result(name, "a line\n" * 200),
            reply("It is well. " * 50),
        ]
    return [*messages[: length - 1], user("And now?")]


def calls_in(work: Callable[[], object]) -> int:
    count = 0

    def seen(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def calls_to_write(messages: Transcript, target: Target) -> int:
    writer = RequestWriter(Request(messages=messages), target, dialect_of(target.dialect))
    return calls_in(lambda: writer.write({}))


@proves("model-layer", 155)
@every_dialect
def test_a_history_of_400_messages_is_written_within_its_budget(dialect: DialectName) -> None:
    target = replace(TARGET, dialect=dialect)

    calls = calls_to_write(Transcript(history(MESSAGES)), target)

    assert calls <= CALLS_PER_MESSAGE_MAX * MESSAGES


@proves("model-layer", 155)
@every_dialect
def test_a_later_step_of_400_messages_writes_only_what_is_new(dialect: DialectName) -> None:
    target = replace(TARGET, dialect=dialect)
    transcript = Transcript(history(MESSAGES))
    calls_to_write(transcript, target)
    transcript.extend([reply("Still well."), user("And now?")])

    assert calls_to_write(transcript, target) <= CALLS_OF_A_STEP_MAX
