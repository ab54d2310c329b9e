"""Answers as they come over the wire, by name; and ways to cut and read them."""

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

from chatd.providers.capabilities.target import DialectName, Target
from chatd.providers.dialect import Decoder
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.events import StreamEvent
from chatd.providers.transport.sse import SseFrames

TARGET = Target(
    provider_id="row-1",
    provider="anthropic",
    type="anthropic",
    dialect=DialectName.ANTHROPIC,
    model="claude-opus-4-8",
    api_version="2026-10-21",
)

Wire = dict[str, Any]

ENCRYPTED = "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y"
CITATION: Wire = {
    "type": "web_search_result_location",
    "cited_text": "Io is the innermost moon.",
    "url": "https://example.org/io",
    "title": "Io",
    "encrypted_index": "Eo8BCioIAhgBIiQyYjQ0OWJmZi1lNm",
}
SEARCH_RESULT: Wire = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_01",
    "content": [
        {
            "type": "web_search_result",
            "title": "Io",
            "url": "https://example.org/io",
            "encrypted_content": ENCRYPTED,
            "page_age": "April 30, 2026",
        },
        {
            "type": "web_search_result",
            "title": "Moons",
            "url": "https://example.org/moons",
            "encrypted_content": ENCRYPTED + "2",
            "page_age": None,
        },
    ],
}


def message_start(**usage: object) -> Wire:
    counts = usage or {
        "input_tokens": 25,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 1,
    }
    message: Wire = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-8-20260901",
        "content": [],
        "stop_reason": None,
        "usage": counts,
    }
    return {"type": "message_start", "message": message}


def start(index: int, **block: object) -> Wire:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: object) -> Wire:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> Wire:
    return {"type": "content_block_stop", "index": index}


def text(index: int, *pieces: str) -> list[Wire]:
    deltas = [delta(index, "text_delta", text=piece) for piece in pieces]
    return [start(index, type="text", text=""), *deltas, stop(index)]


def thinking(index: int, *pieces: str, signature: str) -> list[Wire]:
    deltas = [delta(index, "thinking_delta", thinking=piece) for piece in pieces]
    signed = delta(index, "signature_delta", signature=signature)
    return [start(index, type="thinking", thinking="", signature=""), *deltas, signed, stop(index)]


def redacted(index: int, data: str) -> list[Wire]:
    return [start(index, type="redacted_thinking", data=data), stop(index)]


def call(index: int, id: str, name: str, *pieces: str, kind: str = "tool_use") -> list[Wire]:
    deltas = [delta(index, "input_json_delta", partial_json=piece) for piece in pieces]
    return [start(index, type=kind, id=id, name=name, input={}), *deltas, stop(index)]


def search(index: int, id: str = "srvtoolu_01") -> list[Wire]:
    pieces = ("", '{"que', 'ry": "moons of Jupiter"}')
    result = SEARCH_RESULT | {"tool_use_id": id}
    return [
        *call(index, id, "web_search", *pieces, kind="server_tool_use"),
        start(index + 1, **result),
        stop(index + 1),
    ]


def cited(index: int, words: str = "Io is the innermost moon.") -> list[Wire]:
    return [
        start(index, type="text", text="", citations=[]),
        delta(index, "citations_delta", citation=CITATION),
        delta(index, "text_delta", text=words),
        stop(index),
    ]


def end(reason: str | None = "end_turn", **usage: object) -> list[Wire]:
    why = {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": usage or {"output_tokens": 15},
    }
    return [why, {"type": "message_stop"}]


PING: Wire = {"type": "ping"}

# Whole answers, each ending as it should.
STREAMS: dict[str, list[Wire]] = {
    "text": [message_start(), PING, *text(0, "Hel", "lo \N{GRINNING FACE}", " there"), *end()],
    "nothing but an empty block": [message_start(), *text(0), *end()],
    "thinking": [
        message_start(),
        *thinking(0, "Let me ", "see.", signature="c2lnbmVk"),
        *text(1, "Four."),
        *end(output_tokens=40, output_tokens_details={"thinking_tokens": 20}),
    ],
    "hidden thinking": [message_start(), *thinking(0, signature="c2ln"), *text(1, "Four."), *end()],
    "redacted": [
        message_start(),
        *redacted(0, "cmVkMQ=="),
        *thinking(1, "Hm.", signature="c2ln"),
        *redacted(2, "cmVkMg=="),
        *text(3, "Done."),
        *end(),
    ],
    "tools": [
        message_start(),
        *thinking(0, "Both at once.", signature="c2ln"),
        *text(1, "I will look."),
        *call(2, "toolu_01", "read_file", "", '{"pa', 'th": "a', '.txt"}'),
        *call(3, "toolu_02", "list_files"),
        *end("tool_use"),
    ],
    "search": [
        message_start(),
        *search(0),
        *text(2, "I found this: "),
        *cited(3),
        *end(output_tokens=90, server_tool_use={"web_search_requests": 1, "web_fetch_requests": 0}),
    ],
    "search between thoughts": [
        message_start(),
        *thinking(0, "I should search.", signature="Zmlyc3Q="),
        *search(1),
        *thinking(3, "Now I know.", signature="c2Vjb25k"),
        *cited(4),
        *call(5, "toolu_03", "read_file", '{"path": "moons.txt"}'),
        *end("tool_use"),
    ],
    "paused": [message_start(), *search(0), *text(2, "More to come."), *end("pause_turn")],
}


def frame(event: Wire, *, name: bool = True, padding: str = "") -> bytes:
    line = f"event: {event['type']}\n" if name else ""
    return f"{line}data: {json.dumps(event)}{padding}\n\n".encode()


def wire(events: Sequence[Wire]) -> bytes:
    return b"".join(frame(event) for event in events)


def new_ids() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"new-{next(numbers)}"


def decoder() -> Decoder:
    return ANTHROPIC.decoder(TARGET, new_ids())


def read_in(portions: Sequence[bytes]) -> list[StreamEvent]:
    """What an answer says that came in these portions."""
    out: list[StreamEvent] = []
    frames, reader = SseFrames(), decoder()
    for portion in portions:
        for name, data in frames.feed(portion):
            reader.feed(name, data, out)
    for name, data in frames.close():
        reader.feed(name, data, out)
    reader.close(out)
    return out


def read(events: Sequence[Wire]) -> list[StreamEvent]:
    return read_in([wire(events)])
