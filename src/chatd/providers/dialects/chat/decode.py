"""Chunks of Chat Completions become events (pure)."""

from collections.abc import Callable, Mapping

import msgspec

from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.capabilities.target import Target
from chatd.providers.dialects.chat.blocks import Blocks
from chatd.providers.dialects.chat.calls import Calls
from chatd.providers.dialects.chat.errors import reported
from chatd.providers.dialects.chat.extras import Extras, struck_filters
from chatd.providers.dialects.chat.frames import CallPiece, Choice, Chunk, Counted, Delta
from chatd.providers.dialects.chat.thoughts import Details, Tags, details_text
from chatd.providers.dialects.chat.usage import cost_micros, says_something, usage
from chatd.providers.events import (
    Failed,
    Finished,
    Refusal,
    Started,
    Stop,
    StreamEvent,
)
from chatd.providers.transport.frame_json import FrameDecoder

STOPS: Mapping[str, Stop] = {
    "stop": Stop.DONE,
    "eos": Stop.DONE,
    "end_turn": Stop.DONE,
    "length": Stop.LENGTH,
    "max_tokens": Stop.LENGTH,
    "content_filter": Stop.REFUSED,
    "safety": Stop.REFUSED,
    "tool_calls": Stop.TOOLS,
    "function_call": Stop.TOOLS,
    "tool_use": Stop.TOOLS,
}
_DONE = b"[DONE]"
# Frames of other names may be anything, and need not be JSON.
_CHUNK_NAMES = frozenset({b"", b"message", b"error"})
# The first of these that says something is believed; a server that uses two says the same in both.
_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
_read = FrameDecoder(Chunk)
_read_any: FrameDecoder[Json] = FrameDecoder(object)


