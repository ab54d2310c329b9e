"""Gemini's generateContent. Signatures ride on whatever follows the thoughts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from chatd.domain.part import Json
from chatd.kit.codec import encode
from chatd.providers.events import Stop
from tests.fake_provider.script import Answer, Call, Draw, Page, Refuse, Say, Search, Step, Think
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.wires.wire import Asked, Form, Wire
from tests.providers.dialects.gemini.validator import problems

Part = dict[str, Any]

STOPS: Mapping[Stop, str] = {
    Stop.DONE: "STOP",
    Stop.TOOLS: "STOP",
    Stop.LENGTH: "MAX_TOKENS",
    Stop.REFUSED: "SAFETY",
}
SEARCH_TOOL = "GOOGLE_SEARCH_WEB"
# Where names are other people's.
_FREE = frozenset({"parametersJsonSchema", "args", "response"})


class Gemini(Wire):
    name = "gemini"
    forms: ClassVar[Mapping[Fault, Form]] = {
        Fault.BAD_REQUEST: Form(400, "INVALID_ARGUMENT"),
        Fault.BAD_KEY: Form(401, "UNAUTHENTICATED"),
        Fault.FORBIDDEN: Form(403, "PERMISSION_DENIED"),
        Fault.NO_SUCH_MODEL: Form(404, "NOT_FOUND"),
        Fault.RATE_LIMIT: Form(429, "RESOURCE_EXHAUSTED"),
        Fault.OVERLOADED: Form(503, "UNAVAILABLE"),
        Fault.SERVER: Form(500, "INTERNAL"),
    }

    def frames(self, answer: Answer, asked: Asked) -> list[bytes]:
        chunks = [self._chunk(asked, answer, [part], last=False) for part in self._parts(answer, asked)]
        chunks.append(self._chunk(asked, answer, [{"text": ""}], last=True))
        return [_frame(chunk) for chunk in chunks]

    def whole(self, answer: Answer, asked: Asked) -> Json:
        return self._chunk(asked, answer, merged(self._parts(answer, asked)), last=True)

    def unknown(self) -> Sequence[bytes]:
        return [
            _frame({"brandNew": {"deep": [None]}}),
            _frame({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"brandNew": 1}]}}]}),
        ]

    def malformed(self) -> bytes:
        return b'data: {"candidates": [{"content":\r\n\r\n'

    def fault(self, fault: Fault, words: str) -> bytes:
        return _frame(self._error(self.forms[fault], words))

    def complaint(self, complaint: Complaint) -> tuple[dict[str, str], Json]:
        body = self._error(self.form(complaint), complaint.words)
        if complaint.retry is not None and complaint.retry.details:
            body["error"]["details"] = complaint.retry.details
        return {}, body

    def problems(self, asked: Asked) -> list[str]:
        found = [] if asked.headers.keys() & {"x-goog-api-key", "authorization"} else ["there is no key"]
        if asked.streamed and "alt=sse" not in asked.path:
            found.append("this would be answered with a list")
        return found + problems(_as_documented(asked.body), signed="gemini-3" in asked.model)

    def _error(self, form: Form, words: str) -> dict[str, Any]:
        return {"error": {"code": form.status, "message": words, "status": form.code}}

    def _parts(self, answer: Answer, asked: Asked) -> list[Part]:
        parts: list[Part] = []
        # Of the latest thoughts: it rides on what the model does next, or on nothing behind its last words.
        seal: str | None = None
        for step in answer.steps:
            said = self._said(step, asked)
            if seal is not None and said and "text" not in said[0]:
                said[0]["thoughtSignature"] = seal
                seal = None
            if isinstance(step, Think):
                parts += _alone(seal)
                seal = self.seal("signature", step.seal)
            parts += said
        return parts + _alone(seal)

    def _said(self, step: Step, asked: Asked) -> list[Part]:
        match step:
            case Say(pieces=pieces):
                return [{"text": piece} for piece in pieces]
            case Think(pieces=pieces, hidden=hidden):
                return [] if hidden else [{"text": piece, "thought": True} for piece in pieces]
            case Call(id=id, tool=tool, args=args):
                return [{"functionCall": {"name": tool, "args": args, "id": f"fc-{id}"}}]
            case Search() if asked.body.get("toolConfig", {}).get("includeServerSideToolInvocations"):
                return self._searched(step)
            case Draw(data=data, media_type=media_type):
                return [{"inlineData": {"mimeType": media_type, "data": data}}]
            case _:
                # Told beside the parts.
                return []

    def _searched(self, step: Search) -> list[Part]:
        call_id = self.identity("search", step.id)
        response = {"search_suggestions": self.seal("suggestions", step.query)}
        return [
            {"toolCall": {"toolType": SEARCH_TOOL, "args": {"queries": [step.query]}, "id": call_id}},
            {"toolResponse": {"toolType": SEARCH_TOOL, "response": response, "id": call_id}},
        ]

    def _chunk(self, asked: Asked, answer: Answer, parts: Sequence[Part], *, last: bool) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
        if last:
            candidate |= _ending(answer)
        return {
            "candidates": [candidate],
            "usageMetadata": _usage(answer, last=last),
            "modelVersion": asked.model,
            "responseId": self.identity("gemini", asked.number),
        }


def _as_documented(value: Json) -> Json:
    """Google takes its own names in two spellings, and the words of its enums too; its client mixes them."""
    match value:
        case dict():
            named = {re.sub(r"_(.)", lambda found: found[1].upper(), name): v for name, v in value.items()}
            if isinstance(level := named.get("thinkingLevel"), str):
                named["thinkingLevel"] = level.lower()
            return {name: v if name in _FREE else _as_documented(v) for name, v in named.items()}
        case list():
            return [_as_documented(each) for each in value]
        case _:
            return value


def _alone(seal: str | None) -> list[Part]:
    return [] if seal is None else [{"text": "", "thoughtSignature": seal}]


def merged(parts: Sequence[Part]) -> list[Part]:
    """Texts that follow one another as one, as far as neither is signed."""
    found: list[Part] = []
    for part in parts:
        before = found[-1] if found else {}
        alike = before.keys() == part.keys() and "text" in part and "thoughtSignature" not in part
        if alike:
            found[-1] = {**part, "text": before["text"] + part["text"]}
        else:
            found.append(part)
    return found


def _frame(chunk: Json) -> bytes:
    return b"data: %b\r\n\r\n" % encode(chunk)


def _ending(answer: Answer) -> dict[str, Any]:
    ending: dict[str, Any] = {"finishReason": STOPS[answer.ends_with]}
    for step in answer.steps:
        if isinstance(step, Refuse):
            ending["finishMessage"] = step.words
    pages = _pages(answer)
    if pages:
        ending["groundingMetadata"] = {
            "groundingChunks": [{"web": {"uri": page.url, "title": page.title}} for page in pages],
            "webSearchQueries": [step.query for step in answer.steps if isinstance(step, Search)],
        }
    return ending


def _pages(answer: Answer) -> list[Page]:
    cited = [page for step in answer.steps if isinstance(step, Say) for page in step.citing]
    found = [page for step in answer.steps if isinstance(step, Search) for page in step.pages]
    return list(dict.fromkeys([*found, *cited]))


def _usage(answer: Answer, *, last: bool) -> dict[str, int]:
    """Running totals: until the end, only the prompt is counted for sure."""
    counts = answer.counts
    prompt = {"promptTokenCount": counts.prompt, "cachedContentTokenCount": counts.cached}
    if not last:
        return {**prompt, "totalTokenCount": counts.prompt}
    return {
        **prompt,
        "candidatesTokenCount": counts.said - counts.thought,
        "thoughtsTokenCount": counts.thought,
        "totalTokenCount": counts.prompt + counts.said,
    }
