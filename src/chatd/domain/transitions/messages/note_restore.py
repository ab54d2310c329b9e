"""A user brings files back as they were. The history says so, for people and for the model."""

from msgspec import Struct

from chatd.domain.decision.answers import answering_all
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.message import Draft, Role, Visibility
from chatd.domain.part import Text
from chatd.domain.turn_end import TurnEnd

RESTORED = "The user brought the files of the workspace back as they were earlier."


class NoteRestore(Struct, frozen=True, kw_only=True):
    """Noted before a file is touched: a restore that is cut off is in the history all the same."""

    # What people read, and what the model is told.
    notice: str
    for_model: str


def note_restore(locked: LockedChat, command: NoteRestore) -> Change:
    """A failed turn stays failed. Its open calls were meant for other files: they are closed, and if the turn
    is tried again, the model decides anew.
    """
    messages = (
        Draft(role=Role.USER, content=(Text(text=command.for_model),), visibility=Visibility.MODEL),
        Draft(role=Role.SYSTEM, content=(Text(text=command.notice),), visibility=Visibility.USER),
    )
    error = locked.chat.last_error
    closes = bool(locked.calls) and error is not None
    return Change(
        append=answering_all(locked, messages, RESTORED),
        # The answers to these calls are the last of their turn, so they tell its end.
        turn_end=TurnEnd(at=locked.now, error=error) if closes else None,
        resumes=closes,
    )
