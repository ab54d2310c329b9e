"""Answers as OpenAI sends them, frame by frame; and the ways to feed them to a decoder."""

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, TypeAlias

from chatd.catalog.models.options import CallOptions, OpenAIOptions
from chatd.providers.capabilities.target import Abilities, DialectName, Files, Quirks, Reasoning, Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.dialects.responses.decode import ResponsesDecoder
from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolReturned,
)
from chatd.providers.request.wire_turn import Called, Returned, SaidText, Thought, TurnPart, WireTurn
from chatd.providers.transport.sse import SseFrames

Event: TypeAlias = dict[str, Any]

REASONING_MODEL = Abilities(reasoning=Reasoning.EFFORT, system="developer", sampling=False)


def target(
    *,
    model: str = "gpt-5.6",
    abilities: Abilities = REASONING_MODEL,
    quirks: Quirks | None = None,
    options: CallOptions | None = None,
    **openai: Any,
) -> Target:
    """A model at OpenAI, with these options of OpenAI's own."""
    own = CallOptions(openai=OpenAIOptions(**openai))
    return Target(
        provider_id="p1",
        provider="openai",
        type="openai",
        dialect=DialectName.RESPONSES,
        model=model,
        abilities=abilities,
        files=Files(images=True, pdf=True),
        quirks=quirks or Quirks(),
        options=options or own,
    )


# Frames.


def created(response_id: str = "resp_1") -> Event:
    return {"type": "response.created", "response": _response(response_id, "in_progress")}


def completed(*output: Event, usage: Event | None = None, **extra: Any) -> Event:
    response = _response("resp_1", "completed", output=list(output), usage=usage or USAGE, **extra)
    return {"type": "response.completed", "response": response}


def incomplete(reason: str | None, *output: Event) -> Event:
    details = {"reason": reason} if reason else None
    response = _response("resp_1", "incomplete", output=list(output), usage=USAGE, incomplete_details=details)
    return {"type": "response.incomplete", "response": response}


USAGE: Event = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    "output_tokens": 40,
    "output_tokens_details": {"reasoning_tokens": 25},
    "total_tokens": 140,
}


def _response(response_id: str, status: str, **fields: Any) -> Event:
    return {
        "id": response_id,
        "object": "response",
        "status": status,
        "model": "gpt-5.6-2026-09-01",
        "error": None,
        "incomplete_details": None,
        "output": [],
        "usage": None,
        **fields,
    }


def added(index: int, item: Event) -> Event:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: Event) -> Event:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def text_delta(index: int, item_id: str, delta: str, content_index: int = 0) -> Event:
    return {
        "type": "response.output_text.delta",
        "output_index": index,
        "content_index": content_index,
        "item_id": item_id,
        "delta": delta,
        "logprobs": [],
    }


def message_item(item_id: str, text: str, annotations: Sequence[Event] = (), **fields: Any) -> Event:
    content = [{"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}]
    return {
        "id": item_id,
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": content,
        **fields,
    }


def message(
    index: int, item_id: str, *pieces: str, annotations: Sequence[Event] = (), **fields: Any
) -> list[Event]:
    whole = message_item(item_id, "".join(pieces), annotations, **fields)
    spot = {"output_index": index, "content_index": 0, "item_id": item_id}
    return [
        added(index, {**whole, "status": "in_progress", "content": []}),
        {"type": "response.content_part.added", **spot, "part": {**whole["content"][0], "text": ""}},
        *(text_delta(index, item_id, piece) for piece in pieces),
        *(
            {
                "type": "response.output_text.annotation.added",
                **spot,
                "annotation_index": n,
                "annotation": each,
            }
            for n, each in enumerate(annotations)
        ),
        {"type": "response.output_text.done", **spot, "text": "".join(pieces)},
        {"type": "response.content_part.done", **spot, "part": whole["content"][0]},
        done(index, whole),
    ]


def reasoning_item(item_id: str, *summaries: str, encrypted: str | None = "gAAA-final") -> Event:
    item: Event = {
        "id": item_id,
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text} for text in summaries],
    }
    return item if encrypted is None else {**item, "encrypted_content": encrypted}


def reasoning(index: int, item_id: str, *summaries: str, encrypted: str | None = "gAAA-final") -> list[Event]:
    events = [added(index, reasoning_item(item_id, encrypted=encrypted and "gAAA-provisional"))]
    for number, text in enumerate(summaries):
        spot = {"output_index": index, "summary_index": number, "item_id": item_id}
        part = {"type": "summary_text", "text": ""}
        half = len(text) // 2
        events += [
            {"type": "response.reasoning_summary_part.added", **spot, "part": part},
            {"type": "response.reasoning_summary_text.delta", **spot, "delta": text[:half]},
            {"type": "response.reasoning_summary_text.delta", **spot, "delta": text[half:]},
            {"type": "response.reasoning_summary_text.done", **spot, "text": text},
            {"type": "response.reasoning_summary_part.done", **spot, "part": {**part, "text": text}},
        ]
    return [*events, done(index, reasoning_item(item_id, *summaries, encrypted=encrypted))]


