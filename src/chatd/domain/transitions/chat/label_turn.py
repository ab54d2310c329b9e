"""The last turn gets its label. One that was made for an earlier turn is refused."""

from msgspec import Struct

from chatd.domain.decision.change import Change, Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.profile.texts import TURN_LABEL_LENGTH_MAX, TurnLabel
from chatd.errors import NotAllowed


class LabelTurn(Struct, frozen=True, kw_only=True):
    label: TurnLabel


def label_turn(locked: LockedChat, command: LabelTurn) -> Change:
    assert len(command.label.text) <= TURN_LABEL_LENGTH_MAX, "labels are cut before they are kept"
    if locked.chat.projection.turn_start != command.label.turn:
        raise NotAllowed("newer_turn", "The label is for another turn than the last one.")
    return Change(details=Details(turn_label=command.label))
