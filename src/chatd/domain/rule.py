"""Rules for approvals: what they say, what a call tells about itself, and how a list of rules changes.

Which rule counts for which call is decided in `approvals/`.
"""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, json

from chatd.errors import LimitReached, NotFound

# In one list: of a user, or of a chat.
RULES_MAX = 200


class Verdict(StrEnum):
    """What a rule says of a call: it may run, a person is asked, or it may not."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Rule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that is given must fit. Names and words are patterns with `*`, `?` and `[…]`.

    `words` are those of one program of a command; a `*` at the end stands for any further words.
    `paths` are within the workspace, or absolute; `**` stands for any folders.
    """

    verdict: Verdict
    tool: str = "*"
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    # The root of the workspace; empty: any, or none.
    workspace: str = ""

    @property
    def id(self) -> str:
        """The same for the same rule, so that adding it twice adds it once."""
        return hashlib.sha256(json.encode(self)).hexdigest()[:16]


class Touches(Struct, frozen=True, kw_only=True):
    """What a call would run, read and write, as its tool tells before it runs.

    Paths are as the model wrote them: within the workspace, or absolute.
    """

    commands: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


class ApprovalRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person is shown of a call that needs their approval, beside its arguments."""

    # The programs of its commands, each with its words.
    programs: tuple[tuple[str, ...], ...] = ()
    # Why it may run more than these.
    unsure: str | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    # What it would change, such as a diff.
    preview: str | None = None
    # The rules that an answer for the chat, or for always, makes. None can be made of a call that is unsure.
    rules: tuple[Rule, ...] = ()


class AddRule(Struct, frozen=True, kw_only=True, tag="add"):
    rule: Rule
    # 0 is the first, which is tried before all others.
    position: int = 0


class MoveRule(Struct, frozen=True, kw_only=True, tag="move"):
    rule_id: str
    position: int


class RemoveRule(Struct, frozen=True, kw_only=True, tag="remove"):
    rule_id: str


RuleChange: TypeAlias = AddRule | MoveRule | RemoveRule


def rules_after(rules: tuple[Rule, ...], changes: Iterable[RuleChange]) -> tuple[Rule, ...]:
    """Raises NotFound and LimitReached."""
    for change in changes:
        rules = _changed(rules, change)
    return rules


def _changed(rules: tuple[Rule, ...], change: RuleChange) -> tuple[Rule, ...]:
    match change:
        case AddRule(rule=rule, position=position):
            if rule in rules:
                return rules
            if len(rules) >= RULES_MAX:
                raise LimitReached(
                    "too_many_rules",
                    f"There are {RULES_MAX} rules already.",
                    limit=RULES_MAX,
                    hint="Remove rules that are not needed any more.",
                )
            return _inserted(rules, rule, position)
        case MoveRule(rule_id=rule_id, position=position):
            rule = _find(rules, rule_id)
            return _inserted(_without(rules, rule), rule, position)
        case RemoveRule(rule_id=rule_id):
            return _without(rules, _find(rules, rule_id))


def _inserted(rules: tuple[Rule, ...], rule: Rule, position: int) -> tuple[Rule, ...]:
    return (*rules[:position], rule, *rules[position:])


def _without(rules: tuple[Rule, ...], rule: Rule) -> tuple[Rule, ...]:
    return tuple(each for each in rules if each != rule)


def _find(rules: tuple[Rule, ...], rule_id: str) -> Rule:
    for rule in rules:
        if rule.id == rule_id:
            return rule
    raise NotFound("rule_not_found", f"There is no rule {rule_id}.")
