"""Answers of many small deltas, as providers send them: for each dialect a beginning, deltas and an end."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from chatd.domain.part import Json
from chatd.kit import codec
from tests.providers.transport.aws_writer import event as aws_event

SSE = "text/event-stream"
AWS = "application/vnd.amazon.eventstream"
WORDS = (
    " the",
    " stream",
    "ing",
    " of",
    " small",
    " pieces",
    ",",
    " one",
    " after",
    " another",
    " grüße",
    ".\n",
)


class Canned(Struct, frozen=True):
    content_type: str
    start: Sequence[bytes]
    delta: Callable[[int], bytes]
    end: Sequence[bytes]

    def chunks(self, deltas: int) -> list[bytes]:
        """What is sent at once, piece by piece."""
        return [*self.start, *(self.delta(number) for number in range(deltas)), *self.end]


def word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def _named(body: dict[str, Json]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (body["type"].encode(), codec.encode(body))


def _plain(body: Json, newline: bytes = b"\n") -> bytes:
    return b"data: " + codec.encode(body) + newline * 2


def _anthropic() -> Canned:
    message: Json = {
        "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-8",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 472, "output_tokens": 2},
    }
    start = (
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    )
    end = (
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 2000},
        },
        {"type": "message_stop"},
    )

    def delta(number: int) -> bytes:
        said = {"type": "text_delta", "text": word(number)}
        return _named({"type": "content_block_delta", "index": 0, "delta": said})

    return Canned(SSE, [_named(each) for each in start], delta, [_named(each) for each in end])


def _responses() -> Canned:
    item_id = "msg_67c9fdcf37fc8190ba82116e33fb28c501a7b8c4d6e3f2a1"
    response = {
        "id": "resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654",
        "object": "response",
        "created_at": 1790000000,
        "status": "in_progress",
        "model": "gpt-5.6",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    item = {"id": item_id, "type": "message", "status": "completed", "role": "assistant", "content": []}
    spot = {"item_id": item_id, "output_index": 0, "content_index": 0}
    text = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    usage = {
        "input_tokens": 472,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 2000,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2472,
    }
    start = (
        {"type": "response.created", "sequence_number": 0, "response": response},
        {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item},
        {"type": "response.content_part.added", "sequence_number": 2, **spot, "part": text},
    )
    end = (
        {"type": "response.output_text.done", "sequence_number": 9, **spot, "text": "", "logprobs": []},
        {"type": "response.content_part.done", "sequence_number": 9, **spot, "part": text},
        {"type": "response.output_item.done", "sequence_number": 9, "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "sequence_number": 9,
            "response": {**response, "status": "completed", "output": [item], "usage": usage},
        },
    )

    def delta(number: int) -> bytes:
        said = {"delta": word(number), "logprobs": [], "obfuscation": "vN6m3QtX1"}
        return _named({"type": "response.output_text.delta", "sequence_number": number + 3, **spot, **said})

    return Canned(SSE, [_named(each) for each in start], delta, [_named(each) for each in end])


def _chat() -> Canned:
    def chunk(delta: Json, finish: str | None = None, **more: Json) -> bytes:
        return _plain(
            {
                "id": "chatcmpl-BxqPq3xYhVn0cKJk0zT9g3mYv1Wq2",
                "object": "chat.completion.chunk",
                "created": 1790000000,
                "model": "gpt-5.6-2026-09-01",
                "service_tier": "default",
                "system_fingerprint": "fp_34a54ae93c",
                "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
                "usage": None,
                **more,
            }
        )

    usage = {"prompt_tokens": 472, "completion_tokens": 2000, "total_tokens": 2472}
    return Canned(
        SSE,
        [chunk({"role": "assistant", "content": "", "refusal": None})],
        lambda number: chunk({"content": word(number)}),
        [chunk({}, "stop"), chunk({}, choices=[], usage=usage), b"data: [DONE]\n\n"],
    )


def _gemini() -> Canned:
    def chunk(text: str, count: int, **more: Json) -> bytes:
        said = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, **more}
        counts = {"promptTokenCount": 472, "candidatesTokenCount": count, "totalTokenCount": 472 + count}
        return _plain(
            {
                "candidates": [said],
                "usageMetadata": {
                    **counts,
                    "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 472}],
                    "thoughtsTokenCount": 0,
                },
                "modelVersion": "gemini-3-pro-preview",
                "responseId": "nQ0KaeHxNqWSz7IPkYaFuAM",
            },
            b"\r\n",
        )

    return Canned(SSE, [], lambda n: chunk(word(n), n), [chunk("", 2000, finishReason="STOP")])


def _converse() -> Canned:
    def said(number: int) -> bytes:
        body = {
            "contentBlockIndex": 0,
            "delta": {"text": word(number)},
            "p": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
        }
        return aws_event("contentBlockDelta", body)

    usage = {"inputTokens": 472, "outputTokens": 2000, "totalTokens": 2472}
    return Canned(
        AWS,
        [aws_event("messageStart", {"role": "assistant", "p": "abc"})],
        said,
        [
            aws_event("contentBlockStop", {"contentBlockIndex": 0, "p": "abc"}),
            aws_event("messageStop", {"stopReason": "end_turn", "p": "abc"}),
            aws_event("metadata", {"usage": usage, "metrics": {"latencyMs": 9}, "p": "abc"}),
        ],
    )


STREAMS: Mapping[str, Canned] = {
    "anthropic": _anthropic(),
    "responses": _responses(),
    "chat": _chat(),
    "gemini": _gemini(),
    "converse": _converse(),
}
