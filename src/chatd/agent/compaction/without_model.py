"""A summary that no model has made (pure): so that a chat goes on when every summarizer fails.

It has what can be told without understanding: what was known before, what the user said, what the agent did
step by step, and what the newest results were. All of it in a bounded number of bytes.
"""

from collections.abc import Sequence

from chatd.agent.compaction.listed import listed
from chatd.domain.message import Message, Role, text
from chatd.domain.part import Text, ToolCall, ToolResult
from chatd.domain.usage.size import BYTES_PER_TOKEN
from chatd.kit.codec import encode_text
from chatd.kit.text import shortened
from chatd.tools.calls.truncate import truncated

# Of the context, for all of it; and its bytes when the limit is unknown.
SHARE_PERCENT = 20
BYTES_UNKNOWN = 32 * 1024
BYTES_MIN = 1024
# Of these bytes, for each of: what was known before, the user's words, the steps, the newest results.
SHARES_PERCENT = (30, 30, 25, 15)
STEPS_MAX = 200
RESULTS_MAX = 5
TITLE_CHARACTERS_MAX = 160
ARGUMENTS_CHARACTERS_MAX = 120

ABOUT = "No model could summarize the conversation, so this is made of its own words."


def summary_without_model(messages: Sequence[Message], context_limit: int, *, said_so_far: str = "") -> str:
    """`said_so_far` is what a model said before it was cut off."""
    bytes_max = context_limit * SHARE_PERCENT // 100 * BYTES_PER_TOKEN if context_limit else BYTES_UNKNOWN
    known, users, steps, results = (max(BYTES_MIN, bytes_max) * share // 100 for share in SHARES_PERCENT)
    sections = (
        ("What was known before", truncated(_known_before(messages, said_so_far), known)),
        ("What the user said", listed(_users_words(messages), users)),
        ("What the agent did, step by step", listed(_steps(messages), steps)),
        ("The newest results", listed(_results(messages), results)),
    )
    texts = (f"{title}:\n{words}" for title, words in sections if words)
    return "\n\n".join((ABOUT, *texts))


def _known_before(messages: Sequence[Message], said_so_far: str) -> str:
    """With the words of the last summary, and what was kept beside it."""
    known = (said_so_far, *(text(message) for message in messages if message.compressed))
    return "\n\n".join(filter(None, known))


def _users_words(messages: Sequence[Message]) -> list[str]:
    said = (m for m in messages if m.role is Role.USER and not m.compressed)
    return [words for message in said if (words := text(message).strip())]


def _steps(messages: Sequence[Message]) -> list[str]:
    return [_title(m) for m in messages if m.role is Role.ASSISTANT][-STEPS_MAX:]


def _title(message: Message) -> str:
    """The first line of what was said, and the calls that were made."""
    words = "".join(part.text for part in message.content if isinstance(part, Text)).strip()
    first_line = shortened(words.partition("\n")[0], TITLE_CHARACTERS_MAX)
    calls = (
        f"{part.tool_name} {shortened(encode_text(part.args), ARGUMENTS_CHARACTERS_MAX)}"
        for part in message.content
        if isinstance(part, ToolCall)
    )
    return "; ".join(filter(None, (first_line, *calls)))


def _results(messages: Sequence[Message]) -> list[str]:
    found = (
        f"{part.tool_name}: {part.result if isinstance(part.result, str) else encode_text(part.result)}"
        for message in reversed(messages)
        for part in message.content
        if isinstance(part, ToolResult) and not part.is_media
    )
    newest = [result for _, result in zip(range(RESULTS_MAX), found, strict=False)]
    return newest[::-1]
