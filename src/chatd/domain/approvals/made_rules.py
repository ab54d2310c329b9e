"""The rules that a person's answers make, and what these mean for other calls that wait (pure).

A call that waits is settled by a new rule only if its own request names that very rule: then the person was
shown that the answer allows it. Nothing is compared with patterns here.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.approvals.rule import AddRule, ApprovalScope, KeptRule, Origin, Rule, Verdict
from chatd.domain.call import Call
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import UserId
from chatd.errors import BadInput, NotAllowed


class Decision(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


class Made(Struct, frozen=True, kw_only=True):
    """What the answer to one call makes."""

    call: Call
    decision: Decision
    scope: ApprovalScope
    rules: tuple[Rule, ...]


def made_by(call: Call, decision: Decision, scope: ApprovalScope) -> Made | None:
    """None: the answer counts once. Raises BadInput when no rule can be made of it."""
    if scope is ApprovalScope.ONCE:
        return None
    request = call.request
    if request is None or scope not in request.scopes:
        raise BadInput(
            "no_rule",
            f"Tool call {call.id!r} can be decided only once: no rule for {_SCOPES[scope]} would fit it.",
            hint="Decide it with the scope `once`; `waiting_for` lists the scopes of each call.",
        )
    rules = request.rules
    if decision is Decision.DENY:
        if len(rules) > 1:
            raise BadInput(
                "several_rules",
                f"Tool call {call.id!r} does several things, so it is not clear which of them to deny.",
                hint="Deny it with the scope `once`, and add a rule for what you mean.",
            )
        rules = tuple(_denying(rule) for rule in rules)
    return Made(call=call, decision=decision, scope=scope, rules=rules)


_SCOPES = {ApprovalScope.CHAT: "this chat", ApprovalScope.ALWAYS: "all chats"}


def added(locked: LockedChat, made: Iterable[Made], scope: ApprovalScope, by: UserId) -> tuple[AddRule, ...]:
    """In front of all others: one that asks is in the list already. Raises NotAllowed."""
    if (
        scope is ApprovalScope.ALWAYS
        and by != locked.chat.owner_id
        and any(each.scope is scope for each in made)
    ):
        raise NotAllowed("not_owner", "Only the owner of a chat can decide for always.")
    return tuple(
        AddRule(kept=_kept(locked, each.call, rule, by))
        for each in made
        if each.scope is scope
        for rule in each.rules
    )


def settled(waiting: Iterable[Call], made: Sequence[Made]) -> Iterator[tuple[Call, Decision]]:
    """Which of these calls the new rules decide, and how."""
    for call in waiting:
        for scope in call.request.scopes if call.request is not None else ():
            new = {rule for each in made if each.scope is scope for rule in each.rules}
            decision = _decided(call, new)
            if decision is not None:
                yield call, decision
                break


def _decided(call: Call, new: set[Rule]) -> Decision | None:
    asked = call.request.rules if call.request is not None else ()
    if any(_denying(rule) in new for rule in asked):
        return Decision.DENY
    return Decision.ALLOW if asked and new.issuperset(asked) else None


def _denying(rule: Rule) -> Rule:
    return replace(rule, verdict=Verdict.DENY)


def _kept(locked: LockedChat, call: Call, rule: Rule, by: UserId) -> KeptRule:
    origin = Origin(chat_id=locked.chat.id, message_id=call.message_id, call_id=call.id)
    return KeptRule(rule=rule, created_at=locked.now, created_by=by, origin=origin)
