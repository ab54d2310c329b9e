"""Somebody may do something else with the chat than before, or it is another user's. Possible at any time.

Only a chat at rest has a new owner. What its owner of before has allowed counts no more: rules are forgotten,
and calls that a failed turn has left open are closed, so that the model decides anew if it is tried again.
"""

from msgspec import Struct

from chatd.domain.approvals.rule import RemoveRule
from chatd.domain.decision.answers import answering_all
from chatd.domain.decision.change import Access, Change, NewOwner, Pin
from chatd.domain.decision.locked import LockedChat
from chatd.domain.message import Draft, Role, Visibility
from chatd.domain.part import Text
from chatd.domain.setup import SetupChange
from chatd.domain.turn_end import TurnEnd

HANDED_OVER = "The chat was handed over to another user."
DETACHED = (
    "This chat was handed over, and its workspace was detached: it is not for the new owner. "
    "Agents read, change and run nothing there any more."
)
DETACHED_FOR_MODEL = (
    "The chat was handed over to another user, for whom its workspace is not meant. You have no workspace "
    "any more: files and commands of before cannot be reached, and processes that ran there were ended."
)


class ChangeAccess(Struct, frozen=True, kw_only=True):
    """Whatever narrows or widens who may do what: whoever watches is asked for anew."""

    new_owner: NewOwner | None = None
    # Whether the new owner may not use the workspace.
    detaches: bool = False


def change_access(locked: LockedChat, command: ChangeAccess) -> Change:
    if command.new_owner is None:
        return Change(access=Access())
    assert locked.rules is not None, f"chat {locked.chat.id} is handed over with its rules unread"
    detaches = command.detaches and locked.setup is not None and locked.setup.workspace is not None
    error = locked.chat.last_error
    closes = bool(locked.calls) and error is not None
    return Change(
        access=Access(command.new_owner),
        rules=tuple(RemoveRule(rule_id=kept.id) for kept in locked.rules),
        append=answering_all(locked, _told() if detaches else (), HANDED_OVER),
        setup=(SetupChange(workspace=None),) if detaches else (),
        pin=Pin(None) if detaches and locked.chat.context is not None else None,
        # As where files are restored: the answers to these calls are the last of their turn.
        turn_end=TurnEnd(at=locked.now, error=error) if closes else None,
        resumes=closes,
    )


def _told() -> tuple[Draft, ...]:
    return (
        Draft(role=Role.USER, content=(Text(text=DETACHED_FOR_MODEL),), visibility=Visibility.MODEL),
        Draft(role=Role.SYSTEM, content=(Text(text=DETACHED),), visibility=Visibility.USER),
    )
