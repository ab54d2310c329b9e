"""Reply: stream events become parts to show and, at the end, a message to save (pure).

What is saved comes from here and never from what was shown. Blocks stand in the order in which
they were completed, as the provider wants them back.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from chatd.domain.ids import CallId, FileId
from chatd.domain.message import Cost, Draft, Role, Usage
from chatd.domain.part import File, Json, Part, Reasoning, Source, Text, ToolCall, ToolResult
from chatd.kit.ids import new_id
from chatd.live.episode import LivePart, ToolCallPiece
from chatd.providers.events import (
    Accepted,
    BlockEnded,
    Failed,
    FileMade,
    Finished,
    ReasoningDelta,
    SourceFound,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
    Warned,
)
from chatd.providers.model import Model


class Shown(Struct, frozen=True, gc=False):
    """Something to show at once."""

    role: Role
    part: LivePart


class _Block:
    """Text or reasoning that is still being said."""

    def __init__(self, *, reasoning: bool, started_at: str) -> None:
        self.reasoning = reasoning
        self.started_at = started_at
        self.pieces: list[str] = []
        self.internal: Json = None


class MadeFile(Struct, frozen=True):
    """A file that the model made, to be kept before the message that refers to it."""

    id: FileId
    name: str
    media_type: str
    data: bytes


class Reply:
    def __init__(self, now: Callable[[], str], new_id: Callable[[], str] = new_id) -> None:
        self._now = now
        self._new_id = new_id
        self._open: dict[str, _Block] = {}
        self._parts: list[Part] = []
        self._internal: dict[int, Json] = {}
        self._tools: dict[CallId, str] = {}
        self._started = Started()
        self._request_id = ""
        self.files: list[MadeFile] = []
        self.warnings: tuple[str, ...] = ()
        self.finished: Finished | None = None
        # How long the model took to begin, and in all.
        self.first_ms: int | None = None
        self.runtime_ms = 0

    def take(self, event: StreamEvent) -> Shown | None:
        """Keep the event, and say what viewers should see of it."""
        return self._TAKES[type(event)](self, event)

    def draft(self, model: Model) -> Draft | None:
        """The message to save; None when nothing was said."""
        assert self.finished is not None, "a reply is saved when its stream has finished"
        if not self._parts:
            return None
        return Draft(
            role=Role.ASSISTANT,
            content=tuple(self._parts),
            model=model.name,
            usage=_with_limit(self.finished.usage, model.context_limit),
            runtime_ms=self.runtime_ms or None,
            first_ms=self.first_ms,
            cost=self.cost(model),
            paused=self.finished.stop is Stop.PAUSED,
            cut_off=self.finished.stop is Stop.LENGTH,
            internal=self._beside(model),
        )

    def cost(self, model: Model) -> Cost | None:
        """What the call has cost, whoever of the provider's models has answered; None when nobody knows."""
        return model.cost(self.finished, answered_by=self._started.model) if self.finished else None

    @property
    def refused(self) -> bool:
        """The model would not answer, and said nothing that people could read."""
        return self._ended_in_thoughts(Stop.REFUSED)

    @property
    def ran_out(self) -> bool:
        """The model was still thinking when it had said as much as it may."""
        return self._ended_in_thoughts(Stop.LENGTH)

    def _ended_in_thoughts(self, stop: Stop) -> bool:
        only_thoughts = all(isinstance(part, Reasoning) for part in self._parts)
        return self.finished is not None and self.finished.stop is stop and only_thoughts

    def _block(self, name: str, *, reasoning: bool) -> _Block:
        if name not in self._open:
            self._open[name] = _Block(reasoning=reasoning, started_at=self._now())
        return self._open[name]

    def _end(self, name: str, internal: Json) -> None:
        block = self._open.pop(name, None)
        if block is None:
            return
        text = "".join(block.pieces)
        kept = internal if internal is not None else block.internal
        if block.reasoning and (text or kept is not None):
            self._keep(Reasoning(text=text, created_at=block.started_at, completed_at=self._now()), kept)
        elif not block.reasoning and (text or kept is not None):
            self._keep(Text(text=text), kept)

    def _end_all(self) -> None:
        for name in list(self._open):
            self._end(name, None)

    def _text(self, event: TextDelta) -> Shown:
        self._block(event.block, reasoning=False).pieces.append(event.text)
        return Shown(Role.ASSISTANT, Text(text=event.text))

    def _reasoning(self, event: ReasoningDelta) -> Shown | None:
        block = self._block(event.block, reasoning=True)
        block.pieces.append(event.text)
        block.internal = event.internal if event.internal is not None else block.internal
        # A signature alone is nothing to look at.
        part = Reasoning(text=event.text, created_at=block.started_at)
        return Shown(Role.ASSISTANT, part) if event.text else None

    def _ended(self, event: BlockEnded) -> None:
        self._end(event.block, event.internal)

    def _input(self, event: ToolInput) -> Shown:
        name = self._tools.setdefault(event.call_id, event.tool or "") or event.tool or ""
        piece = ToolCallPiece(tool_call_id=event.call_id, args_delta=event.json, tool_name=name)
        return Shown(Role.ASSISTANT, piece)

    def _called(self, event: ToolCalled) -> Shown:
        part = ToolCall(
            tool_call_id=event.call_id,
            tool_name=event.tool,
            args=event.args,
            provider_executed=event.provider_executed,
            created_at=self._now(),
        )
        # A provider without text blocks says its words before its calls.
        self._end_all()
        self._keep(part, event.internal)
        return Shown(Role.ASSISTANT, part)

    def _returned(self, event: ToolReturned) -> Shown:
        part = ToolResult(
            tool_call_id=event.call_id,
            tool_name=event.tool,
            result=event.result,
            is_error=event.is_error,
            provider_executed=True,
            created_at=self._now(),
        )
        self._keep(part, event.internal)
        return Shown(Role.TOOL, part)

    def _found(self, event: SourceFound) -> Shown:
        source = Source(source_id=event.source_id, url=event.url, title=event.title)
        self._keep(source, None)
        return Shown(Role.ASSISTANT, source)

    def _begun(self, event: Started) -> None:
        self._started = event

    def _accepted(self, event: Accepted) -> None:
        self._request_id = event.request_id

    def _warned(self, event: Warned) -> None:
        self.warnings = event.warnings

    def _finish(self, event: Finished) -> None:
        self._end_all()
        self.finished = event

    def _fail(self, event: Failed) -> None:
        raise event.error

    def _made(self, event: FileMade) -> Shown:
        name = event.name or f"file-{len(self.files) + 1}"
        file = MadeFile(FileId(self._new_id()), name, event.media_type, event.data)
        self.files.append(file)
        part = File(file_id=file.id, media_type=file.media_type, name=file.name)
        self._keep(part, None)
        return Shown(Role.ASSISTANT, part)

    def _keep(self, part: Part, internal: Json) -> None:
        if internal is not None:
            self._internal[len(self._parts)] = internal
        self._parts.append(part)

    def _beside(self, model: Model) -> Json:
        """What only the provider may see: who it is, and by the place of its part what it wants back."""
        assert self.finished is not None
        origin = {
            "provider": model.provider_id,
            "asked": model.name.partition("/")[2],
            "model": self._started.model,
            "response": self._started.response_id,
            "request": self._request_id,
        }
        beside: dict[str, Json] = {"origin": {key: value for key, value in origin.items() if value}}
        if self._internal:
            beside["parts"] = {str(place): internal for place, internal in self._internal.items()}
        if self.finished.internal is not None:
            beside["reply"] = self.finished.internal
        return beside

    _TAKES: ClassVar[Mapping[type, Callable[[Any, Any], Shown | None]]] = {
        TextDelta: _text,
        ReasoningDelta: _reasoning,
        BlockEnded: _ended,
        ToolInput: _input,
        ToolCalled: _called,
        ToolReturned: _returned,
        SourceFound: _found,
        FileMade: _made,
        Accepted: _accepted,
        Started: _begun,
        Warned: _warned,
        Finished: _finish,
        Failed: _fail,
    }


def _with_limit(usage: Usage | None, context_limit: int) -> Usage | None:
    if usage is None or usage.context_limit or not context_limit:
        return usage
    return Usage(
        **{name: getattr(usage, name) for name in Usage.__struct_fields__ if name != "context_limit"},
        context_limit=context_limit,
    )
