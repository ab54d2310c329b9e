import json
from typing import Any

import pytest

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.providers.dialects.chat import whole_answer
from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
)
from tests.providers.dialects.chat.streams import STREAMS
from tests.providers.dialects.chat.words import calls, decoded, failure, finished, ids, target
from tests.traceability import proves


def whole(answer: Any) -> list[StreamEvent]:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return whole_answer(body, target(), ids())


@proves("model-layer", 117)
def test_a_completion_becomes_the_events_it_would_have_been_streamed_as() -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"n":1}'}}
    message = {"role": "assistant", "reasoning": "Hm.", "content": "Yes.", "tool_calls": [called]}
    answer = {
        "id": "x",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }

    assert whole(answer) == [
        Started("x", "m"),
        ReasoningDelta("Hm.", "r0", {"field": "reasoning"}),
        BlockEnded("r0", {"field": "reasoning"}),
        TextDelta("Yes.", "t0"),
        BlockEnded("t0"),
        ToolInput(CallId("c1"), '{"n":1}', "look"),
        ToolCalled(CallId("c1"), "look", {"n": 1}),
        Finished(Stop.TOOLS, Usage(input_tokens=3, output_tokens=2, total_tokens=5)),
    ]


def test_calls_of_a_whole_answer_need_no_ids_to_be_told_apart() -> None:
    two = [{"function": {"name": "look", "arguments": {"n": n}}} for n in (1, 2)]

    events = whole({"choices": [{"message": {"content": "", "tool_calls": two}}]})

    assert calls(events) == [("new_1", "look", {"n": 1}), ("new_2", "look", {"n": 2})]
    assert finished(events).stop is Stop.TOOLS


@proves("model-layer", 117)
@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "Broken.", "type": "server_error"}},
        {"error": "Broken."},
        [{"error": {"message": "Broken.", "code": 400}}],
        {"object": "error", "message": "Broken.", "code": 400},
        {"detail": "Broken."},
    ],
)
def test_an_error_is_an_error_whatever_the_status(answer: Any) -> None:
    events = whole(answer)

    assert "Broken." in {failure(events).message, failure(events).detail}
    assert len(events) == 1


@proves("model-layer", 117)
@pytest.mark.parametrize(
    "answer",
    [
        b"<!doctype html><title>502</title>",
        b"",
        b"  \n",
        b"null",
        b"[]",
        b'{"choices":[]}',
        b'{"choices":[{"delta":{"content":"Hel"}}]}',
        b'{"choices":[{"message":{"content":17}}]}',
        b'{"ok":true}',
    ],
)
def test_what_is_no_answer_may_be_asked_for_again(answer: bytes) -> None:
    events = whole(answer)

    assert (failure(events).fault, failure(events).retryable) == ("invalid_response", True)
    assert len(events) == 1


@pytest.mark.parametrize("server", list(STREAMS))
def test_a_stream_that_does_not_say_so_is_still_one(server: str) -> None:
    assert whole(STREAMS[server]) == decoded(STREAMS[server])
