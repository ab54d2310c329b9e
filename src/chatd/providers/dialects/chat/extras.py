"""What comes beside the words of an answer: sources, pictures, sound, verdicts of filters (pure)."""

import base64
import binascii
from collections.abc import Callable

import msgspec

from chatd.domain.part import Json
from chatd.providers.dialects.chat.frames import Delta
from chatd.providers.events import FileMade, SourceFound, StreamEvent
from chatd.providers.transport.frame_json import FrameDecoder

_anything: FrameDecoder[Json] = FrameDecoder(object)


class Extras:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self.skipped = 0
        self._new_id = new_id
        self._urls: set[str] = set()
        self._sound: list[bytes] = []

    def cite(self, annotations: list[Json], out: list[StreamEvent]) -> None:
        """Each page once: servers like to repeat them at the end."""
        for annotation in annotations:
            match annotation:
                case {"type": "url_citation", "url_citation": {"url": str(url), **more}}:
                    if url and url not in self._urls:
                        self._urls.add(url)
                        out.append(SourceFound(self._new_id(), url, str(more.get("title") or "")))
                case _:
                    self.skipped += 1

    def show(self, delta: Delta, out: list[StreamEvent]) -> None:
        for image in delta.images or []:
            match image:
                case {"image_url": {"url": str(url)}} if (file := _file(url)) is not None:
                    out.append(file)
                case _:
                    self.skipped += 1
        match delta.audio:
            case {"data": str(data)} if (sound := _decoded(data)) is not None:
                self._sound.append(sound)

    def end(self, out: list[StreamEvent]) -> None:
        if self._sound:
            # The only form in which sound is streamed.
            out.append(FileMade("audio/pcm", b"".join(self._sound)))


def struck_filters(verdicts: msgspec.Raw) -> str:
    """Which of Azure's filters have struck."""
    try:
        found = _anything.decode(bytes(verdicts))
    except msgspec.DecodeError:
        return ""
    if not isinstance(found, dict):
        return ""
    struck = [
        name for name, verdict in found.items() if isinstance(verdict, dict) and verdict.get("filtered")
    ]
    return ", ".join(struck)


def _file(url: str) -> FileMade | None:
    """The file of a data URL."""
    head, separator, data = url.partition(";base64,")
    content = _decoded(data) if separator and head.startswith("data:") else None
    return FileMade(head.removeprefix("data:"), content) if content else None


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
