"""Bedrock's Converse."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from chatd.domain.part import Json
from chatd.kit.codec import encode_text
from chatd.providers.events import Stop
from tests.fake_provider.script import Answer, Call, Page, Say, Search, Step, Think, in_pieces
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.wires.anthropic import Invoke, aws_complaint
from tests.fake_provider.wires.wire import AWS, Asked, Form, Wire
from tests.providers.dialects.converse.validator import problems
from tests.providers.transport.aws_writer import event as aws_event
from tests.providers.transport.aws_writer import fault as aws_fault

Said = dict[str, Any]

STOPS: Mapping[Stop, str] = {
    Stop.DONE: "end_turn",
    Stop.TOOLS: "tool_use",
    Stop.LENGTH: "max_tokens",
    Stop.REFUSED: "guardrail_intervened",
}


class _Block(Struct, frozen=True):
    """As it begins, if that is told, as it grows, and as it is in the end."""

    begun: Said | None
    deltas: tuple[Said, ...]
    whole: Said


class Converse(Wire):
    name = "converse"
    content_type = AWS
    forms: ClassVar[Mapping[Fault, Form]] = Invoke.forms

    def frames(self, answer: Answer, asked: Asked) -> list[bytes]:
        frames = [_frame("messageStart", {"role": "assistant"})]
        for index, block in enumerate(self._blocks(answer)):
            place = {"contentBlockIndex": index}
            if block.begun is not None:
                frames.append(_frame("contentBlockStart", {"start": block.begun, **place}))
            frames += [_frame("contentBlockDelta", {"delta": delta, **place}) for delta in block.deltas]
            frames.append(_frame("contentBlockStop", place))
        frames.append(_frame("messageStop", {"stopReason": STOPS[answer.ends_with]}))
        counted = {"usage": _usage(answer), "metrics": {"latencyMs": 5}}
        return [*frames, _frame("metadata", counted)]

    def whole(self, answer: Answer, asked: Asked) -> Json:
        content = [block.whole for block in self._blocks(answer)]
        return {
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": STOPS[answer.ends_with],
            "usage": _usage(answer),
            "metrics": {"latencyMs": 5},
        }

    def unknown(self) -> Sequence[bytes]:
        return [
            _frame("brandNewEvent", {"anything": [1, {"deep": None}]}),
            _frame("contentBlockDelta", {"delta": {"brandNew": "?"}, "contentBlockIndex": 99}),
        ]

    def malformed(self) -> bytes:
        return aws_event("contentBlockDelta", b'{"delta":')

    def fault(self, fault: Fault, words: str) -> bytes:
        code = self.forms[fault].code
        return aws_fault(code[0].lower() + code[1:], words)

    def complaint(self, complaint: Complaint) -> tuple[dict[str, str], Json]:
        return aws_complaint(self.form(complaint), complaint)

    def problems(self, asked: Asked) -> list[str]:
        found = [] if "authorization" in asked.headers else ["there is no signature and no key"]
        return found + problems(asked.body)

    def _blocks(self, answer: Answer) -> list[_Block]:
        return [block for step in answer.steps for block in self._said(step)]

    def _said(self, step: Step) -> list[_Block]:
        match step:
            case Say():
                deltas = [{"text": piece} for piece in step.pieces] + [
                    _citation(page) for page in step.citing
                ]
                return [_Block(None, tuple(deltas), {"text": step.words})]
            case Think():
                return [self._thought(step)]
            case Call(id=id, tool=tool, args=args):
                return [_called({"toolUseId": f"tooluse_{id}", "name": tool}, args)]
            case Search():
                return self._searched(step)
            case _:
                # Pictures do not come over this wire, and a refusal is told at the end.
                return []

    def _thought(self, step: Think) -> _Block:
        if step.hidden:
            # Base64 in JSON, in fragments that are encoded each for itself.
            halves = in_pieces(self.seal("redacted", step.seal), 2)
            told = [base64.b64encode(half.encode()).decode() for half in halves]
            sealed = base64.b64encode("".join(halves).encode()).decode()
            self.given.add(sealed)
            deltas = tuple({"reasoningContent": {"redactedContent": half}} for half in told)
            return _Block(None, deltas, {"reasoningContent": {"redactedContent": sealed}})
        signature = self.seal("signature", step.seal)
        deltas = (
            *({"reasoningContent": {"text": piece}} for piece in step.pieces),
            *({"reasoningContent": {"signature": half}} for half in in_pieces(signature, 2)),
        )
        whole = {"reasoningContent": {"reasoningText": {"text": step.words, "signature": signature}}}
        return _Block(None, deltas, whole)

    def _searched(self, step: Search) -> list[_Block]:
        call_id = self.identity("tooluse", step.id)
        use = {"toolUseId": call_id, "name": "nova_grounding", "type": "server_tool_use"}
        begun = {"toolUseId": call_id, "type": "nova_grounding_result", "status": "success"}
        found = [{"text": self.seal("found", page.url)} for page in step.pages]
        deltas = tuple({"toolResult": [each]} for each in found)
        result = _Block({"toolResult": begun}, deltas, {"toolResult": {**begun, "content": found}})
        return [_called(use, {"query": step.query}), result]


def _called(use: Said, args: dict[str, Json]) -> _Block:
    deltas = tuple({"toolUse": {"input": piece}} for piece in in_pieces(encode_text(args)))
    return _Block({"toolUse": use}, deltas if args else (), {"toolUse": {**use, "input": args}})


def _citation(page: Page) -> Said:
    return {"citation": {"title": page.title, "location": {"web": {"url": page.url}}}}


def _frame(name: str, said: Said) -> bytes:
    return aws_event(name, {**said, "p": "abcdefgh"})


def _usage(answer: Answer) -> Said:
    counts = answer.counts
    return {
        "inputTokens": counts.fresh,
        "outputTokens": counts.said,
        "totalTokens": counts.prompt + counts.said,
        "cacheReadInputTokens": counts.cached,
        "cacheWriteInputTokens": counts.written,
    }
