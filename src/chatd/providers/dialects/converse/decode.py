"""What a model says through Converse, event by event (pure).

The answer is complete with `messageStop`, but what it cost comes after that; so the end is told when the
stream closes.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from chatd.domain.ids import CallId
from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.dialects.converse import frames
from chatd.providers.dialects.converse.ending import STOPS, fault
from chatd.providers.dialects.converse.usage import usage
from chatd.providers.dialects.shared.arguments import read_arguments
from chatd.providers.dialects.shared.bare_call import BareCall
from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    Refusal,
    SourceFound,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)
from chatd.providers.transport.aws_frames import is_fault
from chatd.providers.transport.frame_json import FrameDecoder

Events: TypeAlias = list[StreamEvent]

_SERVER_TOOL = "server_tool_use"


class _Tool(Struct):
    """A call, or the result of one, that is still coming."""

    id: CallId
    name: str = ""
    pieces: list[str] = []
    # Set for what the provider runs itself, and then also for its results.
    type: str | None = None
    result: list[Json] | None = None
    status: str | None = None


class _Thoughts(Struct):
    name: str
    signature: str = ""
    redacted: bytes = b""

    @property
    def internal(self) -> Json:
        if self.redacted:
            return {"redacted": b64encode(self.redacted).decode("ascii")}
        return {"signature": self.signature} if self.signature else None


class ConverseDecoder:
    def __init__(self, model: str, new_id: Callable[[], str]) -> None:
        self.skipped = 0
        self._model = model
        self._new_id = new_id
        self._over = False
        # What is being said, by the index of its block.
        self._texts: dict[int, str] = {}
        self._thoughts: dict[int, _Thoughts] = {}
        self._tools: dict[int, _Tool] = {}
        # The names of all blocks so far: an index may come again.
        self._blocks: set[str] = set()
        # The names of the tools of all calls so far.
        self._names: dict[str, str] = {}
        self._asked = False
        self._bare_call = BareCall()
        self._sources: set[str] = set()
        self._usage: frames.TokenUsage | None = None
        self._reason: str | None = None
        self._read: Mapping[bytes, tuple[FrameDecoder[Any], Callable[[Any, Events], None]]] = {
            b"contentBlockDelta": (_deltas, self._delta),
            b"contentBlockStart": (_starts, self._start),
            b"contentBlockStop": (_stops, self._stop),
            b"messageStart": (_message_starts, self._message_start),
            b"messageStop": (_message_stops, self._message_stop),
            b"metadata": (_metadata, self._metadata_came),
        }

    def feed(self, name: bytes, data: bytes, out: Events) -> None:
        if self._over:
            return
        known = self._read.get(name)
        if known is None:
            if is_fault(name):
                self._fail(fault(name, data), out)
            else:
                self.skipped += 1
            return
        decoder, take = known
        try:
            take(decoder.decode(data), out)
        except (msgspec.DecodeError, ValueError) as error:
            self._fail(failures.malformed(f"Converse, {name.decode('utf-8', 'replace')}: {error}"), out)

    def close(self, out: Events) -> None:
        if self._over:
            return
        if self._reason is None:
            self._fail(failures.broke_off(), out)
            return
        self._over = True
        for index in sorted({*self._texts, *self._thoughts, *self._tools}):
            self._end(index, out)
        stop = STOPS.get(self._reason, Stop.OTHER)
        self._bare_call.settle(out, cut_off=stop is Stop.LENGTH)
        if stop is Stop.DONE and self._asked:
            stop = Stop.TOOLS
        counted = None if self._usage is None else usage(self._usage)
        refusal = Refusal(self._reason) if stop is Stop.REFUSED else None
        out.append(Finished(stop, counted, refusal=refusal))

    def _delta(self, event: frames.BlockDelta, out: Events) -> None:
        if self._bare_call.call is not None:
            self._bare_call.settle(out)
        index = event.content_block_index
        delta = event.delta
        if delta.text is not None:
            if delta.text:
                name = self._texts.get(index)
                if name is None:
                    name = self._texts[index] = self._unused(f"t{index}")
                out.append(TextDelta(delta.text, name))
        elif delta.tool_use is not None:
            self._input(index, delta.tool_use.input, out)
        elif delta.reasoning_content is not None:
            self._think(index, delta.reasoning_content, out)
        elif delta.citation is not None:
            self._cite(delta.citation, out)
        elif delta.tool_result is not None:
            self._result(index, delta.tool_result)
        else:
            self.skipped += 1

    def _input(self, index: int, piece: str, out: Events) -> None:
        tool = self._tools.get(index)
        if tool is None or tool.result is not None:
            self.skipped += 1
        elif piece:
            tool.pieces.append(piece)
            out.append(ToolInput(tool.id, piece))

    def _result(self, index: int, pieces: list[Json]) -> None:
        tool = self._tools.get(index)
        if tool is None or tool.result is None:
            self.skipped += 1
        else:
            tool.result += pieces

    def _unused(self, name: str) -> str:
        while name in self._blocks:
            name = self._new_id()
        self._blocks.add(name)
        return name

    def _think(self, index: int, delta: frames.ReasoningDelta, out: Events) -> None:
        thoughts = self._thoughts.get(index)
        if thoughts is None:
            thoughts = self._thoughts[index] = _Thoughts(self._unused(f"r{index}"))
        internal: Json = None
        if delta.signature is not None or delta.redacted_content is not None:
            # Both may come in fragments, and each fragment is encoded by itself.
            thoughts.signature += delta.signature or ""
            thoughts.redacted += b64decode(delta.redacted_content or "", validate=True)
            internal = thoughts.internal
        out.append(ReasoningDelta(delta.text or "", thoughts.name, internal))

    def _cite(self, citation: frames.CitationDelta, out: Events) -> None:
        location = citation.location
        url = location.web.url if location is not None and location.web is not None else None
        if url and url not in self._sources:
            self._sources.add(url)
            out.append(SourceFound(self._new_id(), url, citation.title or ""))

    def _start(self, event: frames.BlockStart, out: Events) -> None:
        index = event.content_block_index
        # The block that had this index is over, even if no frame said so.
        self._end(index, out)
        self._bare_call.settle(out)
        if (use := event.start.tool_use) is not None:
            call_id = use.tool_use_id
            if not call_id or call_id in self._names:
                call_id = self._new_id()
            self._names[call_id] = use.name
            self._tools[index] = _Tool(CallId(call_id), use.name, type=use.type)
            out.append(ToolInput(CallId(call_id), "", use.name))
        elif (came := event.start.tool_result) is not None:
            name = self._names.get(came.tool_use_id, "")
            call_id = CallId(came.tool_use_id or self._new_id())
            self._tools[index] = _Tool(call_id, name, type=came.type, result=[], status=came.status)

    def _stop(self, event: frames.BlockStop, out: Events) -> None:
        self._end(event.content_block_index, out)

    def _end(self, index: int, out: Events) -> None:
        thoughts = self._thoughts.pop(index, None)
        if thoughts is not None:
            out.append(BlockEnded(thoughts.name, thoughts.internal))
        text = self._texts.pop(index, None)
        if text is not None:
            out.append(BlockEnded(text))
        tool = self._tools.pop(index, None)
        if tool is not None:
            self._end_tool(tool, out)

    def _end_tool(self, tool: _Tool, out: Events) -> None:
        if tool.result is not None:
            internal = {"type": tool.type, "status": tool.status}
            failed = tool.status == "error"
            out.append(ToolReturned(tool.id, tool.name, tool.result, failed, internal))
            return
        self._bare_call.settle(out)
        text = "".join(tool.pieces)
        args = read_arguments(text)
        if tool.type == _SERVER_TOOL:
            internal = {"type": tool.type}
            out.append(ToolCalled(tool.id, tool.name, args, provider_executed=True, internal=internal))
        else:
            self._asked = True
            call = ToolCalled(tool.id, tool.name, args)
            if text.strip():
                out.append(call)
            else:
                self._bare_call.hold(call, out)

    def _message_start(self, _: frames.MessageStart, out: Events) -> None:
        # Converse names neither the answer nor the model; who made the request knows the latter.
        out.append(Started("", self._model))

    def _message_stop(self, event: frames.MessageStop, out: Events) -> None:
        self._reason = event.stop_reason
        if self._reason.startswith("malformed_"):
            self._fail(failures.malformed(f"Converse stopped with {self._reason}"), out)

    def _metadata_came(self, event: frames.Metadata, _: Events) -> None:
        self._usage = event.usage or self._usage

    def _fail(self, error: ProviderError, out: Events) -> None:
        self._over = True
        out.append(Failed(error))


_deltas = FrameDecoder(frames.BlockDelta)
_starts = FrameDecoder(frames.BlockStart)
_stops = FrameDecoder(frames.BlockStop)
_message_starts = FrameDecoder(frames.MessageStart)
_message_stops = FrameDecoder(frames.MessageStop)
_metadata = FrameDecoder(frames.Metadata)