def call_item(item_id: str, call_id: str, name: str, arguments: str, status: str = "completed") -> Event:
    return {
        "id": item_id,
        "type": "function_call",
        "status": status,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def argument_delta(index: int, item_id: str, delta: str) -> Event:
    spot = {"output_index": index, "item_id": item_id}
    return {"type": "response.function_call_arguments.delta", **spot, "delta": delta}


def call(index: int, item_id: str, call_id: str, name: str, *pieces: str) -> list[Event]:
    whole = call_item(item_id, call_id, name, "".join(pieces))
    return [
        added(index, {**whole, "arguments": "", "status": "in_progress"}),
        *(argument_delta(index, item_id, piece) for piece in pieces),
        {
            "type": "response.function_call_arguments.done",
            "output_index": index,
            "item_id": item_id,
            "arguments": "".join(pieces),
        },
        done(index, whole),
    ]


def search_item(item_id: str, query: str = "tides", status: str = "completed") -> Event:
    action = {"type": "search", "query": query, "queries": [query]}
    return {"id": item_id, "type": "web_search_call", "status": status, "action": action}


def search(index: int, item_id: str, query: str = "tides") -> list[Event]:
    spot = {"output_index": index, "item_id": item_id}
    return [
        added(index, {"id": item_id, "type": "web_search_call", "status": "in_progress"}),
        {"type": "response.web_search_call.in_progress", **spot},
        {"type": "response.web_search_call.searching", **spot},
        {"type": "response.web_search_call.completed", **spot},
        done(index, search_item(item_id, query)),
    ]


def citation(url: str, title: str = "Tides") -> Event:
    return {"type": "url_citation", "url": url, "title": title, "start_index": 0, "end_index": 4}


# Bytes.


def frame(event: Event) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def stream(*events: Event) -> bytes:
    return b"".join(frame({**event, "sequence_number": number}) for number, event in enumerate(events))


def decoder(*, store: bool = False) -> ResponsesDecoder:
    made = RESPONSES.decoder(target(store=store), numbered())
    assert isinstance(made, ResponsesDecoder)
    return made


def numbered() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"new{next(numbers)}"


def decode(portions: Iterable[bytes], *, store: bool = False) -> list[StreamEvent]:
    """What a decoder makes of these bytes, which come in these portions and then end."""
    sse, reader = SseFrames(), decoder(store=store)
    out: list[StreamEvent] = []
    for portion in portions:
        for name, data in sse.feed(portion):
            reader.feed(name, data, out)
    for name, data in sse.close():
        reader.feed(name, data, out)
    reader.close(out)
    return out


def heard(*events: Event, store: bool = False) -> list[StreamEvent]:
    return decode([stream(*events)], store=store)


# From events to the turn that goes back, and to the request.


def reply(events: Iterable[StreamEvent]) -> WireTurn:
    """The assistant's turn that these events leave behind: blocks in the order in which they end."""
    texts: dict[str, str] = {}
    thoughts: dict[str, str] = {}
    parts: list[TurnPart] = []
    internal: Any = None
    for event in events:
        match event:
            case TextDelta(text=text, block=block):
                texts[block] = texts.get(block, "") + text
            case ReasoningDelta(text=text, block=block):
                thoughts[block] = thoughts.get(block, "") + text
            case BlockEnded(block=block, internal=kept):
                if block in thoughts:
                    parts.append(Thought(thoughts[block], kept))
                else:
                    parts.append(SaidText(texts[block], kept))
            case ToolCalled(call_id=id, tool=tool, args=args, provider_executed=own, internal=kept):
                parts.append(Called(id, tool, args if isinstance(args, dict) else {}, own, kept))
            case ToolReturned(call_id=id, tool=tool, result=result, is_error=error, internal=kept):
                parts.append(Returned(id, tool, result, error, provider_executed=True, internal=kept))
            case Finished(internal=kept):
                internal = kept
            case _:
                pass
    return WireTurn("assistant", tuple(parts), internal)


def user(*texts: str) -> WireTurn:
    return WireTurn("user", tuple(SaidText(text) for text in texts))


def results(turn: WireTurn, output: Any = "done") -> list[WireTurn]:
    """A result for each call of the turn that is ours to answer."""
    return [
        WireTurn("tool", (Returned(part.id, part.tool, output),))
        for part in turn.parts
        if isinstance(part, Called) and not part.provider_executed
    ]


def request(*segments: Sequence[WireTurn], to: Target | None = None, head: Head | None = None) -> Body:
    """The body of these segments, each written by itself."""
    to = to or target()
    written = [RESPONSES.write_turns(segment, to, newest=False) for segment in segments]
    items = b",".join(
        json.dumps(item, separators=(",", ":")).encode() for segment in written for item in segment.items
    )
    return RESPONSES.write_body(items, head or Head(system=("Be brief.",)), to)


def sent(*segments: Sequence[WireTurn], to: Target | None = None, head: Head | None = None) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request(*segments, to=to, head=head).json)
    return body
