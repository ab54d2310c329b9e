"""A history as Converse wants it: messages of user and assistant that alternate (pure)."""

import hashlib
from collections.abc import Sequence

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Written
from chatd.providers.dialects.converse.files import file_block
from chatd.providers.dialects.shared.system_words import marked_as_system
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, Thought, WireTurn

_CALL_ID_CHARACTERS_MAX = 64
_MARKED_MESSAGES = 2

_ONLY_THOUGHTS = "(This reply ended before anything was said.)"
_NO_OUTPUT = "(no output)"
# A document may not come without a word.
_SEE_DOCUMENT = "(See the attached document.)"

CACHE_POINT = {"cachePoint": {"type": "default"}}


def write_turns(turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
    script = _Script()
    for turn in turns:
        if turn.role == "assistant":
            script.assistant(turn)
        else:
            script.user(turn)
    script.end()
    if newest and target.quirks.cache_marks:
        users = [message for message in script.messages if message["role"] == "user"]
        for message in users[-_MARKED_MESSAGES:]:
            message["content"].append(CACHE_POINT)
    return Written(script.messages, tuple(script.warnings))


class _Script:
    def __init__(self) -> None:
        self.messages: list[dict[str, Json]] = []
        self.warnings: list[str] = []
        self._role = ""
        self._blocks: list[Json] = []

    def assistant(self, turn: WireTurn) -> None:
        self._turn_to("assistant")
        for part in turn.parts:
            match part:
                case SaidText(text=text) if text.strip():
                    self._blocks.append({"text": text})
                case Thought(text=text, internal=dict(kept)):
                    self._blocks.append({"reasoningContent": _reasoning(text, kept)})
                case Called():
                    self._blocks.append({"toolUse": _call(part)})
                case Returned(provider_executed=True):
                    self._blocks.append({"toolResult": _server_result(part)})
                case _:
                    # Unsigned thoughts, and files: models refuse both.
                    pass

    def user(self, turn: WireTurn) -> None:
        self._turn_to("user")
        for part in turn.parts:
            match part:
                case Returned():
                    self._blocks.append({"toolResult": self._result(part)})
                case SaidText(text=text) if text.strip():
                    self._blocks.append({"text": marked_as_system(text) if turn.role == "system" else text})
                case Attachment():
                    self._blocks.append(self._file(part))
                case _:
                    self.warnings.append("Something that only a model can say was left out of a user's turn")

    def end(self) -> None:
        """Write down the message that is being made."""
        while self._blocks and "reasoningContent" in self._blocks[-1]:
            # A reply must not end with thoughts.
            self._blocks.pop()
        if self._role == "assistant" and not self._blocks:
            # Left out, it would put two messages of the user side by side.
            self.warnings.append("A reply of nothing but thoughts was replaced by a note")
            self._blocks.append({"text": _ONLY_THOUGHTS})
        if any("document" in block for block in self._blocks) and not any(
            "text" in block for block in self._blocks
        ):
            self._blocks.append({"text": _SEE_DOCUMENT})
        if self._blocks:
            self.messages.append({"role": self._role, "content": self._blocks})
        self._blocks = []

    def _turn_to(self, role: str) -> None:
        if role != self._role:
            self.end()
            self._role = role

    def _file(self, file: Attachment) -> Json:
        block = file_block(file)
        if block is None:
            self.warnings.append(f"A file of type {file.media_type} was left out: Converse does not take it")
            return {"text": f"(A file of type {file.media_type} could not be shown.)"}
        return block

    def _result(self, result: Returned) -> Json:
        content = [*_output(result.output), *(self._file(file) for file in result.attachments)]
        written: dict[str, Json] = {
            "toolUseId": _call_id(result.id),
            "content": content or [{"text": _NO_OUTPUT}],
        }
        # Only some models know the word for success, and none needs it.
        if result.is_error:
            written["status"] = "error"
        return written


def _output(output: Json) -> list[Json]:
    if isinstance(output, dict):
        return [{"json": output}]
    text = output if isinstance(output, str) else codec.encode_text(output)
    return [{"text": text}] if output is not None and text.strip() else []


def _reasoning(text: str, kept: dict[str, Json]) -> Json:
    if "redacted" in kept:
        return {"redactedContent": kept["redacted"]}
    return {"reasoningText": {"text": text, **kept}}


def _call(call: Called) -> Json:
    written: dict[str, Json] = {"toolUseId": _call_id(call.id), "name": call.tool, "input": call.args}
    if call.provider_executed and isinstance(call.internal, dict):
        written |= call.internal
    return written


def _server_result(result: Returned) -> Json:
    kept = result.internal if isinstance(result.internal, dict) else {}
    content = result.output if isinstance(result.output, list) else _output(result.output)
    written: dict[str, Json] = {"toolUseId": _call_id(result.id), "content": content}
    return written | {key: value for key, value in kept.items() if value is not None}


def _call_id(call_id: str) -> str:
    """The id, or something short that stands for it, the same for a call and its result."""
    if len(call_id) <= _CALL_ID_CHARACTERS_MAX:
        return call_id
    return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
