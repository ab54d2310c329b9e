"""The language in which the tests of this dialect are written."""

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import count, pairwise
from typing import Any

from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Abilities, DialectName, Quirks, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.chat import CHAT
from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCalled,
)
from chatd.providers.request.wire_turn import Called, Returned, SaidText, Thought, TurnPart, WireTurn
from chatd.providers.transport.sse import Frame, SseFrames

DONE = b"data: [DONE]\n\n"


def target(type_: str = "openai-compatible", model: str = "some-model", **more: Any) -> Target:
    return Target(
        provider_id="p1", provider="somewhere", type=type_, dialect=DialectName.CHAT, model=model, **more
    )


def quirky(**quirks: Any) -> Target:
    return target(quirks=Quirks(**quirks))


def able(**abilities: Any) -> Target:
    return target(abilities=Abilities(**abilities))


def frame(**fields: Any) -> bytes:
    return b"data: " + json.dumps(fields).encode() + b"\n\n"


def chunk(finish: str | None = None, *, choice: dict[str, Any] | None = None, **delta: Any) -> bytes:
    """A chunk as OpenAI writes it, with this delta."""
    chosen = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish, **(choice or {})}
    return frame(id="chatcmpl-1", object="chat.completion.chunk", created=1, model="m-1", choices=[chosen])


def piece(index: int | None = None, arguments: Json = None, **more: Any) -> dict[str, Any]:
    """A piece of a tool call; `name` goes where names go."""
    function = {"arguments": arguments} if arguments is not None else {}
    if "name" in more:
        function["name"] = more.pop("name")
    return {
        **({} if index is None else {"index": index}),
        **({"function": function} if function else {}),
        **more,
    }


def ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"new_{next(numbers)}"


def frames(stream: bytes, cuts: Iterable[int] = ()) -> list[Frame]:
    """The frames of a stream that comes cut into pieces at these places."""
    reader = SseFrames()
    places = [0, *cuts, len(stream)]
    found = [f for start, end in pairwise(places) for f in reader.feed(stream[start:end])]
    return [*found, *reader.close()]


def decoded(stream: bytes, at: Target | None = None, cuts: Iterable[int] = ()) -> list[StreamEvent]:
    out: list[StreamEvent] = []
    decoder = CHAT.decoder(at or target(), ids())
    for name, data in frames(stream, cuts):
        decoder.feed(name, data, out)
    decoder.close(out)
    return out


def finished(events: Sequence[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished), last
    return last


def failure(events: Sequence[StreamEvent]) -> ProviderError:
    last = events[-1]
    assert isinstance(last, Failed), last
    return last.error


def told(error: ProviderError) -> tuple[object, ...]:
    """What an error says. Two errors are never equal."""
    return error.kind, error.fault, error.message, error.retryable, error.status_code


def texts(events: Sequence[StreamEvent]) -> dict[str, str]:
    found: dict[str, str] = {}
    for event in events:
        if isinstance(event, TextDelta):
            found[event.block] = found.get(event.block, "") + event.text
    return found


def thoughts(events: Sequence[StreamEvent]) -> dict[str, str]:
    found: dict[str, str] = {}
    for event in events:
        if isinstance(event, ReasoningDelta):
            found[event.block] = found.get(event.block, "") + event.text
    return found


def calls(events: Sequence[StreamEvent]) -> list[tuple[str, str, Json]]:
    return [(event.call_id, event.tool, event.args) for event in events if isinstance(event, ToolCalled)]


def reply(events: Sequence[StreamEvent]) -> WireTurn:
    """The turn that these events become when they are saved and come back to the same provider."""
    parts: list[TurnPart] = []
    said, thought = texts(events), thoughts(events)
    for event in events:
        if isinstance(event, BlockEnded) and event.block in said:
            parts.append(SaidText(said[event.block], event.internal))
        elif isinstance(event, BlockEnded):
            parts.append(Thought(thought[event.block], event.internal))
        elif isinstance(event, ToolCalled):
            args = event.args if isinstance(event.args, dict) else {}
            parts.append(Called(event.call_id, event.tool, args, internal=event.internal))
    return WireTurn("assistant", tuple(parts), finished(events).internal)


def said(role: Any, *parts: TurnPart | str, internal: Json = None) -> WireTurn:
    return WireTurn(role, tuple(SaidText(p) if isinstance(p, str) else p for p in parts), internal)


def results(turn: WireTurn) -> WireTurn:
    """An answer to each call of a turn."""
    return WireTurn(
        "tool", tuple(Returned(c.id, c.tool, "done") for c in turn.parts if isinstance(c, Called))
    )


def messages(turns: Sequence[WireTurn], at: Target | None = None, *, newest: bool = False) -> list[Any]:
    return list(CHAT.write_turns(turns, at or target(), newest=newest).items)


def warnings(turns: Sequence[WireTurn], at: Target | None = None) -> tuple[str, ...]:
    return CHAT.write_turns(turns, at or target(), newest=False).warnings


def body_bytes(turns: Sequence[WireTurn], at: Target | None = None, head: Head | None = None) -> bytes:
    items = b",".join(json.dumps(item).encode() for item in messages(turns, at))
    return CHAT.write_body(items, head or Head(), at or target()).json


def body(turns: Sequence[WireTurn], at: Target | None = None, head: Head | None = None) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(body_bytes(turns, at, head))
    return read


def head_warnings(at: Target, head: Head | None = None) -> tuple[str, ...]:
    return CHAT.write_body(b'{"role":"user","content":"hi"}', head or Head(), at).warnings
