"""What a model was sent and what it answered, as JSON of our own instead of a provider's (pure).

Bounded: the newest messages count most, and of each part the beginning.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from chatd.domain.ids import MessageId
from chatd.domain.message import Draft, Message, text
from chatd.domain.part import Content, Json, Part
from chatd.kit.codec import encode_text
from chatd.kit.text import one_line, shortened
from chatd.providers.events import Stop
from chatd.providers.model import Named, Request, ToolSpec
from chatd.records.run import FIRST_MESSAGE_CHARACTERS_MAX
from chatd.records.secrets import Hide, safe_json

PART_CHARACTERS_MAX = 10_000
REPLY_CHARACTERS_MAX = 50_000
# Of all messages together, and of the tools.
MESSAGES_CHARACTERS_MAX = 100_000
TOOLS_CHARACTERS_MAX = 50_000
MESSAGES_MAX = 500

_MORE = re.compile(r"… \[left out: (?P<count>\d{1,12}) more characters\]\Z")


def request_as_json(request: Request, hide: Hide, *, earlier: int = 0) -> Json:
    """Everything that the model was to know. Some earlier messages may be missing already."""
    messages, left_out = _messages([*request.messages, *request.then], hide)
    rendered: dict[str, Json] = {
        "system": [_cut(hide(words), PART_CHARACTERS_MAX) for words in request.system],
        "messages": messages,
        "tools": _tools(request.tools, hide),
    }
    options = {
        "tool_choice": {"tool": choice.tool} if isinstance(choice := request.tool_choice, Named) else choice,
        "effort": request.effort,
        "max_output_tokens": request.max_output_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "response_format": request.response_format.type if request.response_format is not None else None,
        "earlier_messages_left_out": earlier + left_out or None,
    }
    return rendered | {name: value for name, value in options.items() if value is not None}


def reply_as_json(draft: Draft | None, stop: Stop, hide: Hide) -> Json:
    """What the model said, perhaps nothing, and why it said no more."""
    content = draft.content if draft is not None else ()
    return {"content": _content(content, hide, REPLY_CHARACTERS_MAX), "stop": stop}


def first_words(messages: Sequence[Message], message_id: MessageId, hide: Hide) -> str:
    """What the user said that the turn answers, in a line."""
    said = next((each for each in reversed(messages) if each.id == message_id), None)
    if said is None:
        return ""
    # Cut once before, since it may be very long; and with room for a key that would be cut in two.
    words = one_line(hide(text(said)[:PART_CHARACTERS_MAX]))
    return shortened(words, FIRST_MESSAGE_CHARACTERS_MAX)


def _messages(messages: Sequence[Message], hide: Hide) -> tuple[list[Json], int]:
    """The newest ones, in order, and how many are left out."""
    kept: list[Json] = []
    room = MESSAGES_CHARACTERS_MAX
    for message in reversed(messages):
        content = _content(message.content, hide, PART_CHARACTERS_MAX)
        room -= len(encode_text(content))
        if room < 0:
            break
        kept.append({"id": message.id, "role": message.role, "content": content})
    return kept[::-1], len(messages) - len(kept)


def _content(content: Content, hide: Hide, characters_max: int) -> list[Json]:
    return [_part(part, hide, characters_max) for part in content]


def _part(part: Part, hide: Hide, characters_max: int) -> Json:
    fields: dict[str, Json] = msgspec.to_builtins(part)
    return {name: _bounded(value, characters_max) for name, value in safe_json(fields, hide).items()}


def _bounded(value: Json, characters_max: int) -> Json:
    if isinstance(value, str):
        return _cut(value, characters_max)
    written = encode_text(value)
    return value if len(written) <= characters_max else _cut(written, characters_max)


def _tools(tools: Iterable[ToolSpec], hide: Hide) -> Json:
    whole = [safe_json(msgspec.to_builtins(tool), hide) for tool in tools]
    if len(encode_text(whole)) <= TOOLS_CHARACTERS_MAX:
        return whole
    return [{"name": tool["name"]} for tool in whole]


def length_of(words: str) -> int:
    """How long a text was before it was cut."""
    cut = _MORE.search(words)
    return cut.start() + int(cut["count"]) if cut is not None else len(words)


def _cut(words: str, characters_max: int) -> str:
    if len(words) <= characters_max:
        return words
    return f"{words[:characters_max]}… [left out: {len(words) - characters_max} more characters]"
