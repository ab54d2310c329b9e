"""Answers of Gemini as they go over the wire: server-sent events with CRLF, counts in every chunk."""

from collections.abc import Mapping
from typing import Any

from chatd.kit import codec
from chatd.providers.capabilities.target import Abilities, DialectName, Reasoning, Target
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.events import StreamEvent
from chatd.providers.transport.sse import SseFrames
from tests.providers.replayed import numbered, told

Chunk = dict[str, Any]

TARGET = Target(
    provider_id="p1",
    provider="google",
    type="google",
    dialect=DialectName.GEMINI,
    model="gemini-3-pro-preview",
    abilities=Abilities(reasoning=Reasoning.LEVEL),
)


def chunk(*parts: Chunk, finish: str | None = None, usage: Chunk | None = None, **candidate: Any) -> Chunk:
    said: Chunk = {"content": {"parts": list(parts), "role": "model"}, "index": 0, **candidate}
    if finish is not None:
        said["finishReason"] = finish
    return {
        "candidates": [said],
        "usageMetadata": usage or {"promptTokenCount": 10, "totalTokenCount": 10},
        "modelVersion": "gemini-3-pro-preview",
        "responseId": "resp-1",
    }


def sse(*chunks: Chunk | bytes) -> bytes:
    return b"".join(
        b"data: " + (each if isinstance(each, bytes) else codec.encode(each)) + b"\r\n\r\n" for each in chunks
    )


def text(words: str, signature: str | None = None) -> Chunk:
    return {"text": words} if signature is None else {"text": words, "thoughtSignature": signature}


def thought(words: str) -> Chunk:
    return {"text": words, "thought": True}


def call(name: str, args: Chunk | None = None, *, id: str | None = None, sign: str | None = None) -> Chunk:
    function: Chunk = {"name": name}
    if args is not None:
        function["args"] = args
    if id is not None:
        function["id"] = id
    return (
        {"functionCall": function} if sign is None else {"functionCall": function, "thoughtSignature": sign}
    )


def decoded(*portions: bytes) -> list[StreamEvent]:
    frames = SseFrames()
    all_frames = [frame for portion in portions for frame in frames.feed(portion)] + frames.close()
    return told(GEMINI.decoder(TARGET, numbered()), all_frames)


LAST = {
    "promptTokenCount": 120,
    "cachedContentTokenCount": 20,
    "candidatesTokenCount": 7,
    "thoughtsTokenCount": 30,
    "toolUsePromptTokenCount": 5,
    "totalTokenCount": 162,
}

# Complete answers, by what is remarkable about them.
ANSWERS: Mapping[str, tuple[Chunk, ...]] = {
    "text": (
        chunk(text("Ju")),
        chunk(text("piter, Wörld 🌍")),
        chunk(text(""), finish="STOP", usage=LAST),
    ),
    "thoughts, text and a signed call": (
        chunk(thought("Let me ")),
        chunk(thought("see.")),
        chunk(text("Looking it up.")),
        chunk(call("weather", {"city": "Ōsaka"}, id="fc-1", sign="c2ln"), finish="STOP", usage=LAST),
    ),
    "a signature on an empty last part": (
        chunk(text("It is ")),
        chunk(text("cold.")),
        chunk(text("", "ZW1wdHk="), finish="STOP", usage=LAST),
    ),
    "signatures in the midst of text": (
        chunk(text("One")),
        chunk(text(" two", "dHdv")),
        chunk(text(" three")),
        chunk(finish="STOP", usage=LAST),
    ),
    "nothing but a signature": (
        chunk(thought("Hm.")),
        chunk(text("", "b25seQ=="), finish="STOP", usage=LAST),
    ),
    "a signed thought": (
        chunk({"text": "Deep.", "thought": True, "thoughtSignature": "ZGVlcA=="}),
        chunk(text("Done."), finish="STOP", usage=LAST),
    ),
    "parallel calls": (
        chunk(call("weather", {"city": "A"}, id="fc-1", sign="Zmlyc3Q=")),
        chunk(call("weather", {"city": "B"}, id="fc-2"), call("clock", id="fc-3")),
        chunk(text(""), finish="STOP", usage=LAST),
    ),
    "calls without ids": (
        chunk(call("weather", {"city": "A"}, sign="Zmlyc3Q="), call("weather", {"city": "A"})),
        chunk(finish="STOP", usage=LAST),
    ),
    "a search of Google's own": (
        chunk(thought("Search.")),
        chunk(
            {
                "toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}, "id": "s1"},
                "thoughtSignature": "c2VhcmNo",
            },
            {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"hits": 2}, "id": "s1"}},
        ),
        chunk(text("Found."), call("clock", {}, id="fc-9", sign="Y2xvY2s="), finish="STOP", usage=LAST),
    ),
    "code that Google ran": (
        chunk({"executableCode": {"language": "PYTHON", "code": "print(1)"}}),
        chunk({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}),
        chunk({"executableCode": {"language": "PYTHON", "code": "1/0"}}),
        chunk({"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}}),
        chunk(text("It is 1."), finish="STOP", usage=LAST),
    ),
    "grounded text": (
        chunk(
            text("Rain."),
            groundingMetadata={"groundingChunks": [{"web": {"uri": "https://a", "title": "A"}}]},
        ),
        chunk(
            text(" Wind."),
            finish="STOP",
            usage=LAST,
            groundingMetadata={
                "webSearchQueries": ["rain", "wind"],
                "groundingChunks": [
                    {"web": {"uri": "https://a", "title": "A"}},
                    {"web": {"uri": "https://b"}},
                    {"retrievedContext": {"uri": "gs://c"}},
                ],
            },
            citationMetadata={"citationSources": [{"uri": "https://b"}, {"uri": "https://c", "title": "C"}]},
        ),
    ),
    "a call in pieces": (
        chunk({"functionCall": {"name": "write", "willContinue": True}, "thoughtSignature": "cGllY2U="}),
        chunk(
            {
                "functionCall": {
                    "partialArgs": [{"jsonPath": "$.text", "stringValue": "Ju", "willContinue": True}],
                    "willContinue": True,
                }
            }
        ),
        chunk(
            {
                "functionCall": {
                    "partialArgs": [
                        {"jsonPath": "$.text", "stringValue": "piter"},
                        {"jsonPath": "$.lines[0].at", "numberValue": 3},
                        {"jsonPath": "$.lines[0]['and so']", "boolValue": True},
                        {"jsonPath": '$["size"]', "numberValue": 1.5},
                        {"jsonPath": "$.none", "nullValue": "NULL_VALUE"},
                    ],
                    "willContinue": True,
                }
            }
        ),
        chunk({"functionCall": {}}),
        chunk(finish="STOP", usage=LAST),
    ),
    "a picture": (
        chunk(text("Here:")),
        chunk({"inlineData": {"mimeType": "image/png", "data": "iVBORw0="}}),
        chunk(finish="STOP", usage=LAST),
    ),
    "a blocked prompt": (
        {
            "promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "No."},
            "usageMetadata": LAST,
            "responseId": "resp-1",
            "modelVersion": "m",
        },
    ),
}
