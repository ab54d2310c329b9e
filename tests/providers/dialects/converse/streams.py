"""Answers of Converse as they go over the wire: AWS event streams, padded as Bedrock pads them."""

from collections.abc import Mapping
from typing import Any

from chatd.providers.capabilities.target import DialectName, Target
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.events import StreamEvent
from chatd.providers.transport.aws_frames import AwsFrames
from tests.providers.replayed import numbered, told
from tests.providers.transport.aws_writer import event

# The name of an event, and what it says.
Said = tuple[str, dict[str, Any]]

TARGET = Target(
    provider_id="p1",
    provider="aws",
    type="bedrock",
    dialect=DialectName.CONVERSE,
    model="us.amazon.nova-pro-v1:0",
    route="bedrock",
)

START: Said = ("messageStart", {"role": "assistant"})
METADATA: Said = (
    "metadata",
    {
        "usage": {
            "inputTokens": 100,
            "outputTokens": 40,
            "totalTokens": 1190,
            "cacheReadInputTokens": 50,
            "cacheWriteInputTokens": 1000,
            "cacheDetails": [{"ttl": "1h", "inputTokens": 600}, {"ttl": "5m", "inputTokens": 400}],
        },
        "metrics": {"latencyMs": 500},
    },
)


def delta(index: int, **said: Any) -> Said:
    return "contentBlockDelta", {"delta": said, "contentBlockIndex": index}


def begin(index: int, **start: Any) -> Said:
    return "contentBlockStart", {"start": start, "contentBlockIndex": index}


def call(index: int, id: str, name: str, **more: Any) -> Said:
    return begin(index, toolUse={"toolUseId": id, "name": name, **more})


def piece(index: int, text: str) -> Said:
    return delta(index, toolUse={"input": text})


def end(index: int) -> Said:
    return "contentBlockStop", {"contentBlockIndex": index}


def stop(reason: str) -> Said:
    return "messageStop", {"stopReason": reason}


def wire(*events: Said) -> bytes:
    return b"".join(event(name, {**said, "p": "abcdefgh"}) for name, said in events)


def decoded(*portions: bytes) -> list[StreamEvent]:
    frames = AwsFrames()
    all_frames = [frame for portion in portions for frame in frames.feed(portion)] + frames.close()
    return told(CONVERSE.decoder(TARGET, numbered()), all_frames)


# Complete answers, by what is remarkable about them.
ANSWERS: Mapping[str, tuple[Said, ...]] = {
    "text": (START, delta(0, text="Grüße,"), delta(0, text=" Welt 🌍"), end(0), stop("end_turn"), METADATA),
    "reasoning, text and a call": (
        START,
        delta(0, reasoningContent={"text": "Let me "}),
        delta(0, reasoningContent={"text": "see."}),
        delta(0, reasoningContent={"signature": "c2ln"}),
        delta(0, reasoningContent={"signature": "bmVk"}),
        end(0),
        delta(1, text="Looking."),
        end(1),
        call(2, "tooluse_1", "weather"),
        piece(2, '{"ci'),
        piece(2, 'ty":"Ōsa'),
        piece(2, 'ka"}'),
        end(2),
        stop("tool_use"),
        METADATA,
    ),
    "redacted reasoning": (
        START,
        # "secret thoughts", in two fragments that are encoded each for itself
        delta(0, reasoningContent={"redactedContent": "c2VjcmV0IA=="}),
        delta(0, reasoningContent={"redactedContent": "dGhvdWdodHM="}),
        end(0),
        delta(1, text="Done."),
        end(1),
        stop("end_turn"),
        METADATA,
    ),
    "two calls at once, one without arguments": (
        START,
        call(0, "tooluse_1", "weather"),
        call(1, "tooluse_2", "clock"),
        piece(0, '{"city":'),
        piece(1, ""),
        piece(0, '"A"}'),
        end(1),
        end(0),
        stop("tool_use"),
        METADATA,
    ),
    "a search of the provider's own": (
        START,
        call(0, "srv_1", "nova_grounding", type="server_tool_use"),
        piece(0, '{"query":"x"}'),
        end(0),
        begin(1, toolResult={"toolUseId": "srv_1", "type": "nova_grounding_result", "status": "success"}),
        delta(1, toolResult=[{"text": "One"}]),
        delta(1, toolResult=[{"json": {"two": 2}}]),
        end(1),
        delta(2, text="Found."),
        delta(2, citation={"title": "A", "location": {"web": {"url": "https://a", "domain": "a"}}}),
        delta(2, citation={"title": "A", "location": {"web": {"url": "https://a"}}}),
        delta(2, citation={"title": "D", "location": {"documentPage": {"start": 1}}}),
        end(2),
        stop("end_turn"),
        METADATA,
    ),
    "an empty block": (
        START,
        delta(0, text=""),
        end(0),
        delta(1, text="a"),
        end(1),
        stop("end_turn"),
        METADATA,
    ),
}
