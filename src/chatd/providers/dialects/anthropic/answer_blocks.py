"""Each kind of block in an answer: what it tells when it begins, grows and ends (pure)."""

from collections.abc import Callable, Mapping
from typing import Protocol

from chatd.domain.ids import CallId
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.dialects.anthropic.frames import Delta
from chatd.providers.dialects.anthropic.opaque import BROKEN, CALLER, CITATIONS, REDACTED, SIGNATURE
from chatd.providers.dialects.anthropic.results import RESULT_SUFFIX, read_result
from chatd.providers.dialects.shared.arguments import read_arguments
from chatd.providers.dialects.shared.bare_call import BareCall
from chatd.providers.events import (
    BlockEnded,
    ReasoningDelta,
    SourceFound,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)


class AnswerState:
    """What the blocks of one answer have in common."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self.tools: dict[str, str] = {}
        self.provider_ran_tools = False
        self._new_id = new_id
        self._names: set[str] = set()
        self._sources: set[str] = set()
        self.bare_call = BareCall()

    def unused(self, name: str) -> str:
        """Some gateways count every block as the first, and leave calls nameless."""
        while not name or name in self._names:
            name = self._new_id()
        self._names.add(name)
        return name

    def find(self, url: Json, title: Json, out: list[StreamEvent]) -> None:
        """Every address is told once, whether it was first found or first cited."""
        if isinstance(url, str) and url and url not in self._sources:
            self._sources.add(url)
            out.append(SourceFound(self._new_id(), url, title if isinstance(title, str) else ""))


class Block(Protocol):
    def grow(self, delta: Delta, out: list[StreamEvent]) -> bool:
        """False: this block cannot grow in that way."""
        ...

    def end(self, out: list[StreamEvent]) -> None: ...


class _Text:
    def __init__(self, name: str, wire: dict[str, Json], answer: AnswerState, out: list[StreamEvent]) -> None:
        self._name = name
        self._answer = answer
        self._said = False
        self._citations: list[Json] = []
        citations = wire.get("citations")
        for citation in citations if isinstance(citations, list) else ():
            self._cite(citation, out)
        self.grow(Delta(type="text_delta", text=_words(wire, "text")), out)

    def grow(self, delta: Delta, out: list[StreamEvent]) -> bool:
        if delta.type == "text_delta":
            if delta.text:
                self._said = True
                out.append(TextDelta(delta.text, self._name))
            return True
        return delta.type == "citations_delta" and self._cite(delta.citation, out)

    def end(self, out: list[StreamEvent]) -> None:
        if self._said:
            out.append(BlockEnded(self._name, {CITATIONS: self._citations} if self._citations else None))

    def _cite(self, citation: Json, out: list[StreamEvent]) -> bool:
        if not isinstance(citation, dict):
            return False
        self._citations.append(citation)
        # A document has no address: there is nothing that people could open.
        self._answer.find(citation.get("url") or citation.get("source"), citation.get("title"), out)
        return True


class Thinking:
    def __init__(self, name: str, wire: dict[str, Json], answer: AnswerState, out: list[StreamEvent]) -> None:  # noqa: ARG002 - as its siblings
        self._name = name
        self._said = False
        self._internal: Json = None
        self.grow(Delta(type="thinking_delta", thinking=_words(wire, "thinking")), out)
        if signature := _words(wire, "signature"):
            self._keep({SIGNATURE: signature}, out)
        elif wire.get("type") == "redacted_thinking":
            self._keep({REDACTED: _words(wire, "data")}, out)

    def grow(self, delta: Delta, out: list[StreamEvent]) -> bool:
        if delta.type == "thinking_delta":
            if delta.thinking:
                self._said = True
                out.append(ReasoningDelta(delta.thinking, self._name))
            return True
        if delta.type == "signature_delta":
            # It comes whole; a second one counts instead of the first.
            self._keep({SIGNATURE: delta.signature}, out)
            return True
        return False

    def end(self, out: list[StreamEvent]) -> None:
        if self._said:
            out.append(BlockEnded(self._name, self._internal))

    def _keep(self, internal: Json, out: list[StreamEvent]) -> None:
        self._said = True
        self._internal = internal
        out.append(ReasoningDelta("", self._name, internal))


class _Call:
    def __init__(self, name: str, wire: dict[str, Json], answer: AnswerState, out: list[StreamEvent]) -> None:  # noqa: ARG002 - named by its id
        self._answer = answer
        self._id = CallId(answer.unused(_words(wire, "id")))
        self._tool = answer.tools[self._id] = _words(wire, "name")
        self._initial = wire.get("input")
        self._caller = wire.get(CALLER)
        self._by_provider = wire.get("type") == "server_tool_use"
        answer.provider_ran_tools |= self._by_provider
        self._pieces: list[str] = []
        out.append(ToolInput(self._id, "", self._tool))

    def grow(self, delta: Delta, out: list[StreamEvent]) -> bool:
        if delta.type != "input_json_delta":
            return False
        if delta.partial_json:
            self._pieces.append(delta.partial_json)
            out.append(ToolInput(self._id, delta.partial_json, self._tool))
        return True

    def end(self, out: list[StreamEvent]) -> None:
        text = "".join(self._pieces)
        if self._initial and not text.strip():
            # It came whole, and is shown as one piece.
            text = codec.encode_text(self._initial)
            out.append(ToolInput(self._id, text, self._tool))
        args = read_arguments(text)
        call = ToolCalled(self._id, self._tool, args, self._by_provider, self._internal(args))
        if text.strip():
            self._answer.bare_call.settle(out)
            out.append(call)
        else:
            self._answer.bare_call.hold(call, out)

    def _internal(self, args: Json) -> Json:
        if not self._by_provider:
            return None
        if not isinstance(args, dict):
            return {BROKEN: True}
        return {CALLER: self._caller} if self._caller else None


class _Result:
    """Of a tool that the provider ran: whole from the beginning, told at the end."""

    def __init__(self, name: str, wire: dict[str, Json], answer: AnswerState, out: list[StreamEvent]) -> None:  # noqa: ARG002 - as its siblings
        self._wire = wire
        self._answer = answer

    def grow(self, delta: Delta, out: list[StreamEvent]) -> bool:  # noqa: ARG002 - as its siblings
        return False

    def end(self, out: list[StreamEvent]) -> None:
        result = read_result(self._wire)
        for url, title in result.sources:
            self._answer.find(url, title, out)
        tool = self._answer.tools.get(result.call_id) or _words(self._wire, "type").removesuffix(
            RESULT_SUFFIX
        )
        # Without an id it belongs to no call; it is kept for people all the same.
        call_id = CallId(result.call_id or self._answer.unused(""))
        out.append(ToolReturned(call_id, tool, result.readable, result.is_error, result.internal))


_Begin = Callable[[str, dict[str, Json], AnswerState, list[StreamEvent]], Block]

_KINDS: Mapping[str, _Begin] = {
    "text": _Text,
    "thinking": Thinking,
    "redacted_thinking": Thinking,
    "tool_use": _Call,
    "server_tool_use": _Call,
}


def is_known(wire: dict[str, Json]) -> bool:
    kind = _words(wire, "type")
    return kind in _KINDS or kind.endswith(RESULT_SUFFIX)


def begin(index: int, wire: dict[str, Json], answer: AnswerState, out: list[StreamEvent]) -> Block:
    """A block of a known kind begins."""
    make = _KINDS.get(_words(wire, "type"), _Result)
    return make(answer.unused(str(index)), wire, answer, out)


def _words(wire: dict[str, Json], field: str) -> str:
    value = wire.get(field)
    return value if isinstance(value, str) else ""
