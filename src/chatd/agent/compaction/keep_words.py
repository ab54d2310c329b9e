"""The user's newest messages stay as they were said, beside the summary (pure).

A summary is what a model made of them. The message that began the turn is always kept; of one that is longer
than a third of the context the middle is left out.
"""

from collections.abc import Iterable, Sequence

from chatd.agent.compaction.fit import fit
from chatd.domain.ids import MessageId
from chatd.domain.message import Message, Role, Visibility
from chatd.domain.part import Content, HookNotice, Part, Text

# Of the context, for what is kept; and for the message that began the turn alone.
KEPT_PERCENT = 20
TURN_START_PERCENT = 35
# When the context limit is unknown.
KEPT_TOKENS_UNKNOWN = 4_000

BEFORE_WORDS = "\n\n[What the user has said lately, word for word. Message {message_id}:]\n"
BEFORE_MORE_WORDS = "\n\n[Message {message_id} of the user:]\n"


def newest_words(
    messages: Sequence[Message], turn_start: MessageId, context_limit: int
) -> tuple[Message, ...]:
    """The user's newest messages that there is room for, oldest first. `context_limit` is in our tokens."""
    limit = context_limit or KEPT_TOKENS_UNKNOWN * 100 // KEPT_PERCENT
    left = limit * KEPT_PERCENT // 100
    kept: list[Message] = []
    is_full = False
    for message in reversed(messages):
        if not _is_users(message):
            continue
        if message.id == turn_start:
            [shown] = fit([message], limit * TURN_START_PERCENT // 100)
            kept.append(shown)
            left -= shown.tokens
        elif not is_full and message.tokens <= left:
            kept.append(message)
            left -= message.tokens
        else:
            is_full = True
        if is_full and message.id <= turn_start:
            break
    return tuple(reversed(kept))


def as_content(kept: Iterable[Message]) -> Content:
    """To be said behind a summary, as parts of the same message."""
    parts: list[Part] = []
    for message in kept:
        before = BEFORE_MORE_WORDS if parts else BEFORE_WORDS
        parts.append(Text(text=before.format(message_id=message.id)))
        parts += (part for part in message.content if not isinstance(part, HookNotice))
    return tuple(parts)


def _is_users(message: Message) -> bool:
    return message.role is Role.USER and not message.compressed and message.visibility is not Visibility.MODEL