class ChatDecoder:
    def __init__(self, target: Target, new_id: Callable[[], str]) -> None:
        self._skipped = 0
        self._quirks = target.quirks
        self._is_over = False
        self._is_started = False
        self._blocks = Blocks()
        self._calls = Calls(new_id)
        self._details = Details()
        self._tags: Tags | None = None
        self._extras = Extras(new_id)
        self._counted: Counted | None = None
        self._stop = ""
        self._category = ""
        self._beside: dict[str, Json] = {}

    @property
    def skipped(self) -> int:
        """How much was there that we do not know."""
        return self._skipped + self._extras.skipped

    def feed(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        if self._is_over:
            return
        try:
            chunk = _read.decode(data)
        except msgspec.DecodeError as error:
            self._unusual(name, data, error, out)
        else:
            self._take(chunk, name, out)

    def close(self, out: list[StreamEvent]) -> None:
        if self._is_over:
            return
        if self._stop:
            self._finish(out)
        else:
            self._fail(failures.broke_off(), out)

    def take_whole(self, chunk: Chunk, out: list[StreamEvent]) -> None:
        """An answer in one piece: its message is all there is, and it is complete."""
        self._take(chunk, b"", out)
        if not self._is_over:
            self._finish(out)

    def _unusual(self, name: bytes, data: bytes, error: Exception, out: list[StreamEvent]) -> None:
        """A frame that is no chunk."""
        if data.strip() == _DONE:
            self._done(out)
            return
        try:
            value = _read_any.decode(data)
        except msgspec.DecodeError:
            value = ...
        if name == b"error" and not isinstance(value, dict):
            self._fail(reported(value if isinstance(value, str) else data.decode("utf-8", "replace")), out)
            return
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            # Google's errors come in a list.
            value = value[0]
            if "error" in value:
                self._fail(reported(value["error"]), out)
                return
        if name not in _CHUNK_NAMES or not (value is ... or isinstance(value, dict)):
            self._skipped += 1
            return
        self._fail(failures.malformed(str(error)), out)

    def _take(self, chunk: Chunk, name: bytes, out: list[StreamEvent]) -> None:
        if not self._is_started and (chunk.id or chunk.model):
            self._start(chunk, out)
        if chunk.usage is not None and says_something(chunk.usage):
            self._counted = chunk.usage
        if chunk.error is not None:
            self._fail(reported(chunk.error), out)
            return
        choices = chunk.choices
        if not choices:
            self._take_other(chunk, name, out)
            return
        if chunk.x_groq is not None or chunk.prompt_filter_results is not None:
            self._take_other(chunk, name, out)
        for choice in choices:
            if choice.index:
                self._skipped += 1
            elif not self._is_over:
                self._choose(choice, out)

    def _take_other(self, chunk: Chunk, name: bytes, out: list[StreamEvent]) -> None:
        """What stands beside the choices, or in their place."""
        groq = chunk.x_groq
        if groq is not None and groq.error is not None:
            self._fail(reported(groq.error), out)
        elif groq is not None and says_something(groq.usage):
            self._counted = groq.usage
        elif chunk.prompt_filter_results:
            self._beside["prompt_filter_results"] = chunk.prompt_filter_results
        elif not chunk.choices and (chunk.object == "error" or name == b"error"):
            bare = {"message": chunk.message, "type": chunk.type, "code": chunk.code, "detail": chunk.detail}
            self._fail(reported(bare), out)
        elif not chunk.choices and chunk.usage is None:
            self._skipped += 1

    def _start(self, chunk: Chunk, out: list[StreamEvent]) -> None:
        self._is_started = True
        out.append(Started(str(chunk.id or ""), str(chunk.model or "")))
        if isinstance(chunk.provider, str) and chunk.provider:
            self._beside["provider"] = chunk.provider

    def _choose(self, choice: Choice, out: list[StreamEvent]) -> None:
        delta = choice.delta
        if delta is not None:
            self._say(delta, out)
        if choice.message is not None and not self._is_over:
            self._say_whole(choice.message, out, is_repeated=delta is not None)
        if choice.usage is not None and says_something(choice.usage):
            self._counted = choice.usage
        if choice.error is not None:
            self._fail(reported(choice.error), out)
        elif choice.finish_reason:
            self._stopped(choice, choice.finish_reason, out)

    def _say(self, delta: Delta, out: list[StreamEvent]) -> None:
        self._think(delta, out)
        content = delta.content
        if content:
            if delta.extra_content is not None or self._tags is not None:
                self._say_marked(content, delta.extra_content, out)
            elif isinstance(content, str):
                self._blocks.say(content, out)
            else:
                self._say_parts(content, out)
        if delta.refusal:
            self._blocks.refuse(delta.refusal, out)
        if delta.tool_calls is not None or delta.function_call is not None:
            self._call(delta, out)
            if self._is_over:
                return
        if delta.annotations is not None:
            self._extras.cite(delta.annotations, out)
        if delta.images is not None or delta.audio is not None:
            self._extras.show(delta, out)

    def _say_whole(self, message: Delta, out: list[StreamEvent], *, is_repeated: bool) -> None:
        """A message instead of a delta; or beside deltas, where it repeats what they have said."""
        if is_repeated or self._blocks or self._calls:
            self._extras.cite(message.annotations or [], out)
            return
        # Calls of a whole message have no index: each stands for itself.
        calls = [
            msgspec.structs.replace(call, index=place) for place, call in enumerate(message.tool_calls or [])
        ]
        self._say(msgspec.structs.replace(message, tool_calls=calls or None), out)

    def _think(self, delta: Delta, out: list[StreamEvent]) -> None:
        details = delta.reasoning_details
        if details:
            self._details.add(details)
        if delta.reasoning_content is None and delta.reasoning is None and delta.reasoning_text is None:
            if details and (words := details_text(details)):
                self._blocks.think(words, "reasoning_details", out)
            return
        present = [field for field in _THOUGHT_FIELDS if isinstance(getattr(delta, field), str)]
        for field in present:
            if words := getattr(delta, field):
                self._blocks.think(words, field, out)
                return
        if details and (words := details_text(details)):
            self._blocks.think(words, "reasoning_details", out)
        elif present and not (self._blocks or self._calls or delta.content):
            # There is nothing in it, and still there are servers that want it back.
            self._blocks.think("", present[0], out)

    def _say_marked(self, content: str | list[Json], extra: Json, out: list[StreamEvent]) -> None:
        """Google's endpoint says its thoughts as content."""
        google = extra.get("google") if isinstance(extra, dict) else None
        is_thought = isinstance(google, dict) and bool(google.get("thought"))
        if not isinstance(content, str) or (self._tags is None and not is_thought):
            self._say_parts(content, out)
            return
        if self._tags is None:
            self._tags = Tags()
        if is_thought:
            thought, words = self._tags.thought(content), ""
        else:
            thought, words = self._tags.answer(content)
        if thought:
            self._blocks.think(thought, "content", out)
        if words:
            self._blocks.say(words, out)

    def _say_parts(self, content: str | list[Json], out: list[StreamEvent]) -> None:
        for part in [content] if isinstance(content, str) else content:
            match part:
                case str(words) | {"type": "text", "text": str(words)}:
                    self._blocks.say(words, out)
                case {"type": "thinking", "thinking": list(pieces)}:
                    # Mistral.
                    if words := details_text(pieces):
                        self._blocks.think(words, "content", out)
                case _:
                    self._skipped += 1

    def _call(self, delta: Delta, out: list[StreamEvent]) -> None:
        pieces = delta.tool_calls or []
        if delta.function_call is not None:
            # The older form, with one call at most.
            pieces = [*pieces, CallPiece(index=0, function=delta.function_call)]
        for piece in pieces:
            if piece.type not in {None, "", "function"}:
                self._fail(failures.malformed(f"a tool call of the type {piece.type}"), out)
                return
            self._blocks.end(out)
            self._calls.take(piece, out)

    def _stopped(self, choice: Choice, reason: str, out: list[StreamEvent]) -> None:
        if reason == "error":
            self._fail(reported(None), out)
            return
        self._stop = self._stop or reason
        if STOPS.get(reason) is Stop.REFUSED:
            self._category = struck_filters(choice.content_filter_results)

    def _done(self, out: list[StreamEvent]) -> None:
        """The server says that this was all; without having said why, it must at least have said it whole."""
        if self._stop or (self._calls and self._calls.are_complete):
            self._finish(out)
        else:
            self._fail(failures.broke_off(), out)

    def _finish(self, out: list[StreamEvent]) -> None:
        if self._tags is not None and (rest := self._tags.rest()):
            self._blocks.think(rest, "content", out)
        self._blocks.end(out)
        self._extras.end(out)
        self._calls.end(out, cut_off=STOPS.get(self._stop) is Stop.LENGTH)
        if self._details.entries:
            self._beside["reasoning_details"] = self._details.entries
        stop = self._why()
        out.append(
            Finished(
                stop,
                usage(self._counted, self._quirks) if self._counted is not None else None,
                self._beside or None,
                Refusal(self._category, self._blocks.refusal) if stop is Stop.REFUSED else None,
                cost_micros(self._counted),
            )
        )
        self._is_over = True

    def _why(self) -> Stop:
        if self._blocks.refusal:
            return Stop.REFUSED
        stop = STOPS.get(self._stop, Stop.OTHER) if self._stop else Stop.DONE
        # Many servers say "stop" and mean: now call the tools.
        return Stop.TOOLS if self._calls and stop in {Stop.DONE, Stop.OTHER} else stop

    def _fail(self, error: ProviderError, out: list[StreamEvent]) -> None:
        if not self._is_over:
            self._is_over = True
            out.append(Failed(error))
