"""Turns become messages of Chat Completions (pure)."""

from collections.abc import Mapping, Sequence

from chatd.domain.part import Json
from chatd.kit.codec import encode_text
from chatd.providers.capabilities.target import Quirks, Target
from chatd.providers.dialect import Written
from chatd.providers.dialects.chat.files import file_part, text_part
from chatd.providers.dialects.chat.ids import wire_id
from chatd.providers.dialects.shared.system_words import marked_as_system
from chatd.providers.request.wire_turn import (
    Attachment,
    Called,
    Returned,
    SaidText,
    Thought,
    TurnPart,
    WireTurn,
)

# Google checks the signatures of calls, and says that this one is to be let through.
UNSIGNED = "skip_thought_signature_validator"
CACHE_MARK: Mapping[str, str] = {"type": "ephemeral"}
# With the one on the system's words, fewer than the four that are allowed.
MARKED_MESSAGES = 2

# What an assistant says where it has to say something.
_NOTED = "Noted."
# Of others' thoughts nothing is told; but DeepSeek takes a text of no length for none at all.
_NO_THOUGHT = " "
_NOTHING = "(The tool returned nothing.)"
_SHOWN_BELOW = "(The result is shown in the next message.)"
_NOT_SHOWN = "(The result cannot be shown to this model.)"
_FIELDS_OF_THOUGHTS = frozenset({"reasoning_content", "reasoning"})


