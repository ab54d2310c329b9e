"""Reply: stream events become parts to show and, at the end, a message to save (pure).

What is saved comes from here and never from what was shown. Blocks stand in the order in which
they were completed, as the provider wants them back.
"""

from collections.abc import Callable

from msgspec import Struct

from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role, Usage
from chatd.domain.part import Json, Part, Reasoning, Source, Text, ToolCall, ToolResult
from chatd.live.episode import LivePart, ToolCallPiece
from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    SourceFound,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)


class Shown(Struct, frozen=True):
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


class Reply:
    def __init__(self, now: Callable[[], str]) -> None:
        self._now = now
        self._open: dict[str, _Block] = {}
        self._parts: list[Part] = []
        self._internal: dict[int, Json] = {}
        self._tools: dict[CallId, str] = {}
        self.finished: Finished | None = None

    def take(self, event: StreamEvent) -> Shown | None:
        """Keep the event, and say what viewers should see of it."""
        match event:
            case TextDelta(text=text, block=block):
                self._block(block, reasoning=False).pieces.append(text)
                return Shown(Role.ASSISTANT, Text(text=text))
            case ReasoningDelta(text=text, block=block, internal=internal):
                opened = self._block(block, reasoning=True)
                opened.pieces.append(text)
                opened.internal = internal if internal is not None else opened.internal
                return Shown(Role.ASSISTANT, Reasoning(text=text, created_at=opened.started_at))
            case BlockEnded(block=block, internal=internal):
                self._end(block, internal)
                return None
            case ToolInput(call_id=call_id, json=json, tool=tool):
                name = self._tools.setdefault(call_id, tool or "") or tool or ""
                return Shown(
                    Role.ASSISTANT, ToolCallPiece(tool_call_id=call_id, args_delta=json, tool_name=name)
                )
            case ToolCalled():
                return self._called(event)
            case ToolReturned():
                return self._returned(event)
            case SourceFound(source_id=source_id, url=url, title=title):
                source = Source(source_id=source_id, url=url, title=title)
                self._keep(source, None)
                return Shown(Role.ASSISTANT, source)
            case Finished():
                self._end_all()
                self.finished = event
                return None

    def draft(self, *, model: str, runtime_ms: int, context_limit: int) -> Draft | None:
        """The message to save; None when nothing was said."""
        assert self.finished is not None, "a reply is saved when its stream has finished"
        if not self._parts:
            return None
        return Draft(
            role=Role.ASSISTANT,
            content=tuple(self._parts),
            model=model,
            usage=_with_limit(self.finished.usage, context_limit),
            runtime_ms=runtime_ms or None,
            internal=self._beside(),
        )

    @property
    def refused(self) -> bool:
        """The model would not answer, and said nothing that people could read."""
        only_thoughts = all(isinstance(part, Reasoning) for part in self._parts)
        return self.finished is not None and self.finished.stop is Stop.REFUSED and only_thoughts

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
        elif text and not block.reasoning:
            self._keep(Text(text=text), kept)

    def _end_all(self) -> None:
        for name in list(self._open):
            self._end(name, None)

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

    def _keep(self, part: Part, internal: Json) -> None:
        if internal is not None:
            self._internal[len(self._parts)] = internal
        self._parts.append(part)

    def _beside(self) -> Json:
        """What only the provider may see, by the place of its part."""
        assert self.finished is not None
        beside: dict[str, Json] = {}
        if self._internal:
            beside["parts"] = {str(place): internal for place, internal in self._internal.items()}
        if self.finished.internal is not None:
            beside["reply"] = self.finished.internal
        return beside or None


def _with_limit(usage: Usage | None, context_limit: int) -> Usage | None:
    if usage is None or usage.context_limit or not context_limit:
        return usage
    return Usage(
        **{name: getattr(usage, name) for name in Usage.__struct_fields__ if name != "context_limit"},
        context_limit=context_limit,
    )
