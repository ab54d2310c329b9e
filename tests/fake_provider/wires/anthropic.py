"""Anthropic's Messages, by themselves and as Bedrock's InvokeModel wraps them."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from chatd.domain.part import Json
from chatd.kit.codec import encode, encode_text
from chatd.providers.events import Stop
from tests.fake_provider.script import Answer, Call, Page, Refuse, Say, Search, Step, Think, in_pieces
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.wires.wire import AWS, Asked, Form, Wire
from tests.providers.dialects.anthropic.validator import problems
from tests.providers.transport.aws_writer import event as aws_event
from tests.providers.transport.aws_writer import fault as aws_fault

Event = dict[str, Any]

STOPS: Mapping[Stop, str] = {
    Stop.DONE: "end_turn",
    Stop.TOOLS: "tool_use",
    Stop.LENGTH: "max_tokens",
    Stop.REFUSED: "refusal",
    Stop.PAUSED: "pause_turn",
}


class _Block(Struct, frozen=True):
    """As it begins, as it grows, and as it is in the end."""

    begun: Event
    deltas: tuple[Event, ...]
    whole: Event


class Messages(Wire):
    name = "anthropic"
    forms: ClassVar[Mapping[Fault, Form]] = {
        Fault.BAD_REQUEST: Form(400, "invalid_request_error"),
        Fault.BAD_KEY: Form(401, "authentication_error"),
        Fault.FORBIDDEN: Form(403, "permission_error"),
        Fault.NO_SUCH_MODEL: Form(404, "not_found_error"),
        Fault.RATE_LIMIT: Form(429, "rate_limit_error"),
        Fault.OVERLOADED: Form(529, "overloaded_error"),
        Fault.SERVER: Form(500, "api_error"),
    }

    def frames(self, answer: Answer, asked: Asked) -> list[bytes]:
        return [self._frame(event) for event in self.events(answer, asked)]

    def events(self, answer: Answer, asked: Asked) -> list[Event]:
        message = self._message(answer, asked)
        begun = {
            **message,
            "content": [],
            "stop_reason": None,
            "usage": {**message["usage"], "output_tokens": 1},
        }
        events: list[Event] = [{"type": "message_start", "message": begun}]
        for index, block in enumerate(self._blocks(answer)):
            events += [
                {"type": "content_block_start", "index": index, "content_block": block.begun},
                *([{"type": "ping"}] if not index else []),
                *({"type": "content_block_delta", "index": index, "delta": delta} for delta in block.deltas),
                {"type": "content_block_stop", "index": index},
            ]
        ending = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
        usage = {name: count for name, count in message["usage"].items() if name != "cache_creation"}
        return [*events, {"type": "message_delta", "delta": ending, "usage": usage}, {"type": "message_stop"}]

    def whole(self, answer: Answer, asked: Asked) -> Json:
        return {**self._message(answer, asked), "content": [block.whole for block in self._blocks(answer)]}

    def unknown(self) -> Sequence[bytes]:
        return [
            self._frame({"type": "brand_new_event", "anything": [1, {"deep": None}]}),
            self._frame({"type": "content_block_start", "index": 99, "content_block": {"type": "brand_new"}}),
            self._frame({"type": "content_block_delta", "index": 99, "delta": {"type": "brand_new_delta"}}),
            self._frame({"type": "content_block_stop", "index": 99}),
        ]

    def malformed(self) -> bytes:
        return b'event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n'

    def fault(self, fault: Fault, words: str) -> bytes:
        error = {"type": self.forms[fault].code, "message": words}
        return self._frame({"type": "error", "error": error})

    def complaint(self, complaint: Complaint) -> tuple[dict[str, str], Json]:
        error = {"type": self.form(complaint).code, "message": complaint.words}
        return {"request-id": "req_fake"}, {"type": "error", "error": error, "request_id": "req_fake"}

    def problems(self, asked: Asked) -> list[str]:
        version = asked.headers.get("anthropic-version", "")
        found = [] if version else ["anthropic-version: header is required"]
        keys = {"x-api-key", "authorization"} & asked.headers.keys()
        if len(keys) != 1:
            found.append(f"there are {len(keys)} keys")
        if not asked.body.get("model"):
            found.append("model is missing")
        return found + problems(asked.body, version)

    def _frame(self, event: Event) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (event["type"].encode(), encode(event))

    def _message(self, answer: Answer, asked: Asked) -> Event:
        counts, stop = answer.counts, answer.ends_with
        refused = [step.words for step in answer.steps if isinstance(step, Refuse)]
        details = {"type": "refusal", "category": "cyber", "explanation": refused[0]} if refused else None
        return {
            "id": self.identity("msg", asked.number),
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [],
            "stop_reason": STOPS[stop],
            "stop_sequence": None,
            "stop_details": details,
            "usage": {
                "input_tokens": counts.fresh,
                "cache_read_input_tokens": counts.cached,
                "cache_creation_input_tokens": counts.written,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": counts.written,
                    "ephemeral_1h_input_tokens": 0,
                },
                "output_tokens": counts.said,
                "output_tokens_details": {"thinking_tokens": counts.thought},
                "server_tool_use": {"web_search_requests": answer.searches, "web_fetch_requests": 0},
            },
        }

    def _blocks(self, answer: Answer) -> list[_Block]:
        return [block for step in answer.steps for block in self._said(step)]

    def _said(self, step: Step) -> list[_Block]:
        match step:
            case Say():
                return [self._text(step)]
            case Think():
                return [self._thought(step)]
            case Call(id=id, tool=tool, args=args):
                return [_called("tool_use", f"toolu_{id}", tool, args)]
            case Search():
                return self._searched(step)
            case _:
                # Pictures do not come over this wire, and a refusal is told at the end.
                return []

    def _text(self, step: Say) -> _Block:
        citations = [self._citation(page, step.words) for page in step.citing]
        begun: Event = {"type": "text", "text": ""}
        spoken: list[Event] = [{"type": "text_delta", "text": piece} for piece in step.pieces]
        if not citations:
            return _Block(begun, tuple(spoken), {"type": "text", "text": step.words})
        cited: list[Event] = [{"type": "citations_delta", "citation": each} for each in citations]
        whole = {"type": "text", "text": step.words, "citations": citations}
        return _Block({**begun, "citations": []}, (*cited, *spoken), whole)

    def _citation(self, page: Page, words: str) -> Event:
        return {
            "type": "web_search_result_location",
            "cited_text": words,
            "url": page.url,
            "title": page.title,
            "encrypted_index": self.seal("index", page.url),
        }

    def _thought(self, step: Think) -> _Block:
        if step.hidden:
            block = {"type": "redacted_thinking", "data": self.seal("redacted", step.seal)}
            return _Block(block, (), block)
        signature = self.seal("signature", step.seal)
        deltas = (
            *({"type": "thinking_delta", "thinking": piece} for piece in step.pieces),
            {"type": "signature_delta", "signature": signature},
        )
        begun = {"type": "thinking", "thinking": "", "signature": ""}
        return _Block(begun, deltas, {"type": "thinking", "thinking": step.words, "signature": signature})

    def _searched(self, step: Search) -> list[_Block]:
        call_id = self.identity("srvtoolu", step.id)
        found = [
            {
                "type": "web_search_result",
                "title": page.title,
                "url": page.url,
                "encrypted_content": self.seal("content", page.url),
                "page_age": None,
            }
            for page in step.pages
        ]
        result = {"type": "web_search_tool_result", "tool_use_id": call_id, "content": found}
        called = _called("server_tool_use", call_id, "web_search", {"query": step.query})
        return [called, _Block(result, (), result)]


def _called(kind: str, call_id: str, tool: str, args: dict[str, Json]) -> _Block:
    pieces = ["", *in_pieces(encode_text(args))] if args else [""]
    deltas = tuple({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    block: Event = {"type": kind, "id": call_id, "name": tool}
    return _Block({**block, "input": {}}, deltas, {**block, "input": args})


class Invoke(Messages):
    """The same on Bedrock: events within events."""

    name = "bedrock-invoke"
    content_type = AWS
    forms: ClassVar[Mapping[Fault, Form]] = {
        Fault.BAD_REQUEST: Form(400, "ValidationException"),
        Fault.BAD_KEY: Form(403, "UnrecognizedClientException"),
        Fault.FORBIDDEN: Form(403, "AccessDeniedException"),
        Fault.NO_SUCH_MODEL: Form(404, "ResourceNotFoundException"),
        Fault.RATE_LIMIT: Form(429, "ThrottlingException"),
        Fault.OVERLOADED: Form(503, "ServiceUnavailableException"),
        Fault.SERVER: Form(500, "InternalServerException"),
    }

    def malformed(self) -> bytes:
        return aws_event(
            "chunk", {"bytes": base64.b64encode(b'{"type":"content_block_delta","index":').decode()}
        )

    def fault(self, fault: Fault, words: str) -> bytes:
        code = self.forms[fault].code
        return aws_fault(code[0].lower() + code[1:], words)

    def complaint(self, complaint: Complaint) -> tuple[dict[str, str], Json]:
        return aws_complaint(self.form(complaint), complaint)

    def problems(self, asked: Asked) -> list[str]:
        found = [f"{name} has no place in the body" for name in ("model", "stream") if name in asked.body]
        if asked.body.get("anthropic_version") != "bedrock-2023-05-31":
            found.append("anthropic_version: must be bedrock-2023-05-31")
        found += [
            f"{name} has no place here"
            for name in ("anthropic-version", "x-api-key", "anthropic-beta")
            if name in asked.headers
        ]
        return found + problems(asked.body, "2023-06-01")

    def _frame(self, event: Event) -> bytes:
        return aws_event("chunk", {"bytes": base64.b64encode(encode(event)).decode(), "p": "abcdefgh"})


def aws_complaint(form: Form, complaint: Complaint) -> tuple[dict[str, str], Json]:
    headers = {
        "x-amzn-errortype": f"{form.code}:http://internal.amazon.com/coral/",
        "x-amzn-requestid": "req_fake",
    }
    return headers, {"message": complaint.words}
