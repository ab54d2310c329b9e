"""A user changes the rules of a chat. Possible at any time: calls that wait for an answer go on waiting."""

from msgspec import Struct

from chatd.domain.approvals.rule import RuleChange
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat


class ChangeRules(Struct, frozen=True, kw_only=True):
    changes: tuple[RuleChange, ...]


def change_rules(_: LockedChat, command: ChangeRules) -> Change:
    return Change(rules=command.changes)
