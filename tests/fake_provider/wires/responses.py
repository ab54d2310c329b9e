"""OpenAI's Responses. What it was asked to keep it keeps, and a conversation can go on from there."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from chatd.domain.part import Json
from chatd.kit.codec import encode, encode_text
from chatd.providers.events import Stop
from tests.fake_provider.script import Answer, Call, Draw, Refuse, Say, Search, Step, Think, in_pieces
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.wires.openai import FORMS, openai_complaint
from tests.fake_provider.wires.wire import Asked, Form, Wire
from tests.providers.dialects.responses.validator import problems

Event = dict[str, Any]

_INCOMPLETE: Mapping[Stop, str] = {Stop.LENGTH: "max_output_tokens"}
# Fields of a request that its response repeats.
_REPEATED: Mapping[str, Json] = {
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "metadata": {},
    "temperature": None,
    "top_p": None,
    "instructions": None,
    "previous_response_id": None,
}


class _Item(Struct, frozen=True):
    begun: Event
    between: tuple[Event, ...]
    whole: Event


class Responses(Wire):
    name = "responses"
    forms: ClassVar[Mapping[Fault, Form]] = FORMS

    def __init__(self) -> None:
        super().__init__()
        # The calls of each response that was kept, which the next request has to answer.
        self._kept: dict[str, set[str]] = {}

    def forget_everything_kept(self) -> None:
        """As after thirty days: answers, and everything that they consisted of."""
        self._kept.clear()
        self.given -= {name for name in self.given if "_given" in name}

    def frames(self, answer: Answer, asked: Asked) -> list[bytes]:
        response = self._response(answer, asked)
        begun = {**response, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
        events: list[Event] = [
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
        ]
        for index, item in enumerate(self._items(answer, asked)):
            events.append({"type": "response.output_item.added", "output_index": index, "item": item.begun})
            events += [{**event, "output_index": index} for event in item.between]
            events.append({"type": "response.output_item.done", "output_index": index, "item": item.whole})
        events.append({"type": f"response.{response['status']}", "response": response})
        return [_frame({**event, "sequence_number": number}) for number, event in enumerate(events)]

    def whole(self, answer: Answer, asked: Asked) -> Json:
        return self._response(answer, asked)

    def unknown(self) -> Sequence[bytes]:
        item = {"type": "brand_new_item", "id": "new_1"}
        return [
            _frame({"type": "response.brand_new.delta", "output_index": 99, "delta": "?"}),
            _frame({"type": "response.output_item.added", "output_index": 99, "item": item}),
            _frame({"type": "response.output_item.done", "output_index": 99, "item": item}),
        ]

    def malformed(self) -> bytes:
        return b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":\n\n'

    def fault(self, fault: Fault, words: str) -> bytes:
        error = {"code": self.forms[fault].code, "message": words}
        response = {"id": "resp_failed", "object": "response", "status": "failed", "error": error}
        return _frame({"type": "response.failed", "response": response, "sequence_number": 99})

    def complaint(self, complaint: Complaint) -> tuple[dict[str, str], Json]:
        return openai_complaint(self.form(complaint), complaint)

    def problems(self, asked: Asked) -> list[str]:
        # Whether it is streamed is the caller's choice.
        return problems({**asked.body, "stream": True})

    def refusal(self, asked: Asked) -> Complaint | None:
        return self._broken_chain(asked) or super().refusal(asked)

    def _broken_chain(self, asked: Asked) -> Complaint | None:
        previous = asked.body.get("previous_response_id")
        if previous is None:
            return None
        if previous not in self._kept:
            words = f"Previous response with id '{previous}' not found."
            code = "previous_response_not_found"
            return Complaint(fault=Fault.BAD_REQUEST, words=words, code=code)
        answered = {item["call_id"] for item in asked.body["input"] if item["type"] == "function_call_output"}
        if answered != self._kept[previous]:
            words = f"No tool output found for function calls {sorted(self._kept[previous] - answered)}."
            return Complaint(fault=Fault.BAD_REQUEST, words=words)
        return None

    def _response(self, answer: Answer, asked: Asked) -> Event:
        items = [item.whole for item in self._items(answer, asked)]
        response_id = self.identity("resp", asked.number)
        if asked.body.get("store", True):
            self._kept[response_id] = {item["call_id"] for item in items if item["type"] == "function_call"}
        why = _INCOMPLETE.get(answer.ends_with)
        return {
            "id": response_id,
            "object": "response",
            "created_at": 1_790_000_000,
            "status": "incomplete" if why else "completed",
            "error": None,
            "incomplete_details": {"reason": why} if why else None,
            "model": asked.model,
            "output": items,
            "usage": _usage(answer),
            **{name: asked.body.get(name, usual) for name, usual in _REPEATED.items()},
        }

    def _items(self, answer: Answer, asked: Asked) -> list[_Item]:
        return [
            self._item(step, (asked.number, place), asked=asked) for place, step in enumerate(answer.steps)
        ]

    def _item(self, step: Step, place: tuple[int, int], *, asked: Asked) -> _Item:
        match step:
            case Say():
                return self._message(step, self.identity("msg", *place))
            case Refuse(words=words):
                return _refusal(words, self.identity("msg", *place))
            case Think():
                return self._reasoning(step, self.identity("rs", *place), asked)
            case Call():
                return _call(step, self.identity("fc", *place))
            case Search():
                return _search(step, self.identity("ws", *place))
            case Draw():
                return _drawing(step, self.identity("ig", *place))

    def _message(self, step: Say, item_id: str) -> _Item:
        spot = {"item_id": item_id, "content_index": 0}
        citations = [
            {
                "type": "url_citation",
                "url": page.url,
                "title": page.title,
                "start_index": 0,
                "end_index": len(step.words),
            }
            for page in step.citing
        ]
        part: Event = {"type": "output_text", "text": step.words, "annotations": citations, "logprobs": []}
        between: list[Event] = [
            {"type": "response.content_part.added", **spot, "part": {**part, "text": "", "annotations": []}}
        ]
        between += [
            {"type": "response.output_text.delta", **spot, "delta": piece, "logprobs": []}
            for piece in step.pieces
        ]
        between += [
            {
                "type": "response.output_text.annotation.added",
                **spot,
                "annotation_index": n,
                "annotation": each,
            }
            for n, each in enumerate(citations)
        ]
        between += [
            {"type": "response.output_text.done", **spot, "text": step.words, "logprobs": []},
            {"type": "response.content_part.done", **spot, "part": part},
        ]
        return _spoken(item_id, part, between)

    def _reasoning(self, step: Think, item_id: str, asked: Asked) -> _Item:
        texts = [] if step.hidden else [step.words]
        whole: Event = {
            "id": item_id,
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": text} for text in texts],
        }
        begun: Event = {"id": item_id, "type": "reasoning", "summary": []}
        if "reasoning.encrypted_content" in asked.body.get("include", ()):
            whole["encrypted_content"] = self.seal("reasoning", step.seal)
            # What comes first is not what has to go back.
            begun["encrypted_content"] = "provisional"
        spot = {"item_id": item_id, "summary_index": 0}
        part: Event = {"type": "summary_text", "text": step.words}
        between: tuple[Event, ...] = (
            {"type": "response.reasoning_summary_part.added", **spot, "part": {**part, "text": ""}},
            *(
                {"type": "response.reasoning_summary_text.delta", **spot, "delta": piece}
                for piece in step.pieces
            ),
            {"type": "response.reasoning_summary_text.done", **spot, "text": step.words},
            {"type": "response.reasoning_summary_part.done", **spot, "part": part},
        )
        return _Item(begun, between if texts else (), whole)


def _frame(event: Event) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (event["type"].encode(), encode(event))


def _spoken(item_id: str, part: Event, between: Sequence[Event]) -> _Item:
    begun: Event = {
        "id": item_id,
        "type": "message",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
    }
    return _Item(begun, tuple(between), {**begun, "status": "completed", "content": [part]})


def _refusal(words: str, item_id: str) -> _Item:
    spot = {"item_id": item_id, "content_index": 0}
    part: Event = {"type": "refusal", "refusal": words}
    between: list[Event] = [
        {"type": "response.content_part.added", **spot, "part": {**part, "refusal": ""}},
        *({"type": "response.refusal.delta", **spot, "delta": piece} for piece in in_pieces(words)),
        {"type": "response.refusal.done", **spot, "refusal": words},
        {"type": "response.content_part.done", **spot, "part": part},
    ]
    return _spoken(item_id, part, between)


def _call(step: Call, item_id: str) -> _Item:
    arguments = encode_text(step.args)
    whole: Event = {
        "id": item_id,
        "type": "function_call",
        "status": "completed",
        "call_id": f"call_{step.id}",
        "name": step.tool,
        "arguments": arguments,
    }
    kind = "response.function_call_arguments"
    between: tuple[Event, ...] = (
        *({"type": f"{kind}.delta", "item_id": item_id, "delta": piece} for piece in in_pieces(arguments)),
        {"type": f"{kind}.done", "item_id": item_id, "arguments": arguments, "name": step.tool},
    )
    return _Item({**whole, "arguments": "", "status": "in_progress"}, between, whole)


def _search(step: Search, item_id: str) -> _Item:
    action = {"type": "search", "query": step.query, "queries": [step.query]}
    begun: Event = {"id": item_id, "type": "web_search_call", "status": "in_progress", "action": action}
    between = tuple(
        {"type": f"response.web_search_call.{state}", "item_id": item_id}
        for state in ("in_progress", "searching", "completed")
    )
    return _Item(begun, between, {**begun, "status": "completed"})


def _drawing(step: Draw, item_id: str) -> _Item:
    begun: Event = {"id": item_id, "type": "image_generation_call", "status": "in_progress", "result": None}
    between = tuple(
        {"type": f"response.image_generation_call.{state}", "item_id": item_id}
        for state in ("in_progress", "generating", "completed")
    )
    form = step.media_type.removeprefix("image/")
    # Bytes become base64.
    return _Item(begun, between, {**begun, "status": "completed", "output_format": form, "result": step.data})


def _usage(answer: Answer) -> Event:
    counts = answer.counts
    return {
        "input_tokens": counts.prompt,
        "input_tokens_details": {"cached_tokens": counts.cached, "cache_write_tokens": counts.written},
        "output_tokens": counts.said,
        "output_tokens_details": {"reasoning_tokens": counts.thought},
        "total_tokens": counts.prompt + counts.said,
    }
