"""What an advisor is shown of a chat (pure).

It has no tools, so that calls and results are told as notes: providers refuse results without calls, and a
model that sees the syntax of calls imitates it instead of answering. Of what was said, the newest messages
are shown, without a gap. The step that asks has a budget of its own: however long it is, it takes no room
from what was said before, and the other way round.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.advisor.words import GUIDANCE, ROLE
from chatd.domain.message import Message, Role, text
from chatd.domain.part import File, FileReference, Part, Reasoning, Text, ToolCall, ToolResult
from chatd.kit.codec import as_text, encode
from chatd.providers.model import question as asked
from chatd.tools.calls.truncate import truncated

# For the prompts of the agent, and for what was said: so many bytes each, or more for a larger context.
BYTES_MIN = 12_000
BYTES_MAX = 64_000
_SHARE_OF_CONTEXT = 10
_BYTES_PER_TOKEN = 3
# How many messages, by what there is room for: 20 in the smallest budget.
_BYTES_PER_MESSAGE = 600
# Of the step that asks: the end of its words, and of its thoughts.
STEP_CHARACTERS_MAX = 4000
# What a note tells of one call: of the budget for what was said, for its result and for its arguments.
_SHARE_OF_RESULT = 3
_SHARE_OF_ARGUMENTS = 12

LEFT_OUT = "[What was said before this is left out.]"


class HandOff(Struct, frozen=True, kw_only=True):
    system: tuple[str, ...]
    messages: tuple[Message, ...]


def hand_off(
    prompts: Sequence[str], history: Sequence[Message], asking: Message | None, question: str, *, context: int
) -> HandOff:
    """`history` is what was said before the step that asks, `context` the advisor's limit; 0: unknown."""
    bytes_max = budget(context)
    said = [message for message in history if message.role is not Role.SYSTEM]
    system = [text(message) for message in history if message.role is Role.SYSTEM]
    inherited = _fitting([words for words in (*system, *prompts) if words != GUIDANCE], bytes_max)
    newest = _newest(said, bytes_max)
    step = _step(asking) if asking is not None else ()
    return HandOff(system=(*inherited, ROLE), messages=(*newest, *step, asked(question)))


def budget(context: int) -> int:
    """How many bytes, for an advisor whose context has so many tokens."""
    return min(BYTES_MAX, max(BYTES_MIN, context * _BYTES_PER_TOKEN // _SHARE_OF_CONTEXT))


def _fitting(texts: Sequence[str], bytes_max: int) -> Iterable[str]:
    """As many as fit, the newest first, in their order. One that is too long is passed over."""
    kept: list[str] = []
    left = bytes_max
    for words in reversed(texts):
        size = len(encode(words))
        if size <= left:
            kept.append(words)
            left -= size
    return reversed(kept)


def _newest(said: Sequence[Message], bytes_max: int) -> Sequence[Message]:
    """As many of the newest messages as fit, up to the first one that does not."""
    window = said[-(bytes_max // _BYTES_PER_MESSAGE) :]
    shown: list[Message] = []
    left, count = bytes_max, 0
    for messages in reversed([*_without_calls(window, bytes_max)]):
        left -= sum(len(encode(message.content)) for message in messages)
        if left < 0:
            break
        shown[:0] = messages
        count += 1
    if count == len(said) or not said:
        return shown
    return [replace(said[0], role=Role.USER, content=(Text(text=LEFT_OUT),), internal=None), *shown]


def _without_calls(window: Sequence[Message], bytes_max: int) -> Iterator[list[Message]]:
    """What each message becomes: itself without calls, and a note for each result."""
    # By its id, the nearest call before a result: some servers use ids again.
    calls: dict[str, ToolCall] = {}
    for message in window:
        calls |= {part.tool_call_id: part for part in message.content if isinstance(part, ToolCall)}
        words = tuple(said for part in message.content if (said := _words(part)) is not None)
        shown = [replace(message, content=words, internal=None)] if words else []
        for part in message.content:
            if isinstance(part, ToolResult):
                note = Text(text=_note(part, calls.get(part.tool_call_id), bytes_max))
                shown.append(replace(message, role=Role.USER, content=(note,), internal=None))
        # A file that a tool has attached stands beside its result.
        yield [replace(each, role=Role.USER) if each.role is Role.TOOL else each for each in shown]


def _words(part: Part) -> Part | None:
    match part:
        case Text(text=words) if words.strip():
            return part
        case Reasoning(text=words) if words.strip():
            return Text(text=_thought(words))
        case FileReference():
            return part
        case File(media_type=media_type, name=name):
            return Text(text=f"[A file is attached here: {name or 'without a name'}, {media_type}.]")
        case _:
            return None


def _thought(words: str) -> str:
    return f"[The agent thought: {words}]"


def _note(result: ToolResult, call: ToolCall | None, bytes_max: int) -> str:
    name = result.tool_name or (call.tool_name if call is not None else "a tool")
    given = f" with {truncated(as_text(call.args), bytes_max // _SHARE_OF_ARGUMENTS)}" if call else ""
    how = "It failed" if result.is_error else "It returned"
    output = truncated(_described(result), bytes_max // _SHARE_OF_RESULT)
    return f"[The agent called {name}{given}. {how}:\n{output}]"


def _described(result: ToolResult) -> str:
    """Pictures and the like by what they are, and the words about them."""
    value = result.result
    if result.is_media and isinstance(value, dict):
        return f"(something of the type {value.get('mime_type', 'unknown')}) {value.get('text', '')}".strip()
    match value:
        case {"error": str(words)} if result.is_error:
            return words
        case {"output": str(words)} if len(value) == 1:
            return words
        case _:
            return as_text(value)


def _step(asking: Message) -> tuple[Message, ...]:
    """The step that asks, without its call."""
    thoughts = "".join(part.text for part in asking.content if isinstance(part, Reasoning)).strip()
    words = text(asking).strip()
    said = []
    if thoughts:
        said.append(Text(text=_thought(thoughts[-STEP_CHARACTERS_MAX:])))
    if words:
        said.append(Text(text=words[-STEP_CHARACTERS_MAX:]))
    return (replace(asking, content=tuple(said), internal=None),) if said else ()
