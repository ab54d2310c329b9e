"""Texts about a chat, for lists of chats: its title, a label for its last turn, a summary.

Models write them beside the turns. Until one has, and when none does, there is always something to show: a
title that is how the first message begins, and a fixed label for each way in which a turn ends.
"""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from chatd.domain.ids import MessageId
from chatd.domain.turn_end import Reason

# What a row takes. `agent/texts/rules.py` sees to it that nothing longer comes here.
GENERATED_TITLE_LENGTH_MAX = 80
TURN_LABEL_LENGTH_MAX = 300
SUMMARY_LENGTH_MAX = 1000


class TitleBy(StrEnum):
    """Who has named the chat."""

    # Nothing but the first words of its first message.
    FALLBACK = "fallback"
    MODEL = "model"
    PERSON = "person"


class TurnLabel(Struct, frozen=True, kw_only=True):
    """A few words for what a turn has come to. It is shown as long as that turn is the last one."""

    # The message of the user with which the turn began.
    turn: MessageId
    text: str


# What a turn without a label of its own is shown with. One that was interrupted speaks for itself.
ENDINGS: Mapping[Reason, str] = {
    Reason.COMPLETE: "Turn finished",
    Reason.STOP_AFTER_TOOL: "Turn finished",
    Reason.MAX_STEPS: "Stopped after too many steps",
    Reason.MAX_TOKENS: "Reply was cut off",
}
NEEDS_ACTION = "Waiting for you"
