"""Somebody may do something else with the chat than before, or it is another user's. Possible at any time."""

from msgspec import Struct

from chatd.domain.approvals.rule import RemoveRule
from chatd.domain.decision.change import Access, Change, NewOwner
from chatd.domain.decision.locked import LockedChat


class ChangeAccess(Struct, frozen=True, kw_only=True):
    """Whatever narrows or widens who may do what: whoever watches is asked for anew."""

    new_owner: NewOwner | None = None


def change_access(locked: LockedChat, command: ChangeAccess) -> Change:
    if command.new_owner is None:
        return Change(access=Access())
    assert locked.rules is not None, f"chat {locked.chat.id} is handed over with its rules unread"
    # What its owner of before has allowed for good, the new one has not.
    forgotten = tuple(RemoveRule(rule_id=kept.id) for kept in locked.rules)
    return Change(access=Access(command.new_owner), rules=forgotten)
