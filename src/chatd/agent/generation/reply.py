"""Reply: stream events become parts to show and, at the end, a message to save (pure).

What is saved comes from here and never from what was shown, also when the reply is interrupted or cut off.
Blocks stand in the order in which they were completed, as the provider wants them back.

What a reply brings beyond the bounds of a message is left out, and a notice says so: it was paid for, and
asking once more would bring the same.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final

from msgspec import Struct

from chatd.domain.ids import CallId, FileId
from chatd.domain.limits import (
    ARGS_BYTES_MAX,
    CALLS_PER_MESSAGE_MAX,
    FILES_PER_MESSAGE_MAX,
    PARTS_PER_MESSAGE_MAX,
)
from chatd.domain.message import Cost, Draft, Role, Usage
from chatd.domain.part import (
    File,
    HookNotice,
    Json,
    Part,
    Reasoning,
    RunBy,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from chatd.kit.codec import encode
from chatd.kit.ids import new_id
from chatd.live.episodes.episode import LivePart, ToolCallPiece
from chatd.live.episodes.reply_bytes import GRAIN_BYTES, ReplyBytes
from chatd.providers import failures
from chatd.providers.dialects.shared.arguments import whole_object
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

# What can be too many, and how many may be in one message.
_BOUNDS: Final[Mapping[str, int]] = {
    "parts": PARTS_PER_MESSAGE_MAX,
    "tool calls": CALLS_PER_MESSAGE_MAX,
    "files": FILES_PER_MESSAGE_MAX,
}
# What a block or a part takes besides its words, about.
_OBJECT_BYTES = 512
LEFT_OUT = "{count:,} {what} of this reply were left out: a message can have {bound:,}."
ARGS_TOO_LARGE = (
    f"The arguments had {{size:,}} bytes and were left out: a call can have {ARGS_BYTES_MAX:,}. "
    "Call the tool with less at once."
)


def _unknown(_: str) -> RunBy | None:
    return None


def _no_server(_: str) -> str | None:
    return None


class Shown(Struct, frozen=True, gc=False):
    """Something to show at once."""

    role: Role
    part: LivePart


class _Block:
    """Text or reasoning that is still being said."""

    def __init__(self, *, reasoning: bool, started_at: str) -> None:
        self.reasoning = reasoning
        self.started_at = started_at
        self.words = _Words()
        self.internal: Json = None


class _Words:
    """A text that grows by pieces, in time and memory that grow as it does."""

    __slots__ = ("_joined", "pieces")

    def __init__(self) -> None:
        self._joined: list[str] = []
        self.pieces: list[str] = []

    def fold(self) -> None:
        """Now and then: each piece is an object of its own."""
        self._joined.append("".join(self.pieces))
        self.pieces.clear()

    def text(self) -> str:
        return "".join((*self._joined, *self.pieces))


class MadeFile(Struct, frozen=True):
    """A file that the model made, to be kept before the message that refers to it."""

    id: FileId
    name: str
    media_type: str
    data: bytes


class Reply:
    def __init__(
        self,
        now: Callable[[], str],
        new_id: Callable[[], str] = new_id,
        held: ReplyBytes | None = None,
        run_by: Callable[[str], RunBy | None] = _unknown,
        server_of: Callable[[str], str | None] = _no_server,
    ) -> None:
        self._now = now
        self._new_id = new_id
        # Who runs the tool of a name; None: perhaps the provider, which the whole call tells.
        self._run_by = run_by
        # The MCP server of the tool of a name, if it is of one.
        self._server_of = server_of
        # How much of it there is, how much of that is taken from the process's total, and the total.
        self._bytes = self._taken = 0
        self._held = held if held is not None else ReplyBytes()
        self._open: dict[str, _Block] = {}
        self._parts: list[Part] = []
        self._internal: dict[int, Json] = {}
        self._tools: dict[CallId, str] = {}
        # The arguments of calls that have begun.
        self._args: dict[CallId, _Words] = {}
        self._calls: set[CallId] = set()
        self._calls_left_out: set[CallId] = set()
        self._left_out: Counter[str] = Counter()
        self._cut_off: str | None = None
        # Calls that nothing may run, and why.
        self.unfit: dict[CallId, str] = {}
        self._started = Started()
        self._request_id = ""
        self.files: list[MadeFile] = []
        self.warnings: tuple[str, ...] = ()
        self.finished: Finished | None = None
        # How long the model took to begin, and in all.
        self.first_ms: int | None = None
        self.runtime_ms = 0

    def take(self, event: StreamEvent) -> Shown | None:
        """Keep the event, and say what viewers should see of it.

        Raises ProviderError when the stream failed, and when the process holds too much.
        """
        return self._TAKES[type(event)](self, event)

    def draft(self, model: Model) -> Draft | None:
        """The message to save; None when nothing was said."""
        assert self.finished is not None, "a reply is saved when its stream has finished"
        content = (*self._parts, *self._notices())
        if not content:
            return None
        return Draft(
            role=Role.ASSISTANT,
            content=content,
            model=model.name,
            usage=_with_limit(self.finished.usage, model.context_limit),
            runtime_ms=self.runtime_ms or None,
            first_ms=self.first_ms,
            cost=self.cost(model),
            paused=self.finished.stop is Stop.PAUSED,
            cut_off=self.finished.stop is Stop.LENGTH,
            internal=self._beside(model),
        )

    def so_far(self) -> tuple[Part, ...]:
        """What was said up to now, for an interruption. A call stays only if its arguments are whole."""
        parts = [*self._parts, *self._unfinished()]
        called = {part.tool_call_id for part in parts if isinstance(part, ToolCall)}
        kept = [part for part in parts if not isinstance(part, ToolResult) or part.tool_call_id in called]
        return (*kept, *self._notices()) if kept else ()

    def cut_off(self, why: str) -> bool:
        """End the reply here, with a notice. False if nothing was said that could be kept."""
        self._end_all()
        if not self._parts:
            return False
        self._cut_off = why
        self.finished = Finished(stop=Stop.LENGTH)
        return True

    def release(self) -> None:
        """It is saved, or will never be."""
        self._held.give_back(self._taken)
        self._taken = 0

    def cost(self, model: Model) -> Cost | None:
        """What the call has cost, whichever of the provider's models has answered; None: unknown."""
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
        only_thoughts = all(isinstance(part, Reasoning) for part in self._parts) and not self._cut_off
        return self.finished is not None and self.finished.stop is stop and only_thoughts

    def _block(self, name: str, *, reasoning: bool) -> _Block:
        block = self._open.get(name)
        if block is None:
            block = self._open[name] = _Block(reasoning=reasoning, started_at=self._now())
            self._grow(_OBJECT_BYTES)
        return block

    def _end(self, name: str, internal: Json) -> None:
        block = self._open.pop(name, None)
        if block is None:
            return
        text = block.words.text()
        kept = internal if internal is not None else block.internal
        if block.reasoning and (text or kept is not None):
            self._keep(Reasoning(text=text, created_at=block.started_at, completed_at=self._now()), kept)
        elif not block.reasoning and (text or kept is not None):
            self._keep(Text(text=text), kept)

    def _end_all(self) -> None:
        for name in list(self._open):
            self._end(name, None)

    def _text(self, event: TextDelta) -> Shown:
        text = event.text
        words = self._block(event.block, reasoning=False).words
        words.pieces.append(text)
        self._bytes += len(text)
        if self._bytes > self._taken:
            words.fold()
            self._grow(0)
        return Shown(Role.ASSISTANT, Text(text=text))

    def _reasoning(self, event: ReasoningDelta) -> Shown | None:
        block = self._block(event.block, reasoning=True)
        block.words.pieces.append(event.text)
        self._bytes += len(event.text)
        if self._bytes > self._taken:
            block.words.fold()
            self._grow(0)
        block.internal = event.internal if event.internal is not None else block.internal
        # A signature alone is nothing to look at.
        part = Reasoning(text=event.text, created_at=block.started_at)
        return Shown(Role.ASSISTANT, part) if event.text else None

    def _ended(self, event: BlockEnded) -> None:
        self._end(event.block, event.internal)

    def _input(self, event: ToolInput) -> Shown | None:
        if event.call_id not in self._args and len(self._args) >= CALLS_PER_MESSAGE_MAX:
            self._grow(len(event.json))
            return None
        words = self._args.setdefault(event.call_id, _Words())
        words.pieces.append(event.json)
        self._bytes += len(event.json)
        if self._bytes > self._taken:
            words.fold()
            self._grow(0)
        name = self._tools.setdefault(event.call_id, event.tool or "") or event.tool or ""
        piece = ToolCallPiece(
            tool_call_id=event.call_id, args_delta=event.json, tool_name=name, kind=self._run_by(name)
        )
        return Shown(Role.ASSISTANT, piece)

    def _called(self, event: ToolCalled) -> Shown | None:
        self._args.pop(event.call_id, None)
        size = len(encode(event.args))
        self._grow(_OBJECT_BYTES + size)
        # A provider without text blocks says its words before its calls.
        self._end_all()
        is_doubled = event.call_id in self._calls
        if len(self._calls) >= CALLS_PER_MESSAGE_MAX or (is_doubled and event.provider_executed):
            self._left_out["tool calls"] += 1
            self._calls_left_out.add(event.call_id)
            return None
        # Some servers name two calls alike. Answers are told apart by the id, so one of them gets another;
        # what the provider wants back with the call would name the old one.
        call_id = CallId(f"call_{self._new_id()}") if is_doubled else event.call_id
        part = ToolCall(
            tool_call_id=call_id,
            tool_name=event.tool,
            args=event.args if size <= ARGS_BYTES_MAX else {},
            kind=RunBy.PROVIDER if event.provider_executed else self._run_by(event.tool) or RunBy.SERVER,
            mcp_server_config_id=None if event.provider_executed else self._server_of(event.tool),
            provider_executed=event.provider_executed,
            created_at=self._now(),
        )
        if size > ARGS_BYTES_MAX:
            self.unfit[call_id] = ARGS_TOO_LARGE.format(size=size)
        is_as_said = not is_doubled and size <= ARGS_BYTES_MAX
        if not self._keep(part, event.internal if is_as_said else None):
            return None
        self._calls.add(call_id)
        return Shown(Role.ASSISTANT, part)

    def _returned(self, event: ToolReturned) -> Shown | None:
        if event.call_id in self._calls_left_out:
            return None
        part = ToolResult(
            tool_call_id=event.call_id,
            tool_name=event.tool,
            result=event.result,
            is_error=event.is_error,
            provider_executed=True,
            created_at=self._now(),
        )
        self._grow(_OBJECT_BYTES + len(encode(event.result)))
        return Shown(Role.TOOL, part) if self._keep(part, event.internal) else None

    def _found(self, event: SourceFound) -> Shown | None:
        source = Source(source_id=event.source_id, url=event.url, title=event.title)
        self._grow(_OBJECT_BYTES + len(event.url) + len(event.title))
        return Shown(Role.ASSISTANT, source) if self._keep(source, None) else None

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

    def _made(self, event: FileMade) -> Shown | None:
        if len(self.files) >= FILES_PER_MESSAGE_MAX:
            self._left_out["files"] += 1
            return None
        self._grow(len(event.data))
        name = event.name or f"file-{len(self.files) + 1}"
        file = MadeFile(FileId(self._new_id()), name, event.media_type, event.data)
        part = File(file_id=file.id, media_type=file.media_type, name=file.name)
        if not self._keep(part, None):
            return None
        self.files.append(file)
        return Shown(Role.ASSISTANT, part)

    def _keep(self, part: Part, internal: Json) -> bool:
        """Whether there is room for it in the message."""
        if len(self._parts) >= PARTS_PER_MESSAGE_MAX:
            self._left_out["parts"] += 1
            return False
        if internal is not None:
            self._internal[len(self._parts)] = internal
        self._parts.append(part)
        return True

    def _grow(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._taken:
            wanted = -(-(self._bytes - self._taken) // GRAIN_BYTES) * GRAIN_BYTES
            if not self._held.take(wanted):
                raise failures.failed("no_room")
            self._taken += wanted

    def _unfinished(self) -> Iterator[Part]:
        """Blocks that are still being said, and calls whose arguments happen to be whole."""
        for block in self._open.values():
            if text := block.words.text():
                thought = Reasoning(text=text, created_at=block.started_at, completed_at=self._now())
                yield thought if block.reasoning else Text(text=text)
        for call_id, words in self._args.items():
            args, tool = whole_object(words.text()), self._tools[call_id]
            if args is not None and tool and call_id not in self._calls:
                yield ToolCall(
                    tool_call_id=call_id,
                    tool_name=tool,
                    args=args,
                    kind=self._run_by(tool),
                    mcp_server_config_id=self._server_of(tool),
                )

    def _notices(self) -> Iterator[HookNotice]:
        for what, count in self._left_out.items():
            yield HookNotice(text=LEFT_OUT.format(count=count, what=what, bound=_BOUNDS[what]))
        if self._cut_off:
            yield HookNotice(text=self._cut_off)

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
