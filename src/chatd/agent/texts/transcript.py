"""What was said in a chat, as a short text for a model that is to write about it (pure)."""

from collections.abc import Iterable, Sequence

from chatd.domain.message import Message, Role, text

# Of all that a model is told, in characters.
TITLE_CHARACTERS_MAX = 6000
LABEL_CHARACTERS_MAX = 4000
SUMMARY_CHARACTERS_MAX = 16_000
SUMMARY_MESSAGE_CHARACTERS_MAX = 4000
# About less there is nothing to sum up.
SUMMARY_CHARACTERS_MIN = 200
# A title is about how the chat began, and what it has come to.
TITLE_TURNS = 3

LEFT_OUT = "\n[…]\n"
_SPEAKERS = {Role.USER: "User", Role.ASSISTANT: "Agent"}


def for_title(messages: Sequence[Message]) -> str:
    """The first turn and the last ones. Each has its share, so that a long paste hides no other turn."""
    turns = _turns(messages)
    chosen = [*turns[:1], *turns[1:][-TITLE_TURNS:]]
    share = TITLE_CHARACTERS_MAX // max(1, len(chosen))
    return "\n\n".join(head_and_tail(_written(turn), share - 2) for turn in chosen)


def for_label(messages: Sequence[Message]) -> str:
    """What the user wanted in the last turn, and the last that the agent said."""
    turn = next(iter(_turns(messages)[-1:]), [])
    asked = [message for message in turn if message.role is Role.USER]
    said = [message for message in turn if message.role is Role.ASSISTANT][-1:]
    if not said:
        return ""
    half = LABEL_CHARACTERS_MAX // 2
    return "\n\n".join(head_and_tail(_written(each), half - 2) for each in (asked, said) if each)


def for_summary(messages: Sequence[Message]) -> str:
    """All that is at hand; of each message and of all the beginning and the end. Empty: too little."""
    written = _written(messages, each_max=SUMMARY_MESSAGE_CHARACTERS_MAX)
    return head_and_tail(written, SUMMARY_CHARACTERS_MAX) if len(written) >= SUMMARY_CHARACTERS_MIN else ""


def report_of(messages: Sequence[Message]) -> str:
    """The last that the agent said."""
    spoken = (text(each) for each in reversed(messages) if each.role is Role.ASSISTANT)
    return next((words for words in spoken if words.strip()), "")


def head_and_tail(words: str, length_max: int) -> str:
    if len(words) <= length_max:
        return words
    kept = length_max - len(LEFT_OUT)
    return words[: kept - kept // 2] + LEFT_OUT + words[-(kept // 2) :]


def _turns(messages: Iterable[Message]) -> list[list[Message]]:
    """Each begins with what a user said."""
    turns: list[list[Message]] = []
    for message in messages:
        if message.role is Role.USER or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _written(messages: Iterable[Message], each_max: int = SUMMARY_CHARACTERS_MAX) -> str:
    spoken = ((_SPEAKERS.get(message.role), text(message).strip()) for message in messages)
    return "\n\n".join(
        f"{speaker}:\n{head_and_tail(words, each_max)}" for speaker, words in spoken if speaker and words
    )
