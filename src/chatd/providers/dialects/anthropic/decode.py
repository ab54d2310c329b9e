"""The frames of an answer become events (pure).

An answer is a list of blocks between two frames that tell of the whole message; what makes a block grow
names it by its index. The answer is complete when a frame has said why the model stopped and another that
this was all; anything less broke off. What we do not know is passed over and counted.
"""

from collections.abc import Callable, Mapping

import msgspec

from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.dialects.anthropic import frames
from chatd.providers.dialects.anthropic.answer_blocks import AnswerState, Block, Thinking, begin, is_known
from chatd.providers.dialects.anthropic.opaque import PAUSED
from chatd.providers.dialects.anthropic.usage import Tally
from chatd.providers.events import Failed, Finished, Refusal, Started, Stop, StreamEvent
from chatd.providers.transport.frame_json import FrameDecoder

STOPS: Mapping[str, Stop] = {
    "end_turn": Stop.DONE,
    "stop_sequence": Stop.DONE,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "tool_use": Stop.TOOLS,
    "pause_turn": Stop.PAUSED,
    "refusal": Stop.REFUSED,
    # Bedrock's words.
    "content_filtered": Stop.REFUSED,
    "guardrail_intervened": Stop.REFUSED,
}

_DELTAS = {"text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta"}

_delta = FrameDecoder(frames.BlockDelta).decode
_odd_delta = FrameDecoder(frames.OddDelta).decode
_block_start = FrameDecoder(frames.BlockStart).decode
_block_stop = FrameDecoder(frames.BlockStop).decode
_typed = FrameDecoder(frames.Typed).decode
_message_start = FrameDecoder(frames.MessageStart).decode
_message_delta = FrameDecoder(frames.MessageDelta).decode
_error = FrameDecoder(frames.Error).decode


class MessageDecoder:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self.skipped = 0
        # How full the window is after the answer; known at its end, if at all.
        self._answer = AnswerState(new_id)
        self._blocks: dict[int, Block] = {}
        self._tally = Tally()
        self._over = False
        self._stop_reason = ""
        self._refusal = Refusal()

    def feed(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        if self._over:
            return
        try:
            if name == b"content_block_delta":
                self._grow_block(data, out)
            else:
                self._take(name, data, out)
        except msgspec.DecodeError as error:
            self._fail(failures.malformed(f"{name.decode('utf-8', 'replace')}: {error}"), out)

    def close(self, out: list[StreamEvent]) -> None:
        if not self._over:
            self._fail(failures.broke_off(), out)

    def _take(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        match name or _name_inside(data):
            case b"content_block_delta":
                self._grow_block(data, out)
            case b"content_block_start":
                self._start_block(data, out)
            case b"content_block_stop":
                self._stop_block(data, out)
            case b"message_start":
                self._start_message(data, out)
            case b"message_delta":
                self._hear_why(data)
            case b"message_stop":
                self._finish(data, out)
            case b"error":
                problem = _error(data).error
                self._fail(failures.in_stream(type_=problem.type or "", message=problem.message or ""), out)
            case b"ping":
                pass
            case _:
                self.skipped += 1

    def _grow_block(self, data: bytes, out: list[StreamEvent]) -> None:
        try:
            frame = _delta(data)
        except msgspec.ValidationError:
            # A delta that we do not know may have anything in it.
            if _odd_delta(data).delta.type in _DELTAS:
                raise
            self.skipped += 1
            return
        block = self._blocks.get(frame.index)
        if block is None or not block.grow(frame.delta, out):
            self.skipped += 1

    def _start_block(self, data: bytes, out: list[StreamEvent]) -> None:
        frame = _block_start(data)
        if not is_known(frame.content_block):
            self.skipped += 1
            return
        self._answer.bare_call.settle(out)
        # Thoughts end before what follows them begins, even where a gateway forgot to say so.
        over = [i for i, block in self._blocks.items() if i == frame.index or isinstance(block, Thinking)]
        for index in over:
            self._blocks.pop(index).end(out)
        self._blocks[frame.index] = begin(frame.index, frame.content_block, self._answer, out)

    def _stop_block(self, data: bytes, out: list[StreamEvent]) -> None:
        block = self._blocks.pop(_block_stop(data).index, None)
        if block is None:
            self.skipped += 1
        else:
            block.end(out)

    def _start_message(self, data: bytes, out: list[StreamEvent]) -> None:
        message = _message_start(data).message
        self._count(message.usage)
        out.append(Started(message.id or "", message.model or ""))

    def _hear_why(self, data: bytes) -> None:
        frame = _message_delta(data)
        self._count(frame.usage)
        self._stop_reason = frame.delta.stop_reason or self._stop_reason
        if (details := frame.delta.stop_details) is not None:
            self._refusal = Refusal(details.category or "", details.explanation or "")

    def _finish(self, data: bytes, out: list[StreamEvent]) -> None:
        _typed(data)
        if not self._stop_reason:
            # Not complete: `close` reports it.
            return
        stop = STOPS.get(self._stop_reason, Stop.OTHER)
        for block in self._blocks.values():
            block.end(out)
        self._answer.bare_call.settle(out, cut_off=stop is Stop.LENGTH)
        self._over = True
        out.append(
            Finished(
                stop,
                self._tally.usage(provider_ran_tools=self._answer.provider_ran_tools),
                internal={PAUSED: True} if stop is Stop.PAUSED else None,
                refusal=self._refusal if stop is Stop.REFUSED else None,
            )
        )

    def _count(self, usage: msgspec.Raw) -> None:
        if not self._tally.take(usage):
            self.skipped += 1

    def _fail(self, error: ProviderError, out: list[StreamEvent]) -> None:
        self._over = True
        out.append(Failed(error))


def _name_inside(data: bytes) -> bytes:
    # Some gateways end as another dialect does; it says nothing about this answer.
    return b"ping" if data.strip() == b"[DONE]" else _typed(data).type.encode("utf-8", "replace")
