"""Turns become input items (pure)."""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Written
from chatd.providers.dialects.responses.body import system_role
from chatd.providers.dialects.responses.options import stores
from chatd.providers.dialects.responses.replay import Bond, Candidate, check_pairs, settled
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, Thought, WireTurn

_SENDABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
COMPUTER_CALL = "computer_call"


def write_turns(turns: Sequence[WireTurn], target: Target) -> Written:
    """Raises ProviderError when calls and results are no pairs."""
    writer = _Writer(turns, target)
    for turn in turns:
        writer.write(turn)
    writer.show_pictures()
    items = settled(writer.candidates)
    # Results without their calls are the beginning of what is new in a chained conversation.
    check_pairs(items, chained=all(turn.role != "assistant" for turn in turns))
    return Written(items, tuple(writer.warnings))


def sendable_id(call_id: str) -> str:
    """The id of a call as OpenAI takes it: calls and outputs alike, so that pairs stay pairs."""
    if _SENDABLE_ID.fullmatch(call_id):
        return call_id
    return "call_" + hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:40]


class _Writer:
    """The items of one segment."""

    def __init__(self, turns: Sequence[WireTurn], target: Target) -> None:
        self.candidates: list[Candidate] = []
        self.warnings: list[str] = []
        self._target = target
        self._stores = stores(target)
        self._screens = _screens(turns)
        # Pictures of results, where results are only text: they are shown after the last result.
        self._pictures: list[dict[str, Json]] = []

    def write(self, turn: WireTurn) -> None:
        if turn.role != "tool":
            self.show_pictures()
        match turn.role:
            case "system":
                self._system(turn)
            case "user":
                self._said(list(self._content(turn.parts)))
            case "assistant":
                self._assistant(turn)
            case "tool":
                for part in turn.parts:
                    if isinstance(part, Returned):
                        self._add(self._output(part))

    def show_pictures(self) -> None:
        if self._pictures:
            self._said(self._pictures)
            self._pictures = []

    def _add(self, item: dict[str, Json]) -> None:
        self.candidates.append(Candidate(item))

    def _said(self, content: Sequence[dict[str, Json]]) -> None:
        if content:
            self._add({"type": "message", "role": "user", "content": content})

    def _system(self, turn: WireTurn) -> None:
        role = system_role(self._target)
        if role is None:
            self.warnings.append("This model takes no system text; it was left out.")
            return
        text = "\n".join(part.text for part in turn.parts if isinstance(part, SaidText))
        self._add({"type": "message", "role": role, "content": text})

    def _content(self, parts: Sequence[object]) -> Iterator[dict[str, Json]]:
        for number, part in enumerate(parts, start=1):
            if isinstance(part, SaidText) and part.text:
                yield {"type": "input_text", "text": part.text}
            elif isinstance(part, Attachment):
                shown = _shown(part, number)
                if shown is None:
                    self.warnings.append(_left_out(part))
                else:
                    yield shown

    def _assistant(self, turn: WireTurn) -> None:
        kept_there = self._stores and _fields(turn.internal).get("stored") is True
        for part in turn.parts:
            match part:
                case SaidText(text=text, internal=internal) if text.strip():
                    self._spoken(text, _fields(internal), kept_there=kept_there)
                case Thought(internal=internal):
                    self.candidates.extend(_thought(_fields(internal), kept_there=kept_there))
                case Called(provider_executed=True, internal=internal):
                    self.candidates.extend(_hosted(_fields(internal), kept_there=kept_there))
                case Called():
                    self.candidates.append(self._called(part, kept_there=kept_there))
                case _:
                    # A result of the provider's own tool is in the item of its call.
                    pass

    def _spoken(self, text: str, fields: Mapping[str, Json], *, kept_there: bool) -> None:
        item_id, after = _text(fields, "id"), _text(fields, "after")
        reference: dict[str, Json] = {"type": "item_reference", "id": item_id}
        before = self.candidates[-1] if self.candidates else Candidate({})
        if before.item == reference:
            # Another part of the same message, which is there as a whole.
            return
        item: dict[str, Json] = {"type": "message", "role": "assistant", "content": text}
        if fields.get("phase"):
            item["phase"] = fields["phase"]
        if kept_there and item_id and before.bond is Bond.NEEDS_NEXT and before.id == after:
            # Reasoning that is referred to has to be followed by the very item that it led to.
            item = reference
        self.candidates.append(Candidate(item, id=item_id, after=after))

    def _called(self, part: Called, *, kept_there: bool) -> Candidate:
        fields = _fields(part.internal)
        call_id = sendable_id(part.id)
        item: dict[str, Json]
        if part.id in self._screens:
            item = {**_fields(fields["item"]), "call_id": call_id}
        else:
            if "item" in fields:
                # It was something else, so that nothing the provider knows of it may be said of a function.
                fields = {}
            arguments = codec.encode_text(part.args)
            item = {"type": "function_call", "call_id": call_id, "name": part.tool, "arguments": arguments}
            if kept_there and _text(fields, "id"):
                item["id"] = fields["id"]
        return Candidate(item, id=_text(fields, "id"), after=_text(fields, "after"))

    def _output(self, part: Returned) -> dict[str, Json]:
        call_id = sendable_id(part.id)
        if part.id in self._screens:
            return _screen(call_id, part, self._screens[part.id])
        text = part.output if isinstance(part.output, str) else codec.encode_text(part.output)
        output = self._with_media(text, part.attachments) if part.attachments else text
        return {"type": "function_call_output", "call_id": call_id, "output": output}

    def _with_media(self, text: str, attachments: Sequence[Attachment]) -> Json:
        content: list[dict[str, Json]] = [{"type": "input_text", "text": text}] if text else []
        for number, attachment in enumerate(attachments, start=1):
            shown = _shown(attachment, number)
            if shown is None:
                self.warnings.append(_left_out(attachment))
                content.append({"type": "input_text", "text": f"[{_left_out(attachment)}]"})
            elif self._target.quirks.list_outputs:
                content.append(shown)
            else:
                content.append({"type": "input_text", "text": "[A file follows in the next message.]"})
                self._pictures.append(shown)
        if self._target.quirks.list_outputs:
            return content
        return "\n".join(part["text"] for part in content)


