"""What is fuzzed: each dialect on each of its framings, with whole answers to begin from."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions, OpenAIOptions
from chatd.kit import codec
from chatd.providers.capabilities.target import Files, Quirks, Target
from chatd.providers.dialect import Dialect
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.dialects.chat import CHAT
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.transport.aws_frames import AwsFrames, InvokeFrames
from chatd.providers.transport.sse import Frame, SseFrames
from tests.providers.dialects.anthropic import streams as anthropic
from tests.providers.dialects.chat import streams as chat
from tests.providers.dialects.chat import words as chat_words
from tests.providers.dialects.converse import streams as converse
from tests.providers.dialects.gemini import streams as gemini
from tests.providers.dialects.responses import answers as responses
from tests.providers.dialects.responses import wire as responses_wire
from tests.providers.transport import aws_writer


class Frames(Protocol):
    def feed(self, data: bytes) -> list[Frame]: ...

    def close(self) -> list[Frame]: ...


class Wire(Struct, frozen=True, kw_only=True):
    """A dialect as it comes over one kind of connection."""

    dialect: Dialect
    # One of these is asked.
    targets: Sequence[Target]
    make_frames: Callable[[], Frames]
    # Frames as bytes, so that `make_frames` would read these very frames.
    write: Callable[[Sequence[Frame]], bytes]
    # Whole answers, frame by frame.
    answers: Sequence[Sequence[Frame]]
    # The answer comes in one piece, and is no stream.
    whole: bool = False
    # Whether bytes may be changed at random. Where checksums guard them, nothing but the checksum is tested.
    guarded: bool = False


def write_sse(frames: Sequence[Frame], newline: bytes = b"\n") -> bytes:
    written = []
    for name, data in frames:
        named = b"event: " + name + newline if name else b""
        lines = b"".join(b"data: " + line + newline for line in data.split(b"\n"))
        written.append(named + lines + newline)
    return b"".join(written)


def write_aws(frames: Sequence[Frame]) -> bytes:
    return b"".join(aws_writer.message(_headers(name), data) for name, data in frames)


def write_invoke(frames: Sequence[Frame]) -> bytes:
    """As InvokeModel wraps events: base64 in JSON in a message with checksums."""
    wrapped = [
        (name, data)
        if name.endswith(b"Exception")
        else (b"chunk", codec.encode({"bytes": base64.b64encode(data).decode("ascii"), "p": "abc"}))
        for name, data in frames
    ]
    return write_aws(wrapped)


def _headers(name: bytes) -> bytes:
    kind = name[:200].decode("utf-8", "replace")
    fault = kind.endswith(("Exception", "Error"))
    written = aws_writer.header(":exception-type" if fault else ":event-type", kind)
    written += aws_writer.header(":content-type", "application/json")
    return written + aws_writer.header(":message-type", "exception" if fault else "event")


def _read(frames: Frames, data: bytes) -> list[Frame]:
    return [*frames.feed(data), *frames.close()]


def _sse(*answers: bytes) -> list[list[Frame]]:
    return [_read(SseFrames(), answer) for answer in answers]


def _chat_extras() -> bytes:
    """What single servers say besides: thoughts in tags, parts, pictures, sources, sound, filters."""
    google = {"google": {"thought": True, "thought_signature": "c2ln"}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0="}}
    cited = {"type": "url_citation", "url_citation": {"url": "https://a", "title": "A"}}
    signed = chat_words.piece(0, '{"a":1}', id="c1", name="look", extra_content=google)
    struck = {"hate": {"filtered": True, "severity": "high"}}
    return b"".join(
        [
            chat_words.frame(choices=[], prompt_filter_results=[{"prompt_index": 0}]),
            chat_words.chunk(content="<thought>Hm.", extra_content=google),
            chat_words.chunk(content="</thought>Well"),
            chat_words.chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "So"}]}]),
            chat_words.chunk(content=[{"type": "text", "text": "this"}]),
            chat_words.chunk(images=[picture], annotations=[cited], audio={"data": "AAAA"}),
            chat_words.chunk(refusal="I cannot."),
            chat_words.chunk(tool_calls=[signed]),
            chat_words.chunk(function_call={"name": "old", "arguments": "{}"}),
            chat_words.chunk("content_filter", choice={"content_filter_results": struck}),
            chat_words.DONE,
        ]
    )


def _completions() -> list[object]:
    call = chat_words.piece(None, '{"city":"Rome"}', id="call_1", type="function", name="weather")
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    messages = (
        {"role": "assistant", "content": "Four.", "reasoning_content": "Two and two."},
        {"role": "assistant", "content": None, "tool_calls": [call, call]},
    )
    return [
        *(
            {
                "id": "c1",
                "model": "m-1",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": usage,
            }
            for message in messages
        ),
        {"error": {"message": "No.", "code": 400}},
        [{"error": {"message": "No.", "status": "INVALID_ARGUMENT"}}],
    ]


_JSON_ERRORS = (
    b'{"type":"error","error":{"type":"overloaded_error","message":"Busy."}}',
    b'{"error":{"code":429,"message":"Slow down.","status":"RESOURCE_EXHAUSTED","type":"rate_limit"}}',
)

_KEPT = CallOptions(openai=OpenAIOptions(store=True))
_FILES = Files(images=True, pdf=True, text=True, audio=True)

_chat_targets = [
    chat_words.target(quirks=quirks, files=_FILES)
    for quirks in (
        Quirks(),
        Quirks(reasoning_field="same", cache_marks=True),
        Quirks(reasoning_field="reasoning_details", replay_empty_reasoning=True),
        Quirks(reasoning_field="reasoning_content", gemini_compat=True, string_content_only=True),
        Quirks(system_role="merged", tool_id_style="alnum9", usage_outside_reasoning=True),
    )
]

_anthropic_answers = [
    [(event["type"].encode(), json.dumps(event).encode()) for event in events]
    for events in anthropic.STREAMS.values()
]
_anthropic_answers.append([*_anthropic_answers[0][:3], (b"error", _JSON_ERRORS[0])])

# Named as the command line names them.
WIRES: Mapping[str, Wire] = {
    "anthropic": Wire(
        dialect=ANTHROPIC,
        targets=(anthropic.TARGET, replace(anthropic.TARGET, files=_FILES)),
        make_frames=SseFrames,
        write=write_sse,
        answers=_anthropic_answers,
    ),
    "responses": Wire(
        dialect=RESPONSES,
        targets=(responses_wire.target(), responses_wire.target(options=_KEPT)),
        make_frames=SseFrames,
        write=write_sse,
        answers=_sse(*(responses_wire.stream(*events) for events in responses.ANSWERS.values())),
    ),
    "chat": Wire(
        dialect=CHAT,
        targets=_chat_targets,
        make_frames=SseFrames,
        write=write_sse,
        answers=[
            *_sse(*chat.STREAMS.values(), _chat_extras()),
            [(b"", _JSON_ERRORS[1])],
        ],
    ),
    "gemini": Wire(
        dialect=GEMINI,
        targets=(gemini.TARGET, replace(gemini.TARGET, route="vertex")),
        make_frames=SseFrames,
        write=partial(write_sse, newline=b"\r\n"),
        answers=[
            *_sse(*(gemini.sse(*chunks) for chunks in gemini.ANSWERS.values())),
            [(b"", _JSON_ERRORS[1])],
        ],
    ),
    "converse": Wire(
        dialect=CONVERSE,
        targets=(converse.TARGET, replace(converse.TARGET, quirks=Quirks(cache_marks=True))),
        make_frames=AwsFrames,
        write=write_aws,
        answers=[
            *(_read(AwsFrames(), converse.wire(*events)) for events in converse.ANSWERS.values()),
            [(b"messageStart", b"{}"), (b"throttlingException", b'{"message":"Slow down."}')],
        ],
        guarded=True,
    ),
    # A server that does not stream, although it was asked to.
    "chat-whole": Wire(
        dialect=CHAT,
        targets=_chat_targets,
        make_frames=SseFrames,
        write=lambda frames: frames[0][1] if frames else b"",
        answers=[[(b"", json.dumps(completion).encode())] for completion in _completions()],
        whole=True,
    ),
    # Claude on Bedrock: the same events in other frames.
    "anthropic-aws": Wire(
        dialect=ANTHROPIC,
        targets=(replace(anthropic.TARGET, route="bedrock"),),
        make_frames=InvokeFrames,
        write=write_invoke,
        answers=[
            *([(b"", data) for _, data in answer] for answer in _anthropic_answers),
            [*_anthropic_answers[0][:2], (b"throttlingException", b'{"message":"Slow down."}')],
        ],
        guarded=True,
    ),
}
