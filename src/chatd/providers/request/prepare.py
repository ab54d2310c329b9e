"""Messages become turns that any dialect can write: repaired, and without what is not the target's (pure).

What is stored is never changed. A chat that goes back to an earlier provider finds everything again.
"""

import base64
import binascii
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from chatd.domain.ids import FileId
from chatd.domain.message import Message, Role
from chatd.domain.part import (
    File,
    FileReference,
    Json,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from chatd.providers.capabilities.target import Target
from chatd.providers.request.attachments import attached, base_type, is_accepted, too_large
from chatd.providers.request.pairing import Prepared, Taken, paired
from chatd.providers.request.tool_names import portable
from chatd.providers.request.wire_turn import (
    Attachment,
    Called,
    Returned,
    SaidText,
    Thought,
    TurnPart,
    WireTurn,
)

_ROLES: Mapping[Role, Literal["system", "user", "assistant", "tool"]] = {
    Role.SYSTEM: "system",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL: "tool",
}
NOT_SHOWN_AGAIN = (
    "[The {type} is not shown here: newer ones have taken its room. Call the tool again to see it.]"
)
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")


class TurnsReady(Struct, frozen=True):
    turns: tuple[WireTurn, ...]
    warnings: tuple[str, ...] = ()


def prepare(
    messages: Iterable[Message], target: Target, files: Mapping[FileId, bytes], taken: Taken
) -> TurnsReady:
    """The turns of one segment: an assistant's messages and what follows them, or the beginning.

    `taken` knows the ids of calls in earlier segments, and learns those of this one.
    """
    warnings: list[str] = []
    prepared = [_Writer(message, target, files, warnings).prepared() for message in messages]
    turns = paired([each for each in prepared if each.parts], taken)
    return TurnsReady(tuple(turns), tuple(warnings))


def origin_of(message: Message) -> Mapping[str, str]:
    """Who wrote it: the provider's id, its model, the id of its response. Empty when it is unknown."""
    internal = message.internal
    origin = internal.get("origin") if isinstance(internal, dict) else None
    return origin if isinstance(origin, dict) else {}


class _Writer:
    def __init__(
        self, message: Message, target: Target, files: Mapping[FileId, bytes], warnings: list[str]
    ) -> None:
        self._message = message
        self._target = target
        self._files = files
        self._warnings = warnings
        # A message of unknown origin counts as another provider's.
        self._own = origin_of(message).get("provider") == target.provider_id

    def prepared(self) -> Prepared:
        internal = self._message.internal
        beside = internal.get("parts", {}) if self._own and isinstance(internal, dict) else {}
        parts = tuple(
            written
            for place, part in enumerate(self._message.content)
            for written in self._written(part, beside.get(str(place)))
        )
        if not parts and self._message.content:
            self._warnings.append(f"Message {self._message.id} has nothing that this model could be shown.")
        reply = internal.get("reply") if self._own and isinstance(internal, dict) else None
        return Prepared(self._message.id, _ROLES[self._message.role], parts, reply)

    def _written(self, part: Part, internal: Json) -> Iterator[TurnPart]:
        match part:
            case Text(text=text) if text.strip() or internal is not None:
                yield SaidText(text, internal)
            case Reasoning(text=text) if self._own and (text.strip() or internal is not None):
                yield Thought(text, internal)
            case ToolCall():
                yield from self._called(part, internal)
            case ToolResult():
                yield from self._returned(part, internal)
            case File() if self._message.role is Role.USER:
                yield from self._file(part)
            case FileReference(content=content) if content:
                yield SaidText(_quoted(part))
            case _:
                return

    def _called(self, part: ToolCall, internal: Json) -> Iterator[TurnPart]:
        if part.provider_executed and not self._own:
            return
        args = part.args
        if not isinstance(args, dict):
            if args not in (None, "", {}):
                self._warnings.append(
                    f"The arguments of {part.tool_call_id} are no object and were left out."
                )
            args = {}
        yield Called(
            _plain(part.tool_call_id), portable(part.tool_name), args, part.provider_executed, internal
        )

    def _returned(self, part: ToolResult, internal: Json) -> Iterator[TurnPart]:
        if part.provider_executed and not (self._own and self._message.role is Role.ASSISTANT):
            return
        output, attachments = self._output(part)
        yield Returned(
            _plain(part.tool_call_id),
            portable(part.tool_name) if part.tool_name else "",
            output,
            part.is_error,
            part.provider_executed,
            attachments,
            internal,
        )

    def _output(self, part: ToolResult) -> tuple[Json, tuple[Attachment, ...]]:
        result = part.result
        if part.is_media and isinstance(result, dict):
            return self._media(result, part.media)
        match result:
            case {"error": str(words)} if part.is_error:
                return words, ()
            case {"output": str(words)} if len(result) == 1:
                return words, ()
            case _:
                return result, ()

    def _media(self, result: Mapping[str, Json], file: File | None) -> tuple[str, tuple[Attachment, ...]]:
        """The picture, if it can be read and shown; in any case the words about it, never the raw data."""
        words = result.get("text")
        text = words if isinstance(words, str) else ""
        type_ = base_type(str(result.get("mime_type", "")))
        data = self._files.get(file.file_id) if file is not None else _decoded(result.get("data"))
        takes = self._target.files
        if file is not None and data is None and is_accepted(type_, takes):
            return f"{text}\n{NOT_SHOWN_AGAIN.format(type=type_)}".strip(), ()
        if data is None or not is_accepted(type_, takes):
            return text or f"[A result of the type {type_ or 'unknown'} that cannot be shown.]", ()
        if type_.startswith("image/") and 0 < takes.image_bytes_max <= len(data):
            return f"{text}\n{too_large('of this result', len(data), takes.image_bytes_max)}".strip(), ()
        return text, (Attachment(type_, data),)

    def _file(self, part: File) -> Iterator[TurnPart]:
        found = attached(part, self._files.get(part.file_id), self._target.files)
        if isinstance(found, str):
            # The model is told as well, so that it knows which file the user means.
            self._warnings.append(found)
            yield SaidText(f"[{found}]")
        elif found is not None:
            yield found


def files_needed(messages: Sequence[Message], media: Container[FileId]) -> list[FileId]:
    """The files whose bytes have to be at hand to prepare these messages, each once.

    Of what tools have shown, only `media` is shown to the model.
    """
    needed: list[FileId] = []
    for message in messages:
        for part in message.content:
            match part:
                case File(file_id=file_id) if message.role is Role.USER:
                    needed.append(file_id)
                case ToolResult(media=File(file_id=file_id)) if file_id in media:
                    needed.append(file_id)
                case _:
                    pass
    return list(dict.fromkeys(needed))


def _plain(call_id: str) -> str:
    """Calls and results alike, so that pairs stay pairs."""
    return _NOT_IN_IDS.sub("_", call_id)


def _decoded(data: Json) -> bytes | None:
    if not isinstance(data, str) or not data:
        return None
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _quoted(part: FileReference) -> str:
    lines = (
        "" if part.start_line is None else f", lines {part.start_line} to {part.end_line or part.start_line}"
    )
    return f"From {part.file_name}{lines}:\n{part.content}"
