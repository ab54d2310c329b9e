"""Calls: of our tools, in pieces; and of the provider's own, which come whole and with their result."""

from chatd.domain.ids import CallId
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.dialects.responses.frames import Arguments, Delta, Item
from chatd.providers.dialects.responses.output import (
    CLIENT_TOOLS,
    PROVIDER_TOOLS,
    Out,
    Whole,
    failed,
    is_search,
    picture,
)
from chatd.providers.dialects.responses.places import Place, Places
from chatd.providers.dialects.shared.arguments import read_arguments
from chatd.providers.events import ToolCalled, ToolInput, ToolReturned

FUNCTIONS = frozenset({"function_call", "custom_tool_call"})


class Calls:
    def __init__(self, places: Places) -> None:
        # Whether there are calls for us to answer.
        self.any = False
        self.searches = 0
        # Pieces of arguments of calls that no frame has announced.
        self.skipped = 0
        self._places = places

    def begin(self, place: Place, item: Item, out: Out) -> None:
        if place.call_id:
            return
        place.call_id = self._places.unique(item.call_id or "")
        place.tool = item.name or ""
        begun = item.arguments or item.input or ""
        place.pieces.append(begun)
        # Said even without arguments: people see at once which tool it will be.
        out.append(ToolInput(CallId(place.call_id), begun, place.tool))

    def argument(self, frame: Delta, out: Out) -> None:
        place = self._places.find(frame.output_index, frame.item_id)
        if place is None or not place.call_id or place.done:
            self.skipped += 1
        elif frame.delta:
            place.pieces.append(frame.delta)
            out.append(ToolInput(CallId(place.call_id), frame.delta))

    def arguments_done(self, frame: Arguments, out: Out) -> None:
        """Remembered, in case that the item itself does not say it again."""
        del out
        place = self._places.find(frame.output_index, frame.item_id)
        if place is None:
            self.skipped += 1
        else:
            place.arguments = frame.arguments

    def function_done(self, place: Place, item: Item, out: Out) -> None:
        custom = item.type == "custom_tool_call"
        self.begin(place, item, out)
        place.tool = item.name or place.tool
        streamed = place.streamed
        final = _first(item.input if custom else item.arguments, place.arguments, streamed)
        if len(final) > len(streamed) and final.startswith(streamed):
            out.append(ToolInput(CallId(place.call_id), final[len(streamed) :]))
        args: Json = {"input": final} if custom else read_arguments(final)
        if item.status == "incomplete":
            args = _cut_off(final)
        # What a custom tool is given goes back as arguments of a function, which the provider does not know.
        internal = None if custom else self._places.bonds(item.id or place.id)
        self._called(place, args, internal, out)

    def leave(self, place: Place, out: Out, *, cut_off: bool) -> None:
        """No frame will say that this call is done."""
        if place.call_id:
            text = _first(place.arguments, place.streamed)
            args = _cut_off(text) if cut_off else read_arguments(text)
            self._called(place, args, {"id": place.id}, out)

    def client_tool_done(self, place: Place, item: Item, whole: Whole, out: Out) -> None:
        tool = CLIENT_TOOLS[item.type]
        args = tool.args(whole)
        place.call_id, place.tool = self._places.unique(item.call_id or ""), tool.name
        out.append(ToolInput(CallId(place.call_id), codec.encode_text(args), tool.name))
        self._called(place, args, {**self._places.bonds(item.id or place.id), "item": whole}, out)

    def _called(self, place: Place, args: Json, internal: Json, out: Out) -> None:
        self.any = True
        out.append(ToolCalled(CallId(place.call_id), place.tool, args, internal=internal))

    def provider_tool_done(self, place: Place, item: Item, whole: Whole, out: Out) -> None:
        tool = PROVIDER_TOOLS[item.type]
        call_id = CallId(self._places.unique(item.id or place.id))
        name = item.name or tool.name
        internal = self._places.bonds(item.id or place.id)
        if tool.kept:
            internal["item"] = whole
        self.searches += is_search(whole)
        # Not announced while it runs: cut off in the middle, it would look like a call for us to answer.
        out.append(ToolCalled(call_id, name, tool.args(whole), provider_executed=True, internal=internal))
        result = tool.result(whole)
        out.append(ToolReturned(call_id, name, result, failed(whole), internal={"id": internal["id"]}))
        drawn = picture(whole)
        if drawn is not None:
            out.append(drawn)


def _first(*texts: str | None) -> str:
    return next((text for text in texts if text is not None), "")


def _cut_off(text: str) -> str:
    """Arguments that the model could not finish. Nothing at all must not look like a call without any."""
    return text if text.strip() else "{"
