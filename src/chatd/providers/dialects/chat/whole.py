"""An answer that is no event stream, although a stream was asked for (pure)."""

from collections.abc import Callable

import msgspec

from chatd.domain.part import Json
from chatd.providers import failures
from chatd.providers.capabilities.target import Target
from chatd.providers.dialects.chat.decode import ChatDecoder
from chatd.providers.dialects.chat.errors import reported
from chatd.providers.dialects.chat.frames import Chunk
from chatd.providers.events import Failed, StreamEvent
from chatd.providers.transport.frame_json import FrameDecoder
from chatd.providers.transport.sse import SseFrames

_any: FrameDecoder[Json] = FrameDecoder(object)
_chunk = FrameDecoder(Chunk)
# How a stream begins whose server forgot to say that it is one.
_STREAM_STARTS = (b"data:", b"event:", b":")


def whole_answer(body: bytes, target: Target, new_id: Callable[[], str]) -> list[StreamEvent]:
    """A completion becomes the events it would have been streamed as; an error fails; so does all else."""
    out: list[StreamEvent] = []
    decoder = ChatDecoder(target, new_id)
    if body.lstrip().startswith(_STREAM_STARTS):
        _stream(body, decoder, out)
        return out
    try:
        value = _any.decode(body)
    except msgspec.DecodeError:
        return [Failed(failures.malformed("no JSON and no event stream"))]
    if isinstance(value, list) and len(value) == 1:
        # Google's errors come in a list.
        value = value[0]
    match value:
        case {"choices": [{"message": dict()}, *_]}:
            _completion(body, decoder, out)
        case {"error": error} if error is not None:
            out.append(Failed(reported(error)))
        case {"message": str()} | {"detail": _}:
            out.append(Failed(reported(value)))
        case _:
            out.append(Failed(failures.malformed("JSON, but neither a completion nor an error")))
    return out


def _completion(body: bytes, decoder: ChatDecoder, out: list[StreamEvent]) -> None:
    try:
        chunk = _chunk.decode(body)
    except msgspec.DecodeError as error:
        out.append(Failed(failures.malformed(str(error))))
        return
    decoder.take_whole(chunk, out)


def _stream(body: bytes, decoder: ChatDecoder, out: list[StreamEvent]) -> None:
    frames = SseFrames()
    for name, data in [*frames.feed(body), *frames.close()]:
        decoder.feed(name, data, out)
    decoder.close(out)