def write_turns(turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
    writer = _Writer(target)
    for turn in turns:
        writer.add(turn)
    writer.show_media()
    if newest and target.quirks.cache_marks:
        _mark(writer.messages)
    return Written(writer.messages, tuple(writer.warnings))


def system_role(target: Target) -> str:
    """How the system's words are sent: by whom, or "merged" into the user's, or "none"."""
    if target.quirks.system_role != "system":
        return target.quirks.system_role
    role = target.abilities.system
    # Only OpenAI is sure to know this role.
    return "system" if role == "developer" and target.type not in {"openai", "azure"} else role


def marked(content: Json) -> list[Json]:
    """The content with a mark for caching on its last part. Only a list of parts can carry one."""
    parts = _parts(content)
    return [*parts[:-1], {**parts[-1], "cache_control": CACHE_MARK}]


class _Writer:
    def __init__(self, target: Target) -> None:
        self.messages: list[dict[str, Json]] = []
        self.warnings: list[str] = []
        self._target = target
        self._quirks = target.quirks
        self._system = system_role(target)
        # What tools have shown: it follows when all of them have answered.
        self._media: list[tuple[Returned, Attachment]] = []

    def add(self, turn: WireTurn) -> None:
        if turn.role != "tool":
            self.show_media()
        match turn.role:
            case "system":
                self._add_system(turn)
            case "user":
                self._add_user(self._content(turn.parts))
            case "assistant":
                self._add_assistant(turn)
            case "tool":
                for part in turn.parts:
                    if isinstance(part, Returned) and not part.provider_executed:
                        self._add_result(part)

    def show_media(self) -> None:
        """Files of results, which only a user's message can hold, all in one."""
        shown = self._media
        self._media = []
        parts: list[TurnPart] = []
        for result, file in shown:
            parts += [SaidText(f"From the result of {result.tool} ({self._id(result.id)}):"), file]
        self._add_user(self._content(parts))

    def _add_system(self, turn: WireTurn) -> None:
        words = "\n".join(part.text for part in turn.parts if isinstance(part, SaidText))
        if not words.strip():
            self.warnings.append("A system message without words was left out.")
        elif self._system == "none":
            self.warnings.append("The model takes no system messages; one was left out.")
        elif self._system == "merged":
            self._add_user(marked_as_system(words))
        else:
            self.messages.append({"role": self._system, "content": words})

    def _add_user(self, content: Json) -> None:
        if not content:
            return
        last = self.messages[-1] if self.messages else None
        if self._system == "merged" and last is not None and last["role"] == "user":
            # Templates that know no system insist on roles taking turns, too.
            last["content"] = joined(last["content"], content)
            return
        if self._quirks.no_user_after_tool and last is not None and last["role"] == "tool":
            self.messages.append({"role": "assistant", "content": _NOTED})
        self.messages.append({"role": "user", "content": content})

    def _content(self, parts: Sequence[TurnPart]) -> Json:
        """A string if there is only one text, which all servers take; else a list."""
        content: list[dict[str, Json]] = []
        for part in parts:
            match part:
                case SaidText(text=text) if text.strip():
                    content.append(text_part(text))
                case Attachment():
                    content += self._file(part, len(content) + 1)
                case _:
                    pass
        if self._quirks.string_content_only:
            return "\n".join(part["text"] for part in content)
        return content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content

    def _file(self, file: Attachment, number: int) -> list[dict[str, Json]]:
        part = file_part(file, number)
        if part is not None and (part["type"] == "text" or not self._quirks.string_content_only):
            return [part]
        self.warnings.append(f"{file.name or 'A file'} was left out: it cannot be sent as {file.media_type}.")
        return []

    def _add_assistant(self, turn: WireTurn) -> None:
        words = _words(turn.parts)
        calls = [
            self._call(part) for part in turn.parts if isinstance(part, Called) and not part.provider_executed
        ]
        if not words and not calls:
            self.warnings.append("A reply without words and calls was left out.")
            return
        message: dict[str, Json] = {"role": "assistant", "content": words or None}
        message |= _thoughts(turn, self._quirks)
        if calls:
            message["tool_calls"] = calls
        self.messages.append(message)

    def _call(self, call: Called) -> dict[str, Json]:
        function = {"name": call.tool, "arguments": encode_text(call.args)}
        written: dict[str, Json] = {"id": self._id(call.id), "type": "function", "function": function}
        if self._quirks.gemini_compat:
            written["extra_content"] = _signed(call)
        return written

    def _add_result(self, result: Returned) -> None:
        words = result.output if isinstance(result.output, str) else encode_text(result.output)
        words = "" if result.output is None else words
        shown = [file for file in result.attachments if self._can_show(file)]
        self._media += [(result, file) for file in shown]
        if not words.strip():
            words = _SHOWN_BELOW if shown else _NOT_SHOWN if result.attachments else _NOTHING
        self.messages.append({"role": "tool", "tool_call_id": self._id(result.id), "content": words})

    def _can_show(self, file: Attachment) -> bool:
        if file_part(file, 1) is not None and not self._quirks.string_content_only:
            return True
        self.warnings.append(f"A result of the type {file.media_type} cannot be shown to this model.")
        return False

    def _id(self, call_id: str) -> str:
        return wire_id(call_id, self._quirks.tool_id_style)


def joined(before: Json, after: Json) -> Json:
    """Two contents as one."""
    if isinstance(before, str) and isinstance(after, str):
        return f"{before}\n\n{after}"
    return [*_parts(before), *_parts(after)]


def _parts(content: Json) -> list[Json]:
    return [text_part(content)] if isinstance(content, str) else [*content]


def _words(parts: Sequence[TurnPart]) -> str:
    """All that was said. Texts in a row are one; a call between them is a pause."""
    words = ""
    is_apart = False
    for part in parts:
        if isinstance(part, SaidText):
            words += f"\n\n{part.text}" if words and is_apart else part.text
            is_apart = False
        else:
            is_apart = is_apart or isinstance(part, Called | Returned)
    return words if words.strip() else ""


def _thoughts(turn: WireTurn, quirks: Quirks) -> dict[str, Json]:
    """What the model thought, in the field where its server looks for it."""
    field: str = quirks.reasoning_field
    if field == "reasoning_details":
        details = turn.internal.get("reasoning_details") if isinstance(turn.internal, dict) else None
        return {"reasoning_details": details} if details else {}
    thoughts = [part for part in turn.parts if isinstance(part, Thought)]
    if field == "none" or not (thoughts or quirks.reasoning_required):
        return {}
    if field == "same":
        internal = thoughts[0].internal if thoughts else None
        field = internal.get("field", "") if isinstance(internal, dict) else ""
        if field not in _FIELDS_OF_THOUGHTS:
            return {}
    text = "".join(thought.text for thought in thoughts)
    if not text and quirks.reasoning_required:
        text = _NO_THOUGHT
    return {field: text} if text or quirks.replay_empty_reasoning else {}


def _signed(call: Called) -> Json:
    """What Google wants to see on every call: its own signature, or a word that stands for a missing one."""
    extra = call.internal.get("extra_content") if isinstance(call.internal, dict) else None
    google = extra.get("google") if isinstance(extra, dict) else None
    if isinstance(google, dict) and google.get("thought_signature"):
        return extra
    return {"google": {"thought_signature": UNSIGNED}}


def _mark(messages: Sequence[dict[str, Json]]) -> None:
    """Marks for prompt caching, on the last messages that are not the model's own."""
    others = [message for message in messages if message["role"] in {"user", "tool"}]
    for message in others[-MARKED_MESSAGES:]:
        message["content"] = marked(message["content"])
