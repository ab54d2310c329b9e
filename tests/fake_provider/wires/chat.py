"""Chat Completions, as most servers speak them, and as OpenRouter does."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any, ClassVar

from chatd.domain.part import Json
from chatd.kit.codec import encode, encode_text
from chatd.providers.events import Stop
from tests.fake_provider.script import Answer, Call, Draw, Page, Refuse, Say, Step, Think, in_pieces
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.wires.openai import FORMS, openai_complaint, openai_error
from tests.fake_provider.wires.wire import Asked, Form, Wire
from tests.providers.dialects.chat.validator import problems

Delta = dict[str, Any]

STOPS: Mapping[Stop, str] = {
    Stop.DONE: "stop",
    Stop.TOOLS: "tool_calls",
    Stop.LENGTH: "length",
    Stop.REFUSED: "stop",
}
DONE = b"data: [DONE]\n\n"


class Chat(Wire):
    """Thoughts are told as most servers tell them, and nobody wants them back sealed."""

    name = "chat"
    forms: ClassVar[Mapping[Fault, Form]] = FORMS

    def frames(self, answer: Answer, asked: Asked) -> list[bytes]:
        deltas: list[Delta] = [{"role": "assistant", "content": "", "refusal": None}]
        for kind, steps in groupby(answer.steps, key=type):
            group = list(steps)
            deltas += (
                _calls(group, deltas) if kind is Call else [d for s in group for d in self._said(s, answer)]
            )
        deltas += self._afterwards(answer)
        chunks = [self._chunk(asked, choices=[_choice(delta)]) for delta in deltas]
        chunks.append(self._chunk(asked, choices=[_choice({}, STOPS[answer.ends_with])]))
        if self._is_counted(asked):
            chunks.append(self._chunk(asked, choices=[], usage=self._usage(answer)))
        return [*(_frame(chunk) for chunk in chunks), DONE]

    def whole(self, answer: Answer, asked: Asked) -> Json:
        message: Delta = {"role": "assistant", "content": None, "refusal": None}
        for step in answer.steps:
            match step:
                case Say(words=words):
                    message["content"] = (message["content"] or "") + words
                case Call():
                    message.setdefault("tool_calls", []).append(_whole_call(step))
                case Refuse(words=words):
                    message["refusal"] = words
                case _:
                    for delta in self._said(step, answer):
                        _grow(message, delta)
        for delta in self._afterwards(answer):
            _grow(message, delta)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": STOPS[answer.ends_with]}
        whole = self._chunk(asked, choices=[choice], usage=self._usage(answer))
        return {**whole, "object": "chat.completion"}

    def unknown(self) -> Sequence[bytes]:
        odd: Delta = {"brand_new": {"deep": [None]}}
        return [
            b": a comment\n\n",
            _frame({"choices": [{"index": 0, "delta": odd, "finish_reason": None}], **odd}),
        ]

    def malformed(self) -> bytes:
        return b'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":\n\n'

    def fault(self, fault: Fault, words: str) -> bytes:
        return _frame({"error": openai_error(self.forms[fault], fault, words)})

    def complaint(self, complaint: Complaint) -> tuple[dict[str, str], Json]:
        return openai_complaint(self.form(complaint), complaint)

    def problems(self, asked: Asked) -> list[str]:
        # Whether it is streamed is the caller's choice.
        return problems({**asked.body, "stream": True})

    def _said(self, step: Step, answer: Answer) -> Iterator[Delta]:
        match step:
            case Say():
                yield from ({"content": piece} for piece in step.pieces)
                if step.citing:
                    yield {"annotations": [_annotation(page, step.words) for page in step.citing]}
            case Refuse(words=words):
                yield from ({"refusal": piece} for piece in in_pieces(words))
            case Think():
                yield from self._thought(step, answer)
            case Draw(media_type=media_type, data=data):
                url = f"data:{media_type};base64,{base64.b64encode(data).decode()}"
                yield {"images": [{"type": "image_url", "image_url": {"url": url}}]}
            case _:
                # There is no search here that one would hear of.
                return

    def _thought(self, step: Think, answer: Answer) -> Iterator[Delta]:
        yield from ({"reasoning_content": piece} for piece in step.pieces)

    def _afterwards(self, answer: Answer) -> list[Delta]:
        return []

    def _chunk(self, asked: Asked, **fields: Json) -> Delta:
        return {
            "id": self.identity("chatcmpl", asked.number),
            "object": "chat.completion.chunk",
            "created": 1_790_000_000,
            "model": asked.model,
            **fields,
        }

    def _is_counted(self, asked: Asked) -> bool:
        return bool((asked.body.get("stream_options") or {}).get("include_usage"))

    def _usage(self, answer: Answer) -> Delta:
        counts = answer.counts
        return {
            "prompt_tokens": counts.prompt,
            "completion_tokens": counts.said,
            "total_tokens": counts.prompt + counts.said,
            "prompt_tokens_details": {"cached_tokens": counts.cached, "cache_write_tokens": counts.written},
            "completion_tokens_details": {"reasoning_tokens": counts.thought},
        }


class OpenRouter(Chat):
    """Tells thoughts in detail, and wants the details back; signs them when all calls are made."""

    name = "openrouter"
    _DETAIL: ClassVar[Delta] = {"type": "reasoning.text", "format": "anthropic-claude-v1"}

    def _thought(self, step: Think, answer: Answer) -> Iterator[Delta]:
        index = _place(step, answer)
        if step.hidden:
            hidden = {**self._DETAIL, "type": "reasoning.encrypted", "index": index}
            yield {"content": "", "reasoning_details": [{**hidden, "data": self.seal("data", step.seal)}]}
            return
        for piece in step.pieces:
            detail = {**self._DETAIL, "index": index, "text": piece}
            yield {"content": "", "reasoning": piece, "reasoning_details": [detail]}

    def _afterwards(self, answer: Answer) -> list[Delta]:
        signed = [step for step in answer.steps if isinstance(step, Think) and not step.hidden]
        details = [
            {**self._DETAIL, "index": _place(step, answer), "signature": self.seal("signature", step.seal)}
            for step in signed
        ]
        return [{"content": "", "reasoning": None, "reasoning_details": [detail]} for detail in details]

    def _is_counted(self, asked: Asked) -> bool:
        return bool((asked.body.get("usage") or {}).get("include")) or super()._is_counted(asked)

    def _usage(self, answer: Answer) -> Delta:
        searched = {"server_tool_use": {"web_search_requests": answer.searches}} if answer.searches else {}
        return {**super()._usage(answer), "cost": 0.00014235, **searched}


def _place(step: Think, answer: Answer) -> int:
    return [each for each in answer.steps if isinstance(each, Think)].index(step)


def _frame(chunk: Json) -> bytes:
    return b"data: %b\n\n" % encode(chunk)


def _choice(delta: Delta, finish: str | None = None) -> Delta:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _calls(steps: Sequence[Any], before: Sequence[Delta]) -> list[Delta]:
    """All of them begin, and then their arguments come in turn."""
    first = sum("id" in piece for delta in before for piece in delta.get("tool_calls", ()))
    begun = [
        {"index": index, **_whole_call(step), "function": {"name": step.tool, "arguments": ""}}
        for index, step in enumerate(steps, first)
    ]
    pieces = [
        [{"index": index, "function": {"arguments": piece}} for piece in in_pieces(encode_text(step.args))]
        for index, step in enumerate(steps, first)
    ]
    in_turn = [piece for row in zip_longest(*pieces) for piece in row if piece is not None]
    return [{"tool_calls": [piece]} for piece in [*begun, *in_turn]]


def _whole_call(step: Call) -> Delta:
    function = {"name": step.tool, "arguments": encode_text(step.args)}
    return {"id": f"call_{step.id}", "type": "function", "function": function}


def _annotation(page: Page, words: str) -> Delta:
    cited = {"url": page.url, "title": page.title, "start_index": 0, "end_index": len(words)}
    return {"type": "url_citation", "url_citation": cited}


def _grow(message: Delta, delta: Delta) -> None:
    for name, value in delta.items():
        if isinstance(value, list):
            message[name] = [*message.get(name, []), *value]
        elif isinstance(value, str) and name != "content":
            message[name] = message.get(name, "") + value
