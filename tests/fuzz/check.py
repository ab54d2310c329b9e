"""What must hold of every answer, however damaged: what comes out is typed, whole, kept and sent again."""

import json
from collections.abc import Sequence
from itertools import count
from typing import get_args

import msgspec
from msgspec import Struct

from chatd.agent.generation.reply import Reply
from chatd.catalog.models.rows import Prices
from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.ids import MessageId, Micros
from chatd.domain.message import Cost, Draft, Message, Role
from chatd.domain.part import Content, Json, Text, ToolCall, ToolResult
from chatd.errors import ProviderError
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.cost import cost
from chatd.providers.dialect import Dialect
from chatd.providers.dialects.chat import whole_answer
from chatd.providers.events import Failed, Finished, StreamEvent
from chatd.providers.model import Request, ToolSpec, Transcript
from chatd.providers.request.writer import RequestWriter
from chatd.providers.transport.aws_frames import BadFrameError
from chatd.providers.transport.sse import FrameTooLargeError
from tests.fuzz.wires import Wire
from tests.providers.replayed import balanced, numbered

_EVENTS = get_args(StreamEvent)
_PRICES = Prices(input=3_000_000, output=15_000_000)
_TOOLS = (ToolSpec(name="look", description="Looks.", input_schema={"type": "object"}),)
_contents = codec.Decoder(Content)
_anything: codec.Decoder[Json] = codec.Decoder(object)


class Wrong(AssertionError):
    """A promise that was broken."""


class _Speaker(Struct):
    """As much of a model as a reply wants to know."""

    provider_id: str
    name: str = "fuzz/large"
    provider: str = "fuzz"
    vendor: str = "fuzz"
    context_limit: int = 200_000
    compression_threshold: int = 100
    writes_texts: bool = False
    sees: frozenset[str] = frozenset()
    first_seconds: float = 1.0
    silence_seconds: float = 1.0

    def cost(self, finished: Finished, *, answered_by: str = "") -> Cost | None:
        return cost(finished.usage, set_prices=_PRICES, billed_micros=finished.cost_micros, book=None)

    def stream(self, request: Request) -> object:
        raise NotImplementedError


def check(wire: Wire, target: Target, portions: Sequence[bytes]) -> str:
    """How the stream ended. Raises Wrong, or whatever should never have escaped."""
    events = heard(wire, target, portions)
    if events is None:
        return "broken frames"
    _check_events(events)
    draft = _replied(events, target)
    if draft is None:
        return "failed" if isinstance(events[-1], Failed) else "said nothing"
    stored = _stored(draft)
    return _sent_again(stored, wire.dialect, target)


def heard(wire: Wire, target: Target, portions: Sequence[bytes]) -> list[StreamEvent] | None:
    """The events; None where the bytes are no frames, which whoever reads them is told by an error."""
    if wire.whole:
        return list(whole_answer(b"".join(portions), target, numbered()))
    frames, decoder = wire.make_frames(), wire.dialect.decoder(target, numbered())
    out: list[StreamEvent] = []
    try:
        for portion in portions:
            for name, data in frames.feed(portion):
                decoder.feed(name, data, out)
        for name, data in frames.close():
            decoder.feed(name, data, out)
    except (BadFrameError, FrameTooLargeError):
        return None
    decoder.close(out)
    ended = len(out)
    for name, data in wire.answers[0]:
        decoder.feed(name, data, out)
    decoder.close(out)
    _expect(len(out) == ended, "something follows the end")
    return out


def _check_events(events: Sequence[StreamEvent]) -> None:
    strange = {type(event).__name__ for event in events if not isinstance(event, _EVENTS)}
    _expect(not strange, f"no events: {strange}")
    wrong = balanced(events) if events else ["there is no ending"]
    _expect(not wrong, "; ".join(wrong[:3]))
    for event in events:
        if isinstance(event, Failed):
            codec.encode([event.error.message, event.error.detail])
        else:
            _check_fields(event)
        if isinstance(event, Finished) and event.usage is not None:
            _expect(min(msgspec.structs.astuple(event.usage)) >= 0, "less than nothing was used")


def _check_fields(event: StreamEvent) -> None:
    """Each event is what its type says; and a call has a name by which its result finds it."""
    try:
        msgspec.convert(msgspec.structs.asdict(event), type(event), strict=True)
    except msgspec.ValidationError as error:
        raise Wrong(f"{type(event).__name__}: {error}") from error
    _expect(getattr(event, "call_id", "x") != "", f"{type(event).__name__} without an id")


def _replied(events: Sequence[StreamEvent], target: Target) -> Draft | None:
    reply = Reply(lambda: "2026-11-16T00:00:00Z", numbered("file"))
    try:
        for event in events:
            reply.take(event)
    except ProviderError:
        _expect(isinstance(events[-1], Failed), "a failure that the decoder did not tell")
        return None
    return reply.draft(_Speaker(target.provider_id))  # type: ignore[arg-type]


def _stored(draft: Draft) -> Draft:
    """The draft as it is read back from a database."""
    content = _contents.decode(codec.encode_text(draft.content))
    _expect(codec.encode(content) == codec.encode(draft.content), "the content is not what was stored")
    _contents.decode(codec.to_column(codec.encode_text(draft.content)))
    codec.encode_text(draft.usage)
    codec.encode_text(draft.cost)
    internal = _anything.decode(codec.encode_text(draft.internal))
    return msgspec.structs.replace(draft, content=content, internal=internal)


def _sent_again(draft: Draft, dialect: Dialect, target: Target) -> str:
    """Twice: as the newest reply, and as an old one that is written for good."""
    history = [_user("What is it?"), _message(draft), *_results(draft), _user("And then?")]
    outcome = _written(Transcript(history), dialect, target)
    for _ in range(3):
        history += [_message(Draft(role=Role.ASSISTANT, content=(Text(text="So."),))), _user("And then?")]
    _written(Transcript(history), dialect, target)
    return outcome


def _written(messages: Transcript, dialect: Dialect, target: Target) -> str:
    request = Request(messages=messages, system=("Be brief.",), tools=_TOOLS)
    try:
        body = RequestWriter(request, target, dialect).write({})
    except ProviderError:
        return "refused to send"
    try:
        json.loads(body.json)
    except ValueError as error:
        raise Wrong(f"the request is no JSON: {error}") from error
    return "sent again"


_numbers = count(1)


def _message(draft: Draft) -> Message:
    number = next(_numbers)
    return Message(
        **{name: getattr(draft, name) for name in Draft.__struct_fields__},
        id=MessageId(number),
        revision=number,
        branch=FIRST_BRANCH,
        created_at=Micros(0),
        tokens=1,
    )


def _user(words: str) -> Message:
    return _message(Draft(role=Role.USER, content=(Text(text=words),)))


def _results(draft: Draft) -> list[Message]:
    return [
        _message(
            Draft(
                role=Role.TOOL,
                content=(
                    ToolResult(
                        tool_call_id=part.tool_call_id, tool_name=part.tool_name, result={"output": "ok"}
                    ),
                ),
            )
        )
        for part in draft.content
        if isinstance(part, ToolCall) and not part.provider_executed
    ]


def _expect(holds: bool, otherwise: str) -> None:  # noqa: FBT001 - read as a sentence
    if not holds:
        raise Wrong(otherwise)
