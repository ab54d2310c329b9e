"""Frames become events (pure). What an item is for good is in the frame that says that it is done."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from chatd.domain.part import Json
from chatd.providers import failures
from chatd.providers.dialects.responses import frames
from chatd.providers.dialects.responses.calls import FUNCTIONS, Calls
from chatd.providers.dialects.responses.output import CLIENT_TOOLS, PROVIDER_TOOLS, Out
from chatd.providers.dialects.responses.places import Place, Places
from chatd.providers.dialects.responses.speech import Speech
from chatd.providers.dialects.responses.usage import usage
from chatd.providers.dialects.shared.counting import micros_of
from chatd.providers.events import Failed, Finished, Refusal, Started, Stop
from chatd.providers.transport.frame_json import FrameDecoder

_TEXT_DELTA = b"response.output_text.delta"
_STOPS: Mapping[str, Stop] = {
    "content_filter": Stop.REFUSED,
    "max_output_tokens": Stop.LENGTH,
    "max_tokens": Stop.LENGTH,
}
# Signs of life that say nothing new: all of it comes again when the item is done.
_SILENT = (
    "response.content_part.added",
    "response.output_text.done",
    "response.refusal.done",
    "response.reasoning_summary_part.",
    "response.reasoning_summary_text.done",
    "response.reasoning_text.done",
    "response.custom_tool_call_input.done",
    "response.web_search_call.",
    "response.file_search_call.",
    "response.code_interpreter_call",
    "response.image_generation_call.",
    "response.mcp_call",
)
_DONE = b"[DONE]"
_KNOWN_ITEMS = frozenset({"message", "reasoning"}) | FUNCTIONS | CLIENT_TOOLS.keys() | PROVIDER_TOOLS.keys()

_deltas = FrameDecoder(frames.Delta)
_responses = FrameDecoder(frames.ResponseFrame)
_item_frames = FrameDecoder(frames.ItemFrame)
_parts = FrameDecoder(frames.PartFrame)
_annotations = FrameDecoder(frames.AnnotationAdded)
_arguments = FrameDecoder(frames.Arguments)
_errors = FrameDecoder(frames.ErrorFrame)
_kinds = FrameDecoder(frames.Kind)
_items = FrameDecoder(frames.Item)
_wholes = FrameDecoder(dict[str, Json])

# How a frame is read, and what it then does.
_Reaction: TypeAlias = tuple[FrameDecoder[Any], Callable[[Any, Out], None]]


class ResponsesDecoder:
    """One answer. `stored` says whether the provider was asked to keep it."""

    def __init__(self, new_id: Callable[[], str], *, stored: bool) -> None:
        self._stored = stored
        self._started = False
        self._over = False
        self._unknown = 0
        self._places = Places(new_id)
        self._speech = Speech(self._places)
        self._calls = Calls(self._places)
        self._text = self._speech.text
        self._reactions: Mapping[str, _Reaction] = {
            "response.output_text.delta": (_deltas, self._speech.text),
            "response.function_call_arguments.delta": (_deltas, self._calls.argument),
            "response.custom_tool_call_input.delta": (_deltas, self._calls.argument),
            "response.reasoning_summary_text.delta": (_deltas, self._speech.summary),
            "response.reasoning_text.delta": (_deltas, self._speech.thought),
            "response.refusal.delta": (_deltas, self._speech.refuse),
            "response.content_part.done": (_parts, self._speech.part_done),
            "response.output_text.annotation.added": (_annotations, self._speech.annotated),
            "response.function_call_arguments.done": (_arguments, self._calls.arguments_done),
            "response.output_item.added": (_item_frames, self._item_added),
            "response.output_item.done": (_item_frames, self._item_done),
            "response.created": (_responses, self._created),
            "response.queued": (_responses, self._created),
            "response.in_progress": (_responses, self._created),
            "response.completed": (_responses, self._completed),
            "response.incomplete": (_responses, self._incomplete),
            "response.failed": (_responses, self._failed),
            "error": (_errors, self._error),
        }

    @property
    def skipped(self) -> int:
        """How many frames and items were unknown and left out."""
        return self._unknown + self._calls.skipped + self._speech.skipped

    def feed(self, name: bytes, data: bytes, out: Out) -> None:
        if self._over:
            return
        try:
            if name == _TEXT_DELTA:
                self._text(_deltas.decode(data), out)
            else:
                self._read(name.decode("ascii", "replace"), data, out)
        except msgspec.DecodeError as error:
            self._end(Failed(failures.malformed(f"{name.decode('ascii', 'replace')}: {error}")), out)

    def close(self, out: Out) -> None:
        if not self._over:
            self._end(Failed(failures.broke_off()), out)

    def _end(self, event: Finished | Failed, out: Out) -> None:
        self._over = True
        out.append(event)

    def _read(self, name: str, data: bytes, out: Out) -> None:
        if data == _DONE:
            return
        kind = name or _kind_of(data)
        known = self._reactions.get(kind)
        if known is not None:
            decoder, react = known
            react(decoder.decode(data), out)
        elif not kind.startswith(_SILENT):
            self._unknown += 1

    def _created(self, frame: frames.ResponseFrame, out: Out) -> None:
        if not self._started:
            self._started = True
            out.append(Started(frame.response.id or "", frame.response.model or ""))

    def _item_added(self, frame: frames.ItemFrame, out: Out) -> None:
        item = _item_of(bytes(frame.item))
        place = self._places.at(frame.output_index, item.id or "")
        place.kind, place.phase = item.type, item.phase
        if item.type in FUNCTIONS:
            self._calls.begin(place, item, out)

    def _item_done(self, frame: frames.ItemFrame, out: Out) -> None:
        item = _item_of(bytes(frame.item))
        place = self._places.at(frame.output_index, item.id or "")
        if not place.done:
            self._done(place, item, bytes(frame.item), out)

    def _done(self, place: Place, item: frames.Item, raw: bytes, out: Out) -> None:
        place.kind = item.type
        self._places.lead = self._said(place, item, raw, out)
        # What it began as, where it turned out to be something else.
        self._speech.leave(place, out)
        place.done = True

    def _said(self, place: Place, item: frames.Item, raw: bytes, out: Out) -> str:
        """The name of the item, if what comes next may be bound to it."""
        if item.type == "message":
            self._speech.message_done(place, item, out)
        elif item.type in FUNCTIONS:
            self._calls.function_done(place, item, out)
        elif item.type == "reasoning":
            self._speech.reasoning_done(place, item, _wholes.decode(raw), out)
            return item.id or place.id
        elif item.type in CLIENT_TOOLS:
            self._calls.client_tool_done(place, item, _wholes.decode(raw), out)
        elif item.type in PROVIDER_TOOLS:
            self._calls.provider_tool_done(place, item, _wholes.decode(raw), out)
            return item.id or place.id
        else:
            self._unknown += 1
        return ""

    def _completed(self, frame: frames.ResponseFrame, out: Out) -> None:
        self._finish(frame, None, out)

    def _incomplete(self, frame: frames.ResponseFrame, out: Out) -> None:
        details = frame.response.incomplete_details
        self._finish(frame, (details and details.reason) or "incomplete", out)

    def _finish(self, frame: frames.ResponseFrame, reason: str | None, out: Out) -> None:
        """`reason` says why the answer is not whole."""
        response = frame.response
        self._created(frame, out)
        for index, item in enumerate(response.output or ()):
            self._listed(index, item, out)
        for place in self._places.all():
            self._leave(place, out, cut_off=reason is not None)
        finished = Finished(
            self._stop(reason),
            usage=usage(response.usage, self._calls.searches),
            internal={"response_id": response.id or "", "stored": self._stored},
            refusal=self._refusal(reason),
            cost_micros=micros_of(response.usage.cost) if response.usage is not None else None,
        )
        self._end(finished, out)

    def _listed(self, index: int, item: msgspec.Raw, out: Out) -> None:
        """An item of the list at the end. Some servers say there for the first time what they have to say."""
        head = _item_of(bytes(item))
        place = self._places.find(frames.NOWHERE, head.id or "") or self._places.find(index, "")
        if place is None or place.kind not in ("", head.type):
            self._item_done(frames.ItemFrame(item), out)
        elif not place.done:
            self._done(place, head, bytes(item), out)

    def _leave(self, place: Place, out: Out, *, cut_off: bool) -> None:
        """The answer is over, and no frame has said that this item is."""
        if place.done:
            return
        self._speech.leave(place, out)
        place.done = True
        self._calls.leave(place, out, cut_off=cut_off)

    def _stop(self, reason: str | None) -> Stop:
        if self._speech.refused:
            return Stop.REFUSED
        if reason is not None:
            return _STOPS.get(reason, Stop.OTHER)
        return Stop.TOOLS if self._calls.any else Stop.DONE

    def _refusal(self, reason: str | None) -> Refusal | None:
        if self._speech.refused:
            return Refusal("refusal", self._speech.refusal)
        return Refusal("content_filter") if reason == "content_filter" else None

    def _failed(self, frame: frames.ResponseFrame, out: Out) -> None:
        self._created(frame, out)
        self._fail(frame.response.error or frames.Fault(), out)

    def _error(self, frame: frames.ErrorFrame, out: Out) -> None:
        self._fail(frame.error or frames.Fault(code=frame.code, message=frame.message), out)

    def _fail(self, fault: frames.Fault, out: Out) -> None:
        code = "" if fault.code is None else str(fault.code)
        error = failures.in_stream(code=code, type_=fault.type or "", message=fault.message or "")
        self._end(Failed(error), out)


def _item_of(data: bytes) -> frames.Item:
    """Of an unknown item only the kind counts: its fields may have any type."""
    try:
        return _items.decode(data)
    except msgspec.ValidationError:
        kind = _kinds.decode(data).type or ""
        if kind in _KNOWN_ITEMS:
            raise
        return frames.Item(type=kind)


def _kind_of(data: bytes) -> str:
    kind = _kinds.decode(data)
    return kind.type or ("error" if kind.error else "")
