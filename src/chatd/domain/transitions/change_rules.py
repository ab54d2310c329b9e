"""A user changes the rules of a chat. Possible at any time: calls that wait for an answer go on waiting."""

from msgspec import Struct

from chatd.domain.change import Change
from chatd.domain.locked import LockedChat
from chatd.domain.rule import RuleChange


class ChangeRules(Struct, frozen=True, kw_only=True):
    changes: tuple[RuleChange, ...]


def change_rules(_: LockedChat, command: ChangeRules) -> Change:
    return Change(rules=command.changes)
