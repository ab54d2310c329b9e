"""Gemini's answer, chunk by chunk (pure).

A signature belongs to exactly the part that carried it. Text arrives in many parts that people read as one,
so the block says which stretch of it was signed: `{"signed": [[start, end, signature]]}`, where an empty
stretch is a part without text.
"""

from base64 import b64decode
from collections.abc import Callable
from typing import Final

import msgspec

from chatd.domain.ids import CallId
from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.kit import codec
from chatd.providers import failures
from chatd.providers.dialects.gemini.ending import FAULTS, STOPS
from chatd.providers.dialects.gemini.frames import (
    Blob,
    Candidate,
    Chunk,
    Citation,
    FunctionCall,
    Grounding,
    Part,
    PromptFeedback,
    UsageMetadata,
)
from chatd.providers.dialects.gemini.partial import BadPathError, PartialCall
from chatd.providers.dialects.gemini.server_tools import CODE_TOOL, ServerCall, ServerResult, server_tool
from chatd.providers.dialects.gemini.usage import usage
from chatd.providers.events import (
    BlockEnded,
    Failed,
    FileMade,
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
from chatd.providers.transport.frame_json import FrameDecoder

# Gemini gives its frames no names.
_NAMES: Final = frozenset((b"", b"message", b"error"))

_chunks = FrameDecoder(Chunk)


class GeminiDecoder:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self.skipped = 0
        self._new_id = new_id
        self._begun = False
        self._over = False
        # The block that is being said, if any.
        self._block: str | None = None
        self._thinking = False
        self._blocks = 0
        self._characters = 0
        self._signed: list[Json] = []
        self._signature: str | None = None
        self._calls: set[str] = set()
        self._asked = False
        self._partial: PartialCall | None = None
        # The latest code that Google runs: results used to come without an id.
        self._code_call = ""
        self._sources: set[str] = set()
        self._grounding: dict[str, Json] | None = None
        self._searches = 0
        self._usage: UsageMetadata | None = None
        self._blocked: PromptFeedback | None = None
        self._reason: str | None = None
        self._explanation = ""

    def feed(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        if self._over or not data:
            return
        if name not in _NAMES:
            self.skipped += 1
            return
        try:
            self._take(_chunks.decode(data), out)
        except (msgspec.DecodeError, BadPathError, ValueError) as error:
            self._fail(failures.malformed(f"Gemini: {error}"), out)

    def close(self, out: list[StreamEvent]) -> None:
        if self._over:
            return
        if self._blocked is not None:
            blocked = Refusal(self._blocked.block_reason or "", self._blocked.block_reason_message or "")
            self._finish(Stop.REFUSED, blocked, out)
        elif self._reason is None:
            self._fail(failures.broke_off(), out)
        else:
            stop = STOPS.get(self._reason, Stop.OTHER)
            if stop is Stop.DONE and self._asked:
                stop = Stop.TOOLS
            refusal = Refusal(self._reason, self._explanation) if stop is Stop.REFUSED else None
            self._finish(stop, refusal, out)

    def _take(self, chunk: Chunk, out: list[StreamEvent]) -> None:
        if chunk.error is not None:
            error = chunk.error
            status = error.status or ""
            self._fail(
                failures.in_stream(code=status, type_=status, message=error.message or "", status=error.code),
                out,
            )
            return
        if not self._begun and (chunk.response_id or chunk.model_version):
            self._begun = True
            out.append(Started(chunk.response_id or "", chunk.model_version or ""))
        if chunk.usage_metadata is not None:
            # Running totals: the latest are the right ones.
            self._usage = chunk.usage_metadata
        feedback = chunk.prompt_feedback
        if feedback is not None and feedback.block_reason:
            self._blocked = feedback
        elif chunk.usage_metadata is None and not chunk.candidates:
            self.skipped += 1
        for candidate in chunk.candidates or ():
            if candidate.index:
                self.skipped += 1
            else:
                self._speak(candidate, out)

    def _speak(self, candidate: Candidate, out: list[StreamEvent]) -> None:
        if candidate.content is not None:
            for part in candidate.content.parts or ():
                if part.text is not None:
                    self._say(part, part.text, out)
                else:
                    self._do(part, out)
        if candidate.grounding_metadata is not None:
            self._ground(candidate.grounding_metadata, out)
        if candidate.citation_metadata is not None:
            cited = candidate.citation_metadata
            self._cite(cited.citations or cited.citation_sources or [], out)
        if candidate.finish_reason is not None:
            self._reason = candidate.finish_reason
            self._explanation = candidate.finish_message or ""
            if self._reason in FAULTS:
                made, retryable = FAULTS[self._reason]
                error = made(f"Gemini stopped with {self._reason}. {self._explanation}".strip())
                error.retryable = retryable
                self._fail(error, out)

    def _say(self, part: Part, text: str, out: list[StreamEvent]) -> None:
        signature = part.thought_signature
        if not text and signature is None:
            return
        thinking = bool(part.thought)
        if self._block is None or self._thinking is not thinking:
            self._end_block(out)
            self._block = f"{'r' if thinking else 't'}{self._blocks}"
            self._blocks += 1
            self._thinking = thinking
        if thinking:
            self._signature = signature or self._signature
            internal = None if signature is None else {"signature": signature}
            out.append(ReasoningDelta(text, self._block, internal))
            return
        if signature is not None:
            self._signed.append([self._characters, self._characters + len(text), signature])
        if text or not self._characters:
            # Without text it only opens the block, so that there is something that the signature stays with.
            out.append(TextDelta(text, self._block))
            self._characters += len(text)

    def _end_block(self, out: list[StreamEvent]) -> None:
        if self._block is None:
            return
        internal: Json = None
        if self._signed:
            internal = {"signed": self._signed}
        elif self._signature is not None:
            internal = {"signature": self._signature}
        out.append(BlockEnded(self._block, internal))
        self._block = None
        self._characters = 0
        self._signed = []
        self._signature = None

    def _do(self, part: Part, out: list[StreamEvent]) -> None:
        """A part that is not text."""
        if part.function_call is not None:
            self._end_block(out)
            self._call(part.function_call, part.thought_signature, out)
        elif part.inline_data is not None and not part.thought:
            # Sketches are thoughts, and not what was asked for.
            self._end_block(out)
            out.append(_file(part.inline_data))
        elif (ran := server_tool(part)) is not None:
            self._end_block(out)
            self._ran(ran, out)
        elif part.thought_signature is not None:
            self._say(part, "", out)
        else:
            self.skipped += 1

    def _call(self, call: FunctionCall, signature: str | None, out: list[StreamEvent]) -> None:
        if self._partial is not None and call.name:
            self._end_partial(out)
        if self._partial is None and not call.will_continue and not call.partial_args:
            self._called(call.name or "", call.args, call.id, signature, out)
            return
        if self._partial is None:
            self._partial = PartialCall()
        self._partial.take(call, signature)
        if not call.will_continue:
            self._end_partial(out)

    def _end_partial(self, out: list[StreamEvent], *, broken: bool = False) -> None:
        partial, self._partial = self._partial, None
        if partial is not None:
            # Half of the arguments must not look like all of them: left open, they are nothing to run.
            args: Json = codec.encode_text(partial.args)[:-1] if broken else partial.args
            self._called(partial.name, args, partial.id, partial.signature, out)

    def _called(
        self, tool: str, args: Json, wire_id: str | None, signature: str | None, out: list[StreamEvent]
    ) -> None:
        call_id = self._name_call(wire_id)
        internal: dict[str, Json] = {}
        if call_id == wire_id:
            internal["id"] = wire_id
        if signature is not None:
            internal["signature"] = signature
        args = {} if args is None else args
        text = args if isinstance(args, str) else codec.encode_text(args)
        self._asked = True
        out.append(ToolInput(call_id, text, tool))
        out.append(
            ToolCalled(call_id, tool, args if isinstance(args, dict) else text, internal=internal or None)
        )

    def _name_call(self, wire_id: Json) -> CallId:
        """The provider's id, if it gave one that is its own; else one of ours."""
        call_id = wire_id if isinstance(wire_id, str) and wire_id else self._new_id()
        if call_id in self._calls:
            call_id = self._new_id()
        self._calls.add(call_id)
        return CallId(call_id)

    def _ran(self, ran: ServerCall | ServerResult, out: list[StreamEvent]) -> None:
        if isinstance(ran, ServerCall):
            call_id = self._name_call(ran.id)
            if ran.tool == CODE_TOOL:
                self._code_call = call_id
            out.append(ToolInput(call_id, codec.encode_text(ran.args), ran.tool))
            out.append(ToolCalled(call_id, ran.tool, ran.args, provider_executed=True, internal=ran.internal))
        else:
            wire_id = ran.id if isinstance(ran.id, str) else ""
            call_id = CallId(wire_id or self._code_call or self._new_id())
            out.append(ToolReturned(call_id, ran.tool, ran.result, ran.is_error, ran.internal))

    def _ground(self, metadata: dict[str, Json], out: list[StreamEvent]) -> None:
        try:
            grounding = msgspec.convert(metadata, Grounding)
        except msgspec.ValidationError:
            self.skipped += 1
            return
        self._grounding = metadata
        self._searches = len(grounding.web_search_queries or ())
        self._cite([chunk.web for chunk in grounding.grounding_chunks or () if chunk.web is not None], out)

    def _cite(self, citations: list[Citation], out: list[StreamEvent]) -> None:
        for citation in citations:
            if citation.uri and citation.uri not in self._sources:
                self._sources.add(citation.uri)
                out.append(SourceFound(self._new_id(), citation.uri, citation.title or ""))

    def _finish(self, stop: Stop, refusal: Refusal | None, out: list[StreamEvent]) -> None:
        self._over = True
        self._end_block(out)
        self._end_partial(out, broken=True)
        counted = None if self._usage is None else usage(self._usage, self._searches)
        internal = None if self._grounding is None else {"grounding": self._grounding}
        out.append(Finished(stop, counted, internal, refusal))

    def _fail(self, error: ProviderError, out: list[StreamEvent]) -> None:
        self._over = True
        out.append(Failed(error))


def _file(blob: Blob) -> FileMade:
    return FileMade(blob.mime_type, b64decode(blob.data, validate=True), blob.display_name)