def _thought(fields: Mapping[str, Json], *, kept_there: bool) -> Iterator[Candidate]:
    item_id = _text(fields, "id")
    if kept_there and item_id:
        item: dict[str, Json] = {"type": "item_reference", "id": item_id}
    elif fields.get("encrypted_content"):
        item = {"type": "reasoning", "id": item_id, "summary": fields.get("summary") or []}
        if fields.get("content"):
            item["content"] = fields["content"]
        item["encrypted_content"] = fields["encrypted_content"]
    else:
        return
    yield Candidate(item, Bond.NEEDS_NEXT, item_id, _text(fields, "after"))


def _hosted(fields: Mapping[str, Json], *, kept_there: bool) -> Iterator[Candidate]:
    item_id = _text(fields, "id")
    if kept_there and item_id:
        item: dict[str, Json] = {"type": "item_reference", "id": item_id}
    elif isinstance(fields.get("item"), dict):
        item = fields["item"]
    else:
        return
    yield Candidate(item, Bond.NEEDS_PREVIOUS, item_id, _text(fields, "after"))


def _screens(turns: Sequence[WireTurn]) -> dict[str, Sequence[Json]]:
    """Calls to use a computer that were answered with a picture, and what has to be acknowledged with it.

    Without one they go back as calls of a function: OpenAI takes nothing but a picture for the others.
    """
    parts = [part for turn in turns for part in turn.parts]
    shown = {
        part.id
        for part in parts
        if isinstance(part, Returned) and any(_is_image(each) for each in part.attachments)
    }
    screens: dict[str, Sequence[Json]] = {}
    for part in parts:
        if isinstance(part, Called) and part.id in shown:
            item = _fields(_fields(part.internal).get("item"))
            if item.get("type") == COMPUTER_CALL:
                screens[part.id] = item.get("pending_safety_checks") or []
    return screens


def _screen(call_id: str, part: Returned, checks: Sequence[Json]) -> dict[str, Json]:
    picture = next(each for each in part.attachments if _is_image(each))
    return {
        "type": "computer_call_output",
        "call_id": call_id,
        "output": {"type": "computer_screenshot", "image_url": _data_url(picture), "detail": "original"},
        "acknowledged_safety_checks": checks,
    }


def _shown(attachment: Attachment, number: int) -> dict[str, Json] | None:
    """The file as the model sees it, or nothing if it cannot."""
    if _is_image(attachment):
        return {"type": "input_image", "image_url": _data_url(attachment), "detail": "auto"}
    if _media_type(attachment) == "application/pdf":
        name = attachment.name or f"part-{number}.pdf"
        return {"type": "input_file", "filename": name, "file_data": _data_url(attachment)}
    return None


def _left_out(attachment: Attachment) -> str:
    return f"A file of the type {attachment.media_type} was left out: this model does not take it."


def _is_image(attachment: Attachment) -> bool:
    return attachment.media_type.startswith("image/")


def _media_type(attachment: Attachment) -> str:
    return attachment.media_type.partition(";")[0].strip()


def _data_url(attachment: Attachment) -> str:
    return f"data:{_media_type(attachment)};base64,{base64.b64encode(attachment.data).decode('ascii')}"


def _fields(internal: Json) -> Mapping[str, Json]:
    return internal if isinstance(internal, dict) else {}


def _text(fields: Mapping[str, Json], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
